// The scoreboard for a screen across the room: there is nothing to tap, and the settings show while the pointer moves.

import { keepAwake } from "./awake.js";
import { renewed } from "./decide.js"; // a keeper's TV has a button for another game
import { listen } from "./live.js";
import { ask, byId } from "./page.js";
import { showBoard } from "./showing.js";

const AWAKE_MS = 4000;
const INVITE_MS = 20000; // for a network that comes up later, the table's own Wi-Fi, or another address
const SMALLEST = 0.6;

let asleep = 0;

// The verdict takes the room that there is: first the letters get smaller, then the code goes, then the graph. Next to
// the graph, and if nothing else helps, each player gets only a line.
function fit() {
  const overflows = () => ["beside", "remembered"].map(byId).some((part) => part.scrollHeight > part.clientHeight + 1);
  byId("join").classList.remove("away");
  byId("course").classList.remove("away");
  byId("players").classList.toggle("lines", byId("course").childElementCount > 0);
  for (let size = 1; size >= SMALLEST; size -= 0.1) {
    document.body.style.setProperty("--fit", size.toFixed(1));
    if (!overflows()) return;
    if (size < 0.85) byId("join").classList.add("away");
    if (size < 0.75) byId("course").classList.add("away");
  }
  byId("players").classList.add("lines");
}

function wake() {
  document.body.classList.add("awake");
  clearTimeout(asleep);
  asleep = setTimeout(() => document.body.classList.remove("awake"), AWAKE_MS);
}

async function invite() {
  const { ok, said } = await ask("/join/code");
  if (ok) byId("join").innerHTML = said.markup; // a lost connection is already shown
  fit();
}

listen((news) => {
  showBoard(news);
  if ("asked" in news.parts) renewed();
  fit();
}, ["pin", "course"]);
setInterval(invite, INVITE_MS);
keepAwake(true);
for (const sign of ["pointermove", "pointerdown", "keydown"]) addEventListener(sign, wake);
addEventListener("resize", fit);
addEventListener("ceremony", fit);
byId("whole").addEventListener("click", () => {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen();
});
fit();
