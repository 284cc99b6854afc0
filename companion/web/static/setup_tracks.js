// The day tracks: where they are on the frame, corrected by their ends, and checked once more before saving.

import { byId } from "./page.js";
import { Stage, fill, svg, word } from "./setup_stage.js";
import { stepper } from "./stepper.js";

const FIELDS = ["–", ...Array(11).keys()]; // a day track's fields: none, and 0 to 10

let state = null;
let act = async () => {};
let redraw = () => {};
let view = null;
let track = ""; // the colour whose ends are shown
let laid = ""; // the photograph and the colour that they belong to
let laying = 0; // how many moves of a track's ends have not been answered yet
let fields = null;
let ends = {};

// `steps` takes a step; `drawn` is called to redraw the step if it is still the tracks'.
export function tracksBy(steps, drawn) {
  [act, redraw] = [steps, drawn];
}

export function chooseTrack(color) {
  track = color;
}

// The places between two ends, from field 1 to 9, as circles.
const between = ([first, last], radius) => Array.from({ length: 9 }, (_, k) => {
  const [cx, cy] = [0, 1].map((axis) => first[axis] + ((last[axis] - first[axis]) * (k + 1)) / 10);
  return svg("circle", { class: "dot-site", cx, cy, r: radius });
});

export function showTracks(now, photo) {
  state = now;
  view ??= new Stage(byId("track-stage"), true);
  view.show(photo, state.size);
  track = state.colors.includes(track) ? track : state.colors[0];
  for (const button of document.querySelectorAll("[data-track]")) {
    button.hidden = !state.colors.includes(button.dataset.track);
    button.setAttribute("aria-pressed", String(button.dataset.track === track));
  }
  const [width, height] = state.size;
  const places = state.tracks[track] ?? { 0: [width * 0.1, height * 0.3], 10: [width * 0.1, height * 0.7] };
  if (laid !== state.photo + track) lay(places);
  if (laying === 0) for (const field of [0, 10]) ends[field].move(places[field]);
  fields.replaceChildren(...between([ends[0].place, ends[10].place], 9));
  showMarkers();
}

function lay(places) {
  laid = state.photo + track;
  fields = svg("g");
  view.over.replaceChildren(fields);
  const color = track;
  const handles = {};
  const moved = async () => {
    const now = { 0: handles[0].place, 10: handles[10].place };
    laying += 1;
    await act("tracks", () => ({ ...state.tracks, [color]: now }));
    laying -= 1;
    redraw();
  };
  for (const field of [0, 10]) handles[field] = view.handle(`${word("color-" + color)} ${field}`, places[field], moved, 16);
  ends = handles;
  handles[0].scrollIntoView({ block: "nearest", inline: "center" });
}

// The field of each marker, in each photograph.
function showMarkers() {
  byId("markers").replaceChildren(...state.lessons.flatMap((lesson, photo) =>
    Object.entries(lesson.markers).map(([color, at]) => {
      const said = word("color-" + color);
      const name = fill(word("marker-on"), { color: said });
      return stepper(name, FIELDS, at ?? "–", `${photo} ${color}`, (field) =>
        act("mark", { photo, color, field: field === "–" ? null : field }));
    })));
}

// Before saving: all tracks on the photograph of the pieces, from 0 to 10, with each marker's field filled.
export function showTracksAgain(now) {
  const [lesson] = now.lessons;
  byId("tracks-again").hidden = !now.sure_tracks;
  if (!now.sure_tracks) return;
  const drawing = byId("tracks-seen");
  const [width, height] = now.size;
  const radius = width / 110;
  drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const lines = Object.entries(lesson.fields).flatMap(([color, places]) => [
    svg("polyline", { class: "track-under", points: places.join(" ") }),
    svg("polyline", { class: `track ${color}`, points: places.join(" ") }),
    ...places.map(([cx, cy], field) => svg("circle", {
      class: `field ${color}${lesson.markers[color] === field ? " full" : ""}`, cx, cy, r: radius,
    })),
    ...[0, 10].map((field) => {
      const [x, y] = places[field];
      const number = svg("text", { class: "mark", x, y: y - 1.6 * radius, "font-size": 3 * radius });
      number.textContent = field;
      return number;
    }),
  ]);
  const image = svg("image", { href: `/setup/photo/1.jpg?v=${lesson.photo}`, width, height });
  drawing.replaceChildren(image, ...lines);
}
