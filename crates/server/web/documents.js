// The documents that may be seen: a list to look through and to search, each one click away, and a place to drop new ones.

import { get, pathOf, postFile, remove, sentenceOf } from "./api.js";
import { editDocument } from "./document-form.js";
import { button, element, named, parts, styled, surely } from "./dom.js";
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
  const acts = me.isAdmin ? [styled("span", "acts", button("Change", (from) => editDocument(card, from, changed), "link"), surely(["Remove", "Yes, remove"], card.title, () => takeOut(card)))] : [];
  const cells = [
    named("Title", open, element("br"), styled("span", "small", card.document_id), ...acts),
    named("Kind", card.kind),
    named("State", about.filter(Boolean).join(" · ")),
    named("Open to", card.tags.length ? card.tags.join(", ") : "everyone"),
    named("Topics", card.topics.join(", ")),
  ];
  return element("tr", ...cells);
}

async function changed(sentence) {
  await load(true);
  state.textContent = sentence;
}

async function takeOut(card) {
  try {
    const response = await remove(pathOf("/v1/documents", card.document_id));
    await changed(response.ok ? `${card.title} is removed.` : await sentenceOf(response));
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
    const [isIn, told] = await addOne(file, askIn(item, file));
    item.textContent = `${file.name}: ${told}`;
    item.className = isIn ? "done" : "failed";
  }
  await load(true);
}

/** What became of a file: whether it was taken in, and what is to be said of it. Where a document has its name, `ask` finds out
 * whether the file is a new version of that. */
async function addOne(file, ask, sameName) {
  if (file.size > FILE_BYTES_MAX) return [false, "is too large to add here; use `vouch ingest`"];
  try {
    const there = await get(`/v1/documents?${new URLSearchParams({ id: file.name })}`);
    if (!there.ok) return [false, await sentenceOf(there)];
    const [known] = (await there.json()).documents;
    const response = await sendWhole(sameName === "another_document" ? null : known, file, sameName);
    if (response.status === 409) return addOne(file, ask, await ask(known));
    if (!response.ok) return [false, await sentenceOf(response)];
    const told = await response.json();
    if (told.failures.length) return [false, told.failures[0].reason];
    return [true, ["added", ...told.warnings].join("; ")];
  } catch {
    return [false, "the server cannot be reached"];
  }
}

/** Asks whether a file is a new version of the document that has its name. */
const askIn = (item, file) => (known) => new Promise((answer) => {
  const choose = (label, word) => button(label, () => {
    item.textContent = `${file.name}: being added…`;
    answer(word);
  });
  const question = `${file.name}: a document with this name${known ? `, “${known.title}”,` : ""} already exists and has different text. `;
  item.replaceChildren(question, choose("It is a new version", "new_version"), " ", choose("It is another document", "another_document"));
});

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
