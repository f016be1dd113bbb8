// What is known of a document, to be changed: its status, its version, who may see it, what it is about. The text stays, and
// what is set here stays until a person changes it or the document's source says something else.

import { get, patch, pathOf, sentenceOf } from "./api.js";
import { element, parts } from "./dom.js";
import { pickDocument } from "./pick.js";

const sheet = document.querySelector("#view-documents .sheet");
const form = sheet.querySelector(".about");
const field = (name) => form.elements.namedItem(name);
const byHand = form.querySelector(".by-hand");
/** Lines that are never empty, and lines that may be. */
const NAMES = ["title", "kind"];
const LINES = ["status", "version", "superseded_by"];
const LISTS = ["tags", "topics"];

let edited = null;

/** Opens the form for a card; `done` is told what became of it, and focus comes back to `from`. */
export function editDocument(card, from, done) {
  edited = { card, from, done };
  form.querySelector(".named").textContent = card.title;
  [...NAMES, ...LINES].forEach((name) => { field(name).value = card[name] ?? ""; });
  LISTS.forEach((name) => { field(name).value = card[name].join(", "); });
  field("open").checked = false;
  byHand.replaceChildren();
  successors.hide();
  sheet.showModal();
  form.querySelector(".named").focus();
  showEdits(card);
}

/** What was set by hand, beside what the document says itself. */
async function showEdits(card) {
  try {
    const read = await get(pathOf("/v1/documents", card.document_id));
    if (!read.ok || edited?.card !== card) return;
    const { edits } = await read.json();
    const shown = (value) => (value === null ? "nothing" : `“${value}”`);
    byHand.replaceChildren(...edits.map(({ field: name, value, stated, set_by: by }) =>
      element("li", `${name.replace("_", " ")}: ${shown(value)}, set by ${by}; the document itself says ${shown(stated)}`)));
  } catch {
    // The form works without.
  }
}

const close = () => sheet.close();

sheet.addEventListener("close", () => {
  edited?.from.focus();
  edited = null;
});

/** The fields that differ from what the card said. */
function changes(card) {
  const body = {};
  NAMES.forEach((name) => { if (field(name).value.trim() !== card[name]) body[name] = field(name).value.trim(); });
  LINES.forEach((name) => { if (field(name).value.trim() !== (card[name] ?? "")) body[name] = field(name).value.trim() || null; });
  LISTS.forEach((name) => {
    const names = parts(field(name).value);
    if (names.join("\n") !== card[name].join("\n")) body[name] = names;
  });
  if (field("open").checked) body.open = true;
  return body;
}

async function save() {
  const { card, done } = edited;
  let sentence = "Saved.";
  try {
    const response = await patch(pathOf("/v1/documents", card.document_id), changes(card));
    if (!response.ok) sentence = await sentenceOf(response);
  } catch {
    sentence = "The server cannot be reached.";
  }
  close();
  return done(sentence);
}

// A document is superseded by the address of another, so only those that have one can be taken.
const successors = pickDocument(field("superseded_by"), form.querySelector(".successors"), {
  take: (card) => { field("superseded_by").value = card.address; },
  fits: (card) => Boolean(card.address) && card.document_id !== edited?.card.document_id,
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  save();
});
form.querySelector(".leave").addEventListener("click", close);
