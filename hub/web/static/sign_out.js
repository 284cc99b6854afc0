// Everybody who is signed in can sign out on every page.

import { ask, byId, tell } from "./page.js";

byId("sign-out")?.addEventListener("click", async () => {
  const { ok, said } = await ask("/session", { method: "DELETE", headers: { "X-Strada": "1" } });
  if (ok) location.assign("/");
  else tell(said.message);
});
