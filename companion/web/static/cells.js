// The board's cells as buttons: arrow keys walk from cell to cell, Enter and the space bar press.

const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

// Walks in the group of targets; calls `pressed(name)` for Enter and the space bar on one.
export function walk(group, pressed) {
  group.addEventListener("keydown", (event) => {
    const target = event.target.closest("[data-cell]");
    if (!target) return;
    if (event.key === "Enter" || event.key === " ") pressed(target.dataset.cell);
    else if (STEPS[event.key]) step(group, target, STEPS[event.key]);
    else return;
    event.preventDefault();
  });
}

// The nearest cell that lies more in that direction than aside.
function step(group, from, [right, down]) {
  const here = place(from);
  let best = null;
  let least = Infinity;
  const others = [...group.querySelectorAll("[data-cell]")];
  if (down > 0) others.reverse(); // of two alike the first: up to the left, down to the right, and so back again
  for (const other of others) {
    const { x, y } = place(other);
    const ahead = (x - here.x) * right + (y - here.y) * down;
    const aside = Math.abs((x - here.x) * down + (y - here.y) * right);
    if (ahead > 1 && ahead >= aside && ahead + aside < least - 1) {
      least = ahead + aside;
      best = other;
    }
  }
  if (!best) return;
  for (const each of group.querySelectorAll('[tabindex="0"]')) each.tabIndex = -1;
  best.tabIndex = 0;
  best.focus({ preventScroll: true });
}

function place(target) {
  const { e, f } = target.transform.baseVal.consolidate().matrix;
  return { x: e, y: f };
}
