// The set-up: one step after another. The state is the server's; every step answers with the whole of it.

import { byId, post, say, tell } from "./page.js";
import { Stage, fill, middle, svg, word } from "./setup_stage.js";
import { showLessons, teachBy } from "./setup_teach.js";

const STEPS = ["camera", "corners", "terrain", "teach", "tracks", "panel", "save"];
const LIVE_MS = 1000;
const SLOW_MS = 400;
const TERRAINS = ["plain", "forest", "hill"];

let state = null;
let step = "";
let track = "";
const stages = {};
const shown = {};

const name = (component) => word(`${component.kind}-${component.which}`);
const stage = (id) => (stages[id] ??= new Stage(byId(id)));
const ground = () => `/setup/photo/0.jpg?v=${shown.ground}`;

// One step: its answer is the new state. Returns whether it was done.
async function act(what, body) {
  if (document.body.classList.contains("busy")) return false;
  document.body.classList.add("busy");
  byId("wrong").textContent = "";
  const slow = setTimeout(() => tell(word("working")), SLOW_MS);
  const { ok, said } = await post("/setup/" + what, body);
  document.body.classList.remove("busy");
  clearTimeout(slow);
  tell("");
  if (!ok) {
    byId("wrong").textContent = said.message;
    byId("wrong").scrollIntoView({ block: "nearest" });
    return false;
  }
  if (what === "photograph" || what === "again" || what === "save") shown.ground = said.version;
  take(said);
  return said.message || true;
}

function take(said) {
  state = said;
  show();
}

const reached = {
  camera: () => true,
  corners: () => state.size !== null,
  terrain: () => state.ground !== null,
  teach: () => state.ground !== null,
  tracks: () => state.lessons.length > 0,
  panel: () => state.lessons.length > 0,
  save: () => state.lessons.length > 0,
};

function go(to) {
  step = to;
  location.hash = to;
  show();
  scrollTo({ top: 0 });
  if (to === "save") judge();
  if (to === "start") check();
}

function show() {
  for (const section of document.querySelectorAll("[data-step]")) section.hidden = section.dataset.step !== step;
  const at = STEPS.indexOf(step);
  document.querySelector(".steps").hidden = at < 0;
  for (const button of document.querySelectorAll(".steps [data-go]")) {
    const place = STEPS.indexOf(button.dataset.go);
    button.disabled = !reached[button.dataset.go]();
    button.classList.toggle("done", place < at);
    if (place === at) button.setAttribute("aria-current", "step");
    else button.removeAttribute("aria-current");
  }
  ({ start: showStart, corners: showCorners, terrain: showTerrain, teach: showTeach, tracks: showTracks, save: showJudged })[step]?.();
}

/* The table that was set up before. */

function showStart() {
  const [latest, ...others] = state.tables;
  byId("table-name").textContent = latest.name;
  byId("table-date").textContent = latest.saved ? new Date(latest.saved).toLocaleString(document.documentElement.lang) : "";
  byId("table-used").hidden = !latest.in_use;
  byId("tables").replaceChildren(...others.map((table) => {
    const item = document.createElement("li");
    const label = document.createElement("span");
    label.textContent = `${table.name} · ${table.saved ? new Date(table.saved).toLocaleDateString(document.documentElement.lang) : ""}`;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = byId("use-table").textContent;
    button.addEventListener("click", () => use(table.key));
    item.append(label, button);
    return item;
  }));
}

async function check() {
  for (const id of ["fit-good", "fit-bad"]) byId(id).hidden = true;
  byId("fit-measured").textContent = "";
  byId("fit-checking").hidden = false;
  const { ok, said } = await post("/setup/check", { table: state.tables[0].key });
  byId("fit-checking").hidden = true;
  byId("fit-good").hidden = !(ok && said.fits);
  byId("fit-bad").hidden = ok && said.fits;
  byId("fit-bad").textContent = said.why || said.message;
  if (ok && said.residual_px !== null) {
    const values = { px: said.residual_px, cells: said.moved_cells, stops: said.stops };
    byId("fit-measured").textContent = fill(byId("fit-measured").dataset.words, values);
  }
}

async function use(key) {
  const done = await act("use", { table: key });
  if (done) byId("used").textContent = done;
}

/* Corners and grid. */

