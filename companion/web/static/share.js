// Sharing a game: its address is copied, even if the page is not secure, and its result as a picture.

import { byId } from "./page.js";
import { handOn } from "./picture.js";

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

// On plain http there is no clipboard; then the address is selected, and the browser's old way is tried.
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
picture.addEventListener("click", (event) => {
  event.preventDefault();
  handOn(picture);
});
