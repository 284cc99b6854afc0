// The contents of a cell, put together: tile, colour, terrain, sides and merchants. The server draws and names them.

import { ask, byId } from "./page.js";
import { put } from "./correct.js";
import { areNext, roadOf } from "./road.js";

const form = byId("builder");
let edges = [];
let counts = {};
let asked = 0;

const TERRAINS = ["plain", "forest", "hill"];

const chosen = (name) => form.elements[name].value;

// Starts with these contents; `terrain` is the cell's, or null.
export function startBuilding(contents, terrain) {
  const tile = contents.tile ?? {};
  form.elements.kind.value = tile.kind ?? "";
  if (tile.type) form.elements.type.value = tile.type;
  if (tile.color) form.elements.color.value = tile.color;
  form.elements.terrain.value = tile.terrain ?? terrain ?? "plain";
  for (const each of TERRAINS) byId("under").classList.toggle(each, each === (terrain ?? "plain"));
  edges = tile.edges ?? [];
  counts = { ...contents.merchants };
  showForm();
}

function contents() {
  const kind = chosen("kind");
  const merchants = Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
  if (!kind) return { tile: null, merchants };
  if (kind === "settlement") return { tile: { kind, type: chosen("type") }, merchants };
  if (kind === "workshop") return { tile: { kind, color: chosen("color") }, merchants };
  return { tile: roadOf(chosen("color"), chosen("terrain"), edges), merchants };
}

const isWhole = () => chosen("kind") !== "road" || edges.length === 2;

// If the second side cannot be joined to the first one, it takes its place.
function toggle(edge) {
  if (edges.includes(edge)) edges = edges.filter((each) => each !== edge);
  else edges = [...edges.slice(-1).filter((each) => !areNext(each, edge)), edge];
  showForm();
}

async function showForm() {
  const kind = chosen("kind");
  for (const part of form.querySelectorAll("[data-for]")) part.hidden = !part.dataset.for.split(" ").includes(kind);
  byId("sides").toggleAttribute("hidden", kind !== "road");
  for (const side of byId("sides").children) {
    side.setAttribute("aria-checked", String(edges.includes(Number(side.dataset.edge))));
  }
  for (const output of form.querySelectorAll("output")) output.value = counts[output.dataset.count] ?? 0;
  form.querySelector("[type=submit]").disabled = !isWhole();
  const turn = ++asked;
  if (!isWhole()) {
    byId("preview").innerHTML = "";
    byId("words").textContent = "";
    return;
  }
  const { said } = await ask("/keeper/contents?are=" + encodeURIComponent(JSON.stringify(contents())));
  if (turn !== asked) return; // something else has been chosen meanwhile
  byId("preview").innerHTML = said.drawing ?? ""; // our own server's drawing
  byId("words").textContent = said.words ?? said.message;
}

form.addEventListener("change", showForm);

form.addEventListener("click", (event) => {
  const side = event.target.closest("[data-edge]");
  const button = event.target.closest("[data-merchant]");
  if (side) toggle(Number(side.dataset.edge));
  if (!button) return;
  const { merchant, step } = button.dataset;
  const most = Number(form.querySelector(`[data-count=${merchant}]`).dataset.most);
  counts[merchant] = Math.min(Math.max((counts[merchant] ?? 0) + Number(step), 0), most);
  showForm();
});

byId("sides").addEventListener("keydown", (event) => {
  const side = event.target.closest("[data-edge]");
  if (!side || (event.key !== "Enter" && event.key !== " ")) return;
  event.preventDefault();
  toggle(Number(side.dataset.edge));
});

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (isWhole()) put(contents());
});
