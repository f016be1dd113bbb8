// The documents that may be seen: a list to look through and to search, each one click away, and a place to drop new ones.

import { drop, get, pathOf, postFile, remove, sentenceOf } from "./api.js";
import { editDocument } from "./document-form.js";
import { button, element, named, parts, styled, surely } from "./dom.js";
import { isCalled } from "./pick.js";
import { partsOf } from "./picker.js";
import { openSource } from "./source.js";
import { me, onView } from "./views.js";
import { tellTotal } from "./welcome.js";

const PAGE = 100;
const WAIT_MS = 250;
const FILE_BYTES_MAX = 32 * 1024 * 1024;

const view = document.getElementById("view-documents");
const part = (name) => view.querySelector(`.${name}`);
const [rows, more, state, words, kind, files, outcome] = ["rows", "more", "state", "words", "kind", "files", "outcome"].map(part);

let after = null;
let total = 0;
let latest = 0;
let waiting = 0;

async function load(isAnew) {
  latest += 1;
  const own = latest;
  if (isAnew) after = null;
  const asked = new URLSearchParams({ limit: PAGE });
  if (after) asked.set("after", after);
  if (kind.value) asked.set("kind", kind.value);
  if (words.value.trim()) asked.set("words", words.value.trim());
  const isAll = !kind.value && !words.value.trim();
  state.textContent = "Reading the list…";
  try {
    const response = await get(`/v1/documents?${asked}`);
    if (!response.ok) {
      state.textContent = await sentenceOf(response);
      return;
    }
    const page = await response.json();
    // Another list was asked for meanwhile.
    if (own !== latest) return;
    if (isAnew) {
      rows.replaceChildren();
      total = page.total;
      if (isAll) tellTotal(total);
    }
    rows.append(...page.documents.map(row));
    after = page.next;
    more.hidden = !after;
    offerKinds(page.documents);
    state.textContent = told(rows.childElementCount, isAll);
  } catch {
    state.textContent = "The server cannot be reached.";
  }
}

function told(count, isAll) {
  if (total === 0) return isAll ? "There are no documents yet." : "No documents match.";
  const all = total === 1 ? "One document" : `${total.toLocaleString("en")} documents`;
  return count < total ? `The first ${count} of ${all}.` : `${all}.`;
}

/** Kinds that were seen can be chosen from then on. */
function offerKinds(cards) {
  const known = new Set([...kind.options].map((option) => option.value.toLowerCase()));
  for (const { kind: name } of cards) {
    if (known.has(name.toLowerCase())) continue;
    known.add(name.toLowerCase());
    kind.add(new Option(name));
  }
}

function row(card) {
  const whole = { document_id: card.document_id, document_name: card.title, locator: card.address, version: card.version, updated: card.date };
  const open = button(card.title, (from) => openSource(whole, from), "link");
  const about = [card.status, card.superseded_by && `superseded by ${card.superseded_by}`, card.version && `version ${card.version}`, card.date];
  const acts = me.isAdmin ? [styled("span", "acts", button("Change", (from) => editDocument(card, from, changed), "link"), surely(["Remove", "Yes, remove"], card.title, () => takeOut(card), () => reliance(card)))] : [];
  const cells = [
    named("Title", open, element("br"), styled("span", "small", card.document_id), ...acts),
    named("Kind", card.kind),
    named("State", about.filter(Boolean).join(" · ")),
    named("Who may see it", card.tags.length ? card.tags.join(", ") : "everyone"),
    named("Topics", card.topics.join(", ")),
  ];
  return element("tr", ...cells);
}

async function changed(sentence) {
  await load(true);
  state.textContent = sentence;
}

/** The entries of the memory; none where they cannot be read. */
async function entries() {
  const found = [];
  let next = "";
  try {
    do {
      const response = await get(`/v1/memory?${new URLSearchParams({ limit: 1000, after: next })}`);
      if (!response.ok) {
        drop(response);
        return found;
      }
      const page = await response.json();
      found.push(...page.entries);
      next = page.next;
    } while (next);
  } catch { /* what is not known is not said */ }
  return found;
}

/** What relies on a document, in a sentence; nothing if nothing does. */
async function reliance(card) {
  const relying = (await entries()).filter((entry) => entry.references.some((one) => isCalled(card, partsOf(one).target)));
  const counted = (kind, name) => {
    const count = relying.filter((entry) => entry.kind === kind).length;
    return count ? [`${count} ${name}${count === 1 ? "" : "s"}`] : [];
  };
  const told = [...counted("pinned", "pinned answer"), ...counted("note", "note")].join(" and ");
  return told && `${told} ${relying.length === 1 ? "relies" : "rely"} on it.`;
}

async function takeOut(card) {
  const gone = `${card.title} is removed. If its file is still in the folder, the next ingest brings it back.`;
  try {
    const response = await remove(pathOf("/v1/documents", card.document_id));
    await changed(response.ok ? gone : await sentenceOf(response));
  } catch {
    state.textContent = "The server cannot be reached.";
  }
}

