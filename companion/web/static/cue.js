// The panel's cue on the screen: its light and, where somebody switched it on for this device, its tune.

import { byId } from "./page.js";

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

export function switchSound(button) {
  if (audio) {
    audio.close();
    audio = null;
  } else {
    audio = new AudioContext();
  }
  button.setAttribute("aria-pressed", String(audio !== null));
}
