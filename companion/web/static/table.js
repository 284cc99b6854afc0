// The drawn table's page: what is chosen in the kit is laid on the cell that is tapped, or dropped there.

import { walk } from "./cells.js";
import { playCue } from "./cue.js";
import { listen, place } from "./live.js";
import { ask, byId, element, post, tell } from "./page.js";
import { roadOf } from "./road.js";

const LOOK_MS = 700; // how often the page checks what is on the table, and the camera's picture
const AGAIN_MS = 1500; // while a finger is on the button, the page says so this often
const DRAG_PX = 8; // a finger that moves less is tapping

// The nine ways in which a road can lie: straights, then bends. Edge 0 is to the right, 1 to the upper right.
const EDGES = [[0, 3], [1, 4], [2, 5], [0, 2], [1, 3], [2, 4], [3, 5], [0, 4], [1, 5]];
const HALF_WIDTH = 10 * Math.sqrt(3);

const kit = byId("kit");
const cells = byId("cells");
let lies = { cells: {} };
let edges = EDGES[0];
let held = 0; // the timer that says that a finger is on the button
let drag = null;
let isLooking = false;

// What is on the table

async function look() {
  if (isLooking || document.hidden) return;
  isLooking = true;
  const { ok, said } = await ask("/table/lies.json");
  if (ok) show(said); // a lost connection is already shown
  isLooking = false;
}

function show(now) {
  if (now.ground !== lies.ground) byId("ground").innerHTML = now.ground;
  if (now.pieces !== lies.pieces) byId("lying").innerHTML = now.pieces;
  lies = now;
  press("rest", now.is_paused);
  byId("rest").textContent = now.is_paused ? byId("rest").dataset.play : byId("rest").dataset.rest;
  press("hand", now.has_hand);
  press("lamp-switch", now.has_lamp);
  for (const track of kit.querySelectorAll("[data-track]")) {
    const day = now.days[track.dataset.track];
    if (document.activeElement !== track) track.value = day ?? "";
  }
}

function press(id, isDown) {
  byId(id).setAttribute("aria-pressed", String(isDown));
}

async function act(what, body = {}) {
  const { ok, said } = await post("/table/" + what, body);
  if (!ok) tell(said.message);
  setTimeout(look, 150);
  return ok;
}

// Laying

function chosen() {
  const { color, thing } = Object.fromEntries(new FormData(kit));
  return { color, thing };
}

function lay(cell, { color, thing }) {
  const there = lies.cells[cell] ?? { tile: null, merchants: {} };
  if (thing === "merchant") return act("put", { cell, color });
  if (thing === "take") {
    const mine = there.merchants[color] ? color : Object.keys(there.merchants)[0];
    return mine ? act("remove", { cell, color: mine }) : act("take", { cell });
  }
  if (thing === "workshop") return act("lay", { cell, tile: { kind: "workshop", color } });
  if (!thing.startsWith("road-")) return act("lay", { cell, tile: { kind: "settlement", type: thing } });
  const terrain = thing.slice("road-".length);
  const { tile } = there;
  if (tile?.kind === "road" && tile.color === color && tile.terrain === terrain && same(tile.edges, edges)) {
    choose(EDGES[(EDGES.findIndex((pair) => same(pair, edges)) + 1) % EDGES.length]); // tapped again, so it is turned
  }
  return act("lay", { cell, tile: roadOf(color, terrain, edges) });
}

function same(one, other) {
  return one[0] === other[0] && one[1] === other[1];
}

// Moves from one cell to another: a merchant of the chosen colour first, then any other, then the tile. What cannot be
// laid there stays where it is.
async function carry(from, to) {
  const there = lies.cells[from];
  if (!there || from === to) return;
  const { color } = chosen();
  const merchant = there.merchants[color] ? color : Object.keys(there.merchants)[0];
  if (merchant) {
    if (await act("put", { cell: to, color: merchant })) await act("remove", { cell: from, color: merchant });
  } else if (there.tile) {
    if (await act("lay", { cell: to, tile: there.tile })) await act("take", { cell: from });
  }
}

// The kit

function middle(edge) {
  const angle = (Math.PI / 3) * edge;
  return `${(HALF_WIDTH * Math.cos(angle)).toFixed(1)} ${(-HALF_WIDTH * Math.sin(angle)).toFixed(1)}`;
}

function line(pair) {
  return `M${middle(pair[0])}Q0 0 ${middle(pair[1])}`;
}

