// The keeper shows that he may decide: the PIN becomes a session. His name is remembered on this device alone.

import { listen, place } from "./live.js";
import { byId, post } from "./page.js";

if (byId("pin")) listen((news) => place({ pin: news.parts.pin ?? byId("pin").innerHTML }), ["pin"]); // it is at the table

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
