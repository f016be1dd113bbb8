// Words of an answer and its sources → nodes of the page. Text of documents becomes text and never markup.

import { rendered, wordsOf } from "./markdown.js";
import { isMissing, why } from "./words.js";

const BEFORE = 160;
const AFTER = 160;

const element = (name, text, className) => {
  const node = document.createElement(name);
  if (text !== undefined) node.textContent = text;
  if (className) node.className = className;
  return node;
};

const cloned = (id) => document.getElementById(id).content.firstElementChild.cloneNode(true);

let turns = 0;

/** One question of the thread and everything that is shown of its answer. */
export class Turn {
  constructor(thread, question) {
    this.number = ++turns;
    this.node = cloned("turn");
    this.told = "";
    this.part("question").textContent = question;
    thread.append(this.node);
    this.node.scrollIntoView({ block: "start" });
  }

  part(name) {
    return this.node.querySelector(`.${name}`);
  }

  reveal(name, text) {
    const node = this.part(name);
    if (text !== undefined) node.textContent = text;
    node.hidden = false;
    return node;
  }

  /** Verified words, with their markers as links to the cards. */
  say(text) {
    this.part("waiting").hidden = true;
    this.told += text;
    const answer = this.part("answer");
    const nodes = rendered(this.told, (number) => this.marker(number));
    // Blocks that have not changed stay, so that nobody hears them twice.
    const shown = [...answer.children];
    const changed = nodes.findIndex((node, at) => !shown[at]?.isEqualNode(node));
    if (changed < 0) return;
    shown.slice(changed).forEach((node) => node.remove());
    answer.append(...nodes.slice(changed));
  }

  marker(number) {
    const link = element("a", number, "marker");
    link.href = `#source-${this.number}-${number}`;
    link.setAttribute("aria-label", `source ${number}`);
    const raised = element("sup");
    raised.append(link);
    return raised;
  }

  /** A source; one that is there already is shown anew. */
  cite(citation) {
    this.part("sources").hidden = false;
    const id = `source-${this.number}-${citation.marker}`;
    const node = card(citation, id);
    const before = document.getElementById(id);
    if (before) before.replaceWith(node);
    else this.part("cards").append(node);
  }

  /** What comes nearest to a question that the documents do not answer. */
  near(nearest) {
    if (nearest.length === 0) return;
    const node = this.reveal("nearest");
    node.replaceChildren(element("p", "The documents do not say this; nearest:", "small"));
    for (const { text, citation } of nearest) {
      const place = [citation.document_name, citation.section].filter(Boolean).join(" › ");
      const figure = element("figure");
      const quote = element("blockquote");
      quote.append(...rendered(text, (number) => `[^${number}]`));
      figure.append(element("figcaption", place, "small"), quote);
      node.append(figure);
    }
  }

  /** Said while nothing can be shown yet. */
  wait(text) {
    this.part("waiting").textContent = text;
  }

  notice(text) {
    const list = this.reveal("notices");
    const isThere = [...list.children].some((item) => item.textContent === text);
    if (!isThere) list.append(element("li", text));
  }

  /** The end of an answer: whatever its sentences have not told. */
  finish(reply, ask) {
    this.part("waiting").hidden = true;
    if (reply.answer !== this.told) {
      const isContinued = reply.answer.startsWith(this.told);
      this.say(isContinued ? reply.answer.slice(this.told.length) : `\n\n${reply.answer}`);
    }
    if (reply.refused) this.reveal("verdict", "Not answered");
    else if (reply.pending?.token) this.reveal("verdict", "Please confirm");
    else if (reply.outcome === "clarify") this.reveal("verdict", "Please clarify");
    else if (reply.outcome === "tool") this.reveal("verdict", "From your records");
    else if (!reply.grounded) this.reveal("verdict", "Not from the documents");
    if (reply.refusal_reason && reply.refusal_reason !== reply.answer) {
      this.reveal("reason", why(reply.refusal_reason, reply.warnings)).title = reply.refusal_reason;
    }
    this.near(reply.nearest);
    reply.citations.forEach((citation) => this.cite(citation));
    if (reply.transparency.show_to_user && reply.transparency.statement && !this.told.includes(reply.transparency.statement)) {
      this.notice(reply.transparency.statement);
    }
    const warnings = reply.refusal_reason ? reply.warnings.filter((text) => !isMissing(text)) : reply.warnings;
    [...reply.notices, ...warnings].forEach((text) => this.notice(text));
    if (reply.route_to) this.send(reply.route_to);
    for (const suggestion of reply.suggestions) this.offer(suggestion.label, () => ask(suggestion.query));
    if (reply.pending?.token) {
      this.offer("Yes", () => ask("Yes", reply.pending.token));
      this.offer("No", () => ask("No"));
    }
    const sure = reply.confidence.overall === null ? "" : `confidence ${reply.confidence.overall} of 100 · `;
    this.part("figures").textContent = `${sure}${Math.round(reply.generation_time_ms)} ms · ${reply.request_id}`;
    this.reveal("foot");
  }