function choose(pair) {
  edges = pair;
  for (const each of byId("edges").children) each.setAttribute("aria-checked", String(each.dataset.edges === pair.join()));
  for (const path of kit.querySelectorAll(".things path.road, .things path.casing")) path.setAttribute("d", line(pair));
}

function fill() {
  const color = chosen().color;
  for (const mark of kit.querySelectorAll(".things svg")) mark.setAttribute("class", color);
}

for (const pair of EDGES) {
  const arrows = pair.map((edge) => "→↗↖←↙↘"[edge]).join("");
  const button = element("button", { "data-edges": pair.join(), role: "radio", "aria-label": arrows });
  button.innerHTML =
    `<svg viewBox="-20 -22 40 44" aria-hidden="true"><use href="#hex" class="piece"/><path class="edge" d="${line(pair)}"/></svg>`;
  button.addEventListener("click", () => choose(pair));
  byId("edges").append(button);
}
choose(edges);
fill();
kit.addEventListener("change", (event) => {
  const { track } = event.target.dataset;
  if (track) act("marker", { color: track, day: event.target.value === "" ? null : Number(event.target.value) });
  else fill();
});
kit.addEventListener("submit", (event) => event.preventDefault());

// Fingers: a tap lays, a finger that moves carries.

function cellAt(event) {
  return document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-cell]")?.dataset.cell;
}

function begin(event, what) {
  if (event.button) return;
  drag = { ...what, x: event.clientX, y: event.clientY, moved: false, ghost: null };
}

byId("board").addEventListener("pointerdown", (event) => {
  const cell = cellAt(event);
  if (!cell) return;
  event.target.releasePointerCapture?.(event.pointerId);
  begin(event, { from: cell });
});
kit.querySelector(".things").addEventListener("pointerdown", (event) => {
  const label = event.target.closest("label");
  if (!label) return;
  event.target.releasePointerCapture?.(event.pointerId);
  begin(event, { thing: label.querySelector("input").value, label });
});
document.addEventListener("pointermove", (event) => {
  if (!drag) return;
  if (!drag.moved && Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < DRAG_PX) return;
  if (!drag.moved && drag.thing) ghost(drag.label);
  drag.moved = true;
  if (drag.ghost) drag.ghost.style.transform = `translate(${event.clientX - 24}px, ${event.clientY - 24}px)`;
});
document.addEventListener("pointerup", (event) => {
  const held = drag;
  end();
  const cell = held && cellAt(event);
  if (!cell) return;
  if (held.from && !held.moved) lay(cell, chosen());
  else if (held.from) carry(held.from, cell);
  else if (held.moved) lay(cell, { ...chosen(), thing: held.thing });
});
document.addEventListener("pointercancel", end);

function ghost(label) {
  drag.ghost = label.querySelector("svg").cloneNode(true);
  drag.ghost.classList.add("carried");
  document.body.append(drag.ghost);
}

function end() {
  drag?.ghost?.remove();
  drag = null;
}

walk(cells, (cell) => lay(cell, chosen()));

// The button, the hand, the lamp

const button = byId("press");

// One after another, so that a finger never seems to go up before it went down.
let pushed = Promise.resolve();

function push(on) {
  pushed = pushed.then(() => act("button", { on }));
}

function down() {
  if (held) return;
  button.classList.add("down");
  push(true);
  held = setInterval(() => push(true), AGAIN_MS);
}

function up() {
  if (!held) return;
  clearInterval(held);
  held = 0;
  button.classList.remove("down");
  push(false);
}

button.addEventListener("pointerdown", (event) => { button.setPointerCapture(event.pointerId); down(); });
button.addEventListener("pointerup", up);
button.addEventListener("pointercancel", up);
button.addEventListener("contextmenu", (event) => event.preventDefault());
button.addEventListener("keydown", (event) => { if ((event.key === "Enter" || event.key === " ") && !event.repeat) down(); });
button.addEventListener("keyup", (event) => { if (event.key === "Enter" || event.key === " ") up(); });
button.addEventListener("blur", up);
byId("rest").addEventListener("click", () => act(lies.is_paused ? "play" : "rest"));
byId("hand").addEventListener("click", () => act("hand", { on: !lies.has_hand }));
byId("lamp-switch").addEventListener("click", () => act("lamp", { on: !lies.has_lamp }));

// What the companion says, and what its camera sees

listen((news) => {
  place(news.parts);
  if ("lamps" in news.parts) playCue();
  if (news.view_box) byId("board").setAttribute("viewBox", news.view_box);
  if (news.picture) byId("picture").src = "/camera.jpg?n=" + news.picture;
  look();
}, ["pin"]);
setInterval(look, LOOK_MS);
look();
