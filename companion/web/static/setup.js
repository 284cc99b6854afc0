// The set-up: one step after another. The state is on the server, and every step answers with all of it.

import { byId, element } from "./page.js";
import { photosBy } from "./photo.js";
import { placingBy, showPlacing } from "./setup_placing.js";
import { showGrids } from "./setup_grids.js";
import { showGround } from "./setup_ground.js";
import { look as lookNow, showRoll, watch } from "./setup_live.js";
import { lackingOfSquares, saidOfSquares, sectionsBy, showSections } from "./setup_sections.js";
import { Stage, fill, named, path, svg, word } from "./setup_stage.js";
import { check, shownTable, showTables } from "./setup_start.js";
import { complain, hear, heading, holdingFocus, isSure, keep, kept, stepsOf } from "./setup_steps.js";
import { showLessons, teachBy } from "./setup_teach.js";
import { chooseTrack, showTracks, showTracksAgain, tracksBy } from "./setup_tracks.js";
import { stepped } from "./stepper.js";

const STEPS = ["camera", "corners", "terrain", "teach", "tracks", "panel", "save"];
const OF_HEXAGONS = ["terrain", "tracks"];

let state = null;
let step = "";
const stages = {};
const shown = {};

const name = (component) => word(`${component.kind}-${component.which}`);
const stage = (id) => (stages[id] ??= new Stage(byId(id)));
const ground = () => `/setup/photo/0.jpg?v=${state.photo}`;

const act = stepsOf(() => state, take);

function take(said) {
  state = said;
  show();
  if (step === "save") judge();
}

const isSquare = () => state.board === "square";
const isThere = (name) => document.querySelector(`[data-step="${name}"]`) !== null;
const steps = () => STEPS.filter((name) => isThere(name) && !(isSquare() && OF_HEXAGONS.includes(name)));

// Whether something was taught or corrected that starting again would delete.
const isTaught = () => state.lessons.length > 0 || state.again !== null || (state.ground?.corrected ?? 0) > 0;
const mayForget = (button) => !isTaught() || isSure(button);

const reached = {
  camera: () => true,
  corners: () => state.size !== null,
  terrain: () => state.ground !== null,
  teach: () => state.ground !== null,
  tracks: () => state.lessons.length > 0,
  panel: () => state.lessons.length > 0,
  save: () => state.lessons.length > 0,
};

// Where to resume a set-up that somebody began here or elsewhere.
function farthest() {
  if (state.size === null) return state.tables.length > 0 ? "start" : "camera";
  return state.lessons.length || state.again ? "teach" : state.ground && !isSquare() ? "terrain" : "corners";
}

const isOpen = (to) => (to === "start" ? state.tables.length > 0 : steps().includes(to) && reached[to]());

function enter(to) {
  if (to !== "corners" && state.ground && !searching) [placed, isLost] = [null, false];
  step = to;
  keep("step", step);
  show();
  scrollTo({ top: 0 });
  if (to === "save") judge();
  if (to === "start") look();
}

// What is certainly right is not a step of its own; it is shown once more before saving.
const isSeenLater = (name) => name === "tracks" && state.sure_tracks;

function go(wanted) {
  const ahead = steps().slice(steps().indexOf(step) + 1);
  const to = wanted === "next" ? ahead.find((name) => !isSeenLater(name)) : wanted;
  enter(to);
  location.hash = to;
  heading()?.focus({ preventScroll: true });
}

// The browser's Back and Forward.
addEventListener("hashchange", () => {
  const wanted = location.hash.slice(1);
  if (state === null || wanted === step) return;
  if (!isOpen(wanted)) return history.replaceState(null, "", "#" + step);
  enter(wanted);
  heading()?.focus({ preventScroll: true });
});

function show() {
  holdingFocus(draw);
}

function draw() {
  for (const section of document.querySelectorAll("[data-step]")) section.hidden = section.dataset.step !== step;
  const at = steps().indexOf(step);
  document.body.dataset.laid = step === "camera" ? document.querySelector("[name=board]:checked").value : state.board;
  document.querySelector(".steps").hidden = at < 0;
  for (const button of document.querySelectorAll(".steps [data-go]")) {
    const place = steps().indexOf(button.dataset.go);
    button.querySelector("b").textContent = place + 1;
    button.disabled = !reached[button.dataset.go]();
    button.classList.toggle("done", place < at);
    if (place === at) button.setAttribute("aria-current", "step");
    else button.removeAttribute("aria-current");
  }
  for (const button of document.querySelectorAll("[data-undo]")) button.hidden = state.undo === 0;
  showRoll(state.roll);
  ({ start: () => showTables(state.tables, use), corners: showCorners, terrain: showTerrain, teach: showTeach, tracks: () => showTracks(state, ground()), save: showJudged })[step]?.();
}

/* Corners and grid. */

let placed = null; // where people put the rings, until the latest search has answered
let searching = 0; // how many searches have not answered yet
let isLost = false; // the latest one found nothing
const touched = new Set();

