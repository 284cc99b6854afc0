// A ruling on the TV, which nobody can tap: the scoreboard returns by itself.

import { listen } from "./live.js";
import { byId } from "./page.js";

const SHOWN_MS = 60000;

let notice = null; // the notice from when the page opened

// Goes back without a trace, so that the remote's Back key does not lead into rulings again.
function back() {
  location.replace(byId("back").href);
}

// The next verdict, and the keeper's PIN, are shown on the scoreboard.
listen(({ parts }) => {
  if (parts.pin?.trim()) return back();
  if (!("notice" in parts)) return;
  if (notice !== null && parts.notice !== notice) back();
  notice = parts.notice;
}, ["pin"]);
setTimeout(back, SHOWN_MS);
