// What is known of a document, to be changed: its status, its version, who may see it, what it is about. The text stays.

import { get, pathOf, post, sentenceOf } from "./api.js";
import { parts } from "./dom.js";

const form = document.querySelector("#view-documents .about");
const field = (name) => form.elements.namedItem(name);
const LINES = ["title", "kind", "status", "version", "superseded_by"];
const LISTS = ["tags", "topics"];
/** What is sent back as it came. */
const KEPT = ["collection", "url", "date", "owner", "address"];

/** A card as it is sent back with a text. */
export const keptOf = (card) =>
  Object.fromEntries([["id", card.document_id], ...[...LINES, ...LISTS, ...KEPT].filter((name) => card[name]).map((name) => [name, card[name]])]);

let edited = null;

/** Opens the form for a card; `done` is told what became of it, and focus comes back to `from`. */
export function editDocument(card, from, done) {
  edited = { card, from, done };
  form.querySelector(".named").textContent = card.title;
  LINES.forEach((name) => { field(name).value = card[name] ?? ""; });
  LISTS.forEach((name) => { field(name).value = card[name].join(", "); });
  form.hidden = false;
  form.querySelector(".named").focus();
  form.scrollIntoView({ block: "center" });
}

function close() {
  form.hidden = true;
  edited?.from.focus();
  edited = null;
}

/** The whole document as it is to be: its text is read anew, so that nothing of it is lost. */
async function save() {
  const { card, done } = edited;
  let sentence = "Saved.";
  try {
    const read = await get(pathOf("/v1/documents", card.document_id));
    if (!read.ok) return done(await sentenceOf(read));
    const found = await read.json();
    if (found.has_places) {
      close();
      return done("This document has times or pages, which would be lost: change it where it came from, and ingest it again.");
    }
    const body = { ...keptOf(found), text: found.text };
    LINES.forEach((name) => { body[name] = field(name).value.trim() || null; });
    LISTS.forEach((name) => { body[name] = parts(field(name).value); });
    const response = await post("/v1/documents", body);
    if (!response.ok) sentence = await sentenceOf(response);
    else sentence = (await response.json()).failures?.[0]?.reason ?? sentence;
  } catch {
    sentence = "The server cannot be reached.";
  }
  close();
  return done(sentence);
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  save();
});
form.querySelector(".leave").addEventListener("click", close);
