// What lies on a photograph, in piles: a tap on a name names all of a pile.

import { fill, word } from "./setup_stage.js";

const UNSURE = 0.75;
const COLORS = ["black", "grey", "yellow", "red"];
const TERRAINS = ["plain", "forest", "hill"];
const BUILT = [...["city", "town", "village", "hamlet"].map((kind) => `settlement-${kind}`), ...COLORS.map((color) => `workshop-${color}`)];

const isBuilt = (lies) => lies.tile?.kind === "settlement" || lies.tile?.kind === "workshop";

// A road of which that is not sure may well be something else: those that look alike are a pile of their own.
const isSure = (lies) => lies.corrected || lies.sure >= UNSURE;

// What a cell's pile is told by: what it is, and where nobody said so, what it looks like too.
function keyOf(lies, alike) {
  const tile = lies.tile;
  if (isBuilt(lies)) return `${tile.kind}-${tile.type ?? tile.color}${lies.corrected ? "" : ` ${alike}`}`;
  if (tile) return `road ${tile.color} ${tile.terrain}${isSure(lies) ? "" : ` ${alike}`}`;
  return `cubes ${Object.keys(lies.merchants).sort().join(" ")}`;
}

// Returns [key, cells] of each pile, the least certain first; everything that lies there is in one.
export function pilesOf(lesson) {
  const alike = new Map((lesson.piles ?? []).flatMap((cells, number) => cells.map((cell) => [cell, number])));
  const piles = new Map();
  for (const [cell, lies] of Object.entries(lesson.lying)) {
    const key = keyOf(lies, alike.get(cell));
    piles.set(key, [...(piles.get(key) ?? []), cell]);
  }
  const settled = (cells) => cells.every((cell) => lesson.lying[cell].corrected);
  const sure = (cells) => Math.min(...cells.map((cell) => lesson.lying[cell].sure));
  return [...piles].sort(([, one], [, other]) => settled(one) - settled(other) || sure(one) - sure(other));
}

// What a pile can be called, the likely names and the others; and which of them it has.
function namesOf(lies) {
  const tile = lies.tile;
  if (isBuilt(lies)) return { near: BUILT, far: ["nothing"], now: [`${tile.kind}-${tile.type ?? tile.color}`] };
  const colors = COLORS.map((color) => `color-${color}`);
  if (tile) {
    const near = [...colors, ...TERRAINS.map((terrain) => `terrain-${terrain}`)];
    const others = isSure(lies) ? [] : BUILT;
    return { near: [...others, ...near], far: [...(isSure(lies) ? BUILT : []), "nothing"], now: [`color-${tile.color}`, `terrain-${tile.terrain}`] };
  }
  const own = Object.keys(lies.merchants);
  return { near: own.length === 1 ? colors : [], far: [...BUILT, "nothing"], now: own.length === 1 ? [`color-${own[0]}`] : [] };
}

function namesRow(names, now, draw, chosen) {
  const row = document.createElement("div");
  row.className = "names";
  for (const kind of names) {
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.kind = kind;
    button.setAttribute("aria-pressed", String(now.includes(kind)));
    const label = document.createElement("span");
    label.textContent = word(kind);
    button.append(...draw(kind), label);
    button.addEventListener("click", () => chosen(kind));
    row.append(button);
  }
  return row;
}

// One pile: what is asked, its names, and a card for each piece. `draw` gives a name's picture, as a list.
export function pile(lesson, key, cells, draw, card, name) {
  const made = document.createElement("section");
  made.className = "pile";
  made.dataset.pile = key;
  const { near, far, now } = namesOf(lesson.lying[cells[0]]);
  const title = document.createElement("h4");
  title.textContent = cells.length > 1 ? fill(word("pile"), { count: cells.length }) : word("pile-one");
  const list = document.createElement("ul");
  list.className = "found";
  list.append(...cells.map(card));
  const chosen = (kind) => name(cells, kind);
  const more = document.createElement("details");
  const summary = document.createElement("summary");
  summary.textContent = word("other-kind");
  more.append(summary, namesRow(far, now, draw, chosen));
  made.append(title, list, namesRow(near, now, draw, chosen), more);
  return made;
}
