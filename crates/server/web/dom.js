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

/** A button that does something once it is wanted twice; `name` says what it is about, and `more`, if given, looks up what to know before. */
export function surely([label, really], name, act, more) {
  const place = element("span");
  const named = (words, does) => {
    const node = button(words, does, "link");
    node.setAttribute("aria-label", `${words}: ${name}`);
    return node;
  };
  const first = named(label, () => {
    // The one that changes nothing comes first, so a double click does nothing.
    const keep = named("Go back", () => {
      place.replaceChildren(first);
      first.focus();
    });
    const known = styled("span", "small");
    known.setAttribute("role", "status");
    place.replaceChildren(keep, " ", named(really, act), " ", known);
    keep.focus();
    more?.().then((sentence) => { known.textContent = sentence; });
  });
  place.append(first);
  return place;
}

/** A sentence of our own, with what stands between backticks as code. */
export const spoken = (sentence) => sentence.split("`").map((part, at) => (at % 2 ? element("code", part) : part));

/** A part of a drawing. */
export function drawn(name, attributes, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  Object.entries(attributes).forEach(([key, value]) => node.setAttribute(key, String(value)));
  node.append(...children);
  return node;
}

/** A cell that says what it is where there is no head above it, on a narrow screen. */
export function named(name, ...children) {
  const cell = element("td", ...children);
  cell.dataset.name = name;
  return cell;
}

/** A table in a frame of its own, so that a wide one scrolls alone; one of entries has each below the other on a narrow screen. */
export function table(label, head, rows, className = "table") {
  const heads = element("tr", ...head.map((cell) => element("th", cell)));
  const bodies = rows.map((cells) => element("tr", ...cells.map((cell, at) => named(head[at], cell))));
  const frame = styled("div", className, element("table", element("thead", heads), element("tbody", ...bodies)));
  frame.tabIndex = 0;
  frame.setAttribute("role", "region");
  frame.setAttribute("aria-label", label);
  return frame;
}

/** What stands between the signs of a text, such as tags between commas. */
export const parts = (text, sign = ",") => text.split(sign).map((one) => one.trim()).filter(Boolean);
