// Two texts → the words that went and the words that came, in their order.

import { element } from "./dom.js";

/** Longer texts are shown one after the other instead. */
const CELLS_MAX = 1_000_000;

/** Nodes of the second text, with what it lacks of the first struck through; nothing where the two are too long. */
export function difference(then, now) {
  const [a, b] = [then, now].map((text) => text.split(/(?<=\s)/));
  if (a.length * b.length > CELLS_MAX) return null;
  const width = b.length + 1;
  const longest = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const at = i * width + j;
      longest[at] = a[i].trim() === b[j].trim() ? longest[at + width + 1] + 1 : Math.max(longest[at + width], longest[at + 1]);
    }
  }
  const nodes = [];
  const add = (name, word) => {
    const last = nodes.at(-1);
    if (last?.name === name) last.words += word;
    else nodes.push({ name, words: word });
  };
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i].trim() === b[j].trim()) {
      add("span", b[j]);
      i += 1;
      j += 1;
    } else if (j < b.length && (i === a.length || longest[i * width + j + 1] >= longest[(i + 1) * width + j])) {
      add("ins", b[j]);
      j += 1;
    } else {
      add("del", a[i]);
      i += 1;
    }
  }
  return nodes.map(({ name, words }) => element(name, words));
}
