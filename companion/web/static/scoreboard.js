// The scoreboard's page.

import { playCue, switchSound } from "./cue.js";
import { renewed } from "./decide.js";
import { listen, place } from "./live.js";
import { byId } from "./page.js";

const PICTURE_MS = 1000; // the camera's picture at most so often

const picture = { shown: 0, loading: false, at: 0 };

function show(news) {
  place(news.parts);
  if ("decisions" in news.parts) renewed();
  if (news.view_box) byId("board").setAttribute("viewBox", news.view_box);
  if (news.title) document.title = news.title;
  if (news.parts.players?.trim()) byId("record").hidden = false; // a game was dealt
  if (news.parts.hints) byId("hint").hidden = false; // the table allows them
  if ("lamps" in news.parts) playCue();
  if (news.picture) wantPicture(news.picture);
}

// The picture is fetched anew when the last one has arrived and is a second old.
function wantPicture(number) {
  if (!byId("picture") || number === picture.shown || picture.loading) return;
  const wait = picture.at + PICTURE_MS - Date.now();
  picture.loading = true;
  setTimeout(() => {
    picture.shown = number;
    picture.at = Date.now();
    byId("picture").src = "/camera.jpg?n=" + number;
  }, Math.max(wait, 0));
}

function switchHints() {
  const shown = byId("hints").toggleAttribute("hidden") === false;
  byId("hint").setAttribute("aria-pressed", String(shown));
}

byId("sound").addEventListener("click", (event) => switchSound(event.currentTarget));
byId("hint").addEventListener("click", switchHints);
for (const done of ["load", "error"]) {
  byId("picture")?.addEventListener(done, () => {
    picture.loading = false;
    byId("picture").parentElement.hidden = done === "error";
  });
}
listen(show);
