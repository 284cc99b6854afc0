// The turn clock goes on between two pieces of news. It asks the table for the table's time; until that is known, and
// while the table cannot be reached, it shows nothing.

import { ask, byId } from "./page.js";

const TICK_MS = 500;
const ASK_AGAIN_MS = 30000;

const clock = byId("clock");
let aheadMs = null; // how far the table's clock is ahead of this device's

const running = () => clock.querySelector("[data-since]");

async function askTime() {
  if (document.hidden || !running()) return;
  const asked = performance.now();
  const { ok, said } = await ask("/clock");
  aheadMs = ok ? 1000 * said.now_s - (asked + performance.now()) / 2 : null;
  tick();
}

function tick() {
  const since = running();
  if (!since) return;
  const ran = aheadMs === null ? null : (performance.now() + aheadMs) / 1000 - Number(since.dataset.since);
  for (const each of clock.querySelectorAll("[data-runs]")) {
    const told = ran === null ? "…" : lasting(Number(each.dataset.runs) + Math.max(0, ran));
    if (each.textContent !== told) each.textContent = told;
  }
}

function lasting(seconds) {
  const [hours, minutes, left] = [seconds / 3600, (seconds / 60) % 60, seconds % 60].map(Math.floor);
  const two = (number) => String(number).padStart(2, "0");
  return hours ? `${hours}:${two(minutes)}:${two(left)}` : `${minutes}:${two(left)}`;
}

// Another turn has begun, perhaps after a restart of the table, whose clock then shows another time.
new MutationObserver((changes) => {
  if (changes.some(({ target }) => target === clock)) askTime();
}).observe(clock, { childList: true });
document.addEventListener("visibilitychange", askTime);
setInterval(tick, TICK_MS);
setInterval(askTime, ASK_AGAIN_MS);
askTime();