function showCorners() {
  const view = stage("corner-stage");
  view.show(ground(), state.size);
  if (shown.dragged !== shown.ground) {
    shown.dragged = shown.ground;
    shown.moved = new Set(state.ground || state.tables.length ? Object.keys(state.corners) : []);
  }
  const focused = document.activeElement?.getAttribute("aria-label");
  view.over.replaceChildren();
  if (state.ground) {
    for (const [x1, y1, x2, y2] of state.ground.lines) view.over.append(svg("line", { class: "gridline", x1, y1, x2, y2 }));
  }
  shown.handles = Object.entries(state.corners).map(([cell, at]) => [
    cell, view.handle(fill(word("corner"), { cell }), at, () => moved(cell), 20),
  ]);
  if (focused) view.over.querySelector(`[aria-label="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  const residual = byId("residual");
  residual.className = "lamp " + (state.ground?.fit ?? "");
  residual.textContent = state.ground ? fill(residual.dataset[state.ground.fit], { px: state.ground.residual_px }) : "";
  byId("corners-right").hidden = !state.ground;
  byId("find").hidden = state.ground !== null;
}

// The grid is looked for once each corner was moved; afterwards whenever one is.
function moved(cell) {
  shown.moved.add(cell);
  state.corners = places();
  if (shown.moved.size === shown.handles.length) find();
}

const places = () => Object.fromEntries(shown.handles.map(([cell, handle]) => [cell, handle.place]));

async function find() {
  state.corners = places();
  if (!(await act("corners", state.corners))) state.ground = null;
}

/* Terrain. */

function showTerrain() {
  const view = stage("terrain-stage");
  const { cells, terrain, sites } = state.ground;
  view.show(ground() + "&about=" + JSON.stringify(state.corners), state.size, cells);
  if (shown.terrainOf !== shown.ground + JSON.stringify(state.corners)) {
    shown.terrainOf = shown.ground + JSON.stringify(state.corners);
    view.over.replaceChildren();
    for (const [cell, outline] of Object.entries(cells)) {
      const [x, y] = middle(outline);
      view.cell(cell, outline);
      view.over.append(
        svg("circle", { class: "dot-site", "data-site": cell, cx: x, cy: y, r: Math.hypot(outline[0] - x, outline[1] - y) * 0.42 }),
        svg("text", { class: "mark", "data-letter": cell, x, y: y + 5, "font-size": 14 }),
      );
    }
    view.pressed = tapCell;
  }
  const count = { plain: 0, forest: 0, hill: 0, sites: sites.length };
  for (const [cell, kind] of Object.entries(terrain)) {
    count[kind] += 1;
    const outline = view.over.querySelector(`[data-cell="${cell}"]`);
    outline.setAttribute("class", "cell " + kind);
    const isSite = sites.includes(cell);
    outline.setAttribute("aria-label", `${cell}: ${word("terrain-" + kind)}${isSite ? " ○" : ""}`);
    view.over.querySelector(`[data-site="${cell}"]`).toggleAttribute("hidden", !isSite);
    view.over.querySelector(`[data-letter="${cell}"]`).textContent = word("terrain-" + kind).slice(0, 1);
  }
  byId("terrain-count").textContent = fill(byId("terrain-count").dataset.words, count);
}

function tapCell(cell) {
  const { terrain, sites } = state.ground;
  const taps = document.querySelector("[name=tap]:checked").value;
  const isSite = sites.includes(cell);
  const next = TERRAINS[(TERRAINS.indexOf(terrain[cell]) + 1) % 3];
  act("ground", taps === "site" ? { cell, terrain: terrain[cell], site: !isSite } : { cell, terrain: next, site: isSite });
}

/* Teaching. */

function showTeach() {
  const { again } = state;
  byId("teach-all").hidden = again !== null;
  byId("teach-one").hidden = again === null;
  const title = byId("teach-title");
  shown.title ??= title.textContent;
  title.textContent = again ? fill(title.dataset.again, { what: name(again) }) : shown.title;
  byId("missing").hidden = lacking().length === 0 || state.lessons.length === 0;
  listed(byId("missing").querySelector("ul"), lacking());
  showLessons(state);
}

const lacking = () => [...state.missing.map(name), ...state.missing_terrains.map((kind) => word("road-on-" + kind))];

/* Day tracks. */

function showTracks() {
  const view = stage("track-stage");
  view.show(ground(), state.size);
  view.over.replaceChildren();
  track ||= state.colors[0];
  for (const button of document.querySelectorAll("[data-track]")) {
    button.hidden = !state.colors.includes(button.dataset.track);
    button.setAttribute("aria-pressed", String(button.dataset.track === track));
  }
  const [width, height] = state.size;
  const ends = state.tracks[track] ?? { 0: [width * 0.1, height * 0.3], 10: [width * 0.1, height * 0.7] };
  const handles = {};
  const moved = () => {
    const tracks = { ...state.tracks, [track]: { 0: handles[0].place, 10: handles[10].place } };
    act("tracks", tracks);
  };
  const line = [ends[0], ends[10]];
  for (let k = 1; k < 10; k += 1) {
    const [x, y] = [0, 1].map((axis) => line[0][axis] + ((line[1][axis] - line[0][axis]) * k) / 10);
    view.over.append(svg("circle", { class: "dot-site", cx: x, cy: y, r: 9 }));
  }
  for (const field of [0, 10]) handles[field] = view.handle(`${word("color-" + track)} ${field}`, ends[field], moved, 16);
  if (shown.track !== track) handles[0].scrollIntoView({ block: "nearest", inline: "center" });
  shown.track = track;
  showMarkers();
}

// On which field each marker stands, in each photograph.
function showMarkers() {
  byId("markers").replaceChildren(...state.lessons.flatMap((lesson, photo) =>
    Object.entries(lesson.markers).map(([color, at]) => {
      const label = document.createElement("label");
      label.className = "markers-row";
      const choice = document.createElement("select");
      for (const field of ["–", ...Array(11).keys()]) choice.append(new Option(field, field === "–" ? "" : field));
      choice.value = at ?? "";
      choice.addEventListener("change", () =>
        act("mark", { photo, color, field: choice.value === "" ? null : Number(choice.value) }));
      label.append(fill(word("marker-on"), { color: word("color-" + color) }), choice);
      return label;
    })));
}

/* Looking through and saving. */

async function judge() {
  if (!state.lessons.length || state.judged || lacking().length) return;
  byId("judging").hidden = false;
  await act("judge", {});
  byId("judging").hidden = true;
}

function listed(list, sentences) {
  list.replaceChildren(...sentences.map((sentence) => {
    const item = document.createElement("li");
    item.textContent = sentence;
    return item;
  }));
}

function showJudged() {
  const { judged } = state;
  byId("lacking").hidden = byId("back-to-teach").hidden = lacking().length === 0;
  listed(byId("lacking").querySelector("ul"), lacking());
  byId("save-form").hidden = lacking().length > 0;
  byId("judging").hidden = judged !== null || lacking().length > 0;
  byId("judged").hidden = judged === null;
  if (!judged) return;
  byId("nothing-alike").hidden = judged.doubts.length + judged.misread.length > 0;
  listed(byId("doubts"), judged.doubts.map(({ one, other, remedy }) =>
    `${fill(word("alike"), { one: name(one), other: name(other) })} ${word(remedy)}`));
  listed(byId("misread"), judged.misread.map((one) => fill(byId("misread").dataset.words, { what: name(one) })));
}

/* The live picture, while a step needs it. */

async function live() {
  const image = { camera: "live", teach: "live-teach" }[step];
  if (!document.hidden && (image || step === "panel")) {
    try {
      const heard = await fetch("/setup/live.json" + (step === "panel" ? "?presses" : ""));
      if (heard.ok) {
        showLive(await heard.json(), image);
        say("");
      }
    } catch {
      say(document.body.dataset.lost);
    }
  }
  setTimeout(live, LIVE_MS);
}

function showLive({ faults, presses }, image) {
  if (step === "panel") {
    shown.presses ??= presses;
    if (byId("presses") && presses > shown.presses) {
      byId("presses").className = "lamp good";
      byId("presses").textContent = fill(byId("presses").dataset.words, { times: presses - shown.presses });
    }
    return;
  }
  for (const item of byId("faults").children) {
    item.hidden = item.dataset.fault === "none" ? faults.length > 0 : !faults.includes(item.dataset.fault);
  }
  if (!faults.includes("no-picture")) byId(image).src = "/setup/live.jpg?n=" + Date.now();
}

/* What people press. */

teachBy(act);
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-go], [data-part], [data-track]");
  if (!button) return;
  if (button.dataset.go) go(button.dataset.go);
  if (button.dataset.part) act("panel", { part: button.dataset.part });
  if (button.dataset.track) {
    track = button.dataset.track;
    showTracks();
  }
});
byId("photograph").addEventListener("click", async () => {
  const colors = [...document.querySelectorAll("[name=colors]:checked")].map((box) => box.value);
  if ((await act("colors", { colors })) && (await act("photograph", {}))) go("corners");
});
byId("find").addEventListener("click", find);
byId("teach").addEventListener("click", () => act("teach", {}));
byId("use-table").addEventListener("click", () => use(state.tables[0].key));
byId("check-again").addEventListener("click", check);
byId("anew").addEventListener("click", () => go("camera"));
byId("again").addEventListener("click", async () => {
  if (await act("again", { table: state.tables[0].key, component: byId("component").value })) go("teach");
});
byId("save-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const done = await act("save", { name: byId("name").value });
  if (!done) return;
  byId("saved").textContent = done;
  byId("saved").hidden = false;
  byId("save-form").hidden = byId("judged").hidden = byId("judging").hidden = true;
});

async function begin() {
  const heard = await fetch("/setup/state.json");
  state = await heard.json();
  shown.ground = state.version;
  for (const box of document.querySelectorAll("[name=colors]")) box.checked = state.colors.includes(box.value);
  const wanted = location.hash.slice(1);
  if (STEPS.includes(wanted) && reached[wanted]()) go(wanted);
  else go(state.tables.length > 0 && !state.ground ? "start" : "camera");
  live();
}

begin();
