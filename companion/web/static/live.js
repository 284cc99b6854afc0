// The table as it is: parts of the page arrive as server-sent events; a lost connection is shown, and mends itself.

import { byId, say } from "./page.js";

const SILENT_MS = 12000; // the server says something every 5 s
const RETRY_MS = 3000;
const LATE_MS = 1000; // what comes sooner after a connection has happened before it

let stream = null;
let watchdog = 0;
let retry = 0;
let connectedAt = Infinity;
let show = () => {};
let address = "/events?";
let seen = document.body.dataset.seen; // the page was painted with this: only what is newer need come

// Calls `listener` with each piece of news: {parts: {id: markup}, picture, title, view_box, isLate}. `isLate`: it has not
// happened just now. `wanted` are parts that only those pages are sent that ask for them: "pin", "cells".
export function listen(listener, wanted = []) {
  show = listener;
  if (wanted.length) address += "with=" + wanted.join(",") + "&";
  document.addEventListener("visibilitychange", () => (document.hidden ? disconnect() : connect()));
  if (!document.hidden) connect();
}

// Puts the parts in their places. Whoever has tabbed to a button stays on it, if it is still there.
export function place(parts) {
  for (const [id, markup] of Object.entries(parts)) {
    const part = byId(id);
    if (part) replace(part, markup);
  }
}

function replace(part, markup) {
  const held = part.contains(document.activeElement) ? document.activeElement.dataset : null;
  part.innerHTML = markup;
  if (!held) return;
  const buttons = [...part.querySelectorAll("[data-keeper], [data-why], [data-command]")];
  const told = ({ keeper, body, why, command }) => [keeper, body, why, command].join(" ");
  const isSame = (one) => told(one) === told(held);
  buttons.find((each) => isSame(each.dataset))?.focus();
}

function connect() {
  disconnect();
  stream = new EventSource(address + (seen ? "seen=" + seen : ""));
  seen = "";
  connectedAt = Infinity;
  stream.addEventListener("open", () => { connectedAt = performance.now(); });
  stream.addEventListener("snapshot", (event) => {
    alive();
    show({ ...JSON.parse(event.data), isLate: !(performance.now() - connectedAt > LATE_MS) });
    current();
  });
  stream.addEventListener("beat", alive);
  stream.addEventListener("error", () => {
    say(document.body.dataset.lost);
    if (stream && stream.readyState === EventSource.CLOSED) retryLater();
  });
  alive();
}

function disconnect() {
  clearTimeout(watchdog);
  clearTimeout(retry);
  if (stream) stream.close();
  stream = null;
}

function retryLater() {
  clearTimeout(retry);
  retry = setTimeout(connect, RETRY_MS);
}

// The page shows the table as it is: bench/viewing.py measures when it does so first.
function current() {
  if (!performance.getEntriesByName("live").length) performance.mark("live");
}

function alive() {
  if (stream && stream.readyState === EventSource.OPEN) say("");
  clearTimeout(watchdog);
  watchdog = setTimeout(() => { say(document.body.dataset.lost); connect(); }, SILENT_MS);
}
