// The photographs of pieces on a square board: each piece is described on its own picture, its arrows by tapping
// directions.

import { byId, element } from "./page.js";
import { Stage, cut, fill, middle, path, svg, word } from "./setup_stage.js";

const SIGNS = "→↗↑↖←↙↓↘";
const SURE = 0.75; // what was recognised is at least this certain; what was only guessed is less so
const RAYS = 8;
const LEAST_OUT = 0.2; // a tap nearer to the picture's middle than this, in halves of the picture, points nowhere
// The keys of a number pad, by the direction in which each of them lies.
const PAD = { 6: 0, 9: 1, 8: 2, 7: 3, 4: 4, 1: 5, 2: 6, 3: 7 };
const stages = new Map();
const form = byId("teller-form");
let act = async () => {};
let state = null;
let open = null; // the photograph and the cell that is being described
let lastColor = "";

export function sectionsBy(steps) {
  act = steps;
}

const colorName = (color) => word("color-" + color).replace(/^color-/, "");

function describe({ kind, id, color, number, horse, rays, dead_end }) {
  if (kind !== "section") return word(kind + "-any");
  if (id === null) return word("untold");
  const said = [`${colorName(color)} ${number || word("no-number")}`, rays.map((ray) => SIGNS[ray]).join(" ")];
  if (horse) said.push(word("horse"));
  if (dead_end) said.push(word("dead-end"));
  return said.filter(Boolean).join(" · ");
}

// What can hardly be told apart, what is misread, and which colours have too few pieces: [doubts, misread, few].
export function saidOfSquares(now) {
  const { twins, alike, misread } = now.judged;
  return [
    [
      ...twins.map(([one, other]) => fill(word("twins"), { one: describe(one), other: describe(other) })),
      ...alike.map(([one, other]) => fill(word("alike"), { one: describe(one), other: describe(other) })),
    ],
    misread.map(({ photo, cell }) => fill(word("misread-square"), { cell, number: photo + 1 })),
    Object.entries(now.sections).filter(([, count]) => count !== now.sections_each).map(([color, count]) =>
      fill(word(count < now.sections_each ? "few" : "many"), { color: colorName(color), count, all: now.sections_each })),
  ];
}

export function lackingOfSquares(now) {
  const kinds = now.missing.map(({ kind }) => word(kind + "-any"));
  return now.untold?.length ? [...kinds, fill(word("untold-left"), { count: now.untold.length })] : kinds;
}

/* The photographs. */

export function showSections(now) {
  state = now;
  byId("counts").replaceChildren(...Object.entries(state.sections ?? {}).map(([color, count]) => {
    const said = fill(word("count-of"), { color: colorName(color), count, all: state.sections_each });
    return element("li", { className: count === state.sections_each ? "all" : "" }, said);
  }));
  const places = byId("square-lessons");
  while (places.children.length > state.lessons.length) places.lastChild.remove();
  state.lessons.forEach((lesson, number) => {
    if (!stages.has(places.children[number])) {
      places.children[number]?.remove();
      places.append(made(number));
    }
    showLesson(lesson, number, places.children[number]);
  });
}

function made(number) {
  const back = element("button", { onclick: () => act("forget", { photo: number }) }, word("forget"));
  const head = element("div", { className: "row" }, element("h3"), back);
  const next = element("button", { className: "main next", onclick: () => openNext(number) });
  const list = element("ul", { className: "found" });
  const stage = element("div", { className: "stage" });
  const place = element("div", { className: "lesson" }, head, next, element("p", {}, word("tap-piece")), stage, list);
  stages.set(place, new Stage(stage));
  return place;
}

const url = (lesson, number) => `/setup/photo/${number + 1}.jpg?v=${lesson.photo}`;
const isUntold = ({ piece }) => piece.kind === "section" && piece.id === null;

function classOf(lies) {
  if (lies.corrected) return "corrected";
  return lies.sure < SURE ? "unsure" : "";
}

