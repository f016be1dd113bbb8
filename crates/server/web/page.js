// The page: a question in, verified sentences as they come, their sources, and a word back on whether it helped.

import { drop, key, post, sentenceOf } from "./api.js";
import "./answers.js";
import "./curate.js";
import "./documents.js";
import { offerFeedback } from "./feedback.js";
import { forget, isKeptFor, keep, kept } from "./kept.js";
import "./operate.js";
import "./record.js";
import { Turn } from "./show.js";
import { forgetSignIn, offerWays, signedIn } from "./sign-in.js";
import { closeSource } from "./source.js";
import { events } from "./stream.js";
import "./terms.js";
import { helpTyping } from "./typing.js";
import { me, start } from "./views.js";
import { welcome } from "./welcome.js";

/** Most messages that go along with a question: half of them are its answers. */
const MESSAGES_MAX = 20;

const at = (id) => document.getElementById(id);
const [thread, form, question, send, stop, anew, keyForm, keyField, status] = [
  "thread", "ask-form", "question", "send", "stop", "anew", "key-form", "key", "status",
].map(at);

let conversation = [];
let session = null;
let running = null;
let unasked = null;

const asked = () => conversation.filter((one) => one.role === "user").map((one) => one.content).reverse();
const typing = helpTyping(question, at("typing"), asked);

/** Asks; a token is a yes to what the answer before says will be done, `insteadOf` the reply that offered these words for others. */
async function ask(text, token, insteadOf) {
  if (running) return;
  typing.hide();
  const turn = new Turn(thread, text);
  turn.askedAt = new Date().toISOString();
  running = new AbortController();
  busy(true);
  try {
    const body = { query: text, chat_history: conversation, explain: true };
    if (session) body.session_id = session;
    if (token) body.confirm = token;
    if (insteadOf) body.instead_of = insteadOf;
    const response = await post("/v1/ask/stream", body, running.signal);
    if (response.status === 401) {
      drop(response);
      turn.remove();
      wantKey(text);
    } else if (!response.ok) {
      turn.fail(await sentenceOf(response));
      if (!token) giveBack(text);
    } else {
      await listen(turn, text, response);
    }
  } catch (error) {
    const isStopped = error.name === "AbortError";
    const stopped = turn.told ? "Stopped. The text above was verified." : "Stopped.";
    turn.fail(isStopped ? stopped : "The server cannot be reached.");
    if (!isStopped && !token) giveBack(text);
  } finally {
    running = null;
    busy(false);
  }
}

async function listen(turn, text, response) {
  for await (const event of events(response)) {
    if (event.event === "sentence") turn.say(event.text);
    else if (event.event === "checking") turn.wait(event.text);
    else if (event.event === "citation") turn.cite(event.citation);
    else if (event.event === "notice") turn.notice(event.text);
    else if (event.event === "error") return turn.fail(event.message);
    else if (event.event === "done") return finish(turn, text, event.reply);
  }
  turn.fail("The answer was interrupted. The text above was verified.");
}

function finish(turn, text, reply) {
  keep(text, reply);
  settle(turn, text, reply);
  status.textContent = reply.refused ? "Not answered." : answeredWith(reply.citations.length);
}

const answeredWith = (count) => (count ? `Answered, with ${count} ${count === 1 ? "source" : "sources"}.` : "Answered.");

/** A whole reply, of now or of before a reload. */
function settle(turn, text, reply) {
  turn.finish(reply, ask);
  session = reply.session_id;
  offerFeedback(turn, reply.request_id, (words) => { status.textContent = words; });
  conversation.push({ role: "user", content: text, timestamp: turn.askedAt });
  const sources = reply.citations.map((citation) => citation.source_id);
  conversation.push({ role: "assistant", content: reply.answer, sources, timestamp: new Date().toISOString() });
  conversation = conversation.slice(-MESSAGES_MAX);
  anew.hidden = false;
}

/** What could not be asked stands in the box again, unless something else does. */
function giveBack(text) {
  if (!question.value) question.value = text;
}

function busy(is) {
  send.hidden = is;
  stop.hidden = !is;
  if (is) status.textContent = "Asking.";
  // Whoever is typing elsewhere by now goes on there.
  if (!is && keyForm.hidden && document.activeElement === document.body) question.focus({ preventScroll: true });
}

function wantKey(text) {
  unasked = text ?? unasked;
  const hadOne = Boolean(key.get());
  key.forget();
  keyForm.hidden = false;
  status.textContent = hadOne ? "This key is not valid." : "This server needs a key.";
  if (hadOne) at("sign-in-note").textContent = "This key or sign-in is not valid or has expired.";
  keyField.value = "";
  offerWays(() => question.value.trim() || unasked);
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const text = question.value.trim();
  if (!text || running) return;
  if (!keyForm.hidden) {
    keyForm.scrollIntoView({ block: "nearest" });
    offerWays(() => question.value.trim() || unasked);
    return;
  }
  question.value = "";
  ask(text);
});

question.addEventListener("keydown", (event) => {
  if (event.key === "ArrowUp" && question.value === "") {
    question.value = conversation.findLast((one) => one.role === "user")?.content ?? "";
  }
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  form.requestSubmit();
});

stop.addEventListener("click", () => running?.abort());

function beginAnew() {
  running?.abort();
  conversation = [];
  session = null;
  thread.replaceChildren();
  forget();
  closeSource();
  anew.hidden = true;
}

anew.addEventListener("click", () => {
  beginAnew();
  question.focus();
});

keyForm.addEventListener("submit", (event) => {
  event.preventDefault();
  key.set(keyField.value.trim());
  keyForm.hidden = true;
  keyField.value = "";
  forgetSignIn();
  // Who is asking is known first: another's conversation does not go with the question.
  start().then(() => {
    const text = unasked;
    if (!text || !keyForm.hidden) return;
    unasked = null;
    ask(text);
  }).catch(() => {});
});

// Wherever a key is missing, it can be given here.
addEventListener("key-wanted", () => {
  if (keyForm.hidden) wantKey(null);
});

// A question in the address is put into the box and not asked: a link alone sets nothing going.
const given = new URLSearchParams(location.hash.slice(1)).get("q");
if (given) question.value = given.slice(0, 4000);

for (const one of kept()) {
  const turn = new Turn(thread, one.question);
  turn.askedAt = new Date().toISOString();
  settle(turn, one.question, one.reply);
}
addEventListener("known", () => {
  // What one person was answered is not shown to the next, nor told to the server as theirs.
  if (!isKeptFor(me.id)) beginAnew();
});
addEventListener("known", () => {
  welcome(ask).catch(() => {});
});
signedIn(question).then(start).catch(() => {});
