// The tables that were set up before: the first one that the camera still sees is offered, or else the newest.

import { byId, element } from "./page.js";
import { fill } from "./setup_stage.js";
import { send } from "./setup_steps.js";

const MOST_LOOKED_AT = 6; // if there are many tables, the newest are checked; each takes a second or more
const AGAIN_MS = 2000; // a camera that gives no picture yet may just have been plugged in

let offered = null; // the key of the table that fits
let looking = 0; // a newer check ends an older one

export function shownTable(tables) {
  return tables.find((table) => table.key === offered) ?? tables[0];
}

export function showTables(tables, use) {
  const shown = shownTable(tables);
  const language = document.documentElement.lang;
  byId("table-name").textContent = shown.name;
  byId("table-date").textContent = shown.saved ? new Date(shown.saved).toLocaleString(language) : "";
  byId("card-again").hidden = shown.board === "square";
  byId("card-more").hidden = shown.board !== "square";
  byId("table-used").hidden = !shown.in_use;
  byId("tables").replaceChildren(...tables.filter((table) => table !== shown).map((table) => {
    const label = `${table.name} · ${table.saved ? new Date(table.saved).toLocaleDateString(language) : ""}`;
    const about = { "data-table": table.key, onclick: () => use(table.key) };
    return element("li", {}, element("span", {}, label), element("button", about, byId("use-table").textContent));
  }));
}

// Checks which table the camera sees. If it sees none of them, the page says what is wrong with the newest. `isShown`:
// the page shows that it is checking.
export async function check(tables, use, isShown = true) {
  const mine = (looking += 1);
  if (isShown) {
    for (const id of ["fit-good", "fit-bad"]) byId(id).hidden = true;
    byId("fit-measured").textContent = "";
    byId("fit-checking").hidden = false;
  }
  const heard = [];
  for (const table of tables.slice(0, MOST_LOOKED_AT)) {
    const answer = await send("check", { table: table.key });
    if (mine !== looking) return;
    heard.push({ ...answer, key: table.key });
    if (answer.ok && answer.said.fits) break;
  }
  const { ok, said, key } = heard.find((answer) => answer.ok && answer.said.fits) ?? heard[0];
  offered = key;
  showTables(tables, use);
  byId("fit-checking").hidden = true;
  byId("fit-good").hidden = !(ok && said.fits);
  byId("fit-bad").hidden = ok && said.fits;
  byId("fit-bad").textContent = said.why || said.message;
  if (!heard.some((answer) => answer.ok)) setTimeout(lookAgain, AGAIN_MS);

  function lookAgain() {
    if (mine === looking && !byId("fit-bad").closest("section").hidden) check(tables, use, false);
  }
  if (ok && said.residual_px !== null) {
    const times = Number((2 ** said.stops).toFixed(1));
    const values = { px: said.residual_px, percent: Math.round(100 * said.moved_cells), times };
    byId("fit-measured").textContent = fill(byId("fit-measured").dataset.words, values);
  }
}
