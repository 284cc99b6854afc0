// A photograph that can be enlarged, with what is known drawn over it; rings that are dragged under a magnifier.

import { walk } from "./cells.js";
import { byId, element } from "./page.js";

const SVG = "http://www.w3.org/2000/svg";
const ZOOMS = [1, 1.6, 2.5, 4, 6];
const MOST_CELLS = 6; // how many are named in a sentence
const MAGNIFIED_PX = 60; // how many pixels of the photograph the magnifier shows
const UNMOVED_PX = 0.1; // places are sent to a tenth of a pixel
const KEY_MS = 700; // how long after the last arrow key a ring is let go
const STEPS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export function svg(name, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

export function word(key) {
  return byId("words").querySelector(`[data-word="${key}"]`)?.textContent ?? key;
}

export function fill(sentence, values) {
  return sentence.replace(/\{(\w+)\}/g, (whole, name) => written(values[name] ?? whole));
}

// A number as the page's language writes it, "0,6" in German.
function written(value) {
  return typeof value === "number" ? value.toLocaleString(document.documentElement.lang, { useGrouping: false }) : value;
}

// The names of cells in one line; if there are many, only the first.
export const named = (cells) => cells.slice(0, MOST_CELLS).join(", ") + (cells.length > MOST_CELLS ? " …" : "");

// The middle of an outline [x, y, x, y, ...].
export function middle(outline) {
  let x = 0;
  let y = 0;
  for (let k = 0; k < outline.length; k += 2) {
    x += outline[k];
    y += outline[k + 1];
  }
  return [(2 * x) / outline.length, (2 * y) / outline.length];
}

// The part [x, y, width, height] of a photograph that shows those outlines.
function around(outlines, [width, height]) {
  const ends = [Infinity, Infinity, -Infinity, -Infinity];
  for (const outline of outlines) {
    for (let k = 0; k < outline.length; k += 2) {
      const [x, y] = [outline[k], outline[k + 1]];
      [ends[0], ends[1]] = [Math.min(ends[0], x), Math.min(ends[1], y)];
      [ends[2], ends[3]] = [Math.max(ends[2], x), Math.max(ends[3], y)];
    }
  }
  const [left, top] = [Math.max(ends[0] - 12, 0), Math.max(ends[1] - 12, 0)];
  return [left, top, Math.min(ends[2] + 12, width) - left, Math.min(ends[3] + 12, height) - top];
}

export const path = (outline) =>
  "M" + Array.from({ length: outline.length / 2 }, (_, k) => `${outline[2 * k]} ${outline[2 * k + 1]}`).join("L") + "Z";

// A square cut from a photograph around a place.
export function cut(url, size, [x, y], reach) {
  const made = svg("svg", { viewBox: `${x - reach} ${y - reach} ${2 * reach} ${2 * reach}`, "aria-hidden": "true" });
  made.append(svg("image", { href: url, width: size[0], height: size[1] }));
  return made;
}

export class Stage {
  // At first all of the photograph is visible, even on a phone.
  constructor(place) {
    this.image = svg("image");
    this.over = svg("g");
    this.drawing = svg("svg", {}, this.image, this.over);
    this.view = element("div", { className: "view", tabIndex: 0 }, this.drawing);
    this.zoomAt = 0;
    const buttons = [this.button("−", "smaller", -1), this.button("+", "larger", 1)];
    const tools = element("div", { className: "zoom" }, ...buttons);
    place.replaceChildren(this.view, tools);
    addEventListener("resize", () => this.resize());
    this.pressed = () => {}; // called with the name of a cell that was tapped, or pressed by Enter or the space bar
    this.over.addEventListener("click", (event) => {
      const cell = event.target.closest("[data-cell]");
      if (cell) this.pressed(cell.dataset.cell);
    });
    walk(this.over, (cell) => this.pressed(cell));
  }

  // A cell as a button. Tab reaches one of them, and from there the arrow keys reach the others.
  cell(name, outline) {
    const isFirst = !this.over.querySelector("[data-cell]");
    const [x, y] = middle(outline);
    const d = path(outline.map((at, k) => at - (k % 2 ? y : x)));
    const transform = `translate(${x} ${y})`;
    const made = svg("path", { class: "cell", d, transform, "data-cell": name, role: "button", tabindex: isFirst ? 0 : -1 });
    this.over.append(made);
    return made;
  }

  button(sign, name, step) {
    return element("button", { "aria-label": word(name), onclick: () => this.zoom(step) }, sign);
  }

  // Shows a photograph of that size, [width, height]; if `cells` are given, only the part around them.
  show(url, size, cells = null) {
    if (this.url === url) return;
    this.url = url;
    this.size = size;
    this.part = cells ? around(Object.values(cells), size) : [0, 0, ...size];
    this.drawing.setAttribute("viewBox", this.part.join(" "));
    for (const [key, value] of Object.entries({ href: url, width: size[0], height: size[1] })) this.image.setAttribute(key, value);
    this.resize();
  }

  resize() {
    if (!this.size) return;
    const room = this.view.clientWidth;
    const whole = innerWidth < 600 ? room : Math.min(room, (0.72 * innerHeight * this.part[2]) / this.part[3]);
    const width = whole * ZOOMS[this.zoomAt];
    this.drawing.style.width = width + "px";
    this.drawing.style.height = (width * this.part[3]) / this.part[2] + "px";
  }

  zoom(step) {
    const [x, y] = [
      (this.view.scrollLeft + this.view.clientWidth / 2) / this.drawing.clientWidth,
      (this.view.scrollTop + this.view.clientHeight / 2) / this.drawing.clientHeight,
    ];
    this.zoomAt = Math.min(Math.max(this.zoomAt + step, 0), ZOOMS.length - 1);
    this.resize();
    this.view.scrollLeft = x * this.drawing.clientWidth - this.view.clientWidth / 2;
    this.view.scrollTop = y * this.drawing.clientHeight - this.view.clientHeight / 2;
  }

  // How many pixels of the photograph make one on the screen.
  get scale() {
    return this.part[2] / Math.max(this.drawing.clientWidth, 1);
  }

  place(event) {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.drawing.getScreenCTM().inverse());
    return [at.x, at.y];
  }

  // A ring that can be dragged, or moved by the arrow keys; `moved` is called when it was let go somewhere else.
  // Anything else that moves it, by its `move`, waits while somebody holds it.
  handle(label, at, moved, radius = 18) {
    const group = svg("g", { class: "handle", tabindex: "0", role: "button", "aria-label": label });
    const put = ([x, y]) => {
      group.place = [Math.min(Math.max(x, 0), this.size[0] - 1), Math.min(Math.max(y, 0), this.size[1] - 1)];
      group.setAttribute("transform", `translate(${group.place[0]} ${group.place[1]})`);
    };
    const reach = Math.max(24 * this.scale, radius);
    radius = Math.max(10 * this.scale, radius); // on a phone, where the photograph is small
    const text = svg("text", { y: -radius - 4, "font-size": Math.max(13 * this.scale, 12) });
    text.textContent = label;
    group.append(
      svg("circle", { class: "reach", r: reach }),
      svg("circle", { class: "ring", r: radius }),
      svg("circle", { class: "inner", r: radius }),
      svg("circle", { class: "dot", r: 2 }),
      text,
    );
    put(at);
    group.move = (place) => {
      if (!group.held) put(place);
    };
    this.listen(group, put, moved);
    this.over.append(group);
    return group;
  }

  listen(group, put, moved) {
    let off = null;
    let waiting = 0;
    const hold = () => {
      clearTimeout(waiting);
      group.held ??= group.place;
    };
    const letGo = () => {
      if (!group.held) return;
      const [x, y] = group.held;
      group.held = null;
      if (Math.hypot(group.place[0] - x, group.place[1] - y) > UNMOVED_PX) moved();
    };
    group.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      group.focus({ preventScroll: true });
      group.setPointerCapture(event.pointerId);
      const [x, y] = this.place(event);
      off = [group.place[0] - x, group.place[1] - y];
      hold();
      group.classList.add("dragging");
      this.magnify(group.place);
    });
    group.addEventListener("pointermove", (event) => {
      if (!off) return;
      const [x, y] = this.place(event);
      put([x + off[0], y + off[1]]);
      this.magnify(group.place);
    });
    for (const end of ["pointerup", "pointercancel"]) {
      group.addEventListener(end, () => {
        if (!off) return;
        off = null;
        group.classList.remove("dragging");
        this.magnify(null);
        letGo();
      });
    }
    group.addEventListener("keydown", (event) => {
      const step = STEPS[event.key];
      if (!step) return;
      event.preventDefault();
      hold();
      const far = event.shiftKey ? 10 : 1;
      put([group.place[0] + far * step[0], group.place[1] + far * step[1]]);
      this.magnify(group.place);
      waiting = setTimeout(letGo, KEY_MS);
    });
    group.addEventListener("blur", () => this.magnify(null));
  }

  magnify(at) {
    const glass = byId("magnifier");
    glass.toggleAttribute("hidden", at === null);
    if (at === null) return;
    const half = MAGNIFIED_PX / 2;
    const [x, y] = at;
    glass.setAttribute("viewBox", `${x - half} ${y - half} ${MAGNIFIED_PX} ${MAGNIFIED_PX}`);
    const box = this.view.getBoundingClientRect();
    const across = (((x - this.part[0]) / this.part[2]) * this.drawing.clientWidth - this.view.scrollLeft) / box.width;
    glass.classList.toggle("left", across > 0.5);
    glass.replaceChildren(
      svg("image", { href: this.url, width: this.size[0], height: this.size[1] }),
      svg("line", { x1: x - half, x2: x + half, y1: y, y2: y }),
      svg("line", { x1: x, x2: x, y1: y - half, y2: y + half }),
    );
  }
}
