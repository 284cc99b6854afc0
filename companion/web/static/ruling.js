// A ruling's pictures: the reading on them can be switched on or off, and a missing picture says so.

import { byId, element } from "./page.js";

const button = byId("reading");
button.hidden = !document.querySelector(".shot .read");
button.addEventListener("click", () => {
  const isShown = button.getAttribute("aria-pressed") !== "true";
  button.setAttribute("aria-pressed", String(isShown));
  document.body.classList.toggle("bare", !isShown);
});

for (const image of document.querySelectorAll(".shot img")) {
  const gone = () => {
    image.closest(".shot").replaceWith(element("p", { className: "none" }, image.dataset.gone));
  };
  if (image.complete && !image.naturalWidth) gone();
  else image.addEventListener("error", gone);
}
