// A new game: who plays, in which seats and colours, by which rules. The logbook and this device remember names.

import { byId, element, post, tell } from "./page.js";
import { stepped } from "./stepper.js";

const UNREAD_MS = 400; // a second tap that comes before the first one's answer can be read does not count
const ARMED_MS = 5000;
const MOST_NAMES = 24;

const form = byId("deal");
const seats = byId("seats");
const deal = byId("deal-now");
const label = deal.textContent;
let armedAt = 0; // when the first of two taps came; 0 if none has
let disarming = 0;
let dealtAt = 0;

const every = () => [...seats.children];
const named = (seat) => seat.querySelector(".name").value.trim();
const rules = () => form.querySelector("[name=rules]:checked");

function names() {
  try {
    const kept = JSON.parse(localStorage.getItem("names"));
    return Array.isArray(kept) ? kept.filter((name) => typeof name === "string") : [];
  } catch {
    return [];
  }
}

function offerNames() {
  const list = byId("names");
  const known = [...list.options].map((option) => option.value).concat(JSON.parse(list.dataset.former));
  for (const name of names().filter((each) => !known.includes(each))) {
    list.append(element("option", { value: name }));
  }
}

function rememberNames() {
  try {
    const all = [...new Set([...every().map(named), ...names()])];
    localStorage.setItem("names", JSON.stringify(all.slice(0, MOST_NAMES)));
  } catch {
    // the logbook knows them
  }
}

// If a colour was taken, its owner gives it up and gets the one that is free now.
function paint(seat, color) {
  const before = seat.dataset.color;
  const other = every().find((each) => each !== seat && each.dataset.color === color);
  if (other) setColor(other, before);
  setColor(seat, color);
}

function setColor(seat, color) {
  seat.dataset.color = color;
  const select = seat.querySelector("select");
  select.value = color;
  seat.className = "seat " + select.selectedOptions[0].dataset.look;
  for (const disc of seat.querySelectorAll("[data-of]")) disc.hidden = disc.dataset.of !== color;
}

// A tapped person sits down, in their usual colour if it is free, or gets up again.
function tapPerson({ person, likes }) {
  const held = every().find((seat) => named(seat) === person);
  if (held) {
    if (every().length > Number(rules().dataset.least)) held.remove();
    else held.querySelector(".name").value = "";
  } else {
    const seat = every().find((each) => !named(each)) ?? (every().length < Number(rules().dataset.most) ? add() : null);
    if (!seat) return;
    seat.querySelector(".name").value = person;
    const isTheirs = every().every((each) => each === seat || each.dataset.color !== likes || !named(each));
    if (isTheirs && seat.querySelector(`option[value="${CSS.escape(likes)}"]`)) paint(seat, likes);
  }
  fit();
}

function showSeated() {
  const seated = every().map(named);
  for (const button of byId("people")?.children ?? []) {
    const isSeated = seated.includes(button.dataset.person);
    button.ariaPressed = String(isSeated);
    button.disabled = !isSeated && !seated.includes("") && every().length >= Number(rules().dataset.most);
  }
}

function add() {
  const seat = byId("seat").content.firstElementChild.cloneNode(true);
  const taken = every().map((each) => each.dataset.color);
  const free = [...seat.querySelectorAll("option")].map((option) => option.value).find((color) => !taken.includes(color));
  if (!free) return null;
  setColor(seat, free);
  seats.append(seat);
  fit();
  return seat;
}

// Makes as many seats as the rules need; if there are too many, the last ones go first.
function fit() {
  const { least, most } = rules().dataset;
  while (every().length < Number(least)) if (!add()) break;
  while (every().length > Number(most)) seats.lastElementChild.remove();
  byId("one-more").hidden = every().length >= Number(most);
  for (const seat of every()) {
    seat.querySelector("[data-seat=remove]").hidden = every().length <= Number(least);
    seat.querySelector("[data-seat=up]").disabled = seat === seats.firstElementChild;
    seat.querySelector("[data-seat=down]").disabled = seat === seats.lastElementChild;
    seat.querySelector(".days").hidden = !isAllowed("fewer-days");
    stepped(seat.querySelector("[type=number]"));
  }
  for (const part of form.querySelectorAll("[data-rules]")) part.hidden = !isOf(part);
  showSeated();
}

