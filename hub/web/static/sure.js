// What cannot be undone is asked twice.

const ARMED_MS = 4000;

export function isSure(button) {
  if (!button.dataset.confirm || button.dataset.armed) return true;
  const label = button.textContent;
  button.dataset.armed = "yes";
  button.textContent = button.dataset.confirm;
  setTimeout(() => {
    delete button.dataset.armed;
    button.textContent = label;
  }, ARMED_MS);
  return false;
}