function showCorners() {
  const view = stage("corner-stage");
  view.show(ground(), state.size);
  if (shown.rings !== state.photo + state.board) layRings(view);
  const found = isLost ? null : state.ground;
  const asked = isLost || found ? null : state.asked;
  showGrids(view, shown.grid, found, asked);
  if (!placed) for (const [cell, handle] of shown.handles) handle.move(state.corners[cell]);
  const residual = byId("residual");
  residual.className = "lamp " + (found?.fit ?? "");
  residual.textContent = found ? fill(residual.dataset[found.fit], { px: found.residual_px }) : "";
  const covered = isLost || placed ? null : state.covered;
  showCovered(covered);
  if (found || asked || covered) for (const cell of Object.keys(state.corners)) touched.add(cell);
  byId("not-sought").hidden = !state.sought || Boolean(found || asked || covered);
  byId("handheld").hidden = !state.handheld;
  byId("corners-right").hidden = !found;
  byId("find").hidden = (found !== null || asked !== null || covered !== null) && (placed === null || searching > 0);
}

// The cells that do not look empty, though the board should be.
function showCovered(covered) {
  const names = Object.keys(covered ?? {});
  const place = byId("not-empty");
  const said = place.querySelector("p");
  if (covered) said.textContent = fill(said.dataset.words, { cells: named(names) });
  place.hidden = !covered;
  for (const name of names) shown.grid.append(svg("path", { class: "covered", d: path(covered[name]) }));
}

function layRings(view) {
  shown.rings = state.photo + state.board;
  placed = null;
  isLost = false;
  touched.clear();
  if (state.ground || state.asked || state.covered || state.tables.length) for (const cell of Object.keys(state.corners)) touched.add(cell);
  shown.grid = svg("g");
  view.over.replaceChildren(shown.grid);
  shown.handles = Object.entries(state.corners).map(([cell, at]) => [
    cell, view.handle(fill(word("corner"), { cell }), at, () => moved(cell), 20),
  ]);
}

// The grid is looked for once every corner has been moved; after that whenever one is, unless that would delete what
// was taught.
function moved(cell) {
  touched.add(cell);
  placed = places();
  if (touched.size === shown.handles.length && !isTaught()) find();
  else showCorners();
}

const places = () => Object.fromEntries(shown.handles.map(([cell, handle]) => [cell, handle.place]));

// Of several searches that wait, only the latest is made, with the rings where they are by then.
async function find() {
  placed = places();
  shown.search = (shown.search ?? 0) + 1;
  const mine = shown.search;
  searching += 1;
  const done = await act("corners", () => (mine === shown.search ? placed : null));
  searching -= 1;
  if (mine !== shown.search) return;
  isLost = !done;
  if (done) placed = null;
  if (step === "corners") show();
}

// The board is looked for without help. If it can be seen clearly, its grid is shown with its terrain.
async function seek() {
  await act("seek");
  if (step !== "corners") return;
  if (state.sought && state.ground?.fit === "good" && !placed) go("terrain");
  else show();
}

// Somebody who says which grid covers the cells has looked at it.
async function settle(take) {
  if ((await act("settle", { take })) && state.ground && step === "corners") go("terrain");
}

/* Terrain. */

function showTerrain() {
  byId("known").hidden = state.known === null;
  byId("known").textContent = state.known === null ? "" : fill(byId("known").dataset.words, { name: state.known });
  byId("sought").hidden = !state.sought;
  const { corners } = state;
  showGround(state, stage("terrain-stage"), ground() + "&about=" + JSON.stringify(corners), act);
}

/* Teaching. */

function showTeach() {
  showPlacing(state, stage("place-stage"), ground());
  const { again } = state;
  byId("missing").hidden = lacking().length === 0 || state.lessons.length === 0;
  listed(byId("missing").querySelector("ul"), lacking());
  byId("pieces-right").hidden = state.lessons.length === 0;
  foldCamera();
  byId("teach-all").hidden = again !== null;
  byId("teach-one").hidden = again === null;
  const title = byId("teach-title");
  shown.title ??= title.textContent;
  title.textContent = again ? fill(title.dataset.again, { what: name(again) }) : shown.title;
  if (isSquare()) showSections(state);
  else showLessons(state);
}

// Once every piece is on a photograph, the part that takes photographs makes room for the results.
function foldCamera() {
  const isNeeded = isSquare() || state.lessons.length === 0 || lacking().length > 0;
  const shoot = byId("shoot");
  if (shown.isNeeded !== isNeeded) shoot.open = isNeeded;
  shown.isNeeded = isNeeded;
  shoot.querySelector("summary").hidden = isNeeded;
}

const lacking = () => isSquare() ? lackingOfSquares(state) : [...state.missing.map(name), ...state.missing_terrains.map((kind) => word("road-on-" + kind))];

/* Looking through and saving. */

async function judge() {
  if (!state.lessons.length || state.judged || lacking().length) return;
  byId("judging").hidden = false;
  await act("judge", {});
  byId("judging").hidden = true;
}

function listed(list, sentences) {
  list.replaceChildren(...sentences.map((sentence) => element("li", {}, sentence)));
}

