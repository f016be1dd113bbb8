// What was found by comparing documents: both sides with their documents, dates and sentences, and a way to say that there is nothing to mend.

import { post, sentenceOf } from "./api.js";
import { button, element, styled } from "./dom.js";
import { plain } from "./markdown.js";
import { openSource } from "./source.js";

const LISTED = 50;

/** What a finding says. How alike the subjects of two sentences are is no measure of how sure a guess is. */
const KINDS = {
  versions: () => "Two versions of one document are both in force. They differ in:",
  duplicate: ({ likeness }) => `These are nearly the same (${likeness} %).`,
  contradiction: () => "A possible contradiction. Most of these guesses are wrong, so check before you act.",
};

const view = document.querySelector("#view-curate .findings");
const [state, listed] = ["found-state", "found-list"].map((name) => view.querySelector(`.${name}`));

let count = 0;

/** Shows what is open; `told` reads a path. */
export async function loadFindings(told) {
  const page = await told(`/v1/findings?limit=${LISTED}`);
  listed.replaceChildren(...(page?.findings ?? []).map(item));
  count = page?.total ?? 0;
  state.textContent = page ? inWords() : "";
}

function inWords() {
  if (!count) return "There are no findings to review.";
  return count > listed.childElementCount ? `The first ${listed.childElementCount} of ${count}.` : "";
}

function item(finding) {
  const said = element("p", KINDS[finding.kind](finding));
  const node = element("li", said, ...finding.sides.map((one) => side(one, finding.kind)));
  const dismiss = button("Dismiss", (from) => settle(finding, { node, from }), "link");
  dismiss.setAttribute("aria-label", `Dismiss ${finding.sides.map((one) => one.title).join(" and ")}`);
  node.append(styled("p", "acts", dismiss));
  return node;
}

function side({ document: id, title, date, sentence }, kind) {
  const whole = { document_id: id, document_name: title, updated: date };
  const name = button(title, (from) => openSource(whole, from), "link");
  const about = element("p", name, styled("span", "small", date ? ` · ${date}` : " · without a date"));
  const lines = kind === "versions" ? sentence.split("\n") : [sentence ?? ""];
  return styled("div", "change", about, ...lines.filter(Boolean).map((line) => element("p", plain(line))));
}

/** Takes one off the list; it comes back once one of its sentences has changed. */
async function settle(finding, { node, from }) {
  from.disabled = true;
  try {
    const response = await post("/v1/findings/dismiss", { id: finding.id });
    if (response.ok) {
      const next = node.nextElementSibling ?? node.previousElementSibling;
      node.remove();
      count -= 1;
      state.textContent = inWords() || "Dismissed.";
      (next?.querySelector(".acts button") ?? state).focus();
      return;
    }
    state.textContent = await sentenceOf(response);
  } catch {
    state.textContent = "The server cannot be reached.";
  }
  from.disabled = false;
}