// Whether the chosen rules have a house rule; and whether it is also chosen.
const isOf = (part) => part.dataset.rules.trim().split(" ").includes(rules().value);
const isAllowed = (id) => byId(id).checked && isOf(byId(id).closest("[data-rules]"));

function options() {
  const found = {};
  if (byId("hints-allowed").checked) found.hints = true;
  if (isAllowed("ends-now")) found.end = "now";
  if (isAllowed("fewer-days")) {
    const days = every().map((seat) => [seat.dataset.color, seat.querySelector("[type=number]").value]);
    const given = days.filter(([, count]) => count !== "").map(([color, count]) => [color, Number(count)]);
    if (given.length) found.first_days = Object.fromEntries(given);
  }
  return found;
}

// Warns before the second tap that a game is on. Once the game that was requested here has begun, its form is in the
// way.
export function warnOfGame() {
  if (dealtAt && isOn() && !wasOn) {
    byId("start").open = false;
    scrollTo({ top: 0 });
  }
  wasOn = isOn();
  const again = form.parentElement.querySelector(".again");
  if (again) again.dataset.confirm = isOn() ? deal.dataset.sure : again.dataset.ready;
}

// Whether a game is on that can be ended.
const isOn = () => byId("decisions").querySelector("[data-keeper=end]") !== null;
let wasOn = isOn();

const since = (at) => Date.now() - at;

function arm() {
  armedAt = Date.now();
  deal.textContent = deal.dataset.sure;
  clearTimeout(disarming);
  disarming = setTimeout(disarm, ARMED_MS);
}

function disarm() {
  armedAt = 0;
  deal.textContent = label;
}

async function send() {
  deal.ariaBusy = "true";
  const players = every().map((seat) => ({ name: named(seat), color: seat.dataset.color }));
  const { ok, said } = await post("/keeper/start", { rules: rules().value, players, options: options() });
  deal.ariaBusy = "false";
  byId("deal-said").textContent = ok ? "" : said.message;
  if (!ok) return;
  dealtAt = Date.now();
  rememberNames();
  tell(said.message);
}

seats.addEventListener("click", (event) => {
  const button = event.target.closest("[data-seat]");
  if (!button) return;
  const seat = button.closest(".seat");
  if (button.dataset.seat === "remove") seat.remove();
  if (button.dataset.seat === "up") seat.previousElementSibling?.before(seat);
  if (button.dataset.seat === "down") seat.nextElementSibling?.after(seat);
  fit();
  button.focus();
});

byId("people")?.addEventListener("click", (event) => {
  const button = event.target.closest("[data-person]");
  if (button) tapPerson(button.dataset);
});

seats.addEventListener("input", showSeated);
seats.addEventListener("change", (event) => {
  if (event.target.matches("select")) paint(event.target.closest(".seat"), event.target.value);
});

// Seats are dragged by their grips, with a mouse or a finger.
seats.addEventListener("pointerdown", (event) => {
  const grip = event.target.closest(".grip");
  if (!grip) return;
  event.preventDefault();
  const seat = grip.closest(".seat");
  grip.setPointerCapture(event.pointerId);
  seat.classList.add("dragged");
  const move = (now) => {
    const others = every().filter((each) => each !== seat);
    const below = others.find((each) => {
      const box = each.getBoundingClientRect();
      return now.clientY < box.y + box.height / 2;
    });
    if (below !== (seat.nextElementSibling ?? undefined)) seats.insertBefore(seat, below ?? null);
  };
  const end = () => {
    seat.classList.remove("dragged");
    grip.removeEventListener("pointermove", move);
    fit();
  };
  grip.addEventListener("pointermove", move);
  for (const over of ["pointerup", "pointercancel"]) grip.addEventListener(over, end, { once: true });
});

byId("one-more").addEventListener("click", () => add()?.querySelector(".name").focus());
form.addEventListener("change", fit);

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (deal.ariaBusy === "true" || since(armedAt) < UNREAD_MS || since(dealtAt) < UNREAD_MS) return;
  const isDealt = isOn() || since(dealtAt) < ARMED_MS; // a game that was just dealt may not be shown yet
  if (isDealt && !armedAt) {
    arm();
  } else {
    disarm();
    send();
  }
});

offerNames();
fit();
warnOfGame();
