// What a keeper decides: buttons with data-keeper post their data-body to /keeper/<data-keeper>; some ask twice.

import { post, tell } from "./page.js";

const UNREAD_MS = 400; // a tap that comes before a choice can be read was meant for another one
const ARMED_MS = 5000; // how long a question waits for its second tap

let choicesAt = 0;
let armed = null;
let disarming = 0;
let last = { what: "", at: 0 };

// Notes that the choices have changed, or that somebody asks for another game.
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

// A trembling finger sends only once; what failed may be sent again at once.
function ask(button, address, body) {
  const what = address + body;
  if (what === last.what && Date.now() - last.at < UNREAD_MS) return;
  last = { what, at: Date.now() };
  send(button, address, body);
}

// The first tap only says what the second one will do; only one button at a time waits for it.
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