function showJudged() {
  const { judged } = state;
  showTracksAgain(state);
  byId("lacking").hidden = byId("back-to-teach").hidden = lacking().length === 0;
  listed(byId("lacking").querySelector("ul"), lacking());
  byId("save-form").hidden = lacking().length > 0;
  byId("judging").hidden = judged !== null || lacking().length > 0;
  byId("judged").hidden = judged === null;
  if (!judged) return;
  const [unlike, misread, few, tiles = []] = isSquare() ? saidOfSquares(state) : saidOfHexagons(judged);
  byId("nothing-alike").hidden = unlike.length + misread.length > 0 || Boolean(judged.is_confused);
  listed(byId("taught-tiles"), tiles);
  listed(byId("doubts"), unlike);
  listed(byId("misread"), misread);
  listed(byId("few"), few);
}

function saidOfHexagons(judged) {
  return [
    judged.doubts.map(({ one, other, remedy }) =>
      `${fill(word("alike"), { one: name(one), other: name(other) })} ${word(remedy)}`),
    judged.misread.map((one) => fill(byId("misread").dataset.words, { what: name(one) })),
    [],
    judged.tiles,
  ];
}

/* What people press. */

teachBy(act);
tracksBy(act, () => step === "tracks" && show());
placingBy(act);
sectionsBy(act);
stepped(byId("teller-form").elements.number);
for (const choice of document.querySelectorAll("[name=board]")) {
  choice.addEventListener("change", () => (isTaught() ? show() : act("board", { board: choice.value })));
}
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-go], [data-part], [data-track], [data-take], [data-turn], [data-undo]");
  if (!button) return;
  if (button.dataset.go) go(button.dataset.go);
  if ("undo" in button.dataset) act("undo", {});
  if (button.dataset.part) act("panel", { part: button.dataset.part });
  if (button.dataset.turn) act("turn", { by: Number(button.dataset.turn) }).then(() => lookNow(step));
  if (button.dataset.take) settle(button.dataset.take);
  if (button.dataset.track) {
    chooseTrack(button.dataset.track);
    show();
  }
});
let sent = {}; // the phone's photograph that waits until somebody confirms that what was taught may be deleted

async function photograph(body) {
  if (!mayForget(byId("photograph"))) {
    sent = body;
    setTimeout(() => { sent = {}; }, 5000); // as long as the question waits
    return;
  }
  sent = {};
  const board = document.querySelector("[name=board]:checked").value;
  if (board !== state.board && !(await act("board", { board }))) return;
  const colors = [...document.querySelectorAll("[name=colors]:checked")].map((box) => box.value);
  if ((isSquare() || (await act("colors", { colors }))) && (await act("photograph", body))) {
    go("corners");
    if (!isSquare()) await seek();
  }
}

byId("photograph").addEventListener("click", () => photograph(sent));
byId("find").addEventListener("click", (event) => {
  if (mayForget(event.currentTarget)) find();
});
byId("insist").addEventListener("click", () => act("insist", {}));
byId("teach").addEventListener("click", () => act("teach", {}));
photosBy({ photograph, teach: (body) => act("teach", body) });
async function use(key) {
  const done = await act("use", { table: key });
  if (done) byId("used").textContent = done;
}

const look = () => check(state.tables, use);
byId("use-table").addEventListener("click", () => use(shownTable(state.tables).key));
byId("check-again").addEventListener("click", look);
byId("anew").addEventListener("click", () => go("camera"));
byId("again").addEventListener("click", async (event) => {
  if (!mayForget(event.currentTarget)) return;
  if (await act("again", { table: shownTable(state.tables).key, component: byId("component").value })) go("teach");
});
byId("more").addEventListener("click", async (event) => {
  if (mayForget(event.currentTarget) && (await act("more", { table: shownTable(state.tables).key }))) go("teach");
});
byId("save-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const done = await act("save", { name: byId("name").value });
  if (!done) return;
  if (state.tables[0]?.in_use) return location.assign(byId("save-form").dataset.play);
  byId("saved").textContent = done;
  byId("saved").hidden = false;
  byId("save-form").hidden = byId("judged").hidden = byId("judging").hidden = true;
});

byId("retry").addEventListener("click", begin);

async function begin() {
  byId("retry").hidden = true;
  complain("");
  const { ok, status, said } = await hear("/setup/state.json");
  if (status === 403 && state === null && shown.refused) return location.reload(); // to the sign-in page
  if (!ok) {
    shown.refused = status === 403;
    complain(said.message);
    byId("retry").hidden = false;
    return;
  }
  state = said;
  for (const box of document.querySelectorAll("[name=colors]")) box.checked = state.colors.includes(box.value);
  for (const choice of document.querySelectorAll("[name=board]")) choice.checked = choice.value === state.board;
  const wanted = [location.hash.slice(1), state.size && kept("step"), farthest()].find((one) => one && isOpen(one));
  enter(wanted);
  history.replaceState(null, "", "#" + step);
  watch(() => step);
}

begin();
