// A tournament: its forms, and the parts of it that change while it is shown.

import { ask, byId, post, tell } from "./page.js";
import { listen } from "./news.js";
import { isSure } from "./sure.js";

const shown = document.querySelector("[data-tournament]");
const number = shown?.dataset.tournament;

// A field's value in the form that the server reads: empty means none.
function value(field) {
  if (field.type === "checkbox") return field.checked;
  if (field.type === "number" || field.dataset.table !== undefined) return field.value === "" ? null : Number(field.value);
  return field.value;
}

function body(form) {
  if (form.id === "new-tournament") {
    return { name: byId("name").value, size: Number(byId("size").value), rounds: value(byId("rounds")), tables: value(byId("tables")) };
  }
  if (form.id === "enter") return { text: byId("text").value };
  if (form.classList.contains("at")) return { table: value(form.querySelector("[data-table]")) };
  if (form.classList.contains("result")) {
    const said = {
      gold: [...form.querySelectorAll("[data-gold]")].map(value),
      winners: [...form.querySelectorAll("[data-winner]:checked")].map((each) => Number(each.dataset.winner)),
    };
    const why = form.querySelector("[data-why]");
    return why ? { ...said, why: why.value } : said;
  }
  return Object.fromEntries([...form.querySelectorAll("[data-name]")].map((each) => [each.dataset.name, value(each)]));
}

document.addEventListener("submit", async (event) => {
  const form = event.target.closest("[data-to]");
  if (!form) return;
  event.preventDefault();
  const button = form.querySelector("[type=submit]");
  if (button.ariaBusy === "true" || !isSure(button)) return;
  button.ariaBusy = "true";
  const { ok, said } = await post(form.dataset.to, body(form));
  button.ariaBusy = "false";
  const refused = form.querySelector("[role=alert]");
  if (ok) return location.assign(said.go);
  if (refused) refused.textContent = said.message;
  else tell(said.message);
});

// A file is read here and shown before it is sent, so that mistakes in it can be corrected at once.
byId("csv")?.addEventListener("change", async () => {
  const [file] = byId("csv").files;
  if (!file) return;
  const bytes = await file.arrayBuffer();
  try {
    byId("text").value = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    byId("text").value = new TextDecoder("windows-1252").decode(bytes); // as older spreadsheets write it
  }
  byId("text").focus();
});

// What somebody has opened stays open, and fields are not replaced while somebody types in them.
function put(id, markup) {
  const place = byId(id);
  if (!place || place.querySelector("details.decide[open]") || place.contains(document.activeElement)) return;
  const closed = new Set([...place.querySelectorAll("details:not([open])")].map((each) => each.id));
  const open = new Set([...place.querySelectorAll("details[open]")].map((each) => each.id));
  place.innerHTML = markup;
  for (const each of place.querySelectorAll("details")) {
    if (closed.has(each.id)) each.open = false;
    if (open.has(each.id)) each.open = true;
  }
}

if (shown) {
  listen(async (news) => {
    const changed = news.tournaments?.[number];
    if (changed === undefined || String(changed) === shown.dataset.changed) return;
    const { ok, said } = await ask(`/tournaments/${number}/parts`);
    if (!ok) return tell(said.message);
    shown.dataset.changed = String(changed);
    for (const [id, markup] of Object.entries(said.parts)) put(id, markup);
  });
}
