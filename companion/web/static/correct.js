// A cell is corrected: tapped on the board, reached by the arrow keys, or named; then a tap on what is there.

import { startBuilding } from "./builder.js";
import { walk } from "./cells.js";
import { closeHand, offerHands } from "./hand.js";
import { ask, byId, element, post, tell } from "./page.js";

const SVG = "http://www.w3.org/2000/svg";

const dialog = byId("correct");
const cells = byId("cells");
let cell = "";
let shape = "hex"; // the shape of the cells here
let asked = 0; // how many cells have been requested; only the last one opens

const BOXES = { hex: "-20 -20 40 40", square: "-31 -31 62 62" };

function drawn(markup, terrain) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", BOXES[shape]);
  svg.setAttribute("class", "drawing");
  svg.setAttribute("aria-hidden", "true");
  svg.innerHTML = `<use href="#${shape}" class="under"/>` + markup; // our own server's drawing; nothing typed is in it
  svg.firstChild.classList.add(shape === "square" ? "sand" : (terrain ?? "plain"));
  return svg;
}

function said(answer) {
  return element("span", {}, answer.words, ...(answer.why ? [element("small", {}, answer.why)] : []));
}

function offered(answer, terrain) {
  const about = { onclick: () => put(answer.contents) };
  return element("li", {}, element("button", about, drawn(answer.drawing, terrain), said(answer)));
}

// Asks what may be on that cell, and opens the choice.
export async function openCell(name) {
  const turn = ++asked;
  const answer = await ask("/keeper/cells/" + encodeURIComponent(name));
  if (turn !== asked) return; // another cell has been tapped meanwhile
  if (!answer.ok) {
    tell(answer.said.message);
    return;
  }
  const { now, answers, terrain, hands } = answer.said;
  ({ cell, shape } = answer.said);
  byId("correct-title").textContent = cell;
  byId("now").replaceChildren(...(now ? [drawn(now.drawing, terrain), said(now)] : []));
  byId("answers").replaceChildren(...answers.map((each) => offered(each, terrain)));
  byId("correct-said").textContent = "";
  byId("else").open = false;
  byId("else").hidden = shape !== "hex";
  if (shape === "hex") startBuilding((now ?? answers[0]).contents, terrain);
  offerHands(hands, now, put, drawn);
  dialog.showModal();
}

// Says that this is on the open cell, and with `done` also asks whether the move is right.
export async function put(contents, done = false) {
  const turn = asked;
  const { ok, said: heard } = await post("/keeper/correct", { cell, contents, done });
  const isOpen = turn === asked && dialog.open;
  if (ok || !isOpen) {
    if (isOpen) dialog.close();
    tell(heard.message);
  } else {
    byId("correct-said").textContent = heard.message;
  }
}

cells.addEventListener("click", (event) => {
  const target = event.target.closest("[data-cell]");
  if (target) openCell(target.dataset.cell);
});

walk(cells, openCell);

byId("by-name").addEventListener("submit", (event) => {
  event.preventDefault();
  openCell(byId("cell-name").value.trim());
});

byId("else").addEventListener("toggle", () => {
  if (byId("else").open) byId("else").scrollIntoView({ block: "start" });
});
byId("correct-close").addEventListener("click", () => dialog.close());
dialog.addEventListener("close", closeHand);
dialog.addEventListener("click", (event) => {
  if (event.target === dialog) dialog.close(); // outside it
});
