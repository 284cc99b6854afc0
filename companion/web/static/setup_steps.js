// The set-up's steps, one after another: what is tapped during a step waits for its turn.

import { byId, tell } from "./page.js";
import { word } from "./setup_stage.js";

const STEP_MS = 120000; // a step takes seconds, or many seconds on a small machine
const SLOW_MS = 400;
const UNREAD_MS = 400; // a second tap that comes before the question can be read does not count
const SURE_MS = 5000; // how long a question waits for its second tap

// What must not be done twice because a finger trembled.
const ONCE = new Set(["photograph", "seek", "teach", "forget", "judge", "save", "again", "more", "tell", "use", "settle", "insist", "place"]);

// Requests JSON. Returns the answer, and whether it was done. Never throws, and never waits for ever.
export async function hear(address, options = {}, most = STEP_MS) {
  try {
    const answer = await fetch(address, { ...options, signal: AbortSignal.timeout?.(most) });
    return { ok: answer.ok, status: answer.status, said: await answer.json() };
  } catch {
    return { ok: false, status: 0, said: { message: document.body.dataset.unreachable } };
  }
}

export function send(what, body) {
  const headers = { "X-Strada": "1", "Content-Type": "application/json" };
  return hear("/setup/" + what, { method: "POST", headers, body: JSON.stringify(body) });
}

export function complain(sentence) {
  byId("wrong").textContent = sentence;
  if (sentence) byId("wrong").scrollIntoView({ block: "nearest" });
}

// Returns a function that takes a step: act(what, body). `now` gives the state; `take` receives each new one.
export function stepsOf(now, take) {
  let turn = Promise.resolve();
  let changed = 0; // how often somebody else's step came first
  const waiting = [];

  async function step(what, body, since) {
    // A tap on a picture that is out of date is dropped; people were told so when that was noticed.
    const wanted = since !== changed ? null : typeof body === "function" ? body() : body;
    if (wanted === null) return false;
    const { ok, status, said } = await send(what, { ...wanted, version: now().version });
    if (status === 409) changed += 1;
    if (ok || status === 409) take(said);
    if (!ok) complain(said.message);
    return ok && (said.message || true);
  }

  // A body that is a function is called when its turn comes; null means that a newer step replaces it. Returns whether
  // the step was done: the message about it, or true.
  return function act(what, body = {}) {
    if (ONCE.has(what) && waiting.includes(what)) {
      tell(word("working"));
      return Promise.resolve(false);
    }
    complain("");
    waiting.push(what);
    document.body.classList.add("busy");
    const since = changed;
    const slow = setTimeout(() => tell(word("working")), SLOW_MS);
    const done = turn.then(() => step(what, body, since)).finally(() => {
      clearTimeout(slow);
      waiting.splice(waiting.indexOf(what), 1);
      if (waiting.length > 0) return;
      document.body.classList.remove("busy");
      tell("");
    });
    turn = done.catch(() => {});
    return done;
  };
}

// What this tab remembers until it is closed, if its browser allows it.
export function keep(name, value) {
  try {
    sessionStorage.setItem("strada-setup-" + name, value);
  } catch {} // then a reload starts where the set-up has got to
}

export function kept(name) {
  try {
    return sessionStorage.getItem("strada-setup-" + name);
  } catch {
    return null;
  }
}

let disarming = 0;

// The first tap on a button only says what the second one will do. Returns whether this was the second.
export function isSure(button) {
  if (button.dataset.armed) {
    if (Date.now() - button.dataset.armed < UNREAD_MS) return false;
    disarm(button);
    return true;
  }
  button.dataset.label = button.textContent;
  button.dataset.armed = Date.now();
  button.textContent = button.dataset.confirm;
  clearTimeout(disarming);
  disarming = setTimeout(() => document.querySelectorAll("[data-armed]").forEach(disarm), SURE_MS);
  return false;
}

function disarm(button) {
  if (button.dataset.armed) button.textContent = button.dataset.label;
  delete button.dataset.armed;
}

const KEYS = ["cell", "cube", "by", "table", "kind"];

// Draws. An element that had the focus and was redrawn gets it back; if it is gone, the heading does.
export function holdingFocus(draw) {
  const was = document.activeElement;
  const places = [];
  for (let place = was?.parentElement; place; place = place.parentElement) places.push(place);
  const key = KEYS.find((name) => was?.dataset?.[name]);
  const wanted = key && `[data-${key}="${CSS.escape(was.dataset[key])}"]`;
  draw();
  if (!was || was === document.body || (was.isConnected && was.getClientRects().length > 0)) return;
  const place = places.find((each) => each.isConnected && wanted && each.querySelector(wanted));
  const again = place?.querySelector(wanted);
  if (again && again.getClientRects().length > 0) reach(again);
  else heading()?.focus({ preventScroll: true });
}

function reach(target) {
  if (target.tabIndex < 0) {
    for (const other of target.parentElement.querySelectorAll('[tabindex="0"]')) other.setAttribute("tabindex", "-1");
    target.setAttribute("tabindex", "0");
  }
  target.focus({ preventScroll: true });
}

// The heading of the current step, made focusable.
export function heading() {
  const found = document.querySelector("[data-step]:not([hidden]) h2");
  if (found) found.tabIndex = -1;
  return found;
}
