// The scoreboard's page.

import { renewed } from "./decide.js";
import { listen } from "./live.js";
import { byId, remember, remembered } from "./page.js";
import { showBoard } from "./showing.js";

const PICTURE_MS = 1000; // the camera's picture at most so often

const camera = byId("camera");
const picture = { newest: Number(byId("picture")?.dataset.number), shown: 0, loading: false, at: 0 };

function show(news) {
  showBoard(news);
  if ("decisions" in news.parts) renewed();
  if (news.parts.players?.trim()) byId("record").hidden = false; // a game was dealt
  picture.newest = news.picture;
  wantPicture();
}

// The picture is fetched where somebody looks at it, anew when the last one has arrived and is a second old.
function wantPicture() {
  if (!camera?.open || !picture.newest || picture.newest === picture.shown || picture.loading) return;
  const wait = picture.at + PICTURE_MS - Date.now();
  picture.loading = true;
  setTimeout(() => {
    picture.shown = picture.newest;
    picture.at = Date.now();
    byId("picture").src = "/camera.jpg?n=" + picture.shown;
  }, Math.max(wait, 0));
}

if (camera) {
  camera.open = remembered("camera");
  camera.addEventListener("toggle", () => {
    remember("camera", camera.open);
    wantPicture();
  });
  for (const done of ["load", "error"]) {
    byId("picture").addEventListener(done, () => {
      picture.loading = false;
      byId("picture").parentElement.hidden = done === "error";
    });
  }
}
listen(show);
