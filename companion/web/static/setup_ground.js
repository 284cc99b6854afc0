// Terrain and sites of the empty board: a tap corrects a cell, and cells that nobody corrected are read again.

import { byId, element } from "./page.js";
import { cut, fill, middle, named, svg, word } from "./setup_stage.js";

const PASS_PX = 6; // how often a moving finger's position is checked

let state = null;
let act = async () => {};
let stage = null; // the stage that is painted on
let drawn = null; // the photograph whose cells are drawn

// Draws what each cell of the empty board seems to be over its photograph, doubtful cells as cards, and where a lamp is
// reflected.
export function showGround(now, view, photo, steps) {
  [state, act] = [now, steps];
  const { cells, terrain, sites, doubtful, veiled } = state.ground;
  if (view !== stage) listen(view);
  view.show(photo, state.size, cells);
  if (drawn !== photo) {
    drawn = photo;
    view.over.replaceChildren();
    for (const [cell, outline] of Object.entries(cells)) {
      const [x, y] = middle(outline);
      view.cell(cell, outline);
      view.over.append(
        svg("circle", { class: "dot-site", "data-site": cell, cx: x, cy: y, r: Math.hypot(outline[0] - x, outline[1] - y) * 0.42 }),
        svg("text", { class: "mark", "data-letter": cell, x, y: y + 5, "font-size": 14 }),
      );
    }
    view.pressed = tapCell;
  }
  const count = { plain: 0, forest: 0, hill: 0, sites: sites.length };
  for (const [cell, kind] of Object.entries(terrain)) {
    count[kind] += 1;
    const outline = view.over.querySelector(`[data-cell="${cell}"]`);
    const marks = [doubtful.includes(cell) ? " doubtful" : "", veiled.includes(cell) ? " veiled" : ""];
    outline.setAttribute("class", `cell ${kind}${marks.join("")}`);
    const isSite = sites.includes(cell);
    outline.setAttribute("aria-label", `${cell}: ${word("terrain-" + kind)}${isSite ? " ○" : ""}`);
    view.over.querySelector(`[data-site="${cell}"]`).toggleAttribute("hidden", !isSite);
    view.over.querySelector(`[data-letter="${cell}"]`).textContent = word("terrain-" + kind).slice(0, 1);
  }
  byId("terrain-count").textContent = fill(byId("terrain-count").dataset.words, count);
  const lit = byId("veiled").querySelector("[data-words]");
  byId("veiled").hidden = veiled.length === 0;
  lit.textContent = veiled.length ? fill(lit.dataset.words, { cells: named(veiled) }) : "";
  byId("doubtful").hidden = doubtful.length === 0;
  byId("doubtful").querySelector("ul").replaceChildren(...doubtful.map((cell) => doubt(cell, view.url)));
}

// A cell that may or may not be a site, as a card; a tap says that it is wrong.
function doubt(cell, photo) {
  const outline = state.ground.cells[cell];
  const at = middle(outline);
  const kind = word(state.ground.sites.includes(cell) ? "site" : "no-site");
  const seen = cut(photo, state.size, at, Math.hypot(outline[0] - at[0], outline[1] - at[1]) * 1.15);
  const said = element("span", {}, kind, element("small", {}, cell));
  const button = element("button", { className: "unsure", "data-cell": cell }, seen, said);
  button.addEventListener("click", () => act("ground", () => {
    const { terrain, sites } = state.ground;
    return { cell, terrain: terrain[cell], site: !sites.includes(cell) };
  }));
  return element("li", {}, button);
}

const KINDS = ["plain", "forest", "hill"];
const chosen = () => document.querySelector("[name=tap]:checked").value;

function tapCell(cell) {
  const taps = chosen();
  if (KINDS.includes(taps)) return act("paint", { cells: [cell], terrain: taps });
  act("ground", () => {
    const { terrain, sites } = state.ground;
    const isSite = sites.includes(cell);
    return taps === "site" ? { cell, terrain: terrain[cell], site: !isSite } : { cell, terrain: state.ground.next[cell], site: isSite };
  });
}

// With a terrain chosen, a finger drawn over cells gives all of them that terrain; two fingers move the photograph.
function listen(view) {
  stage = view;
  let stroke = null; // the cells that it passed, and where the finger was last
  const pass = (x, y) => {
    const cell = document.elementFromPoint(x, y)?.closest?.("#terrain-stage [data-cell]");
    if (!cell || stroke.cells.has(cell.dataset.cell)) return;
    stroke.cells.add(cell.dataset.cell);
    cell.setAttribute("class", `cell ${chosen()}`);
  };
  view.drawing.addEventListener("pointerdown", (event) => {
    if (!event.isPrimary || !KINDS.includes(chosen())) return;
    stroke = { cells: new Set(), at: [event.clientX, event.clientY] };
    pass(event.clientX, event.clientY);
  });
  view.drawing.addEventListener("pointermove", (event) => {
    if (!stroke || !event.isPrimary) return;
    const [[x, y], [right, down]] = [stroke.at, [event.clientX, event.clientY]];
    const steps = Math.ceil(Math.hypot(right - x, down - y) / PASS_PX);
    for (let k = 1; k <= steps; k += 1) pass(x + ((right - x) * k) / steps, y + ((down - y) * k) / steps);
    stroke.at = [right, down];
  });
  for (const end of ["pointerup", "pointercancel", "pointerleave"]) {
    view.drawing.addEventListener(end, (event) => {
      if (!stroke || !event.isPrimary) return;
      const cells = [...stroke.cells];
      stroke = null;
      if (end === "pointercancel") showGround(state, view, drawn, act); // two fingers: no painting was meant
      else if (cells.length > 1) act("paint", { cells, terrain: chosen() });
    });
  }
}

for (const choice of document.querySelectorAll("[name=tap]")) {
  choice.addEventListener("change", () => byId("terrain-stage").classList.toggle("painting", KINDS.includes(chosen())));
}

for (const button of document.querySelectorAll("[data-swap]")) {
  const [one, other] = button.dataset.swap.split(" ");
  button.addEventListener("click", () => act("swap", { one, other }));
}
