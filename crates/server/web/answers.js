// Questions that were sent to somebody: they answer here, and their answer is cited from then on.

import { get, pathOf, post, sentenceOf } from "./api.js";
import { button, element, styled } from "./dom.js";
import { openSource } from "./source.js";
import { me, onView } from "./views.js";

const CHARS_MAX = 20_000;

const view = document.getElementById("view-questions");
const part = (name) => view.querySelector(`.${name}`);
const link = document.querySelector(".to-answer");

const day = (moment) => moment.slice(0, 10);

/** Reads the list, and says beside the link how many are open. */
async function load() {
  try {
    const response = await get("/v1/questions");
    if (!response.ok) {
      part("state").textContent = await sentenceOf(response);
      return;
    }
    show((await response.json()).questions);
  } catch {
    part("state").textContent = "The server cannot be reached.";
  }
}

function show(questions) {
  const [open, done] = [questions.filter((one) => !one.answered), questions.filter((one) => one.answered)];
  link.hidden = questions.length === 0;
  link.textContent = open.length ? `To answer (${open.length})` : "To answer";
  part("state").textContent = open.length ? "" : "Nothing waits for an answer.";
  part("waiting-list").replaceChildren(...open.map(waiting));
  part("done-list").replaceChildren(...done.map(answered));
  part("done-head").hidden = done.length === 0;
}

const about = (one) => {
  const whom = one.owner === me.id?.replace(/^user:/, "") ? "" : ` to ${one.owner}`;
  const seen = one.tags.length ? `readers with the tag ${one.tags.join(" or ")}` : "everyone";
  return `${one.topic ? `${one.topic} · ` : ""}sent${whom} by ${one.sent_by} on ${day(one.sent)} · the answer is seen by ${seen}`;
};

function waiting(one) {
  return element("li", element("p", element("strong", one.query)), styled("p", "small", about(one)), answerForm(one, ""));
}

function answerForm(one, text) {
  const field = element("textarea");
  Object.assign(field, { rows: 4, maxLength: CHARS_MAX, required: true, value: text });
  field.setAttribute("aria-label", `Answer to: ${one.query}`);
  const send = styled("button", "main", "Answer");
  const said = styled("p", "small");
  said.setAttribute("role", "status");
  const form = element("form", field, element("p", send), said);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    send.disabled = true;
    said.textContent = "Keeping the answer…";
    const fault = await keep(one, field.value);
    send.disabled = false;
    if (fault) said.textContent = fault;
    else await load();
  });
  return form;
}

/** Why an answer was not kept; nothing if it was. */
async function keep(one, text) {
  try {
    const response = await post(`${pathOf("/v1/questions", one.id)}/answer`, { text });
    return response.ok ? null : await sentenceOf(response);
  } catch {
    return "The server cannot be reached.";
  }
}

function answered(one) {
  const citation = { document_id: one.document_id, document_name: one.query };
  const item = element("li", button(one.query, (from) => openSource(citation, from), "link"));
  item.append(styled("span", "small", ` answered on ${day(one.answered)} `));
  item.append(button("Answer anew", (node) => node.replaceWith(answerForm(one, "")), "link"));
  return item;
}

addEventListener("known", () => {
  if (me.role !== "monitor") load();
});
onView("questions", load);
