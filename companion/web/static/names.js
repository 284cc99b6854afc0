// Names for those at the table: typed, or tapped from those who have played here before.

import { byId, post } from "./page.js";

const form = byId("name-them");
const fields = [...form.querySelectorAll("[data-color]")];
let chosen = null; // the field that was touched last

form.addEventListener("focusin", (event) => {
  if (fields.includes(event.target)) chosen = event.target;
});

// A tapped person takes the seat that was touched last, or else the first without a name, and leaves any other seat.
byId("known")?.addEventListener("click", (event) => {
  const button = event.target.closest("[data-person]");
  if (!button) return;
  const name = button.dataset.person;
  const field = chosen ?? fields.find((each) => !each.value.trim());
  if (!field) return;
  for (const other of fields) if (other !== field && other.value.trim() === name) other.value = "";
  field.value = name;
  chosen = null;
});

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = form.querySelector("[type=submit]");
  if (!button || button.ariaBusy === "true") return;
  button.ariaBusy = "true";
  const names = Object.fromEntries(fields.map((field) => [field.dataset.color, field.value.trim()]));
  const { ok, said } = await post("/keeper/name", { names });
  button.ariaBusy = "false";
  if (ok) location.assign(said.go);
  else byId("names-said").textContent = said.message;
});
