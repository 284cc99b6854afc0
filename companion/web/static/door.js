// The keeper shows that they may decide: the PIN becomes a session. Their name is remembered only on this device.

import { listen, place } from "./live.js";
import { byId, post } from "./page.js";

// The set-up is done at the table, so its sign-in page shows the PIN while the button is held.
if (byId("pin")) listen((news) => { if ("pin" in news.parts) place({ pin: news.parts.pin }); }, ["pin"]);

const digits = byId("digits");
const who = byId("who");

try {
  who.value = localStorage.getItem("keeper") ?? "";
} catch {
  // some browsers keep nothing
}

byId("door").addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = event.submitter ?? byId("door").querySelector("button");
  if (button.ariaBusy === "true") return;
  button.ariaBusy = "true";
  try {
    localStorage.setItem("keeper", who.value);
  } catch {
    // then they type it again
  }
  const { ok, said } = await post("/keeper/session", { pin: digits.value, name: who.value });
  button.ariaBusy = "false";
  if (ok) {
    location.reload();
  } else {
    byId("refused").textContent = said.message;
    digits.select();
  }
});
