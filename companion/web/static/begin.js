// Somebody chooses what to do: these pages end, and this one waits for those that replace them.

import { ask, byId, post, tell } from "./page.js";

const LOOK_MS = 1000;
const CALM_MS = 5000;
const MOST_LOOKS = 60;

const place = document.querySelector(".asks");
let isWaiting = false;

const rest = (ms) => new Promise((done) => setTimeout(done, ms));

// Whether that is done now. It takes some seconds, during which nobody answers.
async function isDone(what) {
  for (let k = 0; k < MOST_LOOKS; k += 1) {
    await rest(LOOK_MS);
    const { ok, said } = await ask("/begin/now");
    if (ok && said.now === what) return true;
  }
  return false;
}

async function choose(button) {
  isWaiting = true;
  button.setAttribute("aria-busy", "true");
  byId("began").textContent = place.dataset.wait;
  const what = button.dataset.way;
  const game = document.querySelector("[name=game]:checked")?.value ?? "";
  const { ok, said } = await post("/begin", { what, game });
  if (ok && (!said.waits || ((await rest(LOOK_MS)), await isDone(what)))) {
    location.assign(said.go);
    return;
  }
  isWaiting = false;
  button.removeAttribute("aria-busy");
  byId("began").textContent = ok ? place.dataset.failed : "";
  if (!ok) tell(said.message);
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-way]");
  if (button && !isWaiting) choose(button);
});

// Somebody else may have chosen, or set a table up.
async function look() {
  await rest(CALM_MS);
  const { ok, said } = document.hidden || isWaiting ? { ok: false } : await ask("/begin/now");
  if (ok && String(said.asks) !== place.dataset.asks && !isWaiting) return location.reload();
  return look();
}

look();
