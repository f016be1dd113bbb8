// Documents by what they are called, and a field to find one with: whatever is called like what is typed is offered below it, and a click
// takes it.

import { drop, get } from "./api.js";
import { button, element, styled } from "./dom.js";

const WAIT_MS = 200;
const OFFERED_MAX = 6;
const CHARS_MAX = 200;

/** So many documents are looked through for names, in so many requests at most. */
const LISTED_MAX = 1000;
const LISTS_MAX = 3;

/** A name in runs of letters and of numbers, as addresses are compared: in any case, without leading zeros and signs. */
const runs = (name) => (name.toLowerCase().match(/\p{L}+|\p{N}+/gu) ?? []).map((run) => run.replace(/^0+(?=.)/, "")).join(" ");

/** Whether a document is called by this name: its id or its address. */
export const isCalled = (card, name) => card.document_id === name || Boolean(card.address && runs(card.address) === runs(name));

/** A page of documents; nothing where there is none to have. */
async function listed(asked) {
  try {
    const response = await get(`/v1/documents?${new URLSearchParams(asked)}`);
    if (response.ok) return await response.json();
    drop(response);
  } catch { /* what is not known is not said */ }
  return null;
}

/** Whether no document has this id, address or title; false where that cannot be found out. */
export async function isUnknown(name) {
  const [byId, byWords] = await Promise.all([listed({ id: name }), listed({ limit: LISTED_MAX, words: runs(name).slice(0, CHARS_MAX) })]);
  if (!byId || !byWords || byId.documents.length) return false;
  return !byWords.next && !byWords.documents.some((card) => isCalled(card, name) || runs(card.title) === runs(name));
}

/** For each name the document that is called by it, null where none is; a name of which that is not known is left out. */
export async function documentsOf(names) {
  const found = new Map();
  let after = null;
  for (let lists = 0; names.length && lists < LISTS_MAX; lists += 1) {
    const page = await listed({ limit: LISTED_MAX, ...(after && { after }) });
    if (!page) return found;
    const byName = new Map(page.documents.filter((card) => card.address).map((card) => [runs(card.address), card]));
    const byId = new Map(page.documents.map((card) => [card.document_id, card]));
    for (const name of names) {
      const card = byId.get(name) ?? byName.get(runs(name));
      if (card && !found.has(name)) found.set(name, card);
    }
    after = page.next;
    if (!after) break;
  }
  if (!after) names.filter((name) => !found.has(name)).forEach((name) => found.set(name, null));
  return found;
}

/** Offers documents below a field in a list; `take` gets the card of the one that is taken, `fits` says which may be. */
export function pickDocument(field, list, { take, fits = () => true }) {
  let waiting = 0;
  let latest = 0;
  const hide = () => {
    clearTimeout(waiting);
    latest += 1;
    list.hidden = true;
  };
  const row = (card) => {
    const about = styled("span", "small", ` ${card.address ?? card.document_id}`);
    const chosen = button(element("span", card.title, about), () => {
      take(card);
      hide();
      field.focus();
    }, "plain");
    return element("li", chosen);
  };
  const offer = async () => {
    latest += 1;
    const own = latest;
    const typed = field.value.trim().slice(0, CHARS_MAX);
    if (!typed) return hide();
    const cards = (await listed({ limit: OFFERED_MAX, words: typed }))?.documents ?? [];
    if (own !== latest) return null;
    list.replaceChildren(...cards.filter(fits).map(row));
    list.hidden = list.childElementCount === 0;
    return null;
  };
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(offer, WAIT_MS);
  });
  const move = (event) => {
    const all = [...list.querySelectorAll("button")];
    const at = all.indexOf(document.activeElement);
    if (event.key === "Escape" && !list.hidden) {
      // It closes the list, and not the dialog around it.
      event.preventDefault();
      event.stopPropagation();
      hide();
      field.focus();
    } else if (event.key === "ArrowDown" && !list.hidden) {
      event.preventDefault();
      all[Math.min(at + 1, all.length - 1)]?.focus();
    } else if (event.key === "ArrowUp" && at >= 0) {
      event.preventDefault();
      (all[at - 1] ?? field).focus();
    }
  };
  for (const node of [field, list]) {
    node.addEventListener("keydown", move);
    // Whoever goes elsewhere leaves the list behind.
    node.addEventListener("focusout", ({ relatedTarget: to }) => {
      if (to && to !== field && !list.contains(to)) hide();
    });
  }
  return { hide };
}
