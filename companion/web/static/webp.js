// An animated WebP: this browser compresses each picture by itself, and here they are joined into one file,
// https://developers.google.com/speed/webp/docs/riff_container. It has all colours, and is about as large as a GIF.

import { changed } from "./gif.js";

const QUALITY = 0.8; // lossless compression by the browser makes it ten times as large
const MOVES_AND_IS_CLEAR = 0x12; // VP8X: pictures follow one another, and parts of them show the picture before
const LAID_OVER = 0x00; // ANMF: where a picture is transparent, the picture before stays
const PARTS = ["VP8 ", "VP8L", "ALPH"]; // the chunks of a compressed picture

// Whether this browser can do this: some cannot make WebP, and return another kind of picture.
export async function canPack() {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 1;
  return (await packed(canvas))?.type === "image/webp";
}

const packed = (canvas) => new Promise((done) => canvas.toBlob(done, "image/webp", QUALITY));

export class WebP {
  #frames = [];
  #before = null;

  constructor(width, height) {
    Object.assign(this, { width, height });
    this.part = document.createElement("canvas");
    this.paper = this.part.getContext("2d");
  }

  // Adds a picture (RGBA), shown for that long; only what has changed is written.
  async add(pixels, ms) {
    const shown = new Uint32Array(pixels.buffer.slice(0));
    const { left: x, top: y, right, bottom } = changed(shown, this.#before, this.width, this.height);
    const [left, top] = [x & ~1, y & ~1]; // parts must be at even places
    const fresh = this.#before ? shown.map((each, at) => (each === this.#before[at] ? 0 : each)) : shown;
    this.#before = shown;
    this.part.width = right - left;
    this.part.height = bottom - top;
    this.paper.putImageData(new ImageData(new Uint8ClampedArray(fresh.buffer), this.width, this.height), -left, -top);
    const bytes = new Uint8Array(await (await packed(this.part)).arrayBuffer());
    this.#frames.push(chunk("ANMF", [
      ...three(left / 2), ...three(top / 2), ...three(this.part.width - 1), ...three(this.part.height - 1), ...three(ms), LAID_OVER,
    ], ...pictureIn(bytes)));
  }

  blob() {
    const head = chunk("VP8X", [MOVES_AND_IS_CLEAR, 0, 0, 0, ...three(this.width - 1), ...three(this.height - 1)]);
    const loop = chunk("ANIM", [255, 255, 255, 255, 0, 0]); // for ever
    return new Blob([chunk("RIFF", [...letters("WEBP")], head, loop, ...this.#frames)], { type: "image/webp" });
  }
}

const letters = (text) => [...text].map((letter) => letter.charCodeAt(0));
const three = (number) => [number & 0xff, (number >> 8) & 0xff, (number >> 16) & 0xff];

// A chunk with that name and everything in it; if its length is odd, it gets one more byte.
function chunk(name, head, ...rest) {
  const length = rest.reduce((sum, each) => sum + each.length, head.length);
  const made = new Uint8Array(8 + length + (length & 1));
  made.set([...letters(name), ...three(length), length >>> 24]);
  made.set(head, 8);
  let at = 8 + head.length;
  for (const each of rest) {
    made.set(each, at);
    at += each.length;
  }
  return made;
}

// The chunks of a compressed picture that are the picture itself.
function pictureIn(bytes) {
  const view = new DataView(bytes.buffer);
  const found = [];
  for (let at = 12; at + 8 <= bytes.length; ) {
    const whole = 8 + view.getUint32(at + 4, true);
    const end = at + whole + (whole & 1);
    if (PARTS.includes(String.fromCharCode(...bytes.subarray(at, at + 4)))) found.push(bytes.subarray(at, end));
    at = end;
  }
  return found;
}
