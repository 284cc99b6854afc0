// Verdicts spoken by the device itself, if somebody switched that on for it. Voices from the network are not used: what
// is said at the table stays in the house.

import { byId, remember, remembered, tell } from "./page.js";

let isOn = false;
let said = null;

function ownVoice(language = document.documentElement.lang) {
  return speechSynthesis.getVoices().find((voice) => voice.localService && voice.lang.toLowerCase().startsWith(language));
}

function speak(sentence, language) {
  const voice = ownVoice(language);
  if (!voice) return false;
  const spoken = new SpeechSynthesisUtterance(sentence);
  spoken.voice = voice;
  spoken.lang = voice.lang;
  speechSynthesis.speak(spoken);
  return true;
}

// A part's sentences, without what is meant only for the eye: {text, language}. The person addressed may have chosen
// another language than the page's, and hears that one if the device has a voice for it.
function words(id, which) {
  const other = document.querySelector(`#lamps template[data-says=${id}]`);
  const language = other && ownVoice(other.lang) ? other.lang : undefined;
  const part = language ? other.content : byId(id);
  const text = [...part.querySelectorAll(which)].map((each) => each.textContent.trim()).filter(Boolean).join(". ");
  return { text, language };
}

// Speaks what is new: the verdict, then whose turn it is. Latecomers do not hear what was said before.
export function speakNews() {
  const now = { notice: words("notice", "h3, p:not(.by)"), turn: words("turn", "bdi, p") };
  const before = said;
  said = now;
  if (!isOn || !before) return;
  const fresh = Object.keys(now).filter((part) => now[part].text && now[part].text !== before[part].text);
  if (!fresh.length) return;
  speechSynthesis.cancel(); // what was being said is out of date
  for (const part of fresh) speak(now[part].text, now[part].language);
}

function show(button) {
  button.setAttribute("aria-pressed", String(isOn));
}

// Lets the button switch the voice on and off; there is no button if the browser cannot speak.
export function wantVoice(button) {
  if (!("speechSynthesis" in window)) return;
  speechSynthesis.getVoices(); // they load once they are requested
  button.hidden = false;
  isOn = remembered("voice");
  show(button);
  button.addEventListener("click", () => {
    isOn = !isOn;
    speechSynthesis.cancel();
    if (isOn && !speak(button.dataset.on)) {
      isOn = false;
      tell(button.dataset.none);
    }
    remember("voice", isOn);
    show(button);
  });
}
