// Animates what has just happened: a road draws itself from its start, merchants drop, days count down, gold comes in,
// and a refusal shakes its cells. The page holds the new state from the first moment; this only animates it.

import { element } from "./page.js";

const MS = 300;
const DROP_PX = -16; // in the drawing's units
const SHAKE = [0, -3, 3, -2, 2, 0].map((x) => ({ translate: `${x}px 0` }));
const NEAR = 1.5; // how far apart joined ends of road tiles can be, in the drawing's units

const still = matchMedia("(prefers-reduced-motion: reduce)");

// Makes the change, and animates what is new in it.
export function inMotion(change) {
  if (still.matches || document.hidden) return change();
  const before = seen();
  change();
  compare(before, seen());
}

function seen() {
  const numbers = (kind) => groups(`#players .player .${kind} b, #lines > li .${kind} b`); // scoreboard, replay
  return {
    pieces: new Map(groups("#pieces > g:not(.mark, .laid)").map((group) => [group.getAttribute("transform"), group])),
    wrong: new Map(groups("#pieces > .mark.illegal").map((group) => [group.getAttribute("transform"), group])),
    counts: ["gold", "days"].map((kind) => numbers(kind).map((number) => ({ kind, number, to: Number(number.dataset.to ?? number.textContent) }))),
    held: groups("#players .days .track").map((track) => track.querySelectorAll(".held").length),
  };
}

function groups(where) {
  return [...document.querySelectorAll(where)];
}

function compare(before, now) {
  const isAsBefore = (at) => before.pieces.get(at)?.innerHTML === now.pieces.get(at)?.innerHTML;
  // If most of what was there has changed, it is another game and not a move.
  if ([...before.pieces.keys()].filter(isAsBefore).length > before.pieces.size / 2) {
    const fresh = [...now.pieces].filter(([at]) => !isAsBefore(at));
    lay(fresh.map(([at, group]) => ({ at, group, was: before.pieces.get(at) })));
  }
  for (const [at, mark] of now.wrong) if (!before.wrong.has(at)) shake(at, mark);
  now.counts.forEach((counts, kind) => counts.forEach((each, index) => count(each, before.counts[kind][index])));
  groups("#players .days .track").forEach((track, index) => spend(track, before.held[index]));
}

function lay(fresh) {
  for (const { group, was } of fresh) {
    const merchants = (one) => one?.querySelectorAll(".merchant").length ?? 0;
    if (merchants(group) >= merchants(was)) group.querySelectorAll(".merchant").forEach((each) => drop(each, MS / 3));
    const tile = group.querySelector(".workshop, .section");
    if (tile && !was?.querySelector(".workshop, .section")) drop(tile, 0);
  }
  draw(inOrder(fresh.filter(({ group, was }) => group.querySelector(".road") && !was?.querySelector(".road"))));
}

function drop(piece, delay) {
  const from = { translate: `0 ${DROP_PX}px`, opacity: 0 };
  piece.animate([from, { translate: "0 0", opacity: 1 }], { duration: MS - delay, delay, easing: "ease-in", fill: "backwards" });
}

function shake(at, mark) {
  const there = groups("#pieces > g, #pieces > .laid > g").filter((group) => group.getAttribute("transform") === at);
  for (const each of new Set([mark, ...there])) each.animate(SHAKE, { duration: MS });
}

// Returns the road tiles from one end to the other, each with whether its line is drawn backwards.
function inOrder(roads) {
  const left = roads.map(({ at, group }) => ({ group, ends: ends(at, group.querySelector(".road")) }));
  const ordered = [];
  while (left.length) {
    let end = start(left);
    for (let next; (next = left.findIndex(({ ends }) => ends.some((each) => isNear(each, end)))) >= 0;) {
      const [tile] = left.splice(next, 1);
      const isBackwards = !isNear(tile.ends[0], end);
      ordered.push({ group: tile.group, isBackwards });
      end = tile.ends[isBackwards ? 0 : 1];
    }
  }
  return ordered;
}

// A road starts at a loose end where no merchant has just arrived.
function start(tiles) {
  const all = tiles.flatMap(({ ends }) => ends);
  const loose = all.filter((end) => all.filter((each) => isNear(each, end)).length === 1);
  const goals = groups("#pieces > g .merchant").filter((each) => each.getAnimations().length).map(middle);
  const distance = (end) => Math.min(...goals.map(([x, y]) => Math.hypot(end[0] - x, end[1] - y)), Infinity);
  return loose.sort((one, other) => distance(other) - distance(one))[0] ?? all[0];
}

function middle(merchant) {
  return /translate\((\S+) (\S+)\)/.exec(merchant.closest("#pieces > g").getAttribute("transform")).slice(1).map(Number);
}

function ends(at, line) {
  const [x, y] = /translate\((\S+) (\S+)\)/.exec(at).slice(1).map(Number);
  const [, ax, ay, bx, by] = /^M(\S+) (\S+)Q0 0 (\S+) (\S+)$/.exec(line.getAttribute("d")).map(Number);
  return [[x + ax, y + ay], [x + bx, y + by]];
}

function isNear([ax, ay], [bx, by]) {
  return Math.hypot(ax - bx, ay - by) < NEAR;
}

function draw(roads) {
  const duration = MS / Math.max(1, roads.length);
  roads.forEach(({ group, isBackwards }, index) => {
    const timing = { duration, delay: index * duration, fill: "backwards" };
    for (const line of group.querySelectorAll(".casing, .road")) {
      const length = line.getTotalLength() + 1;
      const whole = { strokeDasharray: `${length} ${length}`, strokeDashoffset: 0 };
      line.animate([{ ...whole, strokeDashoffset: isBackwards ? -length : length }, whole], timing);
    }
    for (const part of group.querySelectorAll(".tile, .rhythm")) part.animate([{ opacity: 0 }, {}], timing);
  });
}

// Counts to the number; what was earned flies up from it.
export function count({ kind, number, to }, before) {
  const from = before?.to;
  if (from === undefined || from === to || Number.isNaN(from + to)) return;
  const began = performance.now();
  number.dataset.to = to; // more news may arrive meanwhile
  const step = (now) => {
    const part = Math.min(1, (now - began) / MS);
    if (number.dataset.to !== String(to)) return; // there is a newer number now
    if (number.isConnected) number.textContent = Math.round(from + (to - from) * part);
    if (part < 1 && number.isConnected) requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
  if (kind !== "gold" || to < from) return;
  const gain = element("span", { className: "gain", ariaHidden: "true" }, `+${to - from}`);
  number.after(gain);
  const path = [{ translate: "0 100%", opacity: 0 }, { translate: "0 0", opacity: 1, offset: 0.4 }, { translate: "0 -80%", opacity: 0 }];
  gain.animate(path, MS).finished.catch(() => {}).finally(() => gain.remove());
}

function spend(track, before) {
  const days = [...track.children].slice(track.querySelectorAll(".held").length, before ?? 0);
  const spent = { backgroundColor: "var(--owner)" };
  days.forEach((day, index) => day.animate([spent, spent, {}], { duration: MS * (1 - index / (2 * days.length)), easing: "ease-in" }));
}
