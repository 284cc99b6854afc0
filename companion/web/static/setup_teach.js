// The photographs of pieces: what was proposed, drawn over them and as cards; a tap puts it right.

import { byId } from "./page.js";
import { areNext, roadOf } from "./road.js";
import { pile, pilesOf } from "./setup_piles.js";
import { Stage, cut, fill, middle, path, svg, word } from "./setup_stage.js";

const UNSURE = 0.75;
const ENOUGH = 3; // so many cells were put right before the rest is proposed anew by them
const DRAWN_SIDE = 20; // of a cell on the drawn board, whose shapes are borrowed
const stages = new Map();
let act = async () => {};
let open = null; // the photograph and the cell that are being put right
let lastSide = null; // of a road, the side that was tapped last

export function teachBy(steps) {
  act = steps;
}

function describe(lies) {
  const said = [];
  const tile = lies.tile;
  if (tile?.kind === "settlement") said.push(word("settlement-" + tile.type));
  if (tile?.kind === "workshop") said.push(word("workshop-" + tile.color));
  if (tile?.kind === "road") said.push(`${word("road-" + tile.color)}, ${word("terrain-" + tile.terrain)}`);
  for (const [color, count] of Object.entries(lies.merchants ?? {})) said.push(`${word("color-" + color)} ${count}`);
  return said.join(" · ") || word("nothing");
}

const corner = (outline, k) => [outline[2 * (((k % 6) + 6) % 6)], outline[2 * (((k % 6) + 6) % 6) + 1]];

