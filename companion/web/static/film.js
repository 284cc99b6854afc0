// A game as a film: this browser draws its steps one by one, and makes a GIF or a WebP of them. A second tap stops it.

import { Gif, Palette } from "./gif.js";
import { byId, say } from "./page.js";
import { keep } from "./picture.js";
import { WebP, canPack } from "./webp.js";

const WIDTH_PX = 640;
const STEP_MS = 1100;
const LAST_MS = 5000;
const LOOKED_AT = 8; // how many of its pictures the colours are taken from
const AGAIN_MS = 1500;
const GONE_MS = 60000; // a browser may need some time to fetch what is saved

const KINDS = { film: gifOf, "film-webp": webpOf };
let making = null; // one at a time

for (const id of Object.keys(KINDS)) byId(id).addEventListener("click", ({ currentTarget }) => (making ? making.abort() : make(currentTarget)));
byId("film").hidden = false;
canPack().then((can) => { byId("film-webp").hidden = !can; });

async function make(film) {
  const label = film.querySelector("span");
  const word = label.textContent;
  making = new AbortController();
  film.setAttribute("aria-busy", "true");
  try {
    const steps = film.dataset.steps.split(" ");
    const tell = (done) => { label.textContent = `${word}: ${done} / ${steps.length}`; };
    keep(await filmOf(film, steps, making.signal, tell), film.dataset.name, GONE_MS);
    say("");
  } catch (error) {
    if (error.name !== "AbortError") say(document.body.dataset.unreachable);
  } finally {
    label.textContent = word;
    film.removeAttribute("aria-busy");
    making = null;
  }
}

async function filmOf(film, steps, signal, tell) {
  const pictures = [];
  for (const each of steps) {
    pictures.push(await Promise.race([drawing(`${film.dataset.address}/steps/${each}.svg`), stopped(signal)]));
    tell(pictures.length);
  }
  const { naturalWidth, naturalHeight } = pictures[0];
  const canvas = document.createElement("canvas");
  canvas.width = Math.min(WIDTH_PX, naturalWidth);
  canvas.height = Math.round(naturalHeight * (canvas.width / naturalWidth));
  const paper = canvas.getContext("2d", { willReadFrequently: true });
  const pixels = (picture) => {
    paper.drawImage(picture, 0, 0, canvas.width, canvas.height);
    return paper.getImageData(0, 0, canvas.width, canvas.height).data;
  };
  const made = KINDS[film.id](canvas, pictures, pixels);
  for (const picture of pictures) {
    await made.add(pixels(picture), picture === pictures.at(-1) ? LAST_MS : STEP_MS);
    await new Promise((done) => setTimeout(done)); // so that the page stays responsive
    signal.throwIfAborted();
  }
  return made.blob();
}

function gifOf(canvas, pictures, pixels) {
  const palette = new Palette();
  const every = Math.max(1, Math.floor(pictures.length / LOOKED_AT));
  pictures.filter((_, index) => (pictures.length - 1 - index) % every === 0).forEach((picture) => palette.see(pixels(picture)));
  return new Gif(canvas.width, canvas.height, palette.colours());
}

function webpOf(canvas) {
  return new WebP(canvas.width, canvas.height);
}

function stopped(signal) {
  return new Promise((_, fail) => signal.addEventListener("abort", () => fail(signal.reason), { once: true }));
}

// A table where many people look up games answers that it is busy; then this asks again.
async function drawing(source, tries = 3) {
  const image = new Image();
  image.src = source;
  try {
    await image.decode();
    return image;
  } catch (error) {
    if (tries === 1) throw error;
    await new Promise((done) => setTimeout(done, AGAIN_MS));
    return drawing(source, tries - 1);
  }
}
