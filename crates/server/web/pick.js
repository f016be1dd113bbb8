// A field to find a document with: whatever is called like what is typed is offered below it, and a click takes it.

import { drop, get } from "./api.js";
import { button, element, styled } from "./dom.js";

const WAIT_MS = 200;
const OFFERED_MAX = 6;
const CHARS_MAX = 200;

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
    let cards = [];
    try {
      const response = await get(`/v1/documents?${new URLSearchParams({ limit: OFFERED_MAX, words: typed })}`);
      if (response.ok) cards = (await response.json()).documents;
      else drop(response);
    } catch { /* nothing is offered */ }
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
