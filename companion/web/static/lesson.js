// The lesson, for those who have never played: on this screen where somebody switched it on here, or a keeper did for
// the whole table.

import { byId, remember, remembered } from "./page.js";

const teach = byId("teach");
const lesson = byId("lesson");
let isWanted = remembered("teach");
let isForAll = false;
let isClosed = false; // here, though it is for all

function showLesson() {
  const before = isForAll;
  isForAll = Boolean(lesson.querySelector(".for-all"));
  if (isForAll !== before) isClosed = false;
  lesson.hidden = !(isWanted || (isForAll && !isClosed));
  teach.setAttribute("aria-pressed", String(!lesson.hidden));
  document.body.classList.toggle("teaching", !lesson.hidden && Boolean(lesson.querySelector("ol")));
  dispatchEvent(new Event("resize")); // a television fits its letters anew
}

teach.addEventListener("click", () => {
  isWanted = lesson.hidden;
  isClosed = !isWanted;
  remember("teach", isWanted);
  showLesson();
});
new MutationObserver(showLesson).observe(lesson, { childList: true });
showLesson();
