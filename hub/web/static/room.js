// The room: cards in view are fetched, and fetched again when their tables have changed.

import { ask, byId } from "./page.js";
import { listen } from "./news.js";

const MOST = 40; // cards in one request
const stale = new Set(); // in view, or nearly, and out of date
const near = new Set();
let isAsking = false;

const places = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (isIntersecting) near.add(target.id);
    else near.delete(target.id);
    if (isIntersecting && target.dataset.fresh !== "yes") stale.add(target.id);
  }
  renew();
}, { rootMargin: "400px" });

for (const place of document.querySelectorAll("#cards > li")) places.observe(place);

async function renew() {
  if (isAsking) return;
  isAsking = true;
  while (stale.size) {
    const some = [...stale].slice(0, MOST);
    const { ok, said } = await ask("/cards?of=" + some.map((id) => id.slice(1)).join(","));
    if (!ok) break;
    for (const id of some) {
      stale.delete(id);
      put(byId(id), said.cards[id.slice(1)]);
    }
  }
  isAsking = false;
  if (!performance.getEntriesByName("room").length) performance.mark("room");
}

function put(place, markup) {
  if (!place || markup === undefined) return;
  const isHeld = place.contains(document.activeElement);
  place.innerHTML = markup;
  place.dataset.fresh = "yes";
  if (isHeld) place.querySelector("a")?.focus();
}

listen((news) => {
  byId("summary").innerHTML = news.summary;
  if (news.tables !== document.querySelectorAll("#cards > li").length) return location.reload();
  for (const number of news.changed) {
    const place = byId("t" + number);
    if (!place) continue;
    place.dataset.fresh = "no";
    if (near.has(place.id)) stale.add(place.id);
  }
  renew();
});
