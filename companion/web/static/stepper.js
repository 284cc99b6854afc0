// Choices and numbers with a button for less and one for more, so that no keyboard comes up on a phone.

import { element } from "./page.js";

// A choice among a few, one after another.
export function stepper(name, choices, now, mark, chosen) {
  const at = choices.indexOf(now);
  const button = (sign, by) => element("button", {
    "data-by": `${mark} ${by}`,
    "aria-label": `${name}: ${choices[at + by] ?? now}`,
    disabled: choices[at + by] === undefined,
    onclick: () => chosen(choices[at + by]),
  }, sign);
  const parts = [element("span", {}, name), button("−", -1), element("output", {}, now), button("+", 1)];
  return element("div", { className: "stepper", role: "group", "aria-label": name, "data-mark": mark }, ...parts);
}

// Puts the two buttons around a number's field, once. Their labels are its data attributes, its placeholder the first
// value.
export function stepped(field) {
  if (field.parentElement.classList.contains("stepper")) return;
  const group = element("span", { className: "stepper" });
  field.before(group);
  const button = (sign, name, by) => {
    const made = element("button", { "aria-label": name }, sign);
    made.addEventListener("click", (event) => {
      event.preventDefault(); // a label around it would focus the field
      const now = Number(field.value === "" ? field.placeholder : field.value) + by;
      field.value = Math.min(Math.max(now, Number(field.min)), Number(field.max));
      field.dispatchEvent(new Event("change", { bubbles: true }));
    });
    return made;
  };
  const less = button("−", field.dataset.less, -1);
  less.className = "less"; // only its style puts it before the field: a label around all three belongs to the first one
  group.append(field, less, button("+", field.dataset.more, 1));
}
