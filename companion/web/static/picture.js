// The result as a picture: drawn as a PNG on this device, then shared if the device can, else downloaded.

import { element, say } from "./page.js";

const KEPT_MS = 3000;

// `link` leads to the drawing; its data-name is the picture's name.
export async function handOn(link) {
  try {
    const picture = await drawn(link.href);
    const file = new File([picture], link.dataset.name, { type: picture.type });
    if (!(await shared(file))) keep(file, file.name, KEPT_MS);
  } catch {
    say(document.body.dataset.unreachable);
  }
}

// The drawing as a PNG, as large as it says it is.
export async function drawn(source) {
  const image = new Image();
  image.src = source;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.naturalWidth;
  canvas.height = image.naturalHeight;
  canvas.getContext("2d").drawImage(image, 0, 0);
  return new Promise((done, fail) => canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error())), "image/png"));
}

// Returns whether the sharing dialog was shown, which only secure pages may do. Anyone who cancels it wants no
// download.
async function shared(file) {
  if (!navigator.canShare?.({ files: [file] }) || matchMedia("(pointer: fine)").matches) return false;
  try {
    await navigator.share({ files: [file] });
    return true;
  } catch (error) {
    return error.name === "AbortError";
  }
}

export function keep(blob, name, ms) {
  const link = element("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), ms);
}
