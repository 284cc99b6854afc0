// The keeper's page: the table joins a hub with the code on the hub's screen.

import { byId, post, tell } from "./page.js";

byId("join-hub")?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = byId("join-hub").querySelector("button");
  if (button.ariaBusy === "true") return;
  button.ariaBusy = "true";
  const { ok, said } = await post("/keeper/join-hub", { address: byId("hub-address").value, code: byId("hub-code").value });
  button.ariaBusy = "false";
  tell(said.message);
  if (ok && said.go) location.reload();
});
