// What is known of a document, to be changed: its status, its version, who may see it, what it is about. The text stays, and
// what is set here stays until a person changes it or the document's source says something else.

import { get, patch, pathOf, sentenceOf } from "./api.js";
import { element, parts } from "./dom.js";
import { isUnknown, pickDocument } from "./pick.js";

const sheet = document.querySelector("#view-documents .sheet");
const form = sheet.querySelector(".about");
const field = (name) => form.elements.namedItem(name);
const [byHand, told, submit] = [".by-hand", ".told", "[type=submit]"].map((name) => form.querySelector(name));
/** Lines that are never empty, and lines that may be. */
const NAMES = ["title", "kind"];
const LINES = ["status", "version", "superseded_by"];
const LISTS = ["tags", "topics"];

let edited = null;
/** A successor of which it was said that no document is called so. */
let doubted = null;

/** Opens the form for a card; `done` is told what became of it, and focus comes back to `from`. */
export function editDocument(card, from, done) {
  edited = { card, from, done };
  doubted = null;
  told.textContent = "";
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

/** What a successor that no document is called by is to be asked; once it was asked, what is written is meant. */
async function doubtOf({ superseded_by: name }) {
  if (!name || name === doubted || !(await isUnknown(name))) return "";
  doubted = name;
  return `No document has the address, id or title “${name}”. Type a part of its title to pick one, or save again to keep this.`;
}

/** What a fault says on a page, where a field of a request is a box to tick. */
const inWords = (sentence) =>
  sentence.startsWith("more people could see it") ? "More people could see it than now. Tick “Let more people see it than before” if that is intended." : sentence;

/** Why a card was not saved; nothing if it was. */
async function faultOf(card) {
  const wanted = changes(card);
  const doubt = await doubtOf(wanted);
  if (doubt) return doubt;
  try {
    const response = await patch(pathOf("/v1/documents", card.document_id), wanted);
    return response.ok ? "" : inWords(await sentenceOf(response));
  } catch {
    return "The server cannot be reached.";
  }
}

/** Saves and closes; where that fails, all that was written stays. */
async function save() {
  const own = edited;
  submit.disabled = true;
  told.textContent = "Saving…";
  const fault = await faultOf(own.card);
  submit.disabled = false;
  if (edited === own) told.textContent = fault;
  if (fault) return;
  if (edited === own) close();
  await own.done("Saved.");
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
