// Text of a document with places in it → nodes of the page in which the words at these places are marked.
//
// Places are counted in characters, which are not JavaScript's. Signs of no alphabet are put around the words, the text is rendered, and
// whatever stands between the signs is marked, through as many blocks as it takes. Where rendering loses a sign, the text is shown as it
// stands instead: the words that are marked are always those that were quoted.

import { rendered } from "./markdown.js";

/** Around the words that are cited, and around those of them that are the answer. */
const SIGNS = { quote: ["\ue000", "\ue001"], highlight: ["\ue002", "\ue003"] };
const ALL = /[\ue000-\ue003]/g;

/** The places of characters, each as a place in the string; beyond its end for those that are not there. */
export function indexes(text, places) {
  const wanted = [...new Set(places)].sort((a, b) => a - b);
  const found = new Map();
  let count = 0;
  let at = 0;
  for (const place of wanted) {
    while (count < place && at < text.length) {
      at += text.codePointAt(at) > 0xffff ? 2 : 1;
      count += 1;
    }
    found.set(place, count === place ? at : text.length + 1);
  }
  return found;
}

/** The places of words that are counted in characters; `spans` are `{ quote, highlight }`, either may be missing. */
export function placesOf(text, spans) {
  const given = Object.entries(spans).filter(([, span]) => span);
  const at = indexes(text, given.flatMap(([, span]) => [span.start, span.end]));
  return given.map(([name, span]) => ({ name, start: at.get(span.start), end: at.get(span.end) }));
}

/** A place without the signs at both of its ends that are no words, which markup may be; nothing if there are no words in it. */
function words(text, { name, start, end }) {
  if (!(start < end && end <= text.length)) return [];
  const quote = text.slice(start, end);
  const first = quote.search(/[\p{L}\p{N}]/u);
  if (first < 0) return [];
  let last = quote.length;
  while (!/[\p{L}\p{N}]/u.test(quote.slice(0, last).match(/.$/su)[0])) last -= 1;
  return [{ name, start: start + first, end: start + last }];
}

/** The nodes of a text with the words at these places marked; `marker` makes the node of a source's number. */
export function marked(text, given, marker = (number) => `[^${number}]`) {
  const bare = text.replace(ALL, "\ufffd");
  const places = given.flatMap((place) => words(bare, place));
  const signed = withSigns(bare, places);
  const root = document.createElement("div");
  root.append(...rendered(signed, marker));
  if ((root.textContent.match(ALL) ?? []).length !== places.length * 2) {
    const pre = document.createElement("pre");
    pre.textContent = signed;
    pre.className = "unrendered";
    root.replaceChildren(pre);
  }
  mark(root);
  return [...root.childNodes];
}

function withSigns(text, places) {
  const cuts = places.flatMap(({ name, start, end }) => [
    { at: start, sign: SIGNS[name][0], order: name === "quote" ? 0 : 1 },
    { at: end, sign: SIGNS[name][1], order: name === "quote" ? 1 : 0 },
  ]);
  cuts.sort((a, b) => a.at - b.at || a.order - b.order);
  let told = "";
  let from = 0;
  for (const cut of cuts) {
    told += text.slice(from, cut.at) + cut.sign;
    from = cut.at;
  }
  return told + text.slice(from);
}

/** Marks what stands between the signs and takes them out. */
function mark(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const nodes = [];
  while (walker.nextNode()) nodes.push(walker.currentNode);
  const open = { quote: false, highlight: false };
  for (const node of nodes) {
    if (!open.quote && !open.highlight && node.data.search(ALL) < 0) continue;
    const parts = node.data.split(/([\ue000-\ue003])/).filter((part) => part !== "");
    const made = parts.flatMap((part) => {
      const name = Object.keys(SIGNS).find((one) => SIGNS[one].includes(part));
      if (name) {
        open[name] = SIGNS[name][0] === part;
        return [];
      }
      if (!open.quote && !open.highlight) return [document.createTextNode(part)];
      const made = document.createElement("mark");
      made.textContent = part;
      if (open.highlight) made.className = "answering";
      return [made];
    });
    node.replaceWith(...made);
  }
}
