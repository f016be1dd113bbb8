// Passages to pick from: words in, and for each passage that is found the document, its section or the passage itself, one click from
// the sources of an entry.

import { drop, get, post, sentenceOf } from "./api.js";
import { button, element, styled } from "./dom.js";
import { plain, plainLine } from "./markdown.js";

const SHOWN = 8;
const WAIT_MS = 300;
const EXCERPT = 160;
/** So many documents are offered by their titles. */
const TITLED = 4;
const TITLE_CHARS_MAX = 200;
/** So many words tell a passage from the others of its document. */
const WORDS = 10;

/** A source as an entry keeps it: its document, and the heading, the words or the second of it. */
export function partsOf(reference) {
  const text = reference.trim();
  const found = text.match(/^(.*?) "(.*\S.*)"$/s) ?? text.match(/^(.*) t=(\d+)$/s);
  return found ? { target: found[1].trim(), within: found[2] } : { target: text, within: "" };
}

/** The documents whose titles hold what is typed; none where that cannot be looked up. */
async function titled(words) {
  try {
    const response = await get(`/v1/documents?${new URLSearchParams({ limit: TITLED, words: words.slice(0, TITLE_CHARS_MAX) })}`);
    if (response.ok) return (await response.json()).documents;
    drop(response);
  } catch { /* the passages say that the server cannot be reached */ }
  return [];
}

/** Looks for what is typed into a field, shows it in a place, and hands over each reference that is picked with the title of its document. */
export function offerPassages(field, place, pick) {
  let waiting = 0;
  let latest = 0;
  const look = async () => {
    const query = field.value.trim();
    latest += 1;
    const own = latest;
    if (!query) return place.replaceChildren();
    try {
      const [response, cards] = await Promise.all([post("/v1/search", { query, k: SHOWN }), titled(query)]);
      if (own !== latest) return null;
      if (!response.ok) return place.replaceChildren(element("p", await sentenceOf(response)));
      const { hits } = await response.json();
      const items = [...cards.map((card) => whole(card, pick)), ...hits.map((hit) => item(hit, pick))];
      return place.replaceChildren(items.length ? element("ul", ...items) : element("p", "Nothing was found."));
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

function choice(label, title, take) {
  const node = button(label, take, "link");
  node.setAttribute("aria-label", `${label} of ${title}`);
  return node;
}

/** A document that is found by its title. */
function whole(card, pick) {
  const take = () => pick(card.document_id, card.title);
  return element("li", element("strong", card.title), styled("p", "small", card.document_id), styled("p", "acts", choice("The document", card.title, take)));
}

function item(hit, pick) {
  const heading = hit.section.at(-1);
  const title = heading && heading !== hit.title ? `${hit.title} › ${plainLine(heading)}` : hit.title;
  const words = hit.text.split(/\s+/).filter(Boolean).slice(0, WORDS).join(" ");
  const quoted = (text) => `${hit.document_id} "${text}"`;
  const offer = (label, reference) => choice(label, title, () => pick(reference, hit.title));
  const acts = styled("p", "acts", offer("This passage", quoted(words)), " ", heading ? offer("This section", quoted(heading)) : "", " ", offer("The document", hit.document_id));
  return element("li", element("strong", title), styled("p", "small", plain(hit.text).slice(0, EXCERPT)), acts);
}