function showLesson(lesson, number, place) {
  const stage = stages.get(place);
  const lying = Object.entries(lesson.lying);
  const left = lying.filter(([, lies]) => isUntold(lies)).length;
  place.querySelector("h3").textContent = fill(word("photo"), { number: number + 1, count: lying.length });
  const next = place.querySelector(".next");
  next.hidden = left === 0;
  next.textContent = fill(word("next-untold"), { count: left });
  stage.show(url(lesson, number), state.size, lesson.cells);
  stage.over.replaceChildren();
  stage.pressed = (name) => openCell(number, name);
  for (const [name, outline] of Object.entries(lesson.cells)) {
    const lies = lesson.lying[name];
    stage.cell(name, outline).setAttribute("aria-label", `${name}: ${lies ? describe(lies.piece) : word("nothing")}`);
    if (lies) stage.over.append(svg("path", { class: `lying ${classOf(lies)}`, d: path(outline) }), ...drawn(outline, lies.piece));
  }
  lying.sort((one, other) => isUntold(other[1]) - isUntold(one[1]) || one[1].corrected - other[1].corrected || one[1].sure - other[1].sure);
  place.querySelector(".found").replaceChildren(...lying.map(([name, lies]) => card(lesson, number, name, lies)));
}

// The rays that people have entered, drawn over the photograph.
function drawn(outline, { rays, id }) {
  if (!id) return [];
  const [x, y] = middle(outline);
  const ways = rays.map((ray) => towards(outline, ray)).map(([toX, toY]) =>
    `M${x + (toX - x) * 0.45} ${y + (toY - y) * 0.45}L${x + (toX - x) * 0.9} ${y + (toY - y) * 0.9}`);
  return [svg("path", { class: "said-under", d: ways.join("") }), svg("path", { class: "said", d: ways.join("") })];
}

