// The keeper shows that they may decide: the PIN becomes a session. Their name is remembered on this device alone.

import { listen, place } from "./live.js";
import { byId, post } from "./page.js";

// The set-up is at the table: its door shows the PIN while the button is held.
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
    // then it is typed again
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
