// The documents that may be seen: a list to look through, each one click away, and a place to drop new ones.

import { get, pathOf, post, remove, sentenceOf } from "./api.js";
import { editDocument, keptOf } from "./document-form.js";
import { button, element, parts, styled, surely } from "./dom.js";
import { openSource } from "./source.js";
import { me, onView } from "./views.js";

const PAGE = 100;
const FILE_BYTES_MAX = 8_000_000;

const view = document.getElementById("view-documents");
const part = (name) => view.querySelector(`.${name}`);
const [rows, more, state, kind, files, outcome] = ["rows", "more", "state", "kind", "files", "outcome"].map(part);

let after = null;
let latest = 0;

async function load(isAnew) {
  latest += 1;
  const own = latest;
  if (isAnew) after = null;
  const asked = new URLSearchParams({ limit: PAGE });
  if (after) asked.set("after", after);
  if (kind.value.trim()) asked.set("kind", kind.value.trim());
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
    if (isAnew) rows.replaceChildren();
    rows.append(...page.documents.map(row));
    after = page.next;
    more.hidden = !after;
    const count = rows.childElementCount;
    state.textContent = told(count, Boolean(after));
  } catch {
    state.textContent = "The server cannot be reached.";
  }
}

function told(count, isCut) {
  if (count === 0) return "There are no such documents.";
  if (isCut) return `The first ${count} documents.`;
  return count === 1 ? "One document." : `${count} documents.`;
}

function row(card) {
  const whole = { document_id: card.document_id, document_name: card.title, locator: card.address, version: card.version, updated: card.date };
  const open = button(card.title, (from) => openSource(whole, from), "link");
  const about = [card.status, card.superseded_by && `superseded by ${card.superseded_by}`, card.version && `version ${card.version}`, card.date];
  const acts = me.isAdmin ? [styled("span", "acts", button("Change", (from) => editDocument(card, from, changed), "link"), surely(["Remove", "Really remove"], card.title, () => takeOut(card)))] : [];
  const cells = [
    element("td", open, element("br"), styled("span", "small", card.document_id), ...acts),
    element("td", card.kind),
    element("td", about.filter(Boolean).join(" · ")),
    element("td", card.tags.length ? card.tags.join(", ") : "everyone"),
    element("td", card.topics.join(", ")),
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
    const item = element("li", `${file.name}: being taken in…`);
    outcome.append(item);
    const fault = await addOne(file);
    item.textContent = `${file.name}: ${fault ?? "taken in"}`;
    item.className = fault ? "failed" : "done";
  }
  await load(true);
}

/** Why a file was not taken in; nothing if it was. */
async function addOne(file) {
  if (file.size > FILE_BYTES_MAX) return "is too large for the page; use `vouch ingest`";
  const text = await textOf(file);
  if (text === null) return "is no text";
  try {
    const there = await get(`/v1/documents?${new URLSearchParams({ id: file.name })}`);
    if (!there.ok) return await sentenceOf(there);
    const [known] = (await there.json()).documents;
    const response = await post("/v1/documents", known ? { ...keptOf(known), text } : { ...begun(file.name, text), text });
    if (!response.ok) return await sentenceOf(response);
    const told = await response.json();
    return told.failures?.length ? told.failures[0].reason : null;
  } catch {
    return "the server cannot be reached";
  }
}

/** What is said of a new document: its first heading names it, and the field beside says who may see it. */
function begun(name, text) {
  const title = text.match(/^# +(.+)$/m)?.[1].trim().slice(0, 200);
  const tags = parts(part("tags").value);
  return title ? { id: name, title, tags } : { id: name, tags };
}

/** The text of a file; nothing if it is none. */
async function textOf(file) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    return null;
  }
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
addEventListener("known", () => {
  part("tags").value = (me.tags ?? []).join(", ");
});
onView("documents", () => load(true));
