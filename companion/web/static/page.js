// What every page has: a menu, ways to change its language and its look, and a place to say that something is wrong.

const YEAR_S = 365 * 24 * 3600;

export function byId(id) {
  return document.getElementById(id);
}

// Makes an element with these properties and attributes (a role, and whatever has a hyphen), and with what is in it.
export function element(kind, about = {}, ...within) {
  const made = document.createElement(kind);
  if (kind === "button") made.type = "button";
  for (const [name, value] of Object.entries(about)) {
    if (name === "role" || name.includes("-")) made.setAttribute(name, value);
    else made[name] = value;
  }
  made.append(...within);
  return made;
}

export function say(sentence) {
  const lost = byId("lost");
  lost.textContent = sentence;
  lost.hidden = !sentence;
}

const TOLD_MS = 6000;
let told = 0;

// Shows a message for a while.
export function tell(sentence) {
  clearTimeout(told);
  byId("told").textContent = sentence;
  told = setTimeout(() => { byId("told").textContent = ""; }, TOLD_MS);
}

// What this device was asked to do, stored on it. Never throws: some browsers store nothing.
export function remembered(name) {
  try {
    return localStorage.getItem(name) === "on";
  } catch {
    return false;
  }
}

export function remember(name, isOn) {
  try {
    localStorage.setItem(name, isOn ? "on" : "off");
  } catch {
    // it lasts until the page is left
  }
}

const ANSWER_MS = 10000; // a table that has not answered by then is out of reach

// Requests JSON. Returns the answer, {message, ...}, and whether it was done. Never throws, and never waits for ever.
export async function ask(address, options = {}, most = ANSWER_MS) {
  try {
    const answer = await fetch(address, { ...options, signal: AbortSignal.timeout?.(most) }); // old TVs lack this
    return { ok: answer.ok, status: answer.status, said: await answer.json() };
  } catch {
    return { ok: false, status: 0, said: { message: document.body.dataset.unreachable } };
  }
}

// Posts JSON, with the state of the books that the page shows. Answers as `ask` does.
export function post(address, body) {
  const books = byId("books")?.dataset.books ?? "";
  return ask(address, {
    method: "POST",
    headers: { "X-Strada": "1", "X-Books": books, "Content-Type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body ?? {}),
  });
}

// Signing out applies to all windows of a browser: none goes on showing what a keeper sees.
const windows = "BroadcastChannel" in globalThis ? new BroadcastChannel("strada-keeper") : null;
windows?.addEventListener("message", () => location.reload());

export async function signOut() {
  const { ok, said } = await ask("/keeper/session", { method: "DELETE", headers: { "X-Strada": "1" } });
  if (!ok) return tell(said.message);
  windows?.postMessage("signed out");
  location.reload();
}

function keep(name, value) {
  document.cookie = `${name}=${value}; path=/; max-age=${YEAR_S}; SameSite=Strict`;
}

byId("language")?.addEventListener("change", (event) => {
  keep("language", event.target.value);
  location.reload();
});

byId("look")?.addEventListener("change", (event) => {
  const { value, selectedOptions } = event.target;
  keep("look", value);
  byId("dark").media = selectedOptions[0].dataset.dark;
  document.querySelector("meta[name=color-scheme]").content = value || "light dark";
});

function openMenu(isOpen) {
  byId("menu").classList.toggle("open", isOpen);
  byId("menu-button").setAttribute("aria-expanded", String(isOpen));
}

const isMenuOpen = () => byId("menu")?.classList.contains("open");

byId("menu-button")?.addEventListener("click", () => openMenu(!isMenuOpen()));
document.addEventListener("click", (event) => {
  if (isMenuOpen() && !event.target.closest("#menu, #menu-button")) openMenu(false);
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !isMenuOpen()) return;
  openMenu(false);
  byId("menu-button").focus();
});
