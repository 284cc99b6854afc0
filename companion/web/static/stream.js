// A stream of server-sent events, open while the page is visible. A lost connection is shown, and recovers by itself.

import { say } from "./page.js";

const SILENT_MS = 12000; // the server says something every 5 s
const RETRY_MS = 3000;

let stream = null;
let watchdog = 0;
let retry = 0;
let begin = () => new EventSource("");

// Listens at `address()`, which is called again for each connection. `hear` has listeners by event name; `opened` is
// called when it is connected.
export function keepOpen(address, hear, opened = () => {}) {
  begin = () => {
    const begun = new EventSource(address());
    begun.addEventListener("open", opened);
    for (const [name, listener] of Object.entries({ beat: () => {}, ...hear })) {
      begun.addEventListener(name, (event) => { alive(); listener(event); });
    }
    return begun;
  };
  document.addEventListener("visibilitychange", () => (document.hidden ? disconnect() : connect()));
  if (!document.hidden) connect();
}

function connect() {
  disconnect();
  stream = begin();
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

function alive() {
  if (stream && stream.readyState === EventSource.OPEN) say("");
  clearTimeout(watchdog);
  watchdog = setTimeout(() => { say(document.body.dataset.lost); connect(); }, SILENT_MS);
}
