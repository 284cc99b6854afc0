// The live table: parts of the page arrive as server-sent events.

import { byId } from "./page.js";
import { keepOpen } from "./stream.js";

const LATE_MS = 1000; // what arrives sooner after connecting had happened before

let connectedAt = Infinity;
let seen = document.body.dataset.seen; // the snapshot that the page was rendered with: only newer ones need to come

// Calls `listener` with each piece of news: {parts: {id: markup}, picture, title, view_box, isLate}. `isLate`: it has
// not just happened. `wanted` are parts that are sent only to pages that ask for them: "pin", "cells".
export function listen(listener, wanted = []) {
  const snapshot = (event) => {
    listener({ ...JSON.parse(event.data), isLate: !(performance.now() - connectedAt > LATE_MS) });
    current();
  };
  keepOpen(() => address(wanted), { snapshot }, () => { connectedAt = performance.now(); });
}

function address(wanted) {
  const asks = [...(wanted.length ? ["with=" + wanted.join(",")] : []), ...(seen ? ["seen=" + seen] : [])];
  seen = "";
  connectedAt = Infinity;
  return "/events?" + asks.join("&");
}

// Puts the parts in their places. A button that has the focus keeps it, if it is still there.
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

// Marks the moment when the page first shows the live table, which bench/viewing.py measures.
function current() {
  if (!performance.getEntriesByName("live").length) performance.mark("live");
}
