// Answers that rest on what no longer stands: what was cited, what stands in its place, and the way to both.

import { minute } from "./chart.js";
import { button, element, styled } from "./dom.js";
import { plain } from "./markdown.js";
import { openChanges } from "./source.js";

const view = document.querySelector("#view-operate .part.recalls");
const [state, listed, more] = ["state", "recalled", "further"].map((name) => view.querySelector(`.${name}`));

/** What became of a cited document, in words. */
const BECAME = {
  removed: () => "no longer exists, or is not open to you",
  superseded: (source) => `is superseded by ${source.superseded_by ?? "another document"}`,
  withdrawn: (source) => `is no longer valid: its status is ${source.status}`,
  changed: () => "no longer says this",
  unknown: () => "has changed, and the version that was cited is no longer kept",
};

let next = null;
let lookedAt = 0;

/** Shows the newest; `told` reads a path. */
export function loadRecalls(told) {
  more.onclick = () => load(told, false);
  return load(told, true);
}

async function load(told, isAnew) {
  state.textContent = "Comparing…";
  const asked = new URLSearchParams({ limit: 20 });
  if (!isAnew) asked.set("before", next);
  const { value, fault } = await told(`/v1/recalls?${asked}`);
  if (isAnew) {
    listed.replaceChildren();
    lookedAt = 0;
  }
  if (fault) {
    state.textContent = fault;
    return;
  }
  lookedAt += value.searched;
  listed.append(...value.recalls.map(answer));
  next = value.next;
  more.hidden = !next;
  state.textContent = inWords(listed.childElementCount, value.skipped);
}

function inWords(count, skipped) {
  const some = count === 1 ? "1 answer relies on an outdated source" : `${count} answers rely on outdated sources`;
  const found = count ? some : "No answer relies on an outdated source";
  const cut = next ? ` among the newest ${lookedAt} requests` : "";
  return `${found}${cut}.${skipped ? ` ${skipped} could not be compared.` : ""}`;
}

function answer(recall) {
  const link = element("a", recall.query ?? "Not recorded");
  link.href = `#request=${encodeURIComponent(recall.request_id)}`;
  const who = styled("span", "small", ` · ${minute(recall.timestamp)} · ${recall.user_id}`);
  return element("li", link, who, ...recall.sources.map(cited));
}

function cited(source) {
  const name = source.title || source.document_id;
  const wanted = { id: source.document_id, from: source.version_then.number, to: source.version_now?.number };
  const open = source.version_now ? button("What changed", (from) => openChanges(wanted, name, from), "link") : "";
  const sentences = source.sentences.map((sentence) =>
    styled("div", "change", element("p", element("del", plain(sentence.text))), sentence.in_its_place ? element("p", element("ins", plain(sentence.in_its_place))) : ""),
  );
  return element("div", element("p", `${source.marker}. ${name} ${BECAME[source.reason](source)}. `, open), ...sentences);
}
