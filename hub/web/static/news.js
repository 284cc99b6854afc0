// What changes in the room, or at one table, arrives as server-sent events.

import { keepOpen } from "./stream.js";

let beyond = document.body.dataset.beyond ?? "0";

// Calls `listener` with what has changed: {changed: [numbers], tables, summary}.
export function listen(listener) {
  const room = (event) => {
    beyond = event.lastEventId || beyond;
    listener(JSON.parse(event.data));
  };
  keepOpen(() => "/events?beyond=" + beyond, { room });
}
