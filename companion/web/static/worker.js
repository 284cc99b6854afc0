// Answers for the table while it cannot be reached, with one page that was stored beforehand. Everything else goes to
// the table as usual. This script's address has the language and the version in it: if either changes, browsers install
// it again.

const SHELL = "strada-away";
const PAGE = "/away";
const PARTS = ["icon.svg", "base.css", "dark.css", "away.js"].map((name) => "/static/" + name);
const PATIENCE_MS = 8000; // a table that is switched off does not even refuse

async function keep() {
  const shell = await caches.open(SHELL);
  await shell.addAll([PAGE, ...PARTS].map((each) => new Request(each, { cache: "reload" })));
}

async function page(request) {
  try {
    return await fetch(request, { signal: AbortSignal.timeout?.(PATIENCE_MS) });
  } catch {
    return (await caches.match(PAGE)) ?? Response.error();
  }
}

// The newest there is; the stored one only if the table is away.
async function part(request) {
  try {
    return await fetch(request, { signal: AbortSignal.timeout?.(PATIENCE_MS) });
  } catch {
    return (await caches.match(request)) ?? Response.error();
  }
}

addEventListener("install", (event) => {
  skipWaiting();
  event.waitUntil(keep());
});
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET") return;
  const { origin, pathname, search } = new URL(request.url);
  if (request.mode === "navigate") event.respondWith(page(request));
  else if (origin === location.origin && !search && PARTS.includes(pathname)) event.respondWith(part(request));
});
