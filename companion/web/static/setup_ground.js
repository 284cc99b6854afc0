// Terrain and sites of the empty board: a tap puts a cell right, and what was not spoken of is looked at again.

import { byId } from "./page.js";
import { cut, fill, middle, svg, word } from "./setup_stage.js";

let state = null;
let act = async () => {};
let drawn = null; // the photograph whose cells are drawn

// Draws what each cell of the empty board seems to be over its photograph, and as cards what is in doubt.
export function showGround(now, view, photo, steps) {
  [state, act] = [now, steps];
  const { cells, terrain, sites, doubtful } = state.ground;
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
    outline.setAttribute("class", `cell ${kind}${doubtful.includes(cell) ? " doubtful" : ""}`);
    const isSite = sites.includes(cell);
    outline.setAttribute("aria-label", `${cell}: ${word("terrain-" + kind)}${isSite ? " ○" : ""}`);
    view.over.querySelector(`[data-site="${cell}"]`).toggleAttribute("hidden", !isSite);
    view.over.querySelector(`[data-letter="${cell}"]`).textContent = word("terrain-" + kind).slice(0, 1);
  }
  byId("terrain-count").textContent = fill(byId("terrain-count").dataset.words, count);
  byId("doubtful").hidden = doubtful.length === 0;
  byId("doubtful").querySelector("ul").replaceChildren(...doubtful.map((cell) => doubt(cell, view.url)));
}

// A cell that may be a site or not, as a card; a tap says that it is wrong.
function doubt(cell, photo) {
  const outline = state.ground.cells[cell];
  const at = middle(outline);
  const item = document.createElement("li");
  const button = document.createElement("button");
  const said = document.createElement("span");
  const where = document.createElement("small");
  button.type = "button";
  button.className = "unsure";
  button.dataset.cell = cell;
  said.textContent = word(state.ground.sites.includes(cell) ? "site" : "no-site");
  where.textContent = cell;
  said.append(where);
  button.append(cut(photo, state.size, at, Math.hypot(outline[0] - at[0], outline[1] - at[1]) * 1.15), said);
  button.addEventListener("click", () => act("ground", () => {
    const { terrain, sites } = state.ground;
    return { cell, terrain: terrain[cell], site: !sites.includes(cell) };
  }));
  item.append(button);
  return item;
}

function tapCell(cell) {
  const taps = document.querySelector("[name=tap]:checked").value;
  act("ground", () => {
    const { terrain, sites } = state.ground;
    const isSite = sites.includes(cell);
    return taps === "site" ? { cell, terrain: terrain[cell], site: !isSite } : { cell, terrain: state.ground.next[cell], site: isSite };
  });
}

for (const button of document.querySelectorAll("[data-swap]")) {
  const [one, other] = button.dataset.swap.split(" ");
  button.addEventListener("click", () => act("swap", { one, other }));
}
