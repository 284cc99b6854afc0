// Keeps the screen awake. Only secure pages can do this, and this machine's own count as secure. A hidden page lets go.

let isWanted = false;
let lock = null;

async function hold() {
  if (!isWanted || document.hidden || (lock && !lock.released)) return;
  try {
    lock = (await navigator.wakeLock?.request("screen")) ?? null;
    if (!isWanted) await lock?.release(); // it came too late
  } catch { /* the device saves its battery */ }
}

export function keepAwake(wanted) {
  isWanted = wanted;
  if (wanted) hold();
  else lock?.release();
}

document.addEventListener("visibilitychange", hold);
