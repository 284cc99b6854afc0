// The camera's picture: fetched while somebody is looking at it, and again when the last one has arrived and is a
// second old. Until there is one, nothing is shown.

import { byId } from "./page.js";

const PICTURE_MS = 1000;

const camera = byId("camera");
const image = byId("picture");
const picture = { newest: Number(image?.dataset.number), shown: 0, loading: false, at: 0 };

// Notes the number of the newest picture; 0 for none.
export function newestPicture(number) {
  picture.newest = number;
  wantPicture();
}

function wantPicture() {
  if (!camera?.open || !picture.newest || picture.newest === picture.shown || picture.loading) return;
  picture.loading = true;
  setTimeout(() => {
    picture.shown = picture.newest;
    picture.at = Date.now();
    image.src = "/camera.jpg?n=" + picture.shown;
  }, Math.max(picture.at + PICTURE_MS - Date.now(), 0));
}

if (camera) {
  camera.addEventListener("toggle", wantPicture);
  for (const done of ["load", "error"]) {
    image.addEventListener(done, () => {
      picture.loading = false;
      image.parentElement.hidden = done === "error";
    });
  }
  wantPicture();
}
