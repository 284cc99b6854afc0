// Handing a game on: its address copied, also where the page is no secure one, and its result as a picture.

import { byId, say } from "./page.js";

const TOLD_MS = 3000;

const address = byId("address");
const copy = byId("copy");

copy.hidden = false;
copy.addEventListener("click", async () => {
  const label = copy.textContent;
  copy.textContent = (await copied()) ? copy.dataset.copied : copy.dataset.marked;
  setTimeout(() => { copy.textContent = label; }, TOLD_MS);
});
address.addEventListener("focus", () => address.select());

// On plain http there is no clipboard; then the address is marked, and the browser's old way is tried.
async function copied() {
  try {
    if (navigator.clipboard) {
      await navigator.clipboard.writeText(address.value);
      return true;
    }
  } catch { /* not allowed */ }
  address.focus();
  address.select();
  return document.execCommand("copy");
}

const picture = byId("picture");
picture.addEventListener("click", async (event) => {
  event.preventDefault();
  try {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await drawn(picture.href));
    link.download = picture.dataset.name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), TOLD_MS);
  } catch {
    say(document.body.dataset.unreachable);
  }
});

// The drawing as a PNG, as large as it says it is.
async function drawn(source) {
  const image = new Image();
  image.src = source;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.naturalWidth;
  canvas.height = image.naturalHeight;
  canvas.getContext("2d").drawImage(image, 0, 0);
  return new Promise((done, fail) => canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error())), "image/png"));
}
