// The lesson for beginners: shown on this screen if somebody switched it on here, or a keeper did for the whole table.

import { byId, remember, remembered } from "./page.js";

const teach = byId("teach");
const lesson = byId("lesson");
let isWanted = remembered("teach");
let isForAll = false;
let isClosed = false; // on this screen, though it is on for everybody

function showLesson() {
  const before = isForAll;
  isForAll = Boolean(lesson.querySelector(".for-all"));
  if (isForAll !== before) isClosed = false;
  lesson.hidden = !(isWanted || (isForAll && !isClosed));
  teach.setAttribute("aria-pressed", String(!lesson.hidden));
  document.body.classList.toggle("teaching", !lesson.hidden && Boolean(lesson.querySelector("ol")));
  dispatchEvent(new Event("resize")); // a TV adjusts its letters
}

teach.addEventListener("click", () => {
  isWanted = lesson.hidden;
  isClosed = !isWanted;
  remember("teach", isWanted);
  showLesson();
});
new MutationObserver(showLesson).observe(lesson, { childList: true });
showLesson();
