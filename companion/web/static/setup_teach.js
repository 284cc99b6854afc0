// The photographs of pieces: the proposals, drawn over them and as cards; a tap corrects one.

import { byId, element } from "./page.js";
import { COLORS, Clear, groupsOf, isClear, namesRow, pile, pilesOf } from "./setup_piles.js";
import { Stage, cut, fill, middle, path, svg, word } from "./setup_stage.js";
import { holdingFocus } from "./setup_steps.js";
import { stepper } from "./stepper.js";

const UNSURE = 0.75;
const COUNTS = Array.from({ length: 13 }, (_, count) => String(count));
const DRAWN_SIDE = 20; // the length of a cell's side on the drawn board, whose shapes are used here
const stages = new Map();
const clears = new Map();
let lessons = []; // as they are drawn now
let act = async () => {};
let open = null; // the photograph and the cell that were opened last
let size = [1, 1]; // the size of the photographs

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

// The same, short enough for a line; its merchants are shown on their buttons.
function brief(lies) {
  const tile = lies.tile;
  if (tile?.kind === "road") return `${word("color-" + tile.color)}, ${word("terrain-" + tile.terrain)}`;
  return tile ? describe({ tile }) : "";
}

const corner = (outline, k) => [outline[2 * (((k % 6) + 6) % 6)], outline[2 * (((k % 6) + 6) % 6) + 1]];