/** Files one after another, each with its own outcome; one that fails stops no other. */
async function add(list) {
  outcome.replaceChildren();
  let number = 0;
  for (const file of list) {
    number += 1;
    state.textContent = `File ${number} of ${list.length}…`;
    const item = element("li", `${file.name}: being added…`);
    outcome.append(item);
    const [became, told] = await addOne(file, askIn(item, file));
    item.textContent = `${file.name}: ${told}`;
    item.className = became;
  }
  await load(true);
}

/** What became of a file: `done`, `failed` or `left-out`, and what is to be said of it. Where a document has its name, `ask` finds out
 * whether the file is a new version of that. */
async function addOne(file, ask, sameName) {
  if (sameName === "left_out") return ["left-out", "left out"];
  if (file.size > FILE_BYTES_MAX) return ["failed", "is too large to add here; use `vouch ingest`"];
  try {
    const there = await get(`/v1/documents?${new URLSearchParams({ id: file.name })}`);
    if (!there.ok) return ["failed", await sentenceOf(there)];
    const [known] = (await there.json()).documents;
    if (!sameName && (await isOneOf(await othersOf(file.name), file))) return ["done", "unchanged"];
    const response = await sendWhole(sameName === "another_document" ? null : known, file, sameName);
    if (response.status === 409) return addOne(file, ask, await ask(known));
    if (!response.ok) return ["failed", await sentenceOf(response)];
    const told = await response.json();
    if (told.failures.length) return ["failed", told.failures[0].reason];
    return ["done", [outcomeOf(told, sameName === "new_version" ? known : null), ...told.warnings].join("; ")];
  } catch {
    return ["failed", "the server cannot be reached"];
  }
}

/** What was done with the documents of a file; a file of several has each of them counted. */
function outcomeOf({ added, updated, unchanged }, known) {
  if (added + updated + unchanged > 1) {
    return [["added", added], ["new versions", updated], ["unchanged", unchanged]].filter(([, count]) => count).map(([name, count]) => `${count} ${name}`).join(", ");
  }
  if (updated) return known ? `new version of “${known.title}”` : "updated";
  return unchanged ? "unchanged" : "added";
}

/** The other documents of a name: each has a sign in brackets behind it. */
async function othersOf(name) {
  const response = await get(`/v1/documents?${new URLSearchParams({ limit: PAGE, words: name })}`);
  if (!response.ok) {
    drop(response);
    return [];
  }
  return (await response.json()).documents.filter((card) => card.document_id.startsWith(`${name} (`));
}

/** Whether a file is one of these documents as it is. What is known of the document that has the name must not be sent for another. */
async function isOneOf(others, file) {
  const text = others.length ? (await file.text()).trim() : "";
  for (const { document_id: id } of others) {
    const response = await get(pathOf("/v1/documents", id));
    if (!response.ok) drop(response);
    else if ((await response.json()).text.trim() === text) return true;
  }
  return false;
}

/** Asks whether a file is a new version of the document that has its name. */
const askIn = (item, file) => async (known) => {
  const others = (await othersOf(file.name)).map((card) => `“${card.title}”`);
  return new Promise((answer) => showChoices(item, file, { known, others, answer }));
};

/** Only the document whose name it is can be given a new version; another of that name is replaced by hand. */
function showChoices(item, file, { known, others, answer }) {
  const choose = (label, word) => button(label, () => {
    item.textContent = `${file.name}: being added…`;
    answer(word);
  });
  const question = `${file.name}: a document with this name${known ? `, “${known.title}”,` : ""} already exists and has different text. `;
  const beside = others.length ? `So ${others.length === 1 ? "has" : "have"} ${others.join(", ")}: to replace one of these, choose “It is another document” and remove the old one. ` : "";
  const version = choose(known ? `It is a new version of “${known.title}”` : "It is a new version", "new_version");
  item.replaceChildren(question, beside, version, " ", choose("It is another document", "another_document"), " ", choose("Leave it out", "left_out"));
}

/** A file as it is. A document that is there stays with those who see it; of a new one the field beside says who may. */
async function sendWhole(known, file, sameName) {
  const asked = new URLSearchParams({ name: file.name });
  if (sameName) asked.set("same_name", sameName);
  if (known) {
    asked.set("tags", known.tags.join(","));
    asked.set("kind", known.kind);
    asked.set("collection", known.collection);
  } else {
    asked.set("tags", parts(part("tags").value).join(","));
  }
  return postFile(`/v1/files?${asked}`, file);
}

part("pick").addEventListener("change", (event) => {
  add([...event.target.files]);
  event.target.value = "";
});
for (const name of ["dragenter", "dragover"]) {
  files.addEventListener(name, (event) => {
    event.preventDefault();
    files.classList.add("over");
  });
}
files.addEventListener("dragleave", () => files.classList.remove("over"));
files.addEventListener("drop", (event) => {
  event.preventDefault();
  files.classList.remove("over");
  add([...event.dataTransfer.files]);
});
more.addEventListener("click", () => load(false));
part("filter").addEventListener("submit", (event) => {
  event.preventDefault();
  load(true);
});
words.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(() => load(true), WAIT_MS);
});
kind.addEventListener("change", () => load(true));
addEventListener("known", () => {
  part("tags").value = (me.tags ?? []).join(", ");
});
onView("documents", () => load(true));
