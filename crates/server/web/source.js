// The source of a sentence: its document, opened at the passage, with the quoted words marked.

import { get, pathOf, sentenceOf } from "./api.js";
import { button, element } from "./dom.js";
import { plainLine } from "./markdown.js";
import { marked, placesOf } from "./marked.js";
import { original } from "./original.js";
import { listVersions, readChanges } from "./past.js";

const HEADINGS_MAX = 200;
/** For so many frames a quote is looked at again, until it stays where it is. */
const FRAMES_MAX = 60;
/** So many of them in a row it must have stayed. */
const FRAMES_STILL = 4;
/** Wider than this the document stands beside the answer, else in front of it. */
const BESIDE = matchMedia("(min-width: 70rem)");

const pane = document.getElementById("source");
const part = (name) => pane.querySelector(`.${name}`);

let opener = null;
let loading = null;

/** Opens the pane on something; focus comes back to `from` when it is closed. */
function begin(name, place, from) {
  opener = from;
  loading?.abort();
  loading = new AbortController();
  part("name").textContent = name;
  part("place").replaceChildren(...place);
  ["outline", "past"].forEach((hidden) => { part(hidden).hidden = true; });
  part("state").textContent = "Opening the document…";
  part("text").replaceChildren();
  show();
  return loading.signal;
}

/** Opens what changed between two versions of a document. */
export async function openChanges(wanted, name, from) {
  const signal = begin(name, [], from);
  await readChanges(wanted, signal, past);
  if (!signal.aborted) await listVersions(part("past"), wanted.id, signal, past);
}

/** Shows an earlier form in the place of the text: the words of one, or nodes. */
function past(sentence, shown) {
  const nodes = typeof shown === "string" ? marked(shown, placesOf(shown, {})) : shown;
  part("state").textContent = sentence;
  part("text").replaceChildren(...nodes);
  outline([...part("text").querySelectorAll(".heading")]);
  part("body").scrollTop = 0;
}

/** Opens the document of a citation. */
export async function openSource(citation, from) {
  const signal = begin(citation.document_name, [placeOf(citation), " ", original(citation)], from);
  try {
    const response = await get(pathOf("/v1/documents", citation.document_id), signal);
    if (!response.ok) {
      part("state").textContent = response.status === 404 ? "This document no longer exists, or is not open to you." : await sentenceOf(response);
      return;
    }
    const found = await response.json();
    if (signal.aborted) return;
    fill(found, citation);
    settle(signal);
    await listVersions(part("past"), citation.document_id, signal, past);
    settle(signal);
  } catch (error) {
    if (error.name !== "AbortError") part("state").textContent = "The server cannot be reached.";
  }
}

/** Where in its document something stands, in words. */
export const placeOf = (citation) =>
  [citation.section && plainLine(citation.section), citation.locator, citation.version && `version ${citation.version}`, citation.updated].filter(Boolean).join(" · ");

function fill(found, citation) {
  const text = part("text");
  text.replaceChildren(...marked(found.text, placesOf(found.text, { quote: citation.quote, highlight: citation.highlight })));
  part("state").textContent = stateOf(found, citation);
  outline([...text.querySelectorAll(".heading")]);
  const first = text.querySelector("mark");
  if (first) {
    first.tabIndex = -1;
    first.focus({ preventScroll: true });
  } else {
    part("body").scrollTop = 0;
  }
}

/**
 * Brings the quote into the upper part of the text. What lies above it gets its true height only as it comes near, which moves
 * the quote away again, so it is looked at until it stays; whoever scrolls meanwhile has it their way.
 */
function settle(signal) {
  const [body, first] = [part("body"), part("text").querySelector("mark")];
  if (!first) return;
  let [frames, still, isOver] = [0, 0, false];
  const end = () => { isOver = true; };
  const hands = ["wheel", "touchstart", "pointerdown", "keydown"];
  hands.forEach((name) => body.addEventListener(name, end, { once: true, passive: true, signal }));
  const look = () => {
    if (isOver || signal.aborted || !first.isConnected || frames >= FRAMES_MAX || still >= FRAMES_STILL) {
      hands.forEach((name) => body.removeEventListener(name, end));
      return;
    }
    frames += 1;
    const [quote, room] = [first.getBoundingClientRect(), body.getBoundingClientRect()];
    const before = body.scrollTop;
    body.scrollTop += quote.top - room.top - Math.max(0, Math.min(room.height / 4, (room.height - quote.height) / 2));
    still = Math.abs(body.scrollTop - before) < 2 ? still + 1 : 0;
    requestAnimationFrame(look);
  };
  look();
}

/** What is to be known before reading: a successor, or words that are not there any more. */
function stateOf(found, citation) {
  const told = [];
  if (found.superseded_by) told.push(`Superseded by ${found.superseded_by}.`);
  if (citation.quote && citation.snippet_full) {
    const signs = Array.from(found.text.slice(0, citation.quote.end * 2));
    const now = signs.slice(citation.quote.start, citation.quote.end).join("");
    const from = citation.quote.start - citation.snippet_start;
    const then = Array.from(citation.snippet_full).slice(from, from + citation.quote.end - citation.quote.start).join("");
    if (now !== then) told.push("The document has changed since, so the marked text may differ from what was quoted.");
  }
  return told.join(" ");
}

function outline(headings) {
  const list = part("headings");
  list.replaceChildren(
    ...headings.slice(0, HEADINGS_MAX).map((heading) => {
      const go = () => {
        heading.tabIndex = -1;
        heading.scrollIntoView({ block: "start" });
        heading.focus({ preventScroll: true });
      };
      return element("li", button(heading.textContent, go, "link"));
    }),
  );
  part("outline").hidden = headings.length < 2;
}

/** Where it is open already and fits, it stays. */
function show() {
  const isModal = pane.matches(":modal");
  if (pane.open && isModal === !BESIDE.matches) return;
  if (pane.open) pane.close();
  if (BESIDE.matches) pane.show();
  else pane.showModal();
  document.body.classList.toggle("beside", BESIDE.matches);
}

export function closeSource() {
  loading?.abort();
  if (pane.open) pane.close();
}

pane.addEventListener("close", () => {
  // It was closed to be opened otherwise.
  if (pane.open) return;
  document.body.classList.remove("beside");
  if (pane.contains(document.activeElement) || document.activeElement === document.body) opener?.focus({ preventScroll: true });
});

pane.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    event.preventDefault();
    closeSource();
  }
});

part("close").addEventListener("click", closeSource);
BESIDE.addEventListener("change", () => {
  if (!pane.open) return;
  show();
  // A pane that was closed to be opened otherwise begins at the top.
  if (loading) settle(loading.signal);
});
