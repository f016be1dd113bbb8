// Words of an answer and its sources → nodes of the page. Text of documents becomes text and never markup.

import { asMarkdown, asPlain, copyFrom } from "./copy.js";
import { button, element, styled } from "./dom.js";
import { whatHelps } from "./help.js";
import { hint } from "./hint.js";
import { plain, plainLine, rendered, wordsOf } from "./markdown.js";
import { marked, placesOf } from "./marked.js";
import { linked, original } from "./original.js";
import { openSource, placeOf } from "./source.js";
import { me } from "./views.js";
import { corpus } from "./welcome.js";
import { explain } from "./why.js";
import { isMissing, NEAREST, why, withoutSources } from "./words.js";

const BEFORE = 160;
const AFTER = 160;
/** From these confidences on an answer is called sure, or fairly sure. */
const SURE = 80;
const FAIR = 60;

/** A time as short as it can be read. */
const inSeconds = (ms) => (ms < 1000 ? `${Math.round(ms)} ms` : `${+(ms / 1000).toFixed(1)} s`);

const cloned = (id) => document.getElementById(id).content.firstElementChild.cloneNode(true);

let turns = 0;

/** One question of the thread and everything that is shown of its answer. */
export class Turn {
  constructor(thread, question) {
    this.number = ++turns;
    this.node = cloned("turn");
    this.told = "";
    this.citations = new Map();
    this.asked = question;
    this.part("question").textContent = question;
    thread.append(this.node);
    this.scroll();
  }

  /** The question at the top of the window, so that its answer has the room below; the first has it anyway. */
  scroll() {
    if (this.node.previousElementSibling) this.node.scrollIntoView({ block: "start" });
    this.scrolledTo = scrollY;
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
    const link = styled("a", "marker", number);
    link.href = `#source-${this.number}-${number}`;
    link.setAttribute("aria-label", `source ${number}`);
    link.addEventListener("click", (event) => {
      const citation = this.citations.get(Number(number));
      if (!citation?.quote) return;
      event.preventDefault();
      openSource(citation, link);
    });
    hint(link, (node) => {
      const citation = this.citations.get(Number(number));
      if (!citation) return false;
      node.append(styled("p", "title", citation.document_name), styled("p", "small", placeOf(citation)));
      const quote = element("blockquote");
      quote.append(...quoted(citation));
      node.append(quote);
      return true;
    });
    const raised = element("sup");
    raised.append(link);
    return raised;
  }

