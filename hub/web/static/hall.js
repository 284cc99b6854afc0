// The big screen in the hall: as many tables as fit are shown at once, and the next ones after a while.

import { ask, byId } from "./page.js";
import { listen } from "./news.js";

const TURN_MS = 10000;
const shown = document.querySelector("[data-tournament]");
const number = shown.dataset.tournament;
let first = 0;

// Shows tables from `first` on until the list is full. Returns where the next ones begin.
function fill() {
  const tables = [...byId("tables").children];
  for (const each of tables) each.hidden = false;
  const most = byId("tables").getBoundingClientRect().bottom;
  if (first >= tables.length) first = 0;
  tables.slice(0, first).forEach((each) => { each.hidden = true; });
  let last = first;
  while (last < tables.length && tables[last].getBoundingClientRect().bottom <= most + 1) last += 1;
  last = Math.max(last, first + 1);
  tables.slice(last).forEach((each) => { each.hidden = true; });
  byId("page").textContent = tables.length > last - first ? `${first + 1}–${Math.min(last, tables.length)} / ${tables.length}` : "";
  return last;
}

let next = fill();
addEventListener("resize", () => { next = fill(); });
setInterval(() => {
  first = next >= byId("tables").children.length ? 0 : next;
  next = fill();
}, TURN_MS);

listen(async (news) => {
  const changed = news.tournaments?.[number];
  if (changed === undefined || String(changed) === shown.dataset.changed) return;
  const { ok, said } = await ask(`/tournaments/${number}/parts`);
  if (!ok) return;
  shown.dataset.changed = String(changed);
  for (const [id, markup] of Object.entries(said.screen)) byId(id).innerHTML = markup;
  next = fill();
});
