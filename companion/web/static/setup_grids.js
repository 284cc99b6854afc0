// The grid over the photograph of the empty board; two of them if the board may be some cells away from the corners.

import { byId } from "./page.js";
import { fill, svg } from "./setup_stage.js";

const lines = (ends, kind) =>
  (ends ?? []).map(([x1, y1, x2, y2]) => svg("line", { class: "gridline " + kind, x1, y1, x2, y2 }));

// Draws the grid that was found, or the two that may be right, and asks which one is the board's.
export function showGrids(view, place, found, asked) {
  place.replaceChildren(...lines(found?.lines, ""), ...lines(asked?.clicked, ""), ...lines(asked?.beside, "other"));
  // The two differ at the board's ends, so all of it is shown then.
  if (asked && byId("two-grids").hidden) view.zoom(-Infinity);
  byId("two-grids").hidden = asked === null;
  byId("two-grids-one").hidden = asked?.cells !== 1;
  const more = byId("two-grids-more");
  more.hidden = !asked || asked.cells === 1;
  more.textContent = asked ? fill(more.dataset.words, { count: asked.cells }) : "";
}
