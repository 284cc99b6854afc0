// A tap that comes before the page's modules would be lost. It is held back, and made once all of them have run.

(() => {
  let tapped = null;

  function hold(event) {
    const button = event.target.closest("button, [role=button]");
    if (!button) return;
    event.preventDefault();
    event.stopImmediatePropagation(); // some of the modules may be running already
    tapped = button;
  }

  document.addEventListener("click", hold, true);
  document.addEventListener("DOMContentLoaded", () => {
    document.removeEventListener("click", hold, true);
    if (tapped) tapped.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
  });
})();
