// Why? Whatever has data-why explains itself in a dialog when it is tapped.

import { byId } from "./page.js";

const dialog = byId("why");
const explained = byId("explained");
const body = dialog.querySelector(".body");
let shown = "";

function explanation(key) {
  return [...explained.querySelectorAll("[data-key]")].find((each) => each.dataset.key === key);
}

// If the explanation changes while it is open, the dialog is updated; if it is gone, the dialog closes.
function fill() {
  const found = explanation(shown);
  if (!found) return dialog.close();
  body.innerHTML = found.innerHTML;
}

function open(key) {
  if (!explanation(key)) return;
  shown = key;
  fill();
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
}

document.addEventListener("click", (event) => {
  const asked = event.target.closest("[data-why]");
  if (asked) open(asked.dataset.why);
  else if (event.target === dialog) dialog.close(); // outside it
});
// The button that was tapped may have been redrawn meanwhile.
dialog.addEventListener("close", () => {
  [...document.querySelectorAll("[data-why]")].find((each) => each.dataset.why === shown)?.focus();
  shown = "";
});
new MutationObserver(() => { if (dialog.open) fill(); }).observe(explained, { childList: true, subtree: true });