  /** A button below the answer. */
  offer(label, act) {
    const button = element("button", label);
    button.type = "button";
    button.addEventListener("click", act);
    this.reveal("suggestions").append(button);
  }

  /** Whom to ask. */
  send(route) {
    const node = this.reveal("route", "Ask ");
    if (route.owner_email) {
      const link = element("a", route.owner_email);
      link.href = `mailto:${encodeURIComponent(route.owner_email).replaceAll("%40", "@")}`;
      node.append(link);
    } else {
      node.append(route.owner_user_id ?? `whoever answers for ${route.tag}`);
    }
    node.append(`: ${route.reason}`);
  }

  fail(sentence) {
    this.part("waiting").hidden = true;
    this.reveal("reason", sentence).classList.add("failed");
  }

  remove() {
    this.node.remove();
  }
}

function card(citation, id) {
  const node = cloned("card");
  node.id = id;
  node.querySelector(".number").textContent = citation.marker;
  const title = node.querySelector(".title");
  const spoken = element("span", `Source ${citation.marker}: `, "unseen");
  title.append(spoken, linked(citation.document_name, citation.url));
  const place = [citation.section, citation.locator, citation.version && `version ${citation.version}`, citation.updated];
  node.querySelector(".place").textContent = place.filter(Boolean).join(" · ");
  node.querySelector("blockquote").append(...quoted(citation));
  return node;
}

/** A link where the address is one of the web, the bare title otherwise. */
function linked(title, url) {
  let target = null;
  try {
    target = url ? new URL(url) : null;
  } catch {
    target = null;
  }
  if (!target || !["http:", "https:"].includes(target.protocol)) return element("span", title);
  const link = element("a", title);
  link.href = target.href;
  link.target = "_blank";
  link.rel = "noopener noreferrer";
  return link;
}

/** Signs of no alphabet, put around a quote to find it again once the text is without its markup. */
const [OPEN, CLOSE] = ["\ue000", "\ue001"];

/** The passage around its quote, without its markup. Places are counted in characters, which are not JavaScript's. */
function quoted(citation) {
  const signs = Array.from(citation.snippet_full);
  const start = citation.quote ? citation.quote.start - citation.snippet_start : -1;
  const end = citation.quote ? citation.quote.end - citation.snippet_start : -1;
  const beginning = () => [cut(plain(citation.snippet_full), BEFORE + AFTER)];
  if (!(start >= 0 && end > start && end <= signs.length)) return beginning();
  const part = (from, to) => signs.slice(from, to).join("");
  const quote = part(start, end);
  // The signs stand beside words: before the first they would hide what begins a line.
  const first = quote.search(/[\p{L}\p{N}]/u);
  const last = quote.length - [...quote].reverse().join("").search(/[\p{L}\p{N}]/u);
  if (first < 0) return beginning();
  const text = plain(
    part(0, start) + quote.slice(0, first) + OPEN + quote.slice(first, last) + CLOSE + quote.slice(last) + part(end, signs.length),
  );
  const [open, close] = [text.indexOf(OPEN), text.indexOf(CLOSE)];
  if (open < 0 || close < open) return beginning();
  const before = text.slice(0, open);
  const after = text.slice(close + 1);
  const near = before.length > BEFORE ? `…${before.slice(-BEFORE).replace(/^\S*\s/, "")}` : before;
  return [near, element("mark", text.slice(open + 1, close)), cut(after, AFTER)];
}

/** The beginning of a text, ended between words. */
const cut = (text, length) => (text.length > length ? `${text.slice(0, length).replace(/\s\S*$/, "")}…` : text);

const plain = (text) => wordsOf(rendered(text, (number) => `[^${number}]`)).trim();
