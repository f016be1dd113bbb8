// Questions without an answer, by topic: each one click from a pinned answer, or from whoever answers for the topic.

import { get, post, sentenceOf } from "./api.js";
import { button, element, parts, spoken, styled } from "./dom.js";
import { reasonInWords } from "./trail.js";
import { me } from "./views.js";
import { addWording } from "./wordings.js";

/** Fills a place with topics; `pin` begins an entry for a question, `say` tells what became of one that was sent, `done` of one that an entry has now. */
export function showUnanswered(place, topics, acts) {
  place.replaceChildren(...topics.map((topic) => section(topic, acts)));
}

function section({ topic, owner, questions }, acts) {
  const head = element("h3", topic ?? "No topic is close to these");
  const narrow = element("input");
  narrow.type = "checkbox";
  narrow.checked = true;
  const limit = owner ? styled("label", "small", narrow, ` show the answers only to readers with the tag ${topic}`) : "";
  const tags = () => (owner && narrow.checked ? [topic] : []);
  const list = element("ul", ...questions.map((one) => item(one, { ...acts, topic, owner, tags })));
  return element("section", head, owner ? styled("p", "small", `${owner.user_id} is responsible for this topic. `, limit) : "", list);
}

function item(one, { nameOf, pin, say, done: settled, topic, owner, tags }) {
  const times = one.asked > 1 ? ` (${one.asked} times)` : "";
  const why = styled("span", "small", one.reason ? ` · ${reasonInWords(one.reason)}` : "");
  const entry = element("a", "Entry in the trail");
  entry.href = `#request=${encodeURIComponent(one.request_id)}`;
  const sent = element("span");
  const done = (whom) => sent.replaceChildren(styled("span", "small", `sent to ${whom}`));
  const send = (wanted, from) => deliver({ query: one.query, tags: tags(), ...wanted }, { from, say, done: (question) => { done(question.owner); notify(sent, owner, question); } });
  if (one.sent_to) done(one.sent_to);
  else if (owner) sent.append(button(`Send to ${owner.user_id}`, (from) => send({ topic }, from), "link"));
  else sent.append(button("Send to…", () => sent.replaceChildren(whom(send)), "link"));
  const near = one.near ? addWording(one.query, one.near.id, { nameOf, say, done: settled }) : "";
  if (one.near) near.title = `It is close to “${one.near.phrase}”.`;
  const acts = styled("p", "acts", near, button("Pin an answer", () => pin(one.query), "link"), sent, entry);
  return element("li", `${one.query}${times}`, why, acts);
}

/** Asks whom to send it to, where nobody answers for the topic. */
function whom(send) {
  const people = element("select");
  Object.assign(people, { required: true });
  people.add(new Option("Somebody…", ""));
  const seen = Object.assign(element("input"), { type: "text", maxLength: 2000, value: (me.tags ?? []).join(", ") });
  const note = styled("p", "small");
  note.setAttribute("role", "status");
  const fields = [element("label", "To ", people), element("label", "Who may see the answer: tags, separated by commas; empty for everyone ", seen)];
  const form = styled("form", "sending", ...fields, styled("button", "", "Send"), note);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send({ owner: people.value, tags: parts(seen.value) }, form.querySelector("button"));
  });
  offerPeople(people, note);
  return form;
}

async function offerPeople(people, note) {
  try {
    const response = await get("/v1/people");
    if (!response.ok) {
      note.textContent = await sentenceOf(response);
      return;
    }
    const { people: listed } = await response.json();
    listed.forEach(({ user_id: id, email }) => people.add(new Option(`${id} (${email})`, id)));
    note.replaceChildren(...spoken(listed.length ? "" : "There are no users yet; add some with `vouch user add`."));
    people.focus();
  } catch {
    note.textContent = "The server cannot be reached.";
  }
}

async function deliver(body, { from, say, done }) {
  from.disabled = true;
  try {
    const response = await post("/v1/questions", body);
    if (response.ok) {
      const { question } = await response.json();
      done(question);
      say(`Sent to ${question.owner}; it is now on their page.`);
      return;
    }
    say(await sentenceOf(response));
  } catch {
    say("The server cannot be reached.");
  }
  from.disabled = false;
}

/** A letter that tells the owner where to answer. */
function notify(place, owner, question) {
  if (!owner) return;
  const link = element("a", "notify them by e-mail");
  const letter = new URLSearchParams({ subject: "A question for you", body: `${question.query}\n\nPlease answer here: ${location.origin}/#questions` });
  link.href = `mailto:${encodeURIComponent(owner.email).replaceAll("%40", "@")}?${letter.toString().replaceAll("+", "%20")}`;
  place.append(" ", link);
}
