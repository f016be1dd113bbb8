// Markdown of an answer → nodes of the page. Text of documents becomes text and never markup: elements are made here, by
// name, and an address is followed only if it is one of the web or of mail.
//
// An answer is put together from pieces of documents with markers behind them, so a marker may stand behind a fence or a
// row, and rows may come without their head. Every loop moves on, and what it looks ahead for has a bound: the work is in
// proportion to the text.

import { button, element } from "./dom.js";

const DEPTH_MAX = 6;
const LINK_MAX = 2000;
const TAG_MAX = 500;
const TEMPLATE_TAGS = [["{{<", ">}}"], ["{{%", "%}}"], ["{%", "%}"], ["<%", "%>"], ["{:", "}"]];

const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/;
const FENCE = /^(\s*)(`{3,}|~{3,})([^`]*)$/;

/** The nodes of a text, one per block; `marker` makes the node of a source's number. */
export function rendered(text, marker) {
  return blocks(text.split("\n"), marker, 0);
}

const isRule = (line) => line.includes("--") && /^[\s|:-]+$/.test(line);

/** A line without the markers at its end, and these. */
function splitMarkers(line) {
  let bare = line.trimEnd();
  for (;;) {
    const open = bare.endsWith("]") ? bare.lastIndexOf("[^") : -1;
    if (open < 0 || !/^\d{1,4}$/.test(bare.slice(open + 2, -1))) break;
    bare = bare.slice(0, open).trimEnd();
  }
  return [bare, line.slice(bare.length).trim()];
}

function blocks(lines, marker, depth) {
  const nodes = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at];
    let read = null;
    if (line.trim() === "") {
      at += 1;
      continue;
    }
    if (FENCE.test(line)) read = code(lines, at, marker);
    else if (isRow(line) || isHead(lines, at)) read = table(lines, at, marker, depth);
    else if (/^\s{0,3}#{1,6}\s/.test(line)) read = heading(line, marker, depth);
    else if (/^\s{0,3}([-*_])(\s*\1){2,}\s*$/.test(line)) read = { nodes: [element("hr")], lines: 1 };
    else if (/^\s{0,3}>/.test(line) && depth < DEPTH_MAX) read = quote(lines, at, marker, depth);
    else if (ITEM.test(line) && depth < DEPTH_MAX) read = list(lines, at, marker, depth);
    else read = paragraph(lines, at, marker, depth);
    nodes.push(...read.nodes);
    at += read.lines;
  }
  return nodes;
}

