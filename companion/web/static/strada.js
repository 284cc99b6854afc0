"use strict";
// Keeps the page as the table is: parts of the page arrive as server-sent events, commands go by POST.

const SILENT_MS = 12000; // the server says something every 5 s
const RETRY_MS = 3000;
const PICTURE_MS = 1000; // the camera's picture at most so often

const UNREAD_MS = 400; // a tap on a choice sooner than it can be read was meant for another
const ARMED_MS = 5000; // what is asked for twice waits so long for the second tap
const ASKED_MS = 6000;

const LOST = "Connection lost. Trying again …";

let stream = null;
let watchdog = 0;
let retry = 0;
let cuesSeen = null;
let picture = { shown: 0, loading: false, at: 0 };
let audio = null;
let choicesAt = 0;
let asked = 0;
let armed = 0;

function byId(id) {
  return document.getElementById(id);
}

function connect() {
  disconnect();
  stream = new EventSource("/events");
  stream.addEventListener("snapshot", (event) => { alive(); show(JSON.parse(event.data)); });
  stream.addEventListener("beat", alive);
  stream.addEventListener("error", () => {
    say(LOST);
    if (stream && stream.readyState === EventSource.CLOSED) retryLater();
  });
  alive();
}

function disconnect() {
  clearTimeout(watchdog);
  clearTimeout(retry);
  if (stream) stream.close();
  stream = null;
}

function retryLater() {
  clearTimeout(retry);
  retry = setTimeout(connect, RETRY_MS);
}

function alive() {
  if (stream && stream.readyState === EventSource.OPEN) byId("lost").hidden = true;
  clearTimeout(watchdog);
  watchdog = setTimeout(() => { say(LOST); connect(); }, SILENT_MS);
}

function show(news) {
  for (const [id, markup] of Object.entries(news.parts)) replace(byId(id), markup);
  if ("decisions" in news.parts) choicesAt = Date.now();
  if (news.view_box) byId("board").setAttribute("viewBox", news.view_box);
  if (news.title) document.title = news.title;
  if (news.parts.players?.trim()) byId("record").hidden = false; // a game was dealt
  if (news.parts.hints) byId("hint").hidden = false; // the table allows them
  if ("lamps" in news.parts) playCue();
  if (news.picture) wantPicture(news.picture);
}

// Whoever has tabbed to a button stays on it, if it is still there.
function replace(part, markup) {
  const held = part.contains(document.activeElement) ? document.activeElement.dataset : null;
  part.innerHTML = markup;
  if (!held) return;
  const buttons = [...part.querySelectorAll("[data-keeper]")];
  buttons.find((each) => each.dataset.keeper === held.keeper && each.dataset.body === held.body)?.focus();
}

// The picture is fetched anew when the last one has arrived and is a second old.
function wantPicture(number) {
  if (number === picture.shown || picture.loading) return;
  const wait = picture.at + PICTURE_MS - Date.now();
  picture.loading = true;
  setTimeout(() => {
    picture.shown = number;
    picture.at = Date.now();
    byId("picture").src = "/camera.jpg?n=" + number;
  }, Math.max(wait, 0));
}

function playCue() {
  const lamp = byId("lamp");
  const cues = Number(lamp.dataset.cues);
  const isNew = cuesSeen !== null && cues !== cuesSeen;
  cuesSeen = cues;
  if (!isNew) return; // a late-comer does not hear what was said before
  let at = 0;
  for (const [colour, seconds] of JSON.parse(lamp.dataset.light)) {
    setTimeout(() => glow(colour), at * 1000);
    at += seconds;
  }
  setTimeout(() => glow(""), at * 1000);
  if (audio) playTune(JSON.parse(lamp.dataset.tune));
}

function glow(colour) {
  const lamp = byId("lamp");
  lamp.style.setProperty("--glow", colour || "transparent");
  lamp.classList.toggle("lit", colour !== "" && colour !== "#000000");
}

function playTune(notes) {
  let at = audio.currentTime + 0.02;
  for (const [hz, seconds] of notes) {
    if (hz) {
      const tone = audio.createOscillator();
      const volume = audio.createGain();
      tone.type = "triangle";
      tone.frequency.value = hz;
      volume.gain.setValueAtTime(0.2, at);
      volume.gain.linearRampToValueAtTime(0, at + seconds);
      tone.connect(volume).connect(audio.destination);
      tone.start(at);
      tone.stop(at + seconds);
    }
    at += seconds;
  }
}

function switchSound() {
  const button = byId("sound");
  if (audio) {
    audio.close();
    audio = null;
  } else {
    audio = new AudioContext();
  }
  button.setAttribute("aria-pressed", String(audio !== null));
}

function switchHints() {
  const shown = byId("hints").toggleAttribute("hidden") === false;
  byId("hint").setAttribute("aria-pressed", String(shown));
}

async function send(button, address, body) {
  if (button.ariaBusy === "true") return;
  button.ariaBusy = "true";
  try {
    const answer = await fetch(address, {
      method: "POST", headers: { "X-Strada": "1", "Content-Type": "application/json" }, body,
    });
    const said = await answer.json();
    if (said.label) button.textContent = said.label;
    if (button.dataset.keeper) tell(said.message);
    else if (!answer.ok) say(said.message);
  } catch {
    say("The table cannot be reached.");
  }
  button.ariaBusy = "false";
}

function decide(button) {
  if (button.closest(".choices") && Date.now() - choicesAt < UNREAD_MS) return;
  const { keeper, body, confirm, armed: since } = button.dataset;
  if (confirm && !since) {
    arm(button, confirm);
  } else if (!confirm || Date.now() - since > UNREAD_MS) {
    disarm(button);
    send(button, "/keeper/" + keeper, body || "{}");
  }
}

// The first tap only says what the second one does.
function arm(button, question) {
  button.dataset.label = button.textContent;
  button.dataset.armed = Date.now();
  button.textContent = question;
  clearTimeout(armed);
  armed = setTimeout(() => disarm(button), ARMED_MS);
}

function disarm(button) {
  if (!button.dataset.armed) return;
  delete button.dataset.armed;
  button.textContent = button.dataset.label;
}

function tell(sentence) {
  clearTimeout(asked);
  byId("asked").textContent = sentence;
  asked = setTimeout(() => { byId("asked").textContent = ""; }, ASKED_MS);
}

function say(sentence) {
  const lost = byId("lost");
  lost.textContent = sentence;
  lost.hidden = false;
}

byId("sound").addEventListener("click", switchSound);
byId("hint").addEventListener("click", switchHints);
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-command], [data-keeper]");
  if (button?.dataset.keeper) decide(button);
  else if (button) send(button, "/commands/" + button.dataset.command, "{}");
});
for (const done of ["load", "error"]) {
  byId("picture").addEventListener(done, () => {
    picture.loading = false;
    byId("picture").parentElement.hidden = done === "error";
  });
}
document.addEventListener("visibilitychange", () => (document.hidden ? disconnect() : connect()));
connect();
