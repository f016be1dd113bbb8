// Passages to pick from: words in, and for each passage that is found the document, its section or the passage itself, one click from
// the sources of an entry.

import { post, sentenceOf } from "./api.js";
import { button, element, styled } from "./dom.js";

const SHOWN = 8;
const WAIT_MS = 300;
const EXCERPT = 160;
/** So many words tell a passage from the others of its document. */
const WORDS = 10;

/** Looks for what is typed into a field, shows it in a place, and hands over each reference that is picked. */
export function offerPassages(field, place, pick) {
  let waiting = 0;
  let latest = 0;
  const look = async () => {
    const query = field.value.trim();
    latest += 1;
    const own = latest;
    if (!query) return place.replaceChildren();
    try {
      const response = await post("/v1/search", { query, k: SHOWN });
      if (own !== latest) return null;
      if (!response.ok) return place.replaceChildren(element("p", await sentenceOf(response)));
      const { hits } = await response.json();
      return place.replaceChildren(hits.length ? element("ul", ...hits.map((hit) => item(hit, pick))) : element("p", "Nothing was found."));
    } catch {
      return place.replaceChildren(element("p", "The server cannot be reached."));
    }
  };
  field.addEventListener("input", (event) => {
    event.stopPropagation();
    clearTimeout(waiting);
    waiting = setTimeout(look, WAIT_MS);
  });
  field.addEventListener("keydown", (event) => {
    // Enter looks at once, and does not keep the entry.
    if (event.key !== "Enter") return;
    event.preventDefault();
    clearTimeout(waiting);
    look();
  });
}

function item(hit, pick) {
  const heading = hit.section.at(-1);
  const title = heading && heading !== hit.title ? `${hit.title} › ${heading}` : hit.title;
  const words = hit.text.split(/\s+/).filter(Boolean).slice(0, WORDS).join(" ");
  const quoted = (text) => `${hit.document_id} "${text}"`;
  const choice = (label, reference) => {
    const node = button(label, () => pick(reference), "link");
    node.setAttribute("aria-label", `${label} of ${title}`);
    return node;
  };
  const acts = styled("p", "acts", choice("This passage", quoted(words)), " ", heading ? choice("This section", quoted(heading)) : "", " ", choice("The document", hit.document_id));
  return element("li", element("strong", title), styled("p", "small", hit.text.slice(0, EXCERPT)), acts);
}