// The middle of a side; side 0 is east, then they go on anticlockwise.
function side(outline, edge) {
  const [a, b] = [corner(outline, -edge - 1), corner(outline, -edge)];
  return [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
}

// One of the drawn board's own shapes, sized for cells whose sides are that long.
function shape(name, kind, x, y, size) {
  return svg("use", { href: `#${name}`, class: kind, transform: `translate(${x} ${y}) scale(${size / DRAWN_SIDE})` });
}

// What is on a cell, drawn over its photograph.
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

// A name's picture, as a list: a terrain has none; a road's shape is drawn in that colour.
function drawn(kind, color = "black") {
  const [group, which] = kind.split("-");
  const seen = svg("svg", { viewBox: "-20 -20 40 40", "aria-hidden": "true" });
  const outline = [0, 1, 2, 3, 4, 5].flatMap((k) => [DRAWN_SIDE * Math.sin((k * Math.PI) / 3), DRAWN_SIDE * Math.cos((k * Math.PI) / 3)]);
  if (group === "color" || group === "cube") seen.append(shape(`o-${which}`, `piece ${which}`, 0, 0, DRAWN_SIDE * 1.4));
  else if (group === "workshop") seen.append(glyph(outline, { tile: { kind: group, color: which } }));
  else if (group === "settlement") seen.append(glyph(outline, { tile: { kind: group, type: which } }));
  else if (group === "way") seen.append(glyph(outline, { tile: { kind: "road", color, edges: [...which].map(Number) } }));
  else return [];
  return [seen];
}

const url = (lesson, number) => `/setup/photo/${number + 1}.jpg?v=${lesson.photo}`;

function classOf(lies) {
  if (lies.corrected) return "corrected";
  return lies.sure < UNSURE ? "unsure" : "";
}

export function showLessons(state) {
  [lessons, size] = [state.lessons, state.size];
  const places = byId("lessons");
  while (places.children.length > state.lessons.length) places.lastChild.remove();
  state.lessons.forEach((lesson, number) => {
    if (!places.children[number]) places.append(made(number));
    showLesson(lesson, number, places.children[number]);
  });
  if (picker.open) showPicker();
}

function made(number) {
  const back = element("button", { onclick: () => act("forget", { photo: number }) }, word("forget"));
  const head = element("div", { className: "row" }, element("h3"), back);
  const list = element("div", { className: "piles" });
  const stage = element("div", { className: "stage" });
  const clear = new Clear();
  const place = element("div", { className: "lesson" }, head, element("p", {}, word("tap")), stage, list, clear.place);
  clears.set(place, clear);
  stages.set(place, new Stage(stage));
  return place;
}

function showLesson(lesson, number, place) {
  const stage = stages.get(place);
  const lying = Object.entries(lesson.lying);
  place.querySelector("h3").textContent = fill(word("photo"), { number: number + 1, count: lying.length });
  stage.show(url(lesson, number), size, lesson.cells);
  stage.over.replaceChildren();
  stage.pressed = (name) => openCell(number, name);
  for (const [name, outline] of Object.entries(lesson.cells)) {
    const lies = lesson.lying[name];
    stage.cell(name, outline).setAttribute("aria-label", `${name}: ${lies ? describe(lies) : word("nothing")}`);
    if (lies) stage.over.append(svg("path", { class: `lying ${classOf(lies)}`, d: path(outline) }), glyph(outline, lies));
  }
  const naming = async (cells, kind) => {
    await act("name", { photo: number, cells, kind });
    const place = [...byId("lessons").children[number]?.querySelectorAll("[data-piece]") ?? []];
    if (document.activeElement === document.body) place.find((one) => one.dataset.piece === cells[0])?.focus();
  };
  const made = (cell, known) => card(lesson, number, cell, stage.url, naming, known);
  const [asked, clear] = [[], []];
  for (const one of pilesOf(lesson)) (isClear(lesson, one[1]) ? clear : asked).push(one);
  const drawnPile = ([key, cells]) => pile(lesson, key, cells, drawn, made, naming);
  place.querySelector(".piles").replaceChildren(...asked.map(drawnPile));
  clears.get(place).show(clear.map(drawnPile), clear.flatMap(([, cells]) => cells).map((cell) => glance(lesson, number, cell, stage.url)));
}

// A small picture of a piece, with what it is said to be drawn next to it.
function glance(lesson, number, name, photo) {
  const lies = lesson.lying[name];
  const label = `${name}: ${describe(lies)}`;
  const about = { "data-glance": name, "aria-label": label, onclick: () => openCell(number, name) };
  const said = element("span", { "aria-hidden": "true" }, brief(lies) || describe(lies));
  return element("li", {}, element("button", about, cutOut(lesson, name, photo), said));
}

function cutOut(lesson, name, photo) {
  const outline = lesson.cells[name];
  const at = middle(outline);
  return cut(photo, size, at, Math.hypot(outline[0] - at[0], outline[1] - at[1]) * 1.15);
}

// A piece: its picture, a button for each colour of merchant, and what else it may be, apart from what is `known`.
function card(lesson, number, name, photo, naming, known) {
  const lies = lesson.lying[name];
  const about = {
    className: classOf(lies),
    "data-cell": name,
    "data-piece": name,
    "aria-label": `${name}: ${describe(lies)}`,
    onclick: () => openCell(number, name),
  };
  const said = element("span", { "aria-hidden": "true" }, brief(lies), element("small", {}, name));
  const button = element("button", about, cutOut(lesson, name, photo), said);
  const item = element("li", {}, button, cubes(number, name, lies));
  const instead = (lies.others ?? []).filter((kind) => !known.includes(kind));
  if (instead.length) item.append(others(name, lies, instead, (kind) => naming([name], kind)));
  return item;
}

// What it may be instead: the likeliest names, a tap each.
function others(name, lies, instead, chosen) {
  const row = namesRow(instead, [], (kind) => drawn(kind, lies.tile?.color), chosen);
  row.className = "others";
  for (const button of row.children) {
    button.dataset.other = `${name} ${button.dataset.kind}`;
    button.removeAttribute("data-kind");
    button.removeAttribute("aria-pressed");
    button.setAttribute("aria-label", `${name}: ${button.getAttribute("aria-label") ?? button.textContent}`);
  }
  return row;
}

// A button for each colour: a tap takes its merchants off the cell, or puts one on it.
function cubes(number, name, lies) {
  return element("div", { className: "cubes" }, ...COLORS.map((color) => {
    const count = lies.merchants?.[color] ?? 0;
    const about = {
      "data-cube": `${name} ${color}`,
      "aria-pressed": String(count > 0),
      "aria-label": `${name}: ${word("cube-" + color)}`,
      onclick: () => act("correct", () => toggled(number, name, color)),
    };
    return element("button", about, ...drawn("color-" + color), ...(count > 1 ? [String(count)] : []));
  }));
}

// What a cell holds after that tap, whatever was tapped before; null if nothing is there any more.
function toggled(number, cell, color) {
  const lies = lessons[number]?.lying[cell];
  return lies ? { photo: number, cell, contents: withMerchants(lies, color, lies.merchants?.[color] ? 0 : 1) } : null;
}

function withMerchants(lies, color, count) {
  const { [color]: _, ...others } = lies?.merchants ?? {};
  return { tile: lies?.tile ?? null, merchants: count ? { ...others, [color]: count } : others };
}

const picker = byId("picker");

function openCell(number, name) {
  open = { photo: number, cell: name };
  showPicker();
  picker.showModal();
  picker.querySelector('[aria-pressed="true"]')?.focus();
}

// All names for the open piece, and its merchants: each tap takes effect at once.
function showPicker() {
  const lesson = lessons[open.photo];
  const name = open.cell;
  if (!lesson?.cells[name]) return picker.close();
  const lies = lesson.lying[name] ?? { tile: null, merchants: {} };
  byId("picker-title").textContent = `${name}: ${describe(lies)}`;
  const outline = lesson.cells[name];
  const at = middle(outline);
  const seen = cut(url(lesson, open.photo), size, at, Math.hypot(outline[0] - at[0], outline[1] - at[1]) * 1.4);
  byId("picker-cut").setAttribute("viewBox", seen.getAttribute("viewBox"));
  byId("picker-cut").replaceChildren(...seen.childNodes);
  const parts = groupsOf(lies).flatMap(([head, names, now]) => [heading(head), namesRow(names, now, (kind) => drawn(kind, lies.tile?.color), named)]);
  const counters = COLORS.map((color) => counter(color, lies.merchants[color] ?? 0));
  const merchants = element("div", { className: "row" }, ...counters);
  holdingFocus(() => byId("picker-names").replaceChildren(...parts, heading("merchants"), merchants));
}

function heading(name) {
  return element("h3", {}, word("head-" + name));
}

function counter(color, count) {
  const { photo, cell } = open;
  return stepper(word("color-" + color), COUNTS, String(count), color, (wanted) => {
    const by = Number(wanted) - count;
    act("correct", () => {
      const lies = lessons[photo].lying[cell];
      return { photo, cell, contents: withMerchants(lies, color, Math.max(0, (lies?.merchants[color] ?? 0) + by)) };
    });
  });
}

function named(kind) {
  if (kind !== "road") picker.close(); // the kind of road is asked next
  act("name", { photo: open.photo, cells: [open.cell], kind });
}

byId("picker-close").addEventListener("click", () => picker.close());
picker.addEventListener("close", () => {
  // What it was opened from may have been redrawn meanwhile.
  if (document.activeElement !== document.body) return;
  byId("lessons").children[open.photo]?.querySelector(`.found [data-cell="${open.cell}"], [data-cell="${open.cell}"]`)?.focus();
});
picker.addEventListener("click", (event) => {
  if (event.target === picker) picker.close();
});
