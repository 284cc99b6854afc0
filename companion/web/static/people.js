// The people who play here: what each chooses is saved at once; a name is changed everywhere at once.

import { hear } from "./cue.js";
import "./decide.js";
import { byId, post, tell } from "./page.js";

const list = byId("people");
const nameOf = (part) => part.closest("[data-person]").dataset.person;

function listenTo(person) {
  const notes = JSON.parse(list.dataset.tunes)[person.querySelector("[data-choice=tune]").value];
  if (notes) hear(notes);
}

list?.addEventListener("change", async ({ target }) => {
  const { choice } = target.dataset;
  if (!choice) return;
  const person = target.closest("[data-person]");
  if (choice === "tune") {
    person.querySelector("[data-listen]").disabled = !target.value;
    listenTo(person);
  }
  const { ok, said } = await post("/keeper/person", { name: nameOf(target), [choice]: target.value });
  if (ok && choice === "color") location.reload(); // their shape has changed, too
  else tell(said.message);
});

list?.addEventListener("click", ({ target }) => {
  const button = target.closest("button");
  if (button?.dataset.listen !== undefined) listenTo(button.closest("[data-person]"));
  if (button?.dataset.join !== undefined) rename(button.closest("form"), true);
  if (button?.dataset.two !== undefined) answer(button.closest("form"), "", false);
});

list?.addEventListener("submit", (event) => {
  event.preventDefault();
  rename(event.target, false);
});

// Somebody who goes on typing is asking something else.
list?.addEventListener("input", ({ target }) => {
  const form = target.closest("form");
  if (form) answer(form, "", false);
});

async function rename(form, join) {
  if (form.ariaBusy === "true") return;
  form.ariaBusy = "true";
  const to = form.querySelector("input").value.trim();
  const { ok, said } = await post("/keeper/rename", { from: nameOf(form), to, ...(join && { join }) });
  form.ariaBusy = "false";
  if (ok) location.replace(said.go);
  else answer(form, said.message, said.asks === "join");
}

function answer(form, sentence, isAsked) {
  form.querySelector(".answer").textContent = sentence;
  const question = form.querySelector(".question");
  question.hidden = !isAsked;
  if (isAsked) question.querySelector("[data-join]").focus();
}
