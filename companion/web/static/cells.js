// The board's cells as buttons: the arrow keys move from cell to cell, Enter and the space bar press one.

const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

// Lets the arrow keys move in the group of targets; calls `pressed(name)` for Enter and the space bar.
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

// The nearest cell that is farther in that direction than it is to the side.
function step(group, from, [right, down]) {
  const here = place(from);
  let best = null;
  let least = Infinity;
  const others = [...group.querySelectorAll("[data-cell]")];
  if (down > 0) others.reverse(); // of two equally near: up goes left, down goes right, and so back again
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
