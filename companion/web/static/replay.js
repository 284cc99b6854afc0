// A game step by step: it plays, or moves by slider, buttons, arrow keys, turning points, or a tap on the plot. Without
// this script the buttons are links.

import { place } from "./live.js";
import { inMotion } from "./motion.js";
import { ask, byId, say } from "./page.js";

const replay = byId("replay");
const slider = byId("slider");
const last = Number(slider.max);
const known = new Map();
let wanted = Number(slider.value);
let shown = wanted;
let isLoading = false;

async function step(index) {
  if (!known.has(index)) {
    const { ok, said } = await ask(`${replay.dataset.address}/steps/${index}`);
    if (!ok) throw new Error(said.message);
    known.set(index, said);
  }
  return known.get(index);
}

// Shows the step that was requested last; any requested while one is loading are skipped.
async function show(index) {
  wanted = Math.max(0, Math.min(last, index));
  slider.value = wanted;
  byId("count").textContent = `${wanted} / ${last}`;
  markTurn();
  if (isLoading) return;
  isLoading = true;
  try {
    for (let isShown = false; !isShown;) {
      const at = wanted;
      const news = await step(at);
      const photograph = await inTime(photographOf(news));
      if (at !== wanted) continue;
      const isMove = at === shown + 1; // going back, or skipping steps, is not a move
      if (isMove) inMotion(() => put(news, photograph));
      else put(news, photograph);
      shown = at;
      isShown = true;
    }
    say("");
    lookAhead();
  } catch (error) {
    pause();
    say(error.message);
  } finally {
    isLoading = false;
  }
}

// The next step in either direction is loaded in advance, with its photograph.
function lookAhead() {
  for (const near of [wanted + 1, wanted - 1]) if (near >= 0 && near <= last) step(near).then(photographOf).catch(() => {});
}

const address = byId("address");

function put(news, photograph) {
  const { shown: beside, ...others } = news.parts;
  place(others);
  showBeside(beside, photograph);
  byId("hand")?.setAttribute("transform", `translate(${news.hand} 0)`);
  history.replaceState(null, "", `?step=${news.index}`);
  address.value = address.defaultValue + (news.index === last ? "" : `?step=${news.index}`);
}

// The photographs next to the board: each is decoded before it replaces the last one, so that nothing flickers.
const PHOTOGRAPH_MS = 2000; // the table itself is busy, so a replay does not wait for it for ever
const KEPT = 6;
const photographs = new Map();

async function photographOf(news) {
  const source = parsed(news.parts.shown).querySelector("img")?.getAttribute("src");
  if (!source) return null;
  if (!photographs.has(source)) {
    const image = new Image();
    image.src = source;
    photographs.set(source, image.decode().then(() => image, () => photographs.delete(source) && null));
    if (photographs.size > KEPT) photographs.delete(photographs.keys().next().value);
  }
  return photographs.get(source);
}

function inTime(photograph) {
  return Promise.race([photograph, new Promise((done) => setTimeout(done, PHOTOGRAPH_MS, null))]);
}

// Shows what there is next to the board. The photograph stays in the page's document; another one would fetch it again.
function showBeside(markup, photograph) {
  const beside = parsed(markup);
  const there = beside.querySelector("img");
  const slot = document.createElement("span");
  if (there && photograph) {
    for (const { name, value } of there.attributes) if (name !== "src" && name !== "loading") photograph.setAttribute(name, value);
    there.replaceWith(slot);
  }
  byId("shown").replaceChildren(beside);
  if (slot.isConnected) slot.replaceWith(photograph);
}

function parsed(markup) {
  const template = document.createElement("template");
  template.innerHTML = markup;
  return template.content;
}

// Playing: a step, a while to look at it, the next one. A step by hand pauses it.
const STEP_MS = 1600;
const play = byId("play");
const speed = byId("speed");
let clock = 0;
let isPlaying = false;

function pause() {
  clearTimeout(clock);
  isPlaying = false;
  tellPlaying();
}

function begin() {
  isPlaying = true;
  tellPlaying();
  showBoard();
  next(wanted === last ? 0 : wanted + 1);
}

// On a phone the board may be out of view, but people who play a game want to see it.
function showBoard() {
  const { top, bottom } = replay.querySelector(".board").getBoundingClientRect();
  if (top < 0 || bottom > innerHeight) replay.scrollIntoView();
}

async function next(index) {
  await show(index);
  if (!isPlaying) return;
  if (wanted === last) pause();
  else clock = setTimeout(() => next(wanted + 1), STEP_MS / Number(speed.value));
}

function tellPlaying() {
  const word = isPlaying ? play.dataset.pause : play.dataset.play;
  play.textContent = isPlaying ? "❚❚" : "▷";
  play.title = word;
  play.setAttribute("aria-label", word);
  byId("said").setAttribute("aria-live", isPlaying ? "off" : "polite"); // a screen reader would lag behind
}

function toStep(index) {
  pause();
  show(index);
}

function markTurn() {
  for (const link of document.querySelectorAll("[data-step]")) {
    if (Number(link.dataset.step) === wanted) link.setAttribute("aria-current", "step");
    else link.removeAttribute("aria-current");
  }
}

play.hidden = speed.hidden = last === 0;
play.addEventListener("click", () => (isPlaying ? pause() : begin()));
document.addEventListener("visibilitychange", () => document.hidden && pause());
byId("turning")?.addEventListener("click", (event) => {
  const link = event.target.closest("[data-step]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  toStep(Number(link.dataset.step));
});
markTurn();

const moves = { first: () => 0, back: () => wanted - 1, on: () => wanted + 1, last: () => last };
for (const [id, to] of Object.entries(moves)) {
  byId(id).addEventListener("click", (event) => {
    event.preventDefault();
    toStep(to());
  });
}
slider.addEventListener("input", () => toStep(Number(slider.value)));

const KEYS = { ArrowLeft: moves.back, ArrowRight: moves.on, Home: moves.first, End: moves.last };
document.addEventListener("keydown", (event) => {
  if (!(event.key in KEYS) || event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.target.closest("input, select, textarea, [tabindex]")) return; // the slider has keys of its own
  event.preventDefault();
  toStep(KEYS[event.key]());
});

byId("plot")?.addEventListener("click", (event) => {
  const plot = byId("plot");
  const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(plot.getScreenCTM().inverse());
  const { left, right } = plot.querySelector("line.scale") ? edges(plot) : { left: 0, right: 1 };
  toStep(Math.round(((point.x - left) / (right - left)) * last));
});

function edges(plot) {
  const line = plot.querySelector("line.scale");
  return { left: line.x1.baseVal.value, right: line.x2.baseVal.value };
}
