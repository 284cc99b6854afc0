// The keeper's page: the live table, what keepers decide, and the way out.

import "./builder.js";
import { newestPicture } from "./camera.js";
import { openCell } from "./correct.js";
import { renewed } from "./decide.js";
import { listen, place } from "./live.js";
import { byId, signOut } from "./page.js";
import { warnOfGame } from "./start.js";

const MOST_MOVES = 60;

function show(news) {
  const held = byId("cells").contains(document.activeElement) ? document.activeElement.dataset.cell : "";
  place(news.parts);
  if (held && "cells" in news.parts) byId("cells").querySelector(`[data-cell=${held}]`)?.focus();
  if ("asked" in news.parts) renewed();
  if ("decisions" in news.parts) {
    renewed();
    warnOfGame();
  }
  if (news.view_box) byId("board").setAttribute("viewBox", news.view_box);
  if (news.title) document.title = news.title;
  if ("players" in news.parts) byId("back").hidden = !news.parts.players.trim();
  if (news.picture) newestPicture(news.picture);
}

function step(button) {
  const moves = Math.min(Math.max(Number(byId("moves").value) + Number(button.dataset.step), 2), MOST_MOVES);
  byId("moves").value = moves;
  byId("back-all").dataset.body = JSON.stringify({ moves });
}

byId("back").addEventListener("click", (event) => {
  const button = event.target.closest("[data-step]");
  if (button) step(button);
});

byId("sign-out")?.addEventListener("click", signOut);

byId("go-new").addEventListener("click", () => {
  byId("start").open = true;
  byId("start").scrollIntoView({ block: "start" });
  byId("start").querySelector("button").focus({ preventScroll: true });
});

byId("go-right").addEventListener("click", () => {
  byId("board").scrollIntoView({ block: "center" });
  byId("cells").querySelector('[tabindex="0"]')?.focus({ preventScroll: true });
});

listen(show, ["cells"]);

const wanted = new URLSearchParams(location.search).get("cell");
if (wanted) openCell(wanted);
