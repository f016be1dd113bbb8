// A name and what goes into it → a node. Text becomes text and never markup.

export function element(name, ...children) {
  const node = document.createElement(name);
  node.append(...children);
  return node;
}

/** The same with a class. */
export function styled(name, className, ...children) {
  const node = element(name, ...children);
  node.className = className;
  return node;
}

/** A button that does something when it is pressed. */
export function button(label, act, className = "") {
  const node = styled("button", className, label);
  node.type = "button";
  if (act) node.addEventListener("click", () => act(node));
  return node;
}
