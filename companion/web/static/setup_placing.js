// A phone's photograph in which the board was not found: people move four rings to its corners, and then it is used. A
// tap elsewhere moves the nearest ring there.

import { byId } from "./page.js";
import { fill, svg, word } from "./setup_stage.js";

let rings = new Map(); // the handles by the names of their cells
let shown = ""; // the photograph that they are on
let act = async () => {};

// Shows it in place of everything else in the step, next to the empty board, which has the corners' names.
export function showPlacing({ unplaced, corners, size }, view, ground) {
  const place = byId("placing");
  const isNew = place.hidden && unplaced !== null;
  place.hidden = unplaced === null;
  place.closest("section").classList.toggle("placing", unplaced !== null);
  if (unplaced === null) {
    shown = "";
    return;
  }
  view.show(`/setup/unplaced.jpg?v=${unplaced.photo}`, unplaced.size);
  if (shown !== unplaced.photo) lay(unplaced, view);
  const known = byId("place-known");
  known.setAttribute("viewBox", `0 0 ${size[0]} ${size[1]}`);
  const scale = size[0] / Math.max(known.clientWidth, 1);
  known.replaceChildren(
    svg("image", { href: ground, width: size[0], height: size[1] }),
    ...Object.entries(corners).flatMap(([cell, at]) => named(cell, at, scale)),
  );
  if (isNew) place.scrollIntoView({ block: "start" });
}

function lay({ photo, corners }, view) {
  shown = photo;
  view.over.replaceChildren();
  view.resize();
  rings = new Map(Object.entries(corners).map(([cell, at]) => [
    cell, ring(cell, view.handle(fill(word("corner"), { cell }), at, () => {}, 20)),
  ]));
  view.drawing.onclick = (event) => {
    if (event.target.closest(".handle")) return;
    const [x, y] = view.place(event);
    const far = ({ place }) => Math.hypot(place[0] - x, place[1] - y);
    [...rings.values()].reduce((one, other) => (far(other) < far(one) ? other : one)).move([x, y]);
  };
}

// On a phone, where they are close together, rings have short names.
function ring(cell, handle) {
  handle.querySelector("text").textContent = cell;
  return handle;
}

// A corner of the empty board with its name.
function named(cell, [x, y], scale) {
  const label = svg("text", { x, y: y - 14 * scale, "font-size": 15 * scale, "text-anchor": "middle", class: "corner-name" });
  label.textContent = cell;
  return [svg("circle", { class: "corner-mark", cx: x, cy: y, r: 7 * scale, "stroke-width": 3 * scale }), label];
}

export function placingBy(steps) {
  act = steps;
}

byId("place-it").addEventListener("click", () => {
  act("place", () => Object.fromEntries([...rings].map(([cell, handle]) => [cell, handle.place])));
});
byId("put-away").addEventListener("click", () => act("put-away", {}));
