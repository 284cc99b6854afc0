// What every page has: its language can be changed, and it can say that something is wrong.

const YEAR_S = 365 * 24 * 3600;

export function byId(id) {
  return document.getElementById(id);
}

export function say(sentence) {
  const lost = byId("lost");
  lost.textContent = sentence;
  lost.hidden = !sentence;
}

// Posts JSON; returns what was answered, {message, ...}, and whether it was done. Never throws.
export async function post(address, body) {
  try {
    const answer = await fetch(address, {
      method: "POST",
      headers: { "X-Strada": "1", "Content-Type": "application/json" },
      body: typeof body === "string" ? body : JSON.stringify(body ?? {}),
    });
    return { ok: answer.ok, status: answer.status, said: await answer.json() };
  } catch {
    return { ok: false, status: 0, said: { message: document.body.dataset.unreachable } };
  }
}

byId("language")?.addEventListener("change", (event) => {
  document.cookie = `language=${event.target.value}; path=/; max-age=${YEAR_S}; SameSite=Strict`;
  location.reload();
});
