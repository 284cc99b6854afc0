// The table is away: asks again and again, and returns to the requested page once the table answers.

const AGAIN_MS = 3000;
const ANSWER_MS = 5000;

async function look() {
  try {
    await fetch("/manifest.webmanifest", { cache: "no-store", signal: AbortSignal.timeout?.(ANSWER_MS) });
    location.reload();
  } catch {
    setTimeout(look, AGAIN_MS);
  }
}

setTimeout(look, AGAIN_MS);
document.getElementById("now").addEventListener("click", () => location.reload());
