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
  for (const other of group.querySelectorAll("[data-cell]")) {
    const { x, y } = place(other);
    const ahead = (x - here.x) * right + (y - here.y) * down;
    const aside = Math.abs((x - here.x) * down + (y - here.y) * right);
    if (ahead > 1 && ahead >= aside && ahead + aside < least) {
      least = ahead + aside;
      best = other;
    }
  }
  if (!best) return;
  from.tabIndex = -1;
  best.tabIndex = 0;
  best.focus();
}

function place(target) {
  const { e, f } = target.transform.baseVal.consolidate().matrix;
  return { x: e, y: f };
}
