// The trail, searched: what was asked, by whom, and what became of it, each with a link to the whole entry.

import { minute } from "./chart.js";
import { element, styled, table } from "./dom.js";

const PAGE = 20;

/** What the names of gates say; other reasons are words already. */
const GATES = {
  answerability: "no passage answers it",
  bail_out: "nothing is close to it",
  confidence: "not sure enough",
  constraints: "what it names was not found",
  coverage: "too few relevant passages",
  no_context: "no context was found",
  query_coverage: "words of it were not found",
  specific: "it does not say what it is about",
  top1: "no passage is relevant enough",
  verification: "it could not be verified",
};

/** The word of a reason, in words. */
export const reasonInWords = (reason) => (Object.hasOwn(GATES, reason) ? GATES[reason] : reason.replaceAll("_", " "));

const view = document.querySelector("#view-operate .part.trail");
const [form, found, more, state] = ["search", "found", "more", "state"].map((name) => view.querySelector(`.${name}`));

let entries = [];
let before = null;
let lookedAt = 0;
let latest = 0;

/** Shows what the form asks for; `told` reads a path. */
export function loadTrail(told) {
  form.onsubmit = (event) => {
    event.preventDefault();
    search(told, true);
  };
  more.onclick = () => search(told, false);
  return search(told, true);
}

async function search(told, isAnew) {
  latest += 1;
  const own = latest;
  const asked = new URLSearchParams({ limit: PAGE });
  for (const [name, value] of new FormData(form)) if (value.trim()) asked.set(name, value.trim());
  if (!isAnew) asked.set("before", before);
  state.textContent = "Looking…";
  const { value, fault } = await told(`/v1/audit?${asked}`);
  // Another search was begun meanwhile.
  if (own !== latest) return;
  if (isAnew) [entries, lookedAt] = [[], 0];
  entries.push(...(value?.entries ?? []));
  lookedAt += value?.searched ?? 0;
  if (value) before = value.next;
  more.hidden = !before;
  const head = ["When (UTC)", "Who", "Question", "Outcome", "ms"];
  found.replaceChildren(...(entries.length ? [table("Questions of the trail", head, entries.map(row), "table stacked")] : []));
  state.textContent = fault ?? inWords(value.entries.length);
}

function inWords(isNew) {
  const count = entries.length ? `${entries.length} found` : "Nothing was found";
  if (!before) return `${count}.`;
  return isNew < PAGE ? `${count}; looked at the newest ${lookedAt}.` : `The newest ${entries.length}.`;
}

function row(entry) {
  const link = element("a", entry.query ?? "Not recorded");
  link.href = `#request=${encodeURIComponent(entry.request_id)}`;
  const outcome = element("span", entry.outcome);
  if (entry.reason) outcome.append(element("br"), styled("span", "small", reasonInWords(entry.reason)));
  return [minute(entry.timestamp), entry.user_id, link, outcome, String(Math.round(entry.response_time_ms))];
}
