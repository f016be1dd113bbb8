// What was found by comparing documents: both sentences with their documents and dates, and a way to say that there is nothing to mend.

import { post, sentenceOf } from "./api.js";
import { button, element, styled } from "./dom.js";
import { openSource } from "./source.js";

const LISTED = 50;
const KINDS = { contradiction: "These contradict each other", duplicate: "These are nearly the same" };

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
  if (!count) return "Nothing to look at.";
  return count > listed.childElementCount ? `The first ${listed.childElementCount} of ${count}.` : "";
}

function item(finding) {
  const said = element("p", finding.kind === "duplicate" ? `${KINDS.duplicate} (${finding.likeness} %).` : `${KINDS.contradiction}.`);
  const node = element("li", said, ...finding.sides.map(side));
  const dismiss = button("Dismiss", (from) => settle(finding, { node, from }), "link");
  dismiss.setAttribute("aria-label", `Dismiss ${finding.sides.map((one) => one.title).join(" and ")}`);
  node.append(styled("p", "acts", dismiss));
  return node;
}

function side({ document: id, title, date, sentence }) {
  const whole = { document_id: id, document_name: title, updated: date };
  const name = button(title, (from) => openSource(whole, from), "link");
  const about = element("p", name, styled("span", "small", date ? ` · ${date}` : " · without a date"));
  return styled("div", "change", about, sentence ? element("p", sentence) : "");
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