  /** A source; one that is there already is shown anew. */
  cite(citation) {
    this.part("sources").hidden = false;
    this.citations.set(citation.marker, citation);
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
    node.replaceChildren(styled("p", "small", NEAREST));
    for (const { text, citation } of nearest) {
      const place = [citation.document_name, citation.section && plainLine(citation.section)].filter(Boolean).join(" › ");
      const figure = element("figure");
      const quote = element("blockquote");
      quote.append(...rendered(text, (number) => `[^${number}]`));
      const open = citation.document_id ? button("Open in the document", (from) => openSource(citation, from), "link") : "";
      figure.append(styled("figcaption", "small", place), quote, open);
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
    const answer = withoutSources(reply.answer);
    if (answer !== this.told) {
      const isContinued = answer.startsWith(this.told);
      this.say(isContinued ? answer.slice(this.told.length) : `\n\n${answer}`);
    }
    if (reply.refused) this.reveal("verdict", "Not answered");
    else if (reply.pending?.token) this.reveal("verdict", "Please confirm");
    else if (reply.outcome === "clarify") this.reveal("verdict", "Please clarify");
    else if (reply.outcome === "tool") this.reveal("verdict", "From your records");
    else if (!reply.grounded) this.reveal("verdict", "Not from the documents");
    if (reply.refusal_reason && reply.refusal_reason !== reply.answer) {
      this.reveal("reason", why(reply.refusal_reason, reply.warnings)).title = reply.refusal_reason;
      const helps = whatHelps(reply, me, corpus.total);
      if (helps) this.reveal("helps", helps);
    }
    this.weigh(reply);
    this.near(reply.nearest);
    reply.citations.forEach((citation) => this.cite(citation));
    if (reply.transparency.show_to_user && reply.transparency.statement && !this.told.includes(reply.transparency.statement)) {
      this.notice(reply.transparency.statement);
    }
    const warnings = reply.refusal_reason ? reply.warnings.filter((text) => !isMissing(text)) : reply.warnings;
    [...reply.notices, ...warnings].forEach((text) => this.notice(text));
    if (reply.route_to) this.send(reply.route_to);
    for (const suggestion of reply.suggestions) this.offer(suggestion.label, () => ask(suggestion.query, undefined, reply.request_id));
    if (reply.pending?.token) {
      this.offer("Yes", () => ask("Yes", reply.pending.token));
      this.offer("No", () => ask("No"));
    }
    const entry = element("a", "entry in the trail");
    entry.href = `#request=${encodeURIComponent(reply.request_id)}`;
    entry.title = `This question in the trail, ${reply.request_id}: a link that can be shared`;
    this.part("figures").replaceChildren(`${inSeconds(reply.generation_time_ms)} · `, entry);
    this.beSure(reply.confidence);
    this.offerCopies(reply);
    this.offerReasons(reply);
    this.reveal("foot");
    // A keyboard that went away, or a window that was turned, may have moved it; whoever has scrolled stays where they are.
    if (Math.abs(scrollY - this.scrolledTo) <= 2) this.scroll();
  }

  /** The sentences that answer stand out, and in them the words that do; what is there for their context is quieter. */
  weigh(reply) {
    const answering = reply.claims.filter((claim) => claim.role === "answer");
    const told = withoutSources(reply.answer);
    if (answering.length === 0 || !told) return;
    const places = [];
    let from = 0;
    for (const { text, markers } of answering) {
      const start = told.indexOf(text, from);
      if (start < 0) continue;
      from = start + text.length;
      places.push({ name: "quote", start, end: from });
      const words = reply.citations.filter((one) => markers.includes(one.marker)).map(highlighted).find((one) => one && text.includes(one));
      if (words) {
        const at = start + text.indexOf(words);
        places.push({ name: "highlight", start: at, end: at + words.length });
      }
    }
    const nodes = marked(told, places, (number) => this.marker(number));
    if (nodes.some((node) => node.className === "unrendered")) return;
    const answer = this.part("answer");
    answer.replaceChildren(...nodes);
    answer.classList.toggle("weighed", answering.length < reply.claims.length);
  }

  /** How sure the answer is, in a word and a number, and what that is made of. */
  beSure(confidence) {
    if (confidence.overall === null) return;
    const word = confidence.overall >= SURE ? "high" : confidence.overall >= FAIR ? "fair" : "low";
    const node = this.reveal("sureness");
    node.querySelector("summary").textContent = `${word} confidence, ${confidence.overall} of 100`;
    const percent = (share) => (Number.isFinite(share) ? `${Math.round(share * 100)} of 100` : null);
    const parts = [
      ["Relevance of the sources", percent(confidence.retrieval_score)],
      ["Its words found in them", percent(confidence.coverage_score)],
      ["The judge's score", Number.isFinite(confidence.llm_score) ? `${confidence.llm_score} of 100` : null],
    ];
    const shown = parts.filter(([, figure]) => figure);
    node.querySelector("dl").append(...shown.flatMap(([name, figure]) => [element("dt", name), element("dd", figure)]));
    if (corpus.wrong) this.reveal("how-often", corpus.wrong);
  }

  /** How it came about; put together when somebody looks. */
  offerReasons(reply) {
    if (!reply.trace) return;
    const node = this.reveal("why");
    node.addEventListener("toggle", () => explain(node.querySelector(".panel"), reply), { once: true });
  }

  offerCopies(reply) {
    const [markdown, text] = ["copy-markdown", "copy-plain"].map((name) => this.part(name));
    markdown.addEventListener("click", () => copyFrom(markdown, asMarkdown(this.asked, reply)));
    text.addEventListener("click", () => {
      const plain = wordsOf(rendered(reply.answer, (number) => ` [${number}]`)).trim();
      copyFrom(text, asPlain(this.asked, plain, reply));
    });
  }

  /** A button below the answer. */
  offer(label, act) {
    this.reveal("suggestions").append(button(label, act));
  }

  /** Whom to ask. */
  send(route) {
    const node = this.reveal("route", "Ask ");
    if (route.owner_email) {
      const link = element("a", route.owner_email);
      link.href = `mailto:${encodeURIComponent(route.owner_email).replaceAll("%40", "@")}`;
      node.append(link);
    } else {
      node.append(route.owner_user_id ?? `the person responsible for ${route.tag}`);
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
  const spoken = styled("span", "unseen", `Source ${citation.marker}: `);
  title.append(spoken, linked(citation.document_name, citation));
  node.querySelector(".place").textContent = placeOf(citation);
  node.querySelector("blockquote").append(...quoted(citation));
  const open = node.querySelector(".open");
  open.addEventListener("click", () => openSource(citation, open));
  open.hidden = !citation.quote;
  open.closest(".acts").append(" ", original(citation));
  return node;
}

/** The words that a judge takes for the answer. */
function highlighted(citation) {
  if (!citation.highlight) return "";
  const { start, end } = citation.highlight;
  return Array.from(citation.snippet_full).slice(start - citation.snippet_start, end - citation.snippet_start).join("");
}

/** The passage around its quote, without its markup. */
function quoted(citation) {
  const within = (span) => span && { start: span.start - citation.snippet_start, end: span.end - citation.snippet_start };
  const text = citation.snippet_full;
  const nodes = marked(text, placesOf(text, { quote: within(citation.quote) }));
  // Where the marks could not be set with the markup, its signs are taken out of each piece.
  const isRaw = nodes.some((node) => node.className === "unrendered");
  const parts = nodes.flatMap((node) => [...segments(node)]).map((one) => (isRaw ? { ...one, text: plain(one.text) } : one));
  const first = parts.findIndex((one) => one.isMarked);
  if (first < 0) return [cut(plain(citation.snippet_full), BEFORE + AFTER)];
  const last = parts.findLastIndex((one) => one.isMarked);
  const words = (list) => list.map((one) => one.text).join("");
  const before = words(parts.slice(0, first)).trimStart();
  const near = before.length > BEFORE ? `…${before.slice(-BEFORE).replace(/^\S*\s/, "")}` : before;
  return [near, element("mark", words(parts.slice(first, last + 1)).trim()), cut(words(parts.slice(last + 1)).trimEnd(), AFTER)];
}

/** The text of a node in pieces that are marked or not, with line ends between its blocks. */
function* segments(node) {
  if (node.nodeType !== Node.ELEMENT_NODE) {
    yield { text: node.textContent, isMarked: false };
  } else if (node.tagName === "MARK") {
    yield { text: node.textContent, isMarked: true };
  } else if (!["FIGCAPTION", "BUTTON"].includes(node.tagName)) {
    for (const child of node.childNodes) yield* segments(child);
    if (["TD", "TH"].includes(node.tagName)) yield { text: "  ", isMarked: false };
    else if (["P", "LI", "TR", "PRE", "BR", "BLOCKQUOTE"].includes(node.tagName)) yield { text: "\n", isMarked: false };
  }
}

/** The beginning of a text, ended between words. */
const cut = (text, length) => (text.length > length ? `${text.slice(0, length).replace(/\s\S*$/, "")}…` : text);
