// What people asked and did not get: wordings for which they chose an entry's question, answers that did not help, and one click that
// gives an entry another wording.

import { post, sentenceOf } from "./api.js";
import { button, element, styled } from "./dom.js";
import { plain } from "./markdown.js";

/** A button that gives an entry the words of a question; `nameOf` is what to call the entry, `say` tells what came of it, `done` is called
 * once the entry has them. */
export function addWording(text, entry, { nameOf, say, done }) {
  const node = button(`Add this wording to “${nameOf(entry)}”`, async () => {
    node.disabled = true;
    const sentence = await add(text, entry);
    if (sentence) {
      node.disabled = false;
      say(sentence);
    } else {
      done(`“${nameOf(entry)}” has this wording now.`);
    }
  }, "link");
  return node;
}

/** Adds; what went wrong, or nothing. */
async function add(text, entry) {
  try {
    const response = await post("/v1/wordings", { entry, text });
    if (!response.ok) return await sentenceOf(response);
    return unreachedIn(await response.json());
  } catch {
    return "The server cannot be reached.";
  }
}

/** Which phrases of an entry do not reach it, in sentences; nothing if all do. */
export function unreachedIn({ unreached, unasked }) {
  const lines = unreached.map((one) => `“${one.phrase}” does not reach “${one.entry}”: ${one.reason}.`);
  if (unasked) lines.push(`${unasked} phrases were not checked because time ran out.`);
  return lines.join(" ");
}

const trailOf = (id) => {
  const link = element("a", "Entry in the trail");
  link.href = `#request=${encodeURIComponent(id)}`;
  return link;
};

const times = (count) => (count > 1 ? ` (${count} times)` : "");

/** Wordings for which an entry's question was chosen. */
export function showWordings(place, wordings, acts) {
  const item = (one) => {
    const meant = styled("p", "small", `People who asked this chose “${one.phrase}” instead${times(one.chosen)}.`);
    return element("li", element("p", one.query), meant, styled("p", "acts", addWording(one.query, one.entry, acts), " ", trailOf(one.request_id)));
  };
  fill(place, "Wordings that led people to an entry", wordings.map(item));
}

/** Answers that were marked as unhelpful, each with its conversation. */
export function showUnhelpful(place, answers, { pin }) {
  const item = (one) => {
    const said = one.conversation.map((turn) => element("p", styled("span", "small", turn.role === "user" ? "Asked: " : "Answered: "), turn.content));
    const before = said.length ? element("details", element("summary", "What was said before"), ...said) : "";
    const answer = one.answer ? element("blockquote", plain(one.answer)) : "";
    const comments = one.comments.map((words) => styled("p", "small", `“${words}”`));
    const marked = styled("p", "small", `Marked as unhelpful${times(one.marked)}.`);
    const acts = styled("p", "acts", button("Pin an answer", () => pin(one.query), "link"), " ", trailOf(one.request_id));
    return element("li", element("p", one.query), before, answer, marked, ...comments, acts);
  };
  fill(place, "Answers that did not help", answers.map(item));
}

function fill(place, title, items) {
  place.replaceChildren(...(items.length ? [element("h2", title), element("ul", ...items)] : []));
}
