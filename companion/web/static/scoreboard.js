// The scoreboard's page.

import { keepAwake } from "./awake.js";
import { newestPicture } from "./camera.js";
import { renewed } from "./decide.js";
import { listen } from "./live.js";
import { byId, remember, remembered } from "./page.js";
import { showBoard } from "./showing.js";

const camera = byId("camera");

function show(news) {
  showBoard(news);
  if ("decisions" in news.parts || "asked" in news.parts) renewed();
  if (news.parts.players?.trim()) byId("record").hidden = false; // a game has been dealt
  newestPicture(news.picture);
  keepAwake(goesOn());
}

// Whether it is somebody's turn. A game that waits or is over shows no days, and needs no light.
function goesOn() {
  return byId("players").childElementCount > 0 && byId("turn").querySelector("h2 + p") !== null;
}

if (camera) {
  camera.open = remembered("camera");
  camera.addEventListener("toggle", () => remember("camera", camera.open));
}
keepAwake(goesOn());
listen(show);
