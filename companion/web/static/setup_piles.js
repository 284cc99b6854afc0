// What lies on a photograph, in piles: a tap on a name names all of a pile.

import { fill, word } from "./setup_stage.js";

const UNSURE = 0.75;
export const COLORS = ["black", "grey", "yellow", "red"];
const TERRAINS = ["plain", "forest", "hill"];
const BUILT = [...["city", "town", "village", "hamlet"].map((kind) => `settlement-${kind}`), ...COLORS.map((color) => `workshop-${color}`)];

const CUBES = COLORS.map((color) => `cube-${color}`);
const WAYS = ["02", "03", "04", "13", "14", "15", "24", "25", "35"].map((sides) => `way-${sides}`);

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

const roadColors = COLORS.map((color) => `color-${color}`);
const terrains = TERRAINS.map((terrain) => `terrain-${terrain}`);

// The names that something has.
function namesNow(lies) {
  const tile = lies.tile;
  if (tile?.kind === "road") return ["road", `color-${tile.color}`, `terrain-${tile.terrain}`, `way-${tile.edges.join("")}`];
  if (tile) return [`${tile.kind}-${tile.type ?? tile.color}`];
  const own = Object.keys(lies.merchants);
  return own.length ? own.flatMap((color) => [`cube-${color}`, `color-${color}`]) : ["nothing"];
}

// What a pile can be called, the likely names and the others; and which of them it has.
function namesOf(lies) {
  const now = namesNow(lies);
  if (isBuilt(lies)) return { near: BUILT, far: [...CUBES, "nothing"], now };
  const near = [...roadColors, ...terrains];
  if (lies.tile) return isSure(lies) ? { near, far: [...BUILT, ...CUBES, "nothing"], now } : { near: [...BUILT, ...near], far: [...CUBES, "nothing"], now };
  return { near: now.length === 2 ? roadColors : [], far: [...BUILT, "nothing"], now };
}

// All that one thing can be called, by heading.
export function groupsOf(lies) {
  const now = namesNow(lies);
  const tiles = ["tile", [...BUILT, "road", ...CUBES, "nothing"], now];
  if (lies.tile?.kind !== "road") return [tiles];
  return [tiles, ["color", roadColors, now], ["terrain", terrains, now], ["way", WAYS, now]];
}

export function namesRow(names, now, draw, chosen) {
  const row = document.createElement("div");
  row.className = "names";
  for (const kind of names) {
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.kind = kind;
    button.setAttribute("aria-pressed", String(now.includes(kind)));
    button.append(...draw(kind));
    if (kind.startsWith("way-")) {
      button.setAttribute("aria-label", [...kind.slice(4)].map((side) => word("side-" + side)).join(" – "));
    } else {
      const label = document.createElement("span");
      label.textContent = word(kind);
      button.append(label);
    }
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