/** Whether a line is the start of something that is no paragraph. */
const startsBlock = (lines, at) =>
  lines[at].trim() === "" || FENCE.test(lines[at]) || ITEM.test(lines[at]) || isRow(lines[at]) || isHead(lines, at) ||
  /^\s{0,3}(#{1,6}\s|>)/.test(lines[at]);

function paragraph(lines, at, marker, depth) {
  let end = at + 1;
  // A marker at the end of a line ends a piece: what follows is of another sentence or another document.
  while (end < lines.length && !startsBlock(lines, end) && !endsPiece(lines[end - 1], lines[end])) end += 1;
  const text = lines.slice(at, end).map((line) => line.trim()).join(" ");
  const words = inline(text, marker, depth);
  return { nodes: words.length ? [element("p", ...words)] : [], lines: end - at };
}

const endsPiece = (line, next) => splitMarkers(line)[1] !== "" && !/^\s/.test(next);

function heading(line, marker, depth) {
  const text = line.replace(/^\s*#+\s*/, "").replace(/\s#+\s*$/, "");
  const node = element("p", ...inline(text, marker, depth));
  node.className = `heading level-${line.match(/#+/)[0].length}`;
  return { nodes: [node], lines: 1 };
}

function quote(lines, at, marker, depth) {
  let end = at;
  while (end < lines.length && /^\s{0,3}>/.test(lines[end])) end += 1;
  const inner = lines.slice(at, end).map((line) => line.replace(/^\s*>\s?/, ""));
  return { nodes: [element("blockquote", ...blocks(inner, marker, depth + 1))], lines: end - at };
}

function code(lines, at, marker) {
  const [, indent, mark, name] = lines[at].match(FENCE);
  const body = [];
  let end = at + 1;
  let behind = "";
  for (; end < lines.length; end += 1) {
    const [line, markers] = splitMarkers(lines[end]);
    const bare = line.trim();
    if (bare.length >= mark.length && bare === mark[0].repeat(bare.length)) {
      behind = markers && ` ${markers}`;
      break;
    }
    body.push(lines[end].startsWith(indent) ? lines[end].slice(indent.length) : lines[end]);
  }
  const pre = element("pre", element("code", body.join("\n")));
  // Code wider than the page is scrolled, by keyboard too.
  pre.tabIndex = 0;
  const figure = element("figure", pre);
  figure.className = "code";
  const label = element("figcaption", name.trim(), ...inline(behind, marker, 0));
  if (label.textContent) figure.prepend(label);
  figure.append(button("Copy", null, "copy-code"));
  return { nodes: [figure], lines: end - at + 1 };
}

/** A list, its items with everything that is set in below them. */
function list(lines, at, marker, depth) {
  const [, , first] = lines[at].match(ITEM);
  const isOrdered = /\d/.test(first);
  const node = element(isOrdered ? "ol" : "ul");
  if (isOrdered && parseInt(first, 10) !== 1) node.start = parseInt(first, 10);
  const margin = lines[at].match(/^\s*/)[0].length;
  let end = at;
  while (end < lines.length) {
    const found = lines[end].match(ITEM);
    if (!found || found[1].length > margin + 1 || found[1].length < margin || /\d/.test(found[2]) !== isOrdered) break;
    const inner = [found[3]];
    end += 1;
    for (; end < lines.length; end += 1) {
      const isSetIn = lines[end].search(/\S/) > margin;
      const isBlank = lines[end].trim() === "";
      const goesOn = isBlank && end + 1 < lines.length && lines[end + 1].search(/\S/) > margin + 1;
      const isLazy = !isBlank && !startsBlock(lines, end) && inner.at(-1).trim() !== "" && !endsPiece(lines[end - 1], lines[end]);
      if (!(isSetIn || goesOn || isLazy)) break;
      inner.push(lines[end].replace(new RegExp(`^\\s{0,${margin + found[2].length + 1}}`), ""));
    }
    node.append(element("li", ...tight(blocks(inner, marker, depth + 1))));
    // Blank lines between items do not end a list.
    let next = end;
    while (next < lines.length && lines[next].trim() === "") next += 1;
    const isItem = next < lines.length && ITEM.test(lines[next]) && /\d/.test(lines[next].match(ITEM)[2]) === isOrdered;
    if (next > end && isItem) end = next;
  }
  return { nodes: [node], lines: Math.max(1, end - at) };
}

/** An item that is one paragraph is its words. */
const tight = (nodes) => (nodes.length && nodes[0].tagName === "P" ? [...nodes[0].childNodes, ...nodes.slice(1)] : nodes);

const isRow = (line) => {
  const bare = splitMarkers(line)[0].trim();
  return bare.length > 1 && bare.startsWith("|") && bare.endsWith("|");
};

/** Rows need no bars around them where a rule stands below the first. */
const isHead = (lines, at) =>
  at + 1 < lines.length && lines[at].includes("|") && lines[at + 1].includes("|") && isRule(lines[at + 1]);

function table(lines, at, marker, depth) {
  let end = at;
  while (end < lines.length && lines[end].trim() !== "" && lines[end].includes("|") && (isRow(lines[end]) || !ITEM.test(lines[end]))) end += 1;
  const rows = lines.slice(at, end);
  const hasHead = rows.length > 1 && isRule(rows[1]);
  const node = element("table");
  const row = (line, name) =>
    element("tr", ...cells(line).map((cell) => element(name, ...inline(cell, marker, depth))));
  if (hasHead) node.append(element("thead", row(rows[0], "th")));
  const body = rows.slice(hasHead ? 2 : 0).filter((line) => !isRule(line));
  node.append(element("tbody", ...body.map((line) => row(line, "td"))));
  const frame = element("div", node);
  frame.className = "table";
  frame.tabIndex = 0;
  return { nodes: [frame], lines: Math.max(1, end - at) };
}

/** The cells of a row; markers behind it belong to the last. */
function cells(line) {
  const [row, behind] = splitMarkers(line);
  let bare = row.trim();
  if (bare.startsWith("|")) bare = bare.slice(1);
  if (bare.endsWith("|") && !bare.endsWith("\\|")) bare = bare.slice(0, -1);
  const found = [""];
  for (let at = 0; at < bare.length; at += 1) {
    if (bare[at] === "\\" && bare[at + 1] === "|") {
      found[found.length - 1] += "|";
      at += 1;
    } else if (bare[at] === "|") found.push("");
    else found[found.length - 1] += bare[at];
  }
  if (behind) found[found.length - 1] += ` ${behind}`;
  return found.map((cell) => cell.trim());
}

/** Words within a line. */
function inline(text, marker, depth) {
  const nodes = [];
  let plain = "";
  const absent = new Set();
  const flush = () => {
    if (plain) nodes.push(document.createTextNode(plain));
    plain = "";
  };
  const put = (node) => {
    flush();
    nodes.push(node);
  };
  let at = 0;
  while (at < text.length) {
    const found = special(text, at, marker, depth, absent);
    if (!found) {
      plain += text[at];
      at += 1;
      continue;
    }
    // A marker stands close to the word before it.
    if (found.isMarker) plain = plain.trimEnd();
    if (found.node) put(found.node);
    else if (found.nodes) {
      flush();
      nodes.push(...found.nodes);
    } else plain += found.text;
    at = found.end;
  }
  flush();
  return nodes;
}

/** What begins at a place and is more than a sign; nothing if it is none. */
function special(text, at, marker, depth, absent) {
  switch (text[at]) {
    case "\\":
      return /[!-/:-@[-`{-~]/.test(text[at + 1] ?? "") ? { text: text[at + 1], end: at + 2 } : null;
    case "`":
      return codeSpan(text, at, absent);
    case "[":
      return markerAt(text, at, marker) ?? link(text, at, marker, depth);
    case "!":
      return text[at + 1] === "[" ? picture(text, at, marker, depth) : null;
    case "<":
    case "{":
      return tag(text, at, absent);
    case "*":
    case "_":
    case "~":
      return emphasis(text, at, marker, depth, absent);
    case "h":
      return address(text, at);
    default:
      return null;
  }
}

function codeSpan(text, at, absent) {
  const mark = text.slice(at).match(/^`+/)[0];
  if (mark.length > 8 || absent.has(mark)) return { text: mark, end: at + mark.length };
  let close = text.indexOf(mark, at + mark.length);
  while (close >= 0 && text[close + mark.length] === "`") {
    let skip = close + mark.length;
    while (text[skip] === "`") skip += 1;
    close = text.indexOf(mark, skip);
  }
  if (close < 0) {
    absent.add(mark);
    return { text: mark, end: at + mark.length };
  }
  return { node: element("code", text.slice(at + mark.length, close).trim()), end: close + mark.length };
}

function markerAt(text, at, marker) {
  const found = text.slice(at, at + 8).match(/^\[\^(\d{1,4})\]/);
  return found ? { node: marker(found[1]), isMarker: true, end: at + found[0].length } : null;
}

/** The place behind the bracket that closes the one here; nothing if it does not come soon. */
function closing(text, at, open, close) {
  let depth = 0;
  const last = Math.min(text.length, at + LINK_MAX);
  for (let place = at; place < last; place += 1) {
    if (text[place] === "\\") place += 1;
    else if (text[place] === open) depth += 1;
    else if (text[place] === close && --depth === 0) return place;
  }
  return -1;
}

function link(text, at, marker, depth) {
  const close = closing(text, at, "[", "]");
  // Where a reference leads is told at the end of its document, which an answer does not hold: its words stay.
  if (close > at + 1 && text[close + 1] === "[" && text[close + 2] !== "^") {
    const end = closing(text, close + 1, "[", "]");
    if (end > 0 && depth < DEPTH_MAX) return { nodes: inline(text.slice(at + 1, close), marker, depth + 1), end: end + 1 };
  }
  if (close < 0 || text[close + 1] !== "(") return null;
  const end = closing(text, close + 1, "(", ")");
  if (end < 0) return null;
  const target = text.slice(close + 2, end).trim().replace(/\s+["'(].*$/, "").replace(/^<|>$/g, "");
  const words = depth < DEPTH_MAX ? inline(text.slice(at + 1, close), marker, depth + 1) : [text.slice(at + 1, close)];
  return { ...leading(words, target), end: end + 1 };
}

function picture(text, at, marker, depth) {
  const found = link(text, at + 1, marker, depth);
  return found ? { text: text.slice(at + 2, closing(text, at + 1, "[", "]")), end: found.end } : null;
}

/** Words that lead somewhere, if they may. */
function leading(words, target) {
  let url = null;
  try {
    url = new URL(target);
  } catch {
    return { nodes: words };
  }
  if (!["http:", "https:", "mailto:"].includes(url.protocol)) return { nodes: words };
  const node = element("a", ...words);
  node.href = url.href;
  node.target = "_blank";
  node.rel = "noopener noreferrer";
  return { node };
}

/** A bare address. */
function address(text, at) {
  if (at > 0 && /[\w/]/.test(text[at - 1])) return null;
  const found = text.slice(at, at + LINK_MAX).match(/^https?:\/\/[^\s<>"'`|\\^{}]+/);
  if (!found) return null;
  const bare = found[0].replace(/[.,;:!?)\]*_]+$/, "");
  return { ...leading([bare], bare), end: at + bare.length };
}

/** Tags of a page and comments show nothing; tags of a site's template their words in quotes, if they have any. */
function tag(text, at, absent) {
  const near = text.slice(at, at + TAG_MAX);
  for (const [open, close] of TEMPLATE_TAGS) {
    if (!near.startsWith(open)) continue;
    const end = near.indexOf(close, open.length);
    if (end < 0) return null;
    const words = near.slice(0, end).match(/(["'])(.*?)\1/s);
    return { text: words ? words[2] : "", end: at + end + close.length };
  }
  if (near.startsWith("<!--")) {
    const end = absent.has("-->") ? -1 : text.indexOf("-->", at);
    if (end < 0) absent.add("-->");
    return end < 0 ? null : { text: "", end: end + 3 };
  }
  const auto = near.match(/^<((?:https?:\/\/|mailto:)[^\s<>]+)>/);
  if (auto) return { ...leading([auto[1]], auto[1]), end: at + auto[0].length };
  const found = near.match(/^<\/?[A-Za-z][^<>]*>/);
  if (!found) return null;
  return /^<br\b/i.test(found[0]) ? { node: element("br"), end: at + found[0].length } : { text: "", end: at + found[0].length };
}

function emphasis(text, at, marker, depth, absent) {
  const sign = text[at];
  const isDouble = text[at + 1] === sign;
  if (sign === "~" && !isDouble) return null;
  const mark = isDouble ? sign + sign : sign;
  const inner = at + mark.length;
  const opens = /\S/.test(text[inner] ?? "") && !(sign === "_" && /\w/.test(text[at - 1] ?? ""));
  if (!opens || depth >= DEPTH_MAX || absent.has(mark)) return { text: mark, end: inner };
  let close = text.indexOf(mark, inner + 1);
  while (close >= 0 && !closes(text, close, mark)) close = text.indexOf(mark, close + mark.length);
  if (close < 0) {
    absent.add(mark);
    return { text: mark, end: inner };
  }
  const name = { "**": "strong", __: "strong", "*": "em", _: "em", "~~": "s" }[mark];
  return { node: element(name, ...inline(text.slice(inner, close), marker, depth + 1)), end: close + mark.length };
}

const closes = (text, at, mark) =>
  /\S/.test(text[at - 1]) && !(mark[0] === "_" && /\w/.test(text[at + mark.length] ?? "")) &&
  !(mark.length === 1 && text[at + 1] === mark) && !(mark.length === 1 && text[at - 1] === mark);

/** The words of nodes as plain text: blocks on lines of their own, cells apart. */
export function wordsOf(nodes) {
  const text = nodes.map((node) => {
    if (node.nodeType !== Node.ELEMENT_NODE) return node.textContent;
    const name = node.tagName;
    const inner = wordsOf([...node.childNodes]);
    if (["TD", "TH"].includes(name)) return `${inner}  `;
    if (["FIGCAPTION", "BUTTON"].includes(name)) return "";
    return ["P", "LI", "TR", "PRE", "BR", "BLOCKQUOTE"].includes(name) ? `${inner}\n` : inner;
  });
  return text.join("");
}

const asWritten = (number) => `[^${number}]`;

/** A text without its markup. */
export const plain = (text) => wordsOf(rendered(text, asWritten)).trim();

/** A line, such as a heading, without its markup: it is neither a list nor a heading, whatever it begins with. */
export const plainLine = (text) => wordsOf(inline(text, asWritten, 0)).trim();