// Where a ray leaves a cell: the middle of a side, or a corner. Outlines go from the upper left, clockwise.
function towards(outline, ray) {
  const corner = (k) => [outline[2 * (k % 4)], outline[2 * (k % 4) + 1]];
  const first = { 0: 1, 1: 1, 2: 0, 3: 0, 4: 3, 5: 3, 6: 2, 7: 2 }[ray];
  const [a, b] = [corner(first), ray % 2 ? corner(first) : corner(first + 1)];
  return [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
}

function card(lesson, number, name, lies) {
  const about = { className: classOf(lies), "data-cell": name, onclick: () => openCell(number, name) };
  const at = middle(lesson.cells[name]);
  const said = element("span", {}, describe(lies.piece), element("small", {}, name));
  const reach = Math.hypot(lesson.cells[name][0] - at[0], lesson.cells[name][1] - at[1]) * 0.8;
  return element("li", {}, element("button", about, cut(url(lesson, number), state.size, at, reach), said));
}

/* Saying what a piece is. */

function openNext(number) {
  const next = Object.entries(state.lessons[number].lying).find(([, lies]) => isUntold(lies));
  if (next) openCell(number, next[0]);
  else if (byId("teller").open) byId("teller").close();
}

function openCell(number, name) {
  const lesson = state.lessons[number];
  const lies = lesson.lying[name] ?? { piece: { kind: "" }, color: "" };
  const { piece } = lies;
  open = { photo: number, cell: name };
  byId("teller-title").textContent = fill(byId("teller-title").dataset.words, { cell: name, number: number + 1 });
  byId("teller-tile").src = `/setup/photo/${number + 1}/${name}.jpg?v=${lesson.photo}`;
  form.reset();
  form.elements.kind.value = piece.kind;
  for (const box of form.elements.ray) box.checked = piece.rays?.includes(Number(box.value)) ?? false;
  choose(piece.color ?? (lies.color || lastColor));
  form.elements.number.value = piece.number || "";
  form.elements.horse.checked = piece.horse ?? false;
  form.elements.dead_end.checked = piece.dead_end ?? false;
  showNumbers();
  showForm();
  if (!byId("teller").open) byId("teller").showModal();
  byId("teller").scrollTop = 0;
  form.elements.kind[0].focus({ preventScroll: true });
}

function choose(color) {
  const known = [...form.elements.color].some((box) => box.value === color && color !== "");
  for (const box of form.elements.color) box.checked = known ? box.value === color : color !== "" && box.value === "";
  form.elements.other.value = known ? "" : color;
}

// The numbers that people have entered so far, a tap each.
function showNumbers() {
  const said = state.lessons.flatMap(({ lying }) => Object.values(lying).map(({ piece }) => piece.number)).filter(Boolean);
  byId("numbers").replaceChildren(...[...new Set(said)].sort((a, b) => a - b).map((number) =>
    element("button", { onclick: () => { form.elements.number.value = number; } }, number)));
}

const checkedRays = () => [...form.elements.ray].filter((box) => box.checked).map((box) => Number(box.value));
const chosenColor = () => {
  const chosen = [...form.elements.color].find((box) => box.checked);
  return chosen === undefined ? null : chosen.value || form.elements.other.value.trim();
};

function showForm() {
  const isSection = form.elements.kind.value === "section";
  for (const part of form.querySelectorAll("[data-for]")) part.hidden = !isSection;
  form.querySelector(".compass").classList.toggle("still", !isSection);
  form.querySelector(".other").hidden = ![...form.elements.color].some((box) => box.checked && box.value === "");
  byId("teller-done").disabled = isSection && !chosenColor();
  const others = Object.entries(state.lessons[open.photo].lying).filter(([name, lies]) => name !== open.cell && isUntold(lies));
  byId("teller-done").textContent = byId("teller-done").dataset[others.length ? "next" : "last"];
  byId("teller-left").textContent = others.length ? fill(byId("teller-left").dataset.words, { count: others.length }) : "";
  byId("teller-rays").replaceChildren(...(isSection ? checkedRays() : []).flatMap((ray) => {
    const [x, y] = [Math.cos((ray * Math.PI) / 4), -Math.sin((ray * Math.PI) / 4)];
    const reach = ray % 2 ? 1.18 : 0.86;
    const way = { x1: x * 0.34, y1: y * 0.34, x2: x * reach, y2: y * reach };
    return [svg("line", { class: "said-under", ...way }), svg("line", { class: "said", ...way })];
  }));
}

function toggle(ray) {
  if (form.elements.kind.value !== "section") return;
  const box = [...form.elements.ray].find((one) => Number(one.value) === ray);
  box.checked = !box.checked;
  showForm();
}

function said() {
  const kind = form.elements.kind.value;
  if (kind !== "section") return kind === "" ? null : { kind };
  lastColor = chosenColor();
  return {
    kind,
    color: lastColor,
    number: Number(form.elements.number.value) || 0,
    horse: form.elements.horse.checked,
    rays: checkedRays(),
    dead_end: form.elements.dead_end.checked,
  };
}

form.addEventListener("input", showForm);
form.querySelector(".tile").addEventListener("click", (event) => {
  const box = event.currentTarget.getBoundingClientRect();
  const [x, y] = [(2 * (event.clientX - box.left)) / box.width - 1, (2 * (event.clientY - box.top)) / box.height - 1];
  if (Math.hypot(x, y) > LEAST_OUT) toggle((Math.round((-Math.atan2(y, x) * 4) / Math.PI) + RAYS) % RAYS);
});
form.querySelector(".compass").addEventListener("keydown", (event) => {
  if (event.key in PAD) toggle(PAD[event.key]);
});
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { photo } = open;
  const done = await act("tell", { ...open, piece: said() });
  if (done) openNext(photo);
  else byId("teller").close(); // the page underneath says what was wrong
});
byId("teller-close").addEventListener("click", () => byId("teller").close());
byId("teller").addEventListener("close", () => {
  if (document.activeElement !== document.body) return;
  byId("square-lessons").children[open.photo]?.querySelector(`.found [data-cell="${open.cell}"]`)?.focus();
});
