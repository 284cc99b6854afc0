// One table: its parts are fetched again when it has changed; a ruling's picture is fetched when somebody asks for it.

import { ask, byId, tell } from "./page.js";
import { listen } from "./news.js";

const number = Number(document.querySelector("[data-number]").dataset.number);
const shown = new Map(); // pictures that are open, by address

listen(async (news) => {
  if (!news.changed.includes(number)) return;
  const { ok, said } = await ask(`/tables/${number}/parts`);
  if (!ok) return tell(said.message);
  byId("board").setAttribute("viewBox", said.view_box);
  const held = document.activeElement?.dataset?.picture;
  for (const [id, markup] of Object.entries(said.parts)) if (byId(id)) byId(id).innerHTML = markup;
  for (const [address, picture] of shown) button(address)?.after(picture);
  if (held) button(held)?.focus();
});

function button(address) {
  return document.querySelector(`[data-picture="${address}"]`);
}

byId("rulings").addEventListener("click", (event) => {
  const asked = event.target.closest("[data-picture]");
  if (!asked) return;
  const address = asked.dataset.picture;
  if (shown.has(address)) {
    shown.get(address).remove();
    shown.delete(address);
    return;
  }
  const picture = new Image();
  picture.alt = byId("rulings").dataset.alt;
  picture.addEventListener("error", () => {
    picture.remove();
    shown.delete(address);
    tell(byId("rulings").dataset.none);
  });
  picture.src = address;
  shown.set(address, picture);
  asked.after(picture);
});
