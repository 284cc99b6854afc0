// The live picture and the table's button, while a step needs them.

import { byId, say, tell } from "./page.js";
import { fill, word } from "./setup_stage.js";
import { hear } from "./setup_steps.js";

const LIVE_MS = 1000;
const FIRST_MS = 60000;
const MOST_MS = 10000; // a table that has not answered by then is out of reach

let hasSeen = false; // the first picture may take some seconds, for instance if it is drawn
let before = null; // how often the button had been pressed when the page was opened

// Looks again and again; `stepNow` names the step that is shown.
export async function watch(stepNow) {
  await look(stepNow());
  setTimeout(watch, LIVE_MS, stepNow);
}

// Looks once, now.
export async function look(step) {
  const image = { camera: "live", teach: "live-teach" }[step];
  if (!document.hidden && (image || step === "panel")) {
    const address = "/setup/live.json" + (step === "panel" ? "?presses" : "");
    if (!hasSeen) tell(word("working"));
    const { ok, status, said } = await hear(address, {}, hasSeen ? MOST_MS : FIRST_MS);
    if (!hasSeen) tell("");
    hasSeen ||= ok;
    if (ok) showLive(said, step, image);
    say(ok ? "" : status === 0 ? document.body.dataset.lost : said.message);
  }
}

// Says which photograph of a folder is shown; with a camera, it says nothing.
export function showRoll(roll) {
  for (const place of document.querySelectorAll("[data-roll]")) {
    place.hidden = !roll;
    if (!roll) continue;
    const said = place.querySelector("[data-words]");
    const sentence = fill(said.dataset.words, roll);
    if (said.textContent !== sentence) said.textContent = sentence;
    place.querySelector('[data-turn="-1"]').disabled = roll.number <= 1;
    place.querySelector('[data-turn="1"]').disabled = roll.number >= roll.count;
  }
}

function showLive({ faults, presses, roll }, step, image) {
  if (step === "panel") {
    before ??= presses;
    if (byId("presses") && presses > before) {
      byId("presses").className = "lamp good";
      byId("presses").textContent = fill(byId("presses").dataset.words, { times: presses - before });
    }
    return;
  }
  showRoll(roll);
  for (const item of byId("faults").children) {
    item.hidden = item.dataset.fault === "none" ? faults.length > 0 : !faults.includes(item.dataset.fault);
  }
  if (!faults.includes("no-picture") && !faults.includes("not-read")) byId(image).src = "/setup/live.jpg?n=" + Date.now();
  if (byId(image).src) return;
  // There has never been a picture, so a phone may take one. People may close this again.
  const wasHidden = byId(image).hidden;
  byId(image).hidden = faults.includes("no-picture");
  if (byId(image).hidden && !wasHidden) byId(image).closest("section").querySelector("[data-phone]").open = true;
}
