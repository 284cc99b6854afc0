// A ruling on the TV, which nobody can tap: the scoreboard comes back by itself.

import { listen } from "./live.js";
import { byId } from "./page.js";

const SHOWN_MS = 60000;

let notice = null; // what was ruled when the page opened

// Back, without a trace: what the remote control calls back leads no further into rulings.
function back() {
  location.replace(byId("back").href);
}

// The next verdict is to be read there, and so is the keeper's PIN.
listen(({ parts }) => {
  if (parts.pin?.trim()) return back();
  if (!("notice" in parts)) return;
  if (notice !== null && parts.notice !== notice) back();
  notice = parts.notice;
}, ["pin"]);
setTimeout(back, SHOWN_MS);
