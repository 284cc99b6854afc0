// The pieces on a photograph, in piles: a tap on a name gives it to a whole pile.

import { element } from "./page.js";
import { fill, word } from "./setup_stage.js";

const UNSURE = 0.75;
const LEAST = -8; // the least likely that a name can be (a logarithm)
// Of 209 pieces that were guessed wrongly on 24 tables, these let 25 pass as clear, most of them wrong only by a
// merchant.
const [CLEAR, NEARLY] = [0.98, -0.5];
export const COLORS = ["black", "grey", "yellow", "red"];
const TERRAINS = ["plain", "forest", "hill"];
const BUILT = [...["city", "town", "village", "hamlet"].map((kind) => `settlement-${kind}`), ...COLORS.map((color) => `workshop-${color}`)];

const CUBES = COLORS.map((color) => `cube-${color}`);
const WAYS = ["02", "03", "04", "13", "14", "15", "24", "25", "35"].map((sides) => `way-${sides}`);

const isBuilt = (lies) => lies.tile?.kind === "settlement" || lies.tile?.kind === "workshop";

// A road that is not certain may well be something else, so roads that look alike have a pile of their own.
const isSure = (lies) => lies.corrected || lies.sure >= UNSURE;

// The key of a cell's pile: what is on it and, if nobody has said so, also what it looks like.
function keyOf(lies, alike) {
  const tile = lies.tile;
  if (isBuilt(lies)) return `${tile.kind}-${tile.type ?? tile.color}${lies.corrected ? "" : ` ${alike}`}`;
  if (tile) return `road ${tile.color} ${tile.terrain}${isSure(lies) ? "" : ` ${alike}`}`;
  return `cubes ${Object.keys(lies.merchants).sort().join(" ")}`;
}

// Whether a pile is unlikely to be wrong: no piece has another name that is nearly as likely, or might hide a merchant.
export function isClear(lesson, cells) {
  return cells.every((cell) => {
    const { sure, others, likely, tile, merchants, corrected } = lesson.lying[cell];
    if (corrected || sure < CLEAR || (tile && Object.keys(merchants ?? {}).length)) return false;
    return (others ?? []).every((kind) => (likely?.[kind] ?? LEAST) < NEARLY);
  });
}

// Returns [key, cells] of each pile, the least certain first; every piece is in one.
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

// The names that something has now.
function namesNow(lies) {
  const tile = lies.tile;
  if (tile?.kind === "road") return ["road", `color-${tile.color}`, `terrain-${tile.terrain}`, `way-${tile.edges.join("")}`];
  if (tile) return [`${tile.kind}-${tile.type ?? tile.color}`];
  const own = Object.keys(lies.merchants);
  return own.length ? own.flatMap((color) => [`cube-${color}`, `color-${color}`]) : ["nothing"];
}

// What a pile can be called, in rows: the likely names first, then all others in the same number of rows.
function rowsOf(lies) {
  const [settled, workshops] = [BUILT.slice(0, 4), BUILT.slice(4)];
  if (isBuilt(lies)) return [[settled, workshops], [...CUBES, "nothing"]];
  const road = [roadColors, [...terrains, "nothing"]];
  if (lies.tile) return isSure(lies) ? [road, [...BUILT, ...CUBES]] : [[settled, workshops, ...road], CUBES];
  return Object.keys(lies.merchants).length === 1 ? [[roadColors], [...BUILT, "nothing"]] : [[], [...BUILT, "nothing"]];
}

// The same names in the order in which they are drawn, one column after another.
function namesOf(lies) {
  const [rows, others] = rowsOf(lies);
  const near = (rows[0] ?? []).flatMap((_, column) => rows.map((row) => row[column]));
  return { names: [...near, ...others], rows: Math.max(rows.length, 1), now: namesNow(lies) };
}

// Everything that a piece can be called, by heading.
export function groupsOf(lies) {
  const now = namesNow(lies);
  const tiles = ["tile", [...BUILT, "road", ...CUBES, "nothing"], now];
  if (lies.tile?.kind !== "road") return [tiles];
  return [tiles, ["color", roadColors, now], ["terrain", terrains, now], ["way", WAYS, now]];
}

export function namesRow(names, now, draw, chosen, isBrief = false) {
  const row = element("div", { className: "names" });
  for (const kind of names) {
    const about = { "data-kind": kind, "aria-pressed": String(now.includes(kind)), onclick: () => chosen(kind) };
    const button = element("button", about, ...draw(kind));
    if (kind.startsWith("way-")) {
      button.setAttribute("aria-label", [...kind.slice(4)].map((side) => word("side-" + side)).join(" – "));
    } else {
      const [group, which] = kind.split("-");
      const label = word(isBrief && group === "workshop" ? "color-" + which : kind); // its picture says the rest
      if (label !== word(kind)) button.setAttribute("aria-label", word(kind));
      button.append(element("span", {}, label));
    }
    row.append(button);
  }
  return row;
}

// One pile: the question, all its names, and a line for each piece. `draw` gives a name's picture.
export function pile(lesson, key, cells, draw, card, name) {
  const { names, rows, now } = namesOf(lesson.lying[cells[0]]);
  const title = element("h4", {}, cells.length > 1 ? fill(word("pile"), { count: cells.length }) : word("pile-one"));
  title.classList.toggle("unseen", cells.length === 1);
  const list = element("ul", { className: "found" }, ...cells.map((cell) => card(cell, cells.length > 1 ? [] : names)));
  const row = namesRow(names, now, draw, (kind) => name(cells, kind), true);
  row.dataset.rows = rows;
  return element("section", { className: "pile", "data-pile": key }, title, row, list);
}

// What is unlikely to be wrong: a line of pictures to glance at, with details a tap away.
export class Clear {
  constructor() {
    this.glance = element("ul", { className: "glance" });
    this.summary = element("summary");
    this.list = element("div", { className: "piles" });
    this.all = element("details", { className: "phone" }, this.summary, this.list);
    this.all.addEventListener("toggle", () => { this.glance.hidden = this.all.open; });
    this.place = element("div", { className: "clear" }, this.all, this.glance);
  }

  show(piles, pieces) {
    this.place.hidden = pieces.length === 0;
    this.summary.textContent = fill(word("clear"), { count: pieces.length });
    this.list.replaceChildren(...piles);
    this.glance.replaceChildren(...pieces);
    this.glance.hidden = this.all.open;
  }
}
