// The vocabulary as a tree: the widest terms first, what is under each as it is opened, with its names and what it means.

import { get, sentenceOf } from "./api.js";
import { button, element, spoken } from "./dom.js";
import { onView } from "./views.js";

const view = document.getElementById("view-terms");
const part = (name) => view.querySelector(`.${name}`);
const [tree, state, more, look] = ["tree", "state", "more", "look"].map(part);

let next = null;
let latest = 0;

/** Concepts for these parameters; nothing, with the reason on the page, where there are none to have. */
async function found(params) {
  try {
    const response = await get(`/v1/concepts?${new URLSearchParams(params)}`);
    if (response.ok) return await response.json();
    state.textContent = await sentenceOf(response);
  } catch {
    state.textContent = "The server cannot be reached.";
  }
  return null;
}

const byName = (a, b) => a.name.localeCompare(b.name);

async function load(isAnew) {
  latest += 1;
  const own = latest;
  state.textContent = "Reading the terms…";
  const page = await found(isAnew || !next ? {} : { after: next });
  // Something else was asked for meanwhile.
  if (!page || own !== latest) return;
  if (isAnew) tree.replaceChildren();
  tree.append(...page.concepts.sort(byName).map((concept) => branch(concept, concept)));
  next = page.next;
  more.hidden = !next;
  state.replaceChildren(...spoken(inWords(page)));
}

const NONE = "No vocabulary is loaded. Import one with `vouch vocab import`.";

function inWords({ backend, can_list: canList, concepts }) {
  if (!backend) return NONE;
  if (!canList) return "This vocabulary is on another server and cannot be listed; look up a term instead.";
  return concepts.length ? "" : "The vocabulary has no terms.";
}

/** A term that opens; what it says is read when it does. */
function branch({ uri, name }, known = null) {
  const body = element("div");
  const node = element("details", element("summary", name), body);
  node.addEventListener("toggle", async () => {
    const concept = known ?? (await found({ term: uri }))?.concepts.find((one) => one.uri === uri);
    body.replaceChildren(...(concept ? told(concept) : [element("p", "This vocabulary does not have this term.")]));
  }, { once: true });
  return element("li", node);
}

function told(concept) {
  const facts = [
    ["Means", concept.definition],
    ["Used", concept.scope_note],
    ["Also called", names(concept)],
    ["Codes", concept.notations.join(", ")],
    ["Part of", concept.schemes.join(", ")],
  ];
  const list = element("dl", ...facts.filter(([, text]) => text).flatMap(([name, text]) => [element("dt", name), element("dd", text)]));
  for (const [name, links] of [["Wider", concept.broader], ["Related", concept.related]]) {
    if (links.length) list.append(element("dt", name), element("dd", ...links.flatMap((one) => [button(one.name, () => lookUp(one.uri), "link"), " "])));
  }
  const narrower = element("ul", ...concept.narrower.sort(byName).map((one) => branch(one)));
  return concept.narrower.length ? [list, narrower] : [list];
}

const names = (concept) =>
  concept.labels
    .filter((label) => label.text !== concept.name)
    .map((label) => (label.language ? `${label.text} (${label.language})` : label.text))
    .join(", ");

/** Shows what has this name or address, opened. */
async function lookUp(term) {
  latest += 1;
  const own = latest;
  state.textContent = "Looking it up…";
  const page = await found({ term });
  if (!page || own !== latest) return;
  const shown = page.concepts.map((concept) => branch(concept, concept));
  shown.forEach((item) => { item.firstElementChild.open = true; });
  const back = element("li", button("Back to all terms", () => load(true), "link"));
  tree.replaceChildren(...shown, back);
  more.hidden = true;
  const unknown = page.backend ? "The vocabulary does not know this term." : NONE;
  state.replaceChildren(...spoken(page.concepts.length ? "" : unknown));
}

look.addEventListener("submit", (event) => {
  event.preventDefault();
  const term = look.elements.namedItem("term").value.trim();
  if (term) lookUp(term);
  else load(true);
});
more.addEventListener("click", () => load(false));
onView("terms", () => load(true));
