// Questions that were sent to somebody: they answer here, and their answer is cited from then on.

import { get, pathOf, post, remove, sentenceOf } from "./api.js";
import { button, element, styled, surely } from "./dom.js";
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
  const own = open.filter((one) => one.owner === me.person);
  const [name, count] = own.length || !me.isAdmin ? ["To answer", own.length] : ["Sent", open.length];
  link.textContent = count ? `${name} (${count})` : name;
  part("state").textContent = open.length ? "" : "No questions are waiting for an answer.";
  const drafts = new Map([...view.querySelectorAll("textarea")].map((field) => [field.dataset.id, field.value]));
  part("waiting-list").replaceChildren(...open.map((one) => waiting(one, drafts.get(one.id) ?? "")));
  part("done-list").replaceChildren(...done.map(answered));
  part("done-head").hidden = done.length === 0;
}

const about = (one) => {
  const whom = one.owner === me.person ? "" : ` to ${one.owner}`;
  const seen = one.tags.length ? `readers with the tag ${one.tags.join(" or ")}` : "everyone";
  return `${one.topic ? `${one.topic} · ` : ""}sent${whom} by ${one.sent_by} on ${day(one.sent)} · the answer is visible to ${seen}`;
};

function waiting(one, draft) {
  const back = me.isAdmin ? surely(["Withdraw", "Yes, withdraw"], one.query, () => takeBack(one)) : "";
  return element("li", element("p", element("strong", one.query)), styled("p", "small", about(one), " ", back), answerForm(one, draft));
}

async function takeBack(one) {
  let sentence = "Withdrawn.";
  try {
    const response = await remove(pathOf("/v1/questions", one.id));
    if (!response.ok) sentence = await sentenceOf(response);
  } catch {
    sentence = "The server cannot be reached.";
  }
  await load();
  part("state").textContent = sentence;
}

function answerForm(one, text) {
  const field = element("textarea");
  Object.assign(field, { rows: 4, maxLength: CHARS_MAX, required: true, value: text });
  field.dataset.id = one.id;
  field.setAttribute("aria-label", `Answer to: ${one.query}`);
  const send = styled("button", "main", "Answer");
  const said = styled("p", "small");
  said.setAttribute("role", "status");
  const form = element("form", field, element("p", send), said);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    send.disabled = true;
    said.textContent = "Saving the answer…";
    const fault = await keep(one, field.value);
    send.disabled = false;
    if (fault) {
      said.textContent = fault;
      return;
    }
    field.value = "";
    await load();
    part("state").textContent = "Saved. Anyone who asks this is now given your answer.";
    part("state").focus();
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
  item.append(button("Write a new answer", (node) => node.replaceWith(answerForm(one, "")), "link"));
  return item;
}

addEventListener("known", () => {
  if (me.role !== "monitor") load();
});
onView("questions", load);
