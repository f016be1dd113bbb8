// Before anything is asked: how many documents there are, how often answers are wrong, and what can be asked.

import { drop, get } from "./api.js";
import { howOftenWrong } from "./certified.js";
import { button, element } from "./dom.js";
import { me } from "./views.js";

const OFFERED = {
  example: "Questions to start with:",
  pinned: "Prepared questions:",
  document: "From the documents:",
};

const view = document.getElementById("welcome");
const prepared = document.getElementById("prepared");
const [facts, wrong] = ["facts", "wrong"].map((name) => view.querySelector(`.${name}`));

/** What is known of the documents that may be read: how many there are, and how often answers from them are wrong. */
export const corpus = { total: null, wrong: "" };

/** What a path tells; nothing where it tells nothing. */
async function told(path) {
  try {
    const response = await get(path);
    if (response.ok) return await response.json();
    drop(response);
  } catch { /* what is not known is not shown */ }
  return null;
}

/** Notes how many documents may be read, and says so. */
export function tellTotal(total) {
  corpus.total = total;
  facts.hidden = total === null;
  if (total === null) return;
  const link = (words) => Object.assign(element("a", words), { href: "#documents" });
  if (total > 0) facts.replaceChildren(link(total === 1 ? "One document" : `${total.toLocaleString("en")} documents`), " to answer from.");
  else if (me.isAdmin) facts.replaceChildren("There are no documents yet. ", link("Add some"), " to ask about.");
  else facts.replaceChildren("There are no documents to answer from yet.");
}

function tellWrong(sentence) {
  corpus.wrong = sentence;
  wrong.hidden = !sentence;
  const link = Object.assign(element("a", "How that was found"), { href: "#operate" });
  wrong.replaceChildren(sentence, " ", link);
}

/** Shows what can be asked; a click asks it. */
async function offer(ask) {
  const suggestions = (await told("/v1/suggestions"))?.suggestions ?? [];
  prepared.hidden = suggestions.length === 0;
  document.getElementById("prepared-name").textContent = OFFERED[suggestions[0]?.kind] ?? "";
  prepared.querySelector(".prepared-list").replaceChildren(...suggestions.map(({ text }) => button(text, () => ask(text))));
}

/** Fills the place above the question box. */
export async function welcome(ask) {
  if (me.role === "monitor") return;
  const [documents, certificate] = await Promise.all([told("/v1/documents?limit=1"), told("/v1/certificate"), offer(ask)]);
  tellTotal(documents?.total ?? null);
  tellWrong(certificate ? howOftenWrong(certificate) : "");
}
