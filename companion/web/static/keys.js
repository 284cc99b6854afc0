// The keys of a keyboard or a TV remote. They press the page's own buttons: a key may do what a tap may do.

import { byId, tell } from "./page.js";

const dialog = byId("keys");
const TWICE_MS = 3000;
const PRESSED = { s: "sound", v: "voice" };
const AHEAD = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
let undoneAt = -Infinity;

const command = (name) => document.querySelector(`[data-keeper="${name}"]`);

// A single stray U must not take anything back.
function undo() {
  const button = command("undo");
  if (!button) return;
  const isSecond = performance.now() - undoneAt < TWICE_MS;
  undoneAt = isSecond ? -Infinity : performance.now();
  button.focus();
  if (isSecond) button.click();
  else tell(dialog.dataset.again);
}

function fill() {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen?.().catch(() => {});
}

// Moves to the next thing that can be pressed, in the order of the page.
function walk(by) {
  const all = [...document.querySelectorAll("button, a[href], summary")].filter((each) => each.checkVisibility?.() ?? true);
  const at = all.indexOf(document.activeElement);
  all[at < 0 ? (by > 0 ? 0 : all.length - 1) : (at + by + all.length) % all.length]?.focus();
}

function press(key) {
  if (key === " ") command("done")?.click();
  else if (key === "u") undo();
  else if (key === "f") fill();
  else if (key === "?") dialog.showModal();
  else if (key in PRESSED) byId(PRESSED[key]).click();
  else return false;
  return true;
}

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || document.querySelector("dialog[open]")) return;
  if (event.target.closest("input, select, textarea, [contenteditable], [role=button]")) return;
  const isOnControl = event.target.closest("button, a, summary"); // Space presses whatever has the focus
  if (event.key in AHEAD && (isOnControl || document.body.classList.contains("tv"))) walk(AHEAD[event.key]);
  else if ((event.key === " " && isOnControl) || event.repeat) return;
  else if (!press(event.key.length === 1 ? event.key.toLowerCase() : event.key)) return;
  event.preventDefault();
});
byId("keys-button")?.addEventListener("click", () => dialog.showModal());
dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
