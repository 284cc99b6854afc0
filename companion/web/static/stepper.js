// A choice among few, one after another, with a button for less and one for more: no keyboard comes up on a phone.

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
