// An animated GIF, written right here: https://www.w3.org/Graphics/GIF/spec-gif89a.txt. Netscape's own block makes it
// repeat for ever.

const CLEAR_TO = 255; // this colour shows the picture before
const MOST_COLOURS = 255;
const MOST_CODES = 4096;

// Five bits each of red, green and blue: colours that are this close count as one.
function bin(pixels, at) {
  return ((pixels[at] >> 3) << 10) | ((pixels[at + 1] >> 3) << 5) | (pixels[at + 2] >> 3);
}

// Counts the colours of pictures (RGBA), and picks the 255 that suit all of them.
export class Palette {
  #counts = new Uint32Array(1 << 15);
  #sums = new Float64Array(3 << 15);

  see(pixels) {
    for (let at = 0; at < pixels.length; at += 4) {
      const each = bin(pixels, at);
      this.#counts[each] += 1;
      for (let part = 0; part < 3; part += 1) this.#sums[3 * each + part] += pixels[at + part];
    }
  }

  // The most frequent colours, as [red, green, blue].
  colours() {
    const bins = [...this.#counts.keys()].filter((each) => this.#counts[each]);
    bins.sort((one, other) => this.#counts[other] - this.#counts[one]);
    return bins.slice(0, MOST_COLOURS).map((each) => [0, 1, 2].map((part) => Math.round(this.#sums[3 * each + part] / this.#counts[each])));
  }
}

export class Gif {
  #parts = [];
  #nearest = new Int16Array(1 << 15).fill(-1);
  #before = null;

  constructor(width, height, colours) {
    Object.assign(this, { width, height, colours });
    const table = new Uint8Array(3 * 256);
    colours.forEach((colour, index) => table.set(colour, 3 * index));
    this.#write("GIF89a", ...short(width), ...short(height), 0xf7, 0, 0);
    this.#parts.push(table);
    this.#write(0x21, 0xff, 11, "NETSCAPE2.0", 3, 1, 0, 0, 0);
  }

  // Adds a picture (RGBA), shown for that long; only what has changed is written.
  add(pixels, ms) {
    const shown = this.#indexed(pixels);
    const { left, top, right, bottom } = changed(shown, this.#before, this.width, this.height);
    const part = new Uint8Array((right - left) * (bottom - top));
    for (let y = top, to = 0; y < bottom; y += 1) {
      for (let x = left; x < right; x += 1, to += 1) {
        const at = y * this.width + x;
        part[to] = this.#before?.[at] === shown[at] ? CLEAR_TO : shown[at];
      }
    }
    this.#before = shown;
    this.#write(0x21, 0xf9, 4, 0x05, ...short(Math.round(ms / 10)), CLEAR_TO, 0);
    this.#write(0x2c, ...short(left), ...short(top), ...short(right - left), ...short(bottom - top), 0);
    this.#parts.push(inBlocks(packed(part)));
  }

  blob() {
    return new Blob([...this.#parts, new Uint8Array([0x3b])], { type: "image/gif" });
  }

  #write(...all) {
    const bytes = all.flatMap((each) => (typeof each === "string" ? [...each].map((letter) => letter.charCodeAt(0)) : [each]));
    this.#parts.push(new Uint8Array(bytes));
  }

  #indexed(pixels) {
    const indexed = new Uint8Array(pixels.length / 4);
    for (let at = 0, to = 0; at < pixels.length; at += 4, to += 1) {
      const each = bin(pixels, at);
      if (this.#nearest[each] < 0) this.#nearest[each] = this.#nearestTo(pixels[at], pixels[at + 1], pixels[at + 2]);
      indexed[to] = this.#nearest[each];
    }
    return indexed;
  }

  #nearestTo(red, green, blue) {
    let found = 0;
    let least = Infinity;
    this.colours.forEach(([r, g, b], index) => {
      const apart = (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2;
      if (apart < least) [found, least] = [index, apart];
    });
    return found;
  }
}

// The box around what differs from the picture before: the whole first picture, or one pixel if nothing differs.
export function changed(shown, before, width, height) {
  if (!before) return { left: 0, top: 0, right: width, bottom: height };
  let [left, top, right, bottom] = [width, height, 0, 0];
  for (let y = 0, at = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1, at += 1) {
      if (shown[at] === before[at]) continue;
      left = Math.min(left, x);
      right = Math.max(right, x + 1);
      top = Math.min(top, y);
      bottom = y + 1;
    }
  }
  return right ? { left, top, right, bottom } : { left: 0, top: 0, right: 1, bottom: 1 };
}

function short(number) {
  return [number & 0xff, number >> 8];
}

// LZW with eight bits per pixel, as in GIF: codes grow from nine bits to twelve, then everything starts again.
function packed(pixels) {
  const clear = 256;
  const end = 257;
  const known = new Int16Array(MOST_CODES * 256);
  const bytes = [];
  let [held, bits, size, next] = [0, 0, 9, end + 1];
  const put = (code) => {
    held |= code << bits;
    for (bits += size; bits >= 8; bits -= 8, held >>>= 8) bytes.push(held & 0xff);
  };
  put(clear);
  let run = pixels[0];
  for (let at = 1; at < pixels.length; at += 1) {
    const longer = (run << 8) | pixels[at];
    if (known[longer]) {
      run = known[longer];
      continue;
    }
    put(run);
    if (next === MOST_CODES) {
      put(clear);
      known.fill(0);
      [size, next] = [9, end + 1];
    } else {
      if (next === 1 << size) size += 1;
      known[longer] = next++;
    }
    run = pixels[at];
  }
  put(run);
  if (next === 1 << size && size < 12) size += 1; // the decoder is one code behind, and grows its codes here
  put(end);
  if (bits) bytes.push(held & 0xff);
  return bytes;
}

function inBlocks(bytes) {
  const blocks = new Uint8Array(1 + bytes.length + Math.ceil(bytes.length / 255) + 1);
  blocks[0] = 8;
  let to = 1;
  for (let at = 0; at < bytes.length; at += 255) {
    const part = bytes.slice(at, at + 255);
    blocks[to++] = part.length;
    blocks.set(part, to);
    to += part.length;
  }
  return blocks.subarray(0, to + 1);
}
