// What the scoreboard and the TV share: the parts in their places, the tunes, the voice, the hints.

import { celebrate, isCounting } from "./ceremony.js";
import "./keys.js";
import "./turn_clock.js";
import { playCue, wantSound } from "./cue.js";
import { place } from "./live.js";
import { inMotion } from "./motion.js";
import { byId, remember, remembered } from "./page.js";
import { speakNews, wantVoice } from "./voice.js";

const OFFERED_MS = 45000;
let leaving = 0;
let isLeft = false; // nobody answered on this TV

export function showBoard(news) {
  if (news.isLate) place(news.parts);
  else inMotion(() => place(news.parts));
  if (news.view_box) byId("board").setAttribute("viewBox", news.view_box);
  if (news.title) document.title = news.title;
  if ("ceremony" in news.parts) celebrate(news.isLate, speakNews);
  if (news.parts.hints) byId("hint").hidden = false; // the table allows hints
  offerOnce();
  if ("lamps" in news.parts) playCue();
  if (!isCounting() && ("notice" in news.parts || "turn" in news.parts)) speakNews();
}

// Asks once, at the first game on this screen, whether it should have sound. On a TV, where the question covers part of
// the board and perhaps nobody can answer it, it goes away again soon.
function offerOnce() {
  const isAnswered = isLeft || ["offered", "sound", "voice"].some(remembered);
  byId("offer").hidden = isAnswered || !byId("players").querySelector(".player");
  if (byId("offer").hidden || leaving || !document.body.classList.contains("tv")) return;
  leaving = setTimeout(() => {
    isLeft = true;
    byId("offer").hidden = true;
  }, OFFERED_MS);
}

byId("offer").addEventListener("click", ({ target }) => {
  const { offer } = target.dataset;
  if (offer === undefined) return;
  if (offer) byId(offer).click();
  remember("offered", true);
  byId("offer").hidden = true;
});

function showHints(isShown) {
  byId("hints").toggleAttribute("hidden", !isShown);
  byId("hint").setAttribute("aria-pressed", String(isShown));
}

byId("hint").addEventListener("click", () => {
  const isShown = byId("hints").hasAttribute("hidden");
  remember("hints", isShown);
  showHints(isShown);
});
showHints(remembered("hints"));
wantSound(byId("sound"));
wantVoice(byId("voice"));
byId("offer").querySelector("[data-offer=voice]").hidden = byId("voice").hidden;
offerOnce();
playCue(); // what the page came with is old
celebrate(true, speakNews);
speakNews();
