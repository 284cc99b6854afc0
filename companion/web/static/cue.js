// The panel's cue on the screen: its light and, where somebody switched it on for this device, its tune.

import { byId, remember, remembered } from "./page.js";

const CONFIRMED = [[880, 0.12]]; // heard where it was switched on

let cuesSeen = null;
let audio = null;

export function playCue() {
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
  if (audio?.state === "running") playTune(JSON.parse(lamp.dataset.tune));
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

function switchSound(isOn) {
  audio?.close();
  audio = isOn ? new AudioContext() : null;
  byId("sound").setAttribute("aria-pressed", String(isOn));
}

// Lets the button switch the tunes on and off. A browser plays nothing on a page that nobody has touched yet.
export function wantSound(button) {
  if (remembered("sound")) switchSound(true);
  button.addEventListener("click", () => {
    switchSound(!audio);
    remember("sound", audio !== null);
    if (audio) playTune(CONFIRMED);
  });
  for (const touch of ["pointerdown", "keydown"]) addEventListener(touch, () => audio?.resume());
}
