// A tile of a player's hand is chosen, turned and laid: tap to choose it, tap or press R to turn it, tap to lay it.

import { ask, byId, element } from "./page.js";

const dialog = byId("correct");
let chosen = null; // contents: {tile, merchants}
let asked = 0;
let put = () => {};
let drawn = () => null;

// Offers the tiles that each player has left, the current player's first; one that is on the cell can be turned at
// once.
export function offerHands(hands, now, lay, draw) {
  [put, drawn] = [lay, draw];
  const [first, ...others] = hands;
  const isInTurn = Boolean(first?.isNext);
  byId("choose").hidden = !isInTurn;
  byId("others").hidden = others.length === 0 && (isInTurn || !first);
  byId("others").open = false;
  byId("choose-title").textContent = byId("choose-title").dataset.of.replace("NAME", first?.name ?? "");
  byId("hand").replaceChildren(...(isInTurn ? first.tiles.map(offered) : []));
  const rest = isInTurn ? others : hands;
  byId("others-hands").replaceChildren(...rest.flatMap((hand) => hand.tiles.map(offered)));
  const isOpen = isInTurn && now?.contents.tile?.kind === "section" && now.isLoose;
  show(isOpen ? now : null);
}

export function closeHand() {
  show(null);
}

function offered(answer) {
  const button = element("button", { "aria-label": answer.words, title: answer.words }, drawn(answer.drawing));
  button.addEventListener("click", () => {
    show(answer);
    byId("lay-it").focus();
  });
  return element("li", {}, button);
}

// Shows the chosen tile, large, and lets everything else step back. If nothing is chosen, everything is offered.
function show(answer) {
  asked += 1;
  chosen = answer?.contents ?? null;
  byId("take-away").hidden = !answer?.isLoose;
  byId("chosen").hidden = !chosen;
  for (const id of ["hand", "answers", "answers-title"]) byId(id).hidden = Boolean(chosen);
  byId("choose-title").hidden = Boolean(chosen);
  byId("others").classList.toggle("away", Boolean(chosen));
  if (chosen) picture(answer);
}

function picture(answer) {
  byId("chosen-tile").innerHTML = answer.drawing; // our own server's drawing
  byId("chosen-words").textContent = answer.words;
}

async function turn() {
  if (!chosen) return;
  const mine = ++asked;
  chosen = { ...chosen, tile: { ...chosen.tile, turn: ((chosen.tile.turn ?? 0) + 1) % 4 } };
  const { ok, said } = await ask("/keeper/contents?are=" + encodeURIComponent(JSON.stringify(chosen)));
  if (mine !== asked) return; // it was turned further, or another one was chosen meanwhile
  if (ok) picture(said);
  else byId("correct-said").textContent = said.message;
}

byId("turn-it").addEventListener("click", turn);
byId("turn-tile").addEventListener("click", turn);
byId("lay-it").addEventListener("click", () => chosen && put(chosen, true));
byId("lay-only").addEventListener("click", () => chosen && put(chosen));
byId("take-away").addEventListener("click", () => put({ tile: null, merchants: {} }));
byId("choose-other").addEventListener("click", () => {
  show(null);
  byId("hand").querySelector("button")?.focus();
});
dialog.addEventListener("keydown", (event) => {
  if (!chosen || event.key.toLowerCase() !== "r" || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  turn();
});
