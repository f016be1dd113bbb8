// Help with typing: questions asked before, pinned questions, terms and addresses that go on with what was typed.

import { drop, get } from "./api.js";
import { button, element, styled } from "./dom.js";

const WAIT_MS = 250;
/** For so long nothing is suggested after the server has said that it is asked too often. */
const REST_MS = 60_000;
const CHARS_MIN = 2;
const CHARS_MAX = 200;
const RECENT_MAX = 4;
const KINDS = { recent: "asked before", pinned: "prepared", term: "term", document: "document" };

/** Offers what fits below the field; `recent` tells what was asked before, newest first. */
export function helpTyping(field, list, recent) {
  let waiting = 0;
  let latest = 0;
  let restsUntil = 0;
  const buttons = () => [...list.querySelectorAll("button")];
  const hide = () => {
    clearTimeout(waiting);
    latest += 1;
    list.hidden = true;
  };
  const take = (text) => {
    field.value = text;
    hide();
    field.focus();
  };
  const row = ({ text, kind, title }) => {
    const about = styled("span", "small", ` ${title ?? KINDS[kind]}`);
    return element("li", button(element("span", text, about), () => take(text), "plain"));
  };
  const offer = async () => {
    const typed = field.value.trim();
    latest += 1;
    const own = latest;
    if (typed.length < CHARS_MIN || typed.length > CHARS_MAX) return hide();
    const folded = typed.toLowerCase();
    const known = recent().filter((text) => text.toLowerCase().includes(folded) && text !== typed).slice(0, RECENT_MAX);
    const found = known.map((text) => ({ text, kind: "recent" }));
    if (Date.now() >= restsUntil) try {
      const response = await get(`/v1/suggestions?${new URLSearchParams({ q: typed })}`);
      if (response.status === 429) restsUntil = Date.now() + REST_MS;
      if (response.ok) found.push(...(await response.json()).suggestions);
      else drop(response);
    } catch { /* what was asked before is offered alone */ }
    if (own !== latest) return null;
    const each = [...new Map(found.filter((one) => one.text !== typed).map((one) => [one.text, one])).values()];
    list.replaceChildren(...each.map(row));
    list.hidden = each.length === 0;
    return null;
  };
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(offer, WAIT_MS);
  });
  field.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    if (event.key === "Escape") hide();
    if (event.key === "ArrowDown" && field.selectionStart === field.value.length) {
      event.preventDefault();
      buttons()[0]?.focus();
    }
  });
  list.addEventListener("keydown", (event) => {
    const all = buttons();
    const at = all.indexOf(document.activeElement);
    const to = { ArrowDown: Math.min(at + 1, all.length - 1), ArrowUp: at - 1 }[event.key];
    if (event.key === "Escape" || to === -1) {
      event.preventDefault();
      if (event.key === "Escape") hide();
      field.focus();
    } else if (to !== undefined) {
      event.preventDefault();
      all[to]?.focus();
    }
  });
  // Whoever goes elsewhere leaves the list behind.
  for (const node of [field, list]) {
    node.addEventListener("focusout", ({ relatedTarget: to }) => {
      if (to && to !== field && !list.contains(to)) hide();
    });
  }
  return { hide };
}
