// Organisers sign in and decide; what cannot be undone is asked twice.

import { byId, post, tell } from "./page.js";
import { isSure } from "./sure.js";

byId("entry")?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = byId("entry");
  const button = form.querySelector("button");
  if (button.ariaBusy === "true") return;
  button.ariaBusy = "true";
  const body = { name: byId("who").value, password: byId("password").value };
  if (byId("code")) body.code = byId("code").value;
  const { ok, said } = await post(form.dataset.to, body);
  button.ariaBusy = "false";
  if (ok) location.reload();
  else byId("refused").textContent = said.message;
});

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-post]");
  if (!button || !isSure(button)) return;
  const { ok, said } = await post(button.dataset.post, button.dataset.body);
  if (said.code) byId("new-code").textContent = said.code;
  tell(said.message);
  if (ok && said.go) location.assign(said.go);
});
