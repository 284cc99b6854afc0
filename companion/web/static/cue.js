// The panel's cue on the screen: its light and, if somebody switched that on for this device, its tune.

import { byId, remember, remembered } from "./page.js";

const CONFIRMED = [[880, 0.12]]; // played when sound is switched on

const PAUSE = [0, 0.15]; // between a verdict and the tune of the player whose turn begins

let cuesSeen = null;
let turnSeen = null;
let audio = null;
let heard = null; // plays on pages where sound is not switched on and off

export function playCue() {
  const lamp = byId("lamp");
  const cues = Number(lamp.dataset.cues);
  const isNew = cuesSeen !== null && cues !== cuesSeen;
  const { turn, own } = lamp.dataset;
  const theirs = turnSeen !== null && turn !== turnSeen ? JSON.parse(own) : [];
  cuesSeen = cues;
  turnSeen = turn;
  if (isNew) glowInTurn(lamp); // latecomers do not hear what was said before
  const tune = isNew ? JSON.parse(lamp.dataset.tune) : [];
  if (theirs.length) tune.push(PAUSE, ...theirs);
  if (audio?.state === "running") playTune(tune);
}

// Plays a tune that somebody has just chosen or requested.
export function hear(notes) {
  heard?.close();
  heard = new AudioContext();
  playTune(notes, heard);
}

function glowInTurn(lamp) {
  let at = 0;
  for (const [colour, seconds] of JSON.parse(lamp.dataset.light)) {
    setTimeout(() => glow(colour), at * 1000);
    at += seconds;
  }
  setTimeout(() => glow(""), at * 1000);
}

function glow(colour) {
  const lamp = byId("lamp");
  lamp.style.setProperty("--glow", colour || "transparent");
  lamp.classList.toggle("lit", colour !== "" && colour !== "#000000");
}

function playTune(notes, on = audio) {
  let at = on.currentTime + 0.02;
  for (const [hz, seconds] of notes) {
    if (hz) {
      const tone = on.createOscillator();
      const volume = on.createGain();
      tone.type = "triangle";
      tone.frequency.value = hz;
      volume.gain.setValueAtTime(0.2, at);
      volume.gain.linearRampToValueAtTime(0, at + seconds);
      tone.connect(volume).connect(on.destination);
      tone.start(at);
      tone.stop(at + seconds);
    }
    at += seconds;
  }
}

function switchSound(isOn) {
  audio?.close();
  audio = isOn ? new AudioContext() : null;
  byId("sound").setAttribute("aria-pressed", String(isOn));
}

// Lets the button switch the tunes on and off. Browsers play nothing on a page that nobody has touched yet.
export function wantSound(button) {
  if (remembered("sound")) switchSound(true);
  button.addEventListener("click", () => {
    switchSound(!audio);
    remember("sound", audio !== null);
    if (audio) playTune(CONFIRMED);
  });
  for (const touch of ["pointerdown", "keydown"]) addEventListener(touch, () => audio?.resume());
}
