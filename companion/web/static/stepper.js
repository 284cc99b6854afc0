// Choices and numbers with a button for less and one for more, so that no keyboard comes up on a phone.

// A choice among a few, one after another.
export function stepper(name, choices, now, mark, chosen) {
  const group = document.createElement("div");
  group.className = "stepper";
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", name);
  group.dataset.mark = mark;
  const at = choices.indexOf(now);
  const said = document.createElement("output");
  said.textContent = now;
  const button = (sign, by) => {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = sign;
    made.dataset.by = `${mark} ${by}`;
    made.setAttribute("aria-label", `${name}: ${choices[at + by] ?? now}`);
    made.disabled = choices[at + by] === undefined;
    made.addEventListener("click", () => chosen(choices[at + by]));
    return made;
  };
  const label = document.createElement("span");
  label.textContent = name;
  group.append(label, button("−", -1), said, button("+", 1));
  return group;
}

// Puts the two buttons around a number's field, once. Their labels are its data attributes, its placeholder the first
// value.
export function stepped(field) {
  if (field.parentElement.classList.contains("stepper")) return;
  const group = document.createElement("span");
  group.className = "stepper";
  field.before(group);
  const button = (sign, name, by) => {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = sign;
    made.setAttribute("aria-label", name);
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
