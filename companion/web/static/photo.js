// A photograph taken with the phone: made smaller here, sent in pieces, and then used by a step.

import { byId } from "./page.js";
import { fill } from "./setup_stage.js";
import { complain, hear } from "./setup_steps.js";

const PIECE = 48 * 1024; // the table accepts no larger body (companion/web/security.py)
const LONGEST = 2400; // pixels: finer than any camera at a table
const QUALITY = 0.9;
const TRIES = 3; // a phone's Wi-Fi loses a piece now and then

let isSending = false;

// Returns the photograph upright and no larger than is useful. If this browser cannot read it, returns it unchanged,
// and then the table says what is wrong with it.
async function shrunk(file) {
  try {
    const bitmap = await createImageBitmap(file, { imageOrientation: "from-image" });
    const scale = Math.min(1, LONGEST / Math.max(bitmap.width, bitmap.height));
    const canvas = document.createElement("canvas");
    canvas.width = Math.round(bitmap.width * scale);
    canvas.height = Math.round(bitmap.height * scale);
    const context = canvas.getContext("2d");
    context.imageSmoothingQuality = "high";
    context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    bitmap.close();
    return (await new Promise((done) => canvas.toBlob(done, "image/jpeg", QUALITY))) ?? file;
  } catch {
    return file;
  }
}

async function piece(address, body) {
  const headers = { "X-Strada": "1", "Content-Type": "application/octet-stream" };
  let answer;
  for (let k = 0; k < TRIES; k += 1) {
    answer = await hear(address, { method: "POST", headers, body });
    if (answer.status !== 0 && answer.status !== 503) break;
  }
  return answer;
}

// Sends it. Returns the upload's name, or null after saying what is wrong.
async function upload(photo, tell) {
  let name = "";
  for (let at = 0; at === 0 || at < photo.size; at += PIECE) {
    tell(Math.round((100 * at) / Math.max(photo.size, 1)));
    const address = `/setup/upload?at=${at}&of=${photo.size}` + (name && `&upload=${name}`);
    const { ok, said } = await piece(address, photo.slice(at, at + PIECE));
    if (!ok) {
      complain(said.message);
      return null;
    }
    name = said.upload;
  }
  return name;
}

// `takes` maps each step's name to a function that takes the step, given the body that names the upload.
export function photosBy(takes) {
  document.addEventListener("change", async (event) => {
    const input = event.target.closest("[data-photo]");
    const [file] = input?.files ?? [];
    if (!file) return;
    input.value = ""; // so that the same one can be chosen again
    if (isSending) return;
    isSending = true;
    const said = input.closest("[data-phone]").querySelector("[data-sent]");
    complain("");
    try {
      const name = await upload(await shrunk(file), (percent) => {
        said.textContent = fill(said.dataset.words, { percent });
      });
      if (name) await takes[input.dataset.photo]({ upload: name });
    } finally {
      said.textContent = "";
      isSending = false;
    }
  });
}