// The middle of a side; side 0 is east, then on against the clock.
function side(outline, edge) {
  const [a, b] = [corner(outline, -edge - 1), corner(outline, -edge)];
  return [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
}

// One of the drawn board's own shapes, as large as on cells whose sides are that long.
function shape(name, kind, x, y, size) {
  return svg("use", { href: `#${name}`, class: kind, transform: `translate(${x} ${y}) scale(${size / DRAWN_SIDE})` });
}

// What lies on a cell, drawn over its photograph.
function glyph(outline, lies) {
  const group = svg("g");
  const [x, y] = middle(outline);
  const size = Math.hypot(outline[0] - x, outline[1] - y);
  const tile = lies.tile;
  if (tile?.kind === "road") {
    const [from, to] = tile.edges.map((edge) => side(outline, edge));
    const d = `M${from[0]} ${from[1]}Q${x} ${y} ${to[0]} ${to[1]}`;
    group.append(
      svg("path", { class: "way-under", d, "stroke-width": size * 0.22 }),
      svg("path", { class: `way ${tile.color}`, d, "stroke-width": size * 0.13 }),
      shape(`o-${tile.color}`, `piece ${tile.color}`, (from[0] + 2 * x + to[0]) / 4, (from[1] + 2 * y + to[1]) / 4, size * 0.7),
    );
  } else if (tile?.kind === "workshop") {
    group.append(
      shape("workshop", `piece ${tile.color}`, x, y, size),
      shape(`o-${tile.color}`, `owner ${tile.color}`, x, y + size * 0.15, size * 0.9),
    );
  } else if (tile) {
    group.append(shape(tile.type, "settled", x, y, size * 1.1));
  }
  Object.entries(lies.merchants ?? {}).forEach(([color, count], row) => {
    for (let k = 0; k < Math.min(count, 4); k += 1) {
      const [right, down] = [x + size * (0.3 * k - 0.45), y + size * (0.42 - 0.3 * row)];
      group.append(shape(`o-${color}`, `piece ${color}`, right, down, size * 0.5));
    }
  });
  return group;
}

// A name's picture, as a list: none for a terrain.
function drawn(kind) {
  const [group, which] = kind.split("-");
  if (!["settlement", "workshop", "color"].includes(group)) return [];
  const tile = group === "color" ? null : { kind: group, [group === "workshop" ? "color" : "type"]: which };
  const outline = [0, 1, 2, 3, 4, 5].flatMap((k) => [DRAWN_SIDE * Math.sin((k * Math.PI) / 3), DRAWN_SIDE * Math.cos((k * Math.PI) / 3)]);
  const seen = svg("svg", { viewBox: "-20 -20 40 40", "aria-hidden": "true" });
  seen.append(tile ? glyph(outline, { tile }) : shape(`o-${which}`, `piece ${which}`, 0, 0, DRAWN_SIDE * 1.4));
  return [seen];
}

const url = (lesson, number) => `/setup/photo/${number + 1}.jpg?v=${lesson.photo}`;

function classOf(lies) {
  if (lies.corrected) return "corrected";
  return lies.sure < UNSURE ? "unsure" : "";
}

export function showLessons(state) {
  const places = byId("lessons");
  while (places.children.length > state.lessons.length) places.lastChild.remove();
  state.lessons.forEach((lesson, number) => {
    if (!places.children[number]) places.append(made(number));
    showLesson(state, lesson, number, places.children[number]);
  });
}

function made(number) {
  const place = document.createElement("div");
  place.className = "lesson";
  const head = document.createElement("div");
  head.className = "row";
  const title = document.createElement("h3");
  const back = document.createElement("button");
  back.type = "button";
  back.textContent = word("forget");
  back.addEventListener("click", () => act("forget", { photo: number }));
  head.append(title, back);
  const learn = document.createElement("button");
  learn.type = "button";
  learn.className = "learn";
  learn.textContent = word("learn");
  learn.addEventListener("click", () => act("learn", { photo: number }));
  const about = document.createElement("p");
  about.textContent = word("tap");
  const list = document.createElement("div");
  list.className = "piles";
  const stage = document.createElement("div");
  stage.className = "stage";
  place.append(head, about, stage, learn, list);
  stages.set(place, new Stage(stage));
  return place;
}

function showLesson(state, lesson, number, place) {
  const stage = stages.get(place);
  const lying = Object.entries(lesson.lying);
  place.querySelector("h3").textContent = fill(word("photo"), { number: number + 1, count: lying.length });
  stage.show(url(lesson, number), state.size, lesson.cells);
  stage.over.replaceChildren();
  stage.pressed = (name) => openCell(state, number, name, stage.url);
  for (const [name, outline] of Object.entries(lesson.cells)) {
    const lies = lesson.lying[name];
    stage.cell(name, outline).setAttribute("aria-label", `${name}: ${lies ? describe(lies) : word("nothing")}`);
    if (lies) stage.over.append(svg("path", { class: `lying ${classOf(lies)}`, d: path(outline) }), glyph(outline, lies));
  }
  place.querySelector(".learn").hidden = lying.filter(([, lies]) => lies.corrected).length < ENOUGH;
  const named = async (cells, kind) => {
    await act("name", { photo: number, cells, kind });
    const place = [...byId("lessons").children[number]?.querySelectorAll("[data-piece]") ?? []];
    if (document.activeElement === document.body) place.find((one) => one.dataset.piece === cells[0])?.focus();
  };
  const made = (cell) => card(state, lesson, number, cell, lesson.lying[cell], stage.url);
  place.querySelector(".piles").replaceChildren(
    ...pilesOf(lesson).map(([key, cells]) => pile(lesson, key, cells, drawn, made, named)),
  );
}

function card(state, lesson, number, name, lies, photo) {
  const item = document.createElement("li");
  const button = document.createElement("button");
  button.type = "button";
  button.className = classOf(lies);
  button.dataset.cell = name;
  button.dataset.piece = name;
  const outline = lesson.cells[name];
  const at = middle(outline);
  const said = document.createElement("span");
  said.textContent = describe(lies);
  const where = document.createElement("small");
  where.textContent = name;
  said.append(where);
  button.append(cut(photo, state.size, at, Math.hypot(outline[0] - at[0], outline[1] - at[1]) * 1.15), said);
  button.addEventListener("click", () => openCell(state, number, name, photo));
  item.append(button);
  return item;
}

const form = byId("picker-form");

function openCell(state, number, name, photo) {
  const lesson = state.lessons[number];
  const lies = lesson.lying[name] ?? { tile: null, merchants: {} };
  open = { photo: number, cell: name };
  lastSide = null;
  byId("picker-title").textContent = name;
  const outline = lesson.cells[name];
  const at = middle(outline);
  const seen = cut(photo, state.size, at, Math.hypot(outline[0] - at[0], outline[1] - at[1]) * 1.4);
  byId("picker-cut").setAttribute("viewBox", seen.getAttribute("viewBox"));
  byId("picker-cut").replaceChildren(...seen.childNodes);
  const tile = lies.tile ?? {};
  form.elements.kind.value = tile.kind ?? "";
  if (tile.type) form.elements.type.value = tile.type;
  if (tile.color) form.elements.color.value = tile.color;
  if (tile.terrain) form.elements.terrain.value = tile.terrain;
  for (const box of form.elements.edge) box.checked = (tile.edges ?? []).includes(Number(box.value));
  for (const color of ["black", "grey", "yellow", "red"]) form.elements.namedItem(color).value = lies.merchants[color] ?? 0;
  showForm();
  byId("picker").showModal();
}

const edges = () => [...form.elements.edge].filter((box) => box.checked).map((box) => Number(box.value));

function contents() {
  const merchants = {};
  for (const color of ["black", "grey", "yellow", "red"]) {
    const count = Number(form.elements.namedItem(color).value);
    if (count > 0) merchants[color] = count;
  }
  const kind = form.elements.kind.value;
  if (kind === "settlement") return { tile: { kind, type: form.elements.type.value }, merchants };
  if (kind === "workshop") return { tile: { kind, color: form.elements.color.value }, merchants };
  if (kind !== "road") return { tile: null, merchants };
  const { color, terrain } = form.elements;
  return { tile: roadOf(color.value, terrain.value, edges()), merchants };
}

for (const button of form.querySelectorAll(".number [data-by]")) {
  button.addEventListener("click", () => {
    const field = button.parentElement.querySelector("input");
    field.value = Math.max(Number(field.min), Math.min(Number(field.max), Number(field.value) + Number(button.dataset.by)));
  });
}

function showForm() {
  const kind = form.elements.kind.value;
  for (const part of form.querySelectorAll("[data-for]")) part.hidden = !part.dataset.for.split(" ").includes(kind);
  form.querySelector("[type=submit]").disabled = kind === "road" && edges().length !== 2;
}

form.addEventListener("change", (event) => {
  // A third side, or one beside the other, takes the other's place; the side that was tapped last stays.
  if (event.target.name === "edge" && event.target.checked) {
    const now = Number(event.target.value);
    const others = edges().filter((edge) => edge !== now && !areNext(edge, now));
    const kept = others.includes(lastSide) ? lastSide : others.at(-1);
    for (const box of form.elements.edge) box.checked = [now, kept].includes(Number(box.value));
    lastSide = now;
  }
  showForm();
});

async function put(what) {
  byId("picker").close();
  await act("correct", { ...open, contents: what });
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  put(contents());
});
byId("picker-nothing").addEventListener("click", () => put({ tile: null, merchants: {} }));
byId("picker-close").addEventListener("click", () => byId("picker").close());
byId("picker").addEventListener("close", () => {
  // What it was opened from may have been drawn anew meanwhile.
  if (document.activeElement !== document.body) return;
  byId("lessons").children[open.photo]?.querySelector(`.found [data-cell="${open.cell}"], [data-cell="${open.cell}"]`)?.focus();
});
byId("picker").addEventListener("click", (event) => {
  if (event.target === byId("picker")) byId("picker").close();
});
