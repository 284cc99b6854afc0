// What changes in the room arrives as server-sent events; a lost connection is shown, and mends itself.

import { say } from "./page.js";

const SILENT_MS = 12000; // the hub says something every 5 s
const RETRY_MS = 3000;

let stream = null;
let watchdog = 0;
let retry = 0;
let beyond = document.body.dataset.beyond ?? "0";
let show = () => {};

// Calls `listener` with what has changed: {changed: [numbers], tables, summary}.
export function listen(listener) {
  show = listener;
  document.addEventListener("visibilitychange", () => (document.hidden ? disconnect() : connect()));
  if (!document.hidden) connect();
}

function connect() {
  disconnect();
  stream = new EventSource("/events?beyond=" + beyond);
  stream.addEventListener("room", (event) => {
    beyond = event.lastEventId || beyond;
    alive();
    show(JSON.parse(event.data));
  });
  stream.addEventListener("beat", alive);
  stream.addEventListener("error", () => {
    say(document.body.dataset.lost);
    clearTimeout(retry);
    if (stream) retry = setTimeout(connect, RETRY_MS);
  });
  alive();
}

function disconnect() {
  clearTimeout(watchdog);
  clearTimeout(retry);
  if (stream) stream.close();
  stream = null;
}

function alive() {
  if (stream && stream.readyState === EventSource.OPEN) {
    say("");
    clearTimeout(retry);
  }
  clearTimeout(watchdog);
  watchdog = setTimeout(() => { say(document.body.dataset.lost); connect(); }, SILENT_MS);
}
