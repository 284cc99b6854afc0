// The end as a ceremony: the count is shown place by place, on the board and next to each player, and then everyone's
// rank. The page holds the end from the first moment, and every number in it is the referee's; this only animates it.
// If the end is taken back, all of it goes at once.

import { count } from "./motion.js";
import { ask, byId } from "./page.js";
import { handOn } from "./picture.js";

const ALL_MS = 24000; // even a long count takes no longer
const LEAST_MS = 700; // how long a place is shown, at least and at most
const MOST_MS = 1500;
const REST_MS = 1200; // before the first place, and after the last one
const RISE_MS = 600;
const ROAD_MS = [2000, 8000]; // when the biggest road appears and disappears, after the end of the count
const RETRY_MS = [2000, 6000]; // many phones hear of the end at once, and must not all come back at the same moment

const section = byId("ceremony");
const remembered = byId("remembered");
const account = byId("account");
const still = matchMedia("(prefers-reduced-motion: reduce)");
let name = ""; // the name of the end that is shown; "" for none
let step = -1;
let timer = 0;
let retry = 0;
let whenOver = () => {};

const all = (where, part = section) => [...part.querySelectorAll(where)];
const counts = () => all("[data-sums]", account);
const drawn = () => all("#counted > .count", document);
const places = () => all(".podium > li").sort((one, other) => one.dataset.seat - other.dataset.seat);

export const isCounting = () => document.body.classList.contains("counting");

// Animates what has just come into the page; latecomers only see the end. `listener` is called when the count is over.
export function celebrate(isLate, listener) {
  whenOver = listener;
  const before = name;
  name = section.querySelector(".ceremony")?.dataset.name ?? "";
  remember(name === before);
  if (!name || (name !== before && isCounting())) stop();
  if (!name) return;
  if (name === before && isCounting()) show(step, false); // somebody was given a name
  else if (name !== before && !isLate && !still.matches && !document.hidden) begin();
}

function begin() {
  if (!counts().length) return;
  showBiggest(false);
  document.body.classList.add("counting");
  step = -1;
  show(step, false);
  section.scrollIntoView?.({ block: "nearest" });
  clearTimeout(timer);
  timer = setTimeout(next, REST_MS);
  changed();
}

function next() {
  const steps = counts().length;
  step += 1;
  if (step === steps) return finish();
  show(step, true);
  const each = Math.min(MOST_MS, Math.max(LEAST_MS, ALL_MS / steps));
  timer = setTimeout(next, step === steps - 1 ? each + REST_MS : each);
}

// Shows how things stand once that place has been counted; before the first one, nobody has anything.
function show(at, isMoving) {
  const now = counts()[at];
  section.querySelector(".telling").textContent = now?.textContent ?? "";
  const shared = section.querySelector(".shared");
  if (shared) shared.textContent = (now ?? shared).dataset.shared;
  const sums = now ? JSON.parse(now.dataset.sums) : null;
  const shares = now ? JSON.parse(now.dataset.shares) : null;
  all(".podium > li").forEach((place, index) => {
    const number = place.querySelector(".gold b");
    const before = { to: Number(number.dataset.to ?? 0) };
    const to = sums?.[index] ?? 0;
    number.dataset.final ??= number.textContent;
    if (isMoving) count({ kind: "gold", number, to }, before);
    else number.textContent = to;
    number.dataset.to = to;
    place.style.setProperty("--share", shares?.[index] ?? 0);
    place.style.order = place.dataset.seat;
  });
  drawn().forEach((each, index) => {
    each.classList.toggle("now", index === at);
    each.classList.toggle("told", index < at);
  });
}

// Shows the page as it came, at once.
function stop() {
  clearTimeout(timer);
  showBiggest(false);
  document.body.classList.remove("counting");
  step = -1;
  const telling = section.querySelector(".telling");
  if (telling) telling.textContent = "";
  for (const place of all(".podium > li")) {
    const number = place.querySelector(".gold b");
    if (number.dataset.final) number.textContent = number.dataset.final;
    delete number.dataset.to;
    place.querySelector(".gain")?.remove();
    place.style.removeProperty("order");
    place.style.removeProperty("--share");
  }
  for (const each of drawn()) each.classList.remove("now", "told");
  changed();
}

// Goes from the count to the ranks: the columns move to their places.
function finish() {
  if (!isCounting()) return;
  const before = places().map((place) => place.getBoundingClientRect());
  stop();
  if (!still.matches) places().forEach((place, index) => move(place, before[index]));
  const [from, to] = ROAD_MS;
  timer = setTimeout(() => {
    showBiggest(true);
    timer = setTimeout(showBiggest, to - from, false);
  }, from);
  whenOver();
}

function move(place, from) {
  const to = place.getBoundingClientRect();
  place.animate([{ translate: `${from.left - to.left}px 0` }, { translate: "0 0" }], { duration: RISE_MS, easing: "ease-in-out" });
  const column = place.querySelector(".column");
  column.animate([{ transform: `scaleY(0)` }, { transform: "scaleY(1)" }], { duration: RISE_MS, easing: "ease-out" });
}

// Fetches what the logbook has of the game. By the time it arrives another end may be shown, and then it is dropped.
async function remember(isSame) {
  clearTimeout(retry);
  if (!isSame) remembered.replaceChildren();
  const asked = name;
  if (!asked || !remembered.dataset.from) return;
  const { ok, said } = await ask(remembered.dataset.from);
  if (asked !== name) return;
  if (ok) remembered.innerHTML = said.markup;
  else retry = setTimeout(remember, RETRY_MS[0] + Math.random() * (RETRY_MS[1] - RETRY_MS[0]), true);
  changed();
}

function showBiggest(isShown) {
  section.querySelector("[data-ceremony=biggest]")?.setAttribute("aria-pressed", String(isShown));
  document.body.classList.toggle("shows-biggest", isShown);
}

// Lets a TV make everything fit.
function changed() {
  section.dispatchEvent(new CustomEvent("ceremony", { bubbles: true }));
}

section.addEventListener("click", (event) => {
  if (isCounting()) {
    event.stopPropagation(); // a tap on a number skips, too, instead of explaining it
    finish();
  } else if (event.target.closest("[data-ceremony=biggest]")) {
    clearTimeout(timer);
    showBiggest(!document.body.classList.contains("shows-biggest"));
  }
});
account.addEventListener("click", ({ target }) => { if (target.closest("[data-ceremony=count]")) begin(); });
byId("board").addEventListener("click", finish);
remembered.addEventListener("click", (event) => {
  const link = event.target.closest(".share");
  if (!link) return;
  event.preventDefault();
  handOn(link);
});
addEventListener("keydown", (event) => {
  if (!isCounting() || !["Escape", "Enter", " "].includes(event.key) || document.querySelector("dialog[open]")) return;
  if (event.key !== "Escape" && event.target.closest("button, a, summary, input, select")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  finish();
}, { capture: true });
document.addEventListener("visibilitychange", () => { if (document.hidden && isCounting()) finish(); });
