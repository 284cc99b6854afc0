// What a keeper decides: buttons with data-keeper post /keeper/<it> with their data-body; some ask twice.

import { post, tell } from "./page.js";

const UNREAD_MS = 400; // a tap on a choice sooner than it can be read was meant for another
const ARMED_MS = 5000; // what is asked for twice waits so long for the second tap

let choicesAt = 0;
let armed = null;
let disarming = 0;
let last = { what: "", at: 0 };

// Notes that other choices are shown now, or that somebody asks for another game.
export function renewed() {
  choicesAt = Date.now();
}

async function send(button, address, body) {
  if (button.ariaBusy === "true") return;
  button.ariaBusy = "true";
  const { ok, said } = await post(address, body);
  if (said.label) (button.querySelector("span") ?? button).textContent = said.label;
  if (button.dataset.keeper || !ok) tell(said.message);
  if (ok && said.go) location.replace(said.go);
  if (!ok) last.at = 0;
  button.ariaBusy = "false";
}

function decide(button) {
  if (button.closest(".choices, .wish") && Date.now() - choicesAt < UNREAD_MS) return;
  const { keeper, body, confirm, armed: since } = button.dataset;
  if (confirm && !since) {
    arm(button, confirm);
  } else if (!confirm || Date.now() - since > UNREAD_MS) {
    disarm(button);
    ask(button, "/keeper/" + keeper, body || "{}");
  }
}

// A finger that trembles asks once; what came to nothing may be asked for again at once.
function ask(button, address, body) {
  const what = address + body;
  if (what === last.what && Date.now() - last.at < UNREAD_MS) return;
  last = { what, at: Date.now() };
  send(button, address, body);
}

// The first tap only says what the second one does; one button at a time waits for that.
function arm(button, question) {
  if (armed) disarm(armed);
  armed = button;
  button.dataset.label = button.textContent;
  button.dataset.armed = Date.now();
  button.textContent = question;
  clearTimeout(disarming);
  disarming = setTimeout(() => disarm(button), ARMED_MS);
}

function disarm(button) {
  if (!button.dataset.armed) return;
  delete button.dataset.armed;
  button.textContent = button.dataset.label;
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-command], [data-keeper]");
  if (button?.dataset.keeper) decide(button);
  else if (button) send(button, "/commands/" + button.dataset.command, "{}");
});
