// What editors do: questions that were not answered, documents that contradict each other, the entries of the memory, and how near a wording comes before it is kept.

import { get, pathOf, post, remove, sentenceOf } from "./api.js";
import { closeDesk, openDesk } from "./desk.js";
import { button, element, parts, spoken, styled, surely } from "./dom.js";
import { loadFindings } from "./findings.js";
import { plain } from "./markdown.js";
import { documentsOf } from "./pick.js";
import { offerPassages, partsOf } from "./picker.js";
import { showUnanswered } from "./unanswered.js";
import { me, onView } from "./views.js";
import { showUnhelpful, showWordings, unreachedIn } from "./wordings.js";

const WAIT_MS = 300;
const NEARNESS = { same: "the same question", border: "near: a model judges", far: "another question" };

const view = document.getElementById("view-curate");
const part = (name) => view.querySelector(`.${name}`);
const [open, entries, form, state, tried] = ["open-questions", "entries", "entry", "state", "tried"].map(part);
const field = (name) => form.elements.namedItem(name);

/** The ids that entries have, and the first phrase of each. */
let taken = new Map();
/** Documents by what entries call them, and null for what no document is called. */
let sources = new Map();

/** The entries as they are shown. */
let shown = "";
/** The entries whose sources are named. */
let named = [];

/** What an entry is called. */
const nameOf = (id) => taken.get(id) ?? id;

/** What a path tells, or nothing, with the reason on the page. */
async function told(path) {
  try {
    const response = await get(path);
    if (response.ok) return await response.json();
    state.textContent = await sentenceOf(response);
  } catch {
    state.textContent = "The server cannot be reached.";
  }
  return null;
}

async function load() {
  state.textContent = "";
  [".to-desk", ".desk"].forEach((name) => { view.querySelector(name).hidden = !me.isAdmin; });
  const [unanswered, memory] = await Promise.all([told("/v1/unanswered"), told("/v1/memory?limit=1000"), loadFindings(told)]);
  const topics = unanswered?.topics ?? [];
  const say = (words) => { state.textContent = words; };
  const done = async (words) => {
    await load();
    say(words);
  };
  taken = new Map((memory?.entries ?? []).map((entry) => [entry.id, entry.phrases[0] ?? entry.id]));
  showUnanswered(open, topics, { nameOf, pin: begin, say, done });
  showWordings(part("chosen"), unanswered?.wordings ?? [], { nameOf, say, done });
  showUnhelpful(part("unhelpful"), unanswered?.unhelpful ?? [], { pin: begin });
  part("none-open").hidden = !unanswered || topics.length > 0;
  showEntries(memory?.entries ?? []);
  part("none-kept").hidden = !memory || memory.entries.length > 0;
  named = memory?.entries ?? [];
  nameSources(named);
}

/** Puts the titles of documents in the place of what entries call them, and marks what leads nowhere. */
async function nameSources(list) {
  const found = await documentsOf([...new Set(list.flatMap((entry) => entry.references.map((one) => partsOf(one).target)))]);
  // Entries were read anew meanwhile.
  if (list !== named) return;
  sources = found;
  for (const node of entries.querySelectorAll(".source-of")) node.replaceWith(sourceOf(node.dataset.reference));
}

/** A source of an entry in words. */
function sourceOf(reference) {
  const { target, within } = partsOf(reference);
  const card = sources.get(target);
  const words = [card?.title ?? target, within && `“${within}”`].filter(Boolean).join(" ");
  const node = styled("span", "source-of", words);
  node.dataset.reference = reference;
  if (card === null) node.append(styled("strong", "failed", " (there is no such document)"));
  return node;
}

/** The chosen sources by their titles, below the field that has them as they are kept. */
function showChosen() {
  part("sources-chosen").replaceChildren(...split("references", "\n").map((one) => element("li", sourceOf(one))));
}

function showEntries(list) {
  // What has not changed stays, so that nobody loses the place they are at.
  const now = JSON.stringify(list);
  if (now === shown) return;
  shown = now;
  entries.replaceChildren(
    ...list.map((entry) => {
      const seen = entry.tags.length ? ` · only for ${entry.tags.join(", ")}` : "";
      const about = styled("p", "small", `${entry.kind} · ${entry.id}`, entry.references.length ? " → " : "", ...entry.references.flatMap((one, at) => [at ? ", " : "", sourceOf(one)]), seen);
      const words = entry.note.length ? element("p", plain(entry.note[0])) : "";
      const isPlain = entry.translations.length === 0;
      const edit = isPlain ? button("Change", () => change(entry), "link") : styled("span", "small", ...spoken("This entry is in several languages; change it with `vouch memory import`."));
      const acts = styled("p", "acts", edit, surely(["Remove", "Yes, remove"], nameOf(entry.id), () => forget(entry.id)));
      return element("li", element("p", entry.phrases.join(" / ")), words, about, acts);
    }),
  );
}

/** Puts a question into the form. */
function begin(query) {
  form.reset();
  tried.replaceChildren();
  field("phrases").value = query;
  nameEntry();
  openDesk();
  field("references").focus();
}

function change(entry) {
  form.reset();
  tried.replaceChildren();
  field("id").value = entry.id;
  field("phrases").value = entry.phrases.join("\n");
  field("references").value = entry.references.join("\n");
  field("note").value = entry.note[0] ?? "";
  field("for_readers").checked = entry.for_readers;
  field("tags").value = entry.tags.join(", ");
  showChosen();
  openDesk();
  field("phrases").focus();
}

/** An id from the first wording that no other entry has; whoever has written one keeps it. */
function nameEntry() {
  const [first = ""] = split("phrases", "\n");
  const words = first.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 60).replace(/^-|-$/g, "");
  let [id, number] = [words, 1];
  while (taken.has(id)) {
    number += 1;
    id = `${words}-${number}`;
  }
  field("id").value = id;
  field("id").dataset.made = id;
}

const split = (name, sign) => parts(field(name).value, sign);

/** Shows how near the wordings of the form, and what is kept already, are to the question that is tried. */
let waiting = 0;
let latest = 0;
async function tryOut() {
  const query = field("tried").value.trim();
  latest += 1;
  const own = latest;
  if (!query) return tried.replaceChildren();
  const body = { query, phrases: split("phrases", "\n").slice(0, 50), note: Boolean(field("note").value.trim()) };
  try {
    const response = await post("/v1/matches", body);
    if (own !== latest) return null;
    if (!response.ok) return tried.replaceChildren(element("p", await sentenceOf(response)));
    return showMatches(await response.json());
  } catch {
    return tried.replaceChildren(element("p", "The server cannot be reached."));
  }
}

function showMatches({ matches, same_from: same, border_from: border }) {
  const rows = matches.map((one) => {
    const meter = element("meter");
    Object.assign(meter, { min: 0, max: 1, low: border, high: same, optimum: 1, value: one.likeness });
    meter.setAttribute("aria-label", `likeness ${one.likeness.toFixed(2)}`);
    const whose = one.id === null ? "this entry" : nameOf(one.id);
    return element("li", meter, ` ${one.likeness.toFixed(2)} ${NEARNESS[one.nearness]}: ${one.text} `, styled("span", "small", whose));
  });
  const limits = styled("p", "small", `From ${same.toFixed(2)} on it counts as the same question, from ${border.toFixed(2)} on a model judges. A question that names something else never counts as the same.`);
  tried.replaceChildren(rows.length ? element("ul", ...rows) : element("p", "There is nothing to compare it with yet."), limits);
}

async function keep() {
  const body = { id: field("id").value.trim(), phrases: split("phrases", "\n"), references: split("references", "\n"), tags: split("tags", ",") };
  if (field("note").value.trim()) {
    body.note = field("note").value.trim();
    body.for_readers = field("for_readers").checked;
  }
  await act(() => post("/v1/memory", body), "Saved.", unreachedIn);
}

const forget = (id) => act(() => remove(pathOf("/v1/memory", id)), "Removed.");

/** Sends, and says what came of it; `more` reads what else is to be said from the reply. */
async function act(send, done, more = () => "") {
  let [sentence, isDone] = [done, false];
  try {
    const response = await send();
    isDone = response.ok;
    if (isDone) {
      sentence = [done, more(await response.json())].filter(Boolean).join(" ");
      form.reset();
    } else {
      sentence = await sentenceOf(response);
    }
  } catch {
    sentence = "The server cannot be reached.";
  }
  if (isDone) {
    tried.replaceChildren();
    part("picked").replaceChildren();
    await load();
  }
  state.textContent = sentence;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  // What was kept leaves an empty form.
  keep().then(() => { if (!field("phrases").value) closeDesk(); });
});
part("begin").addEventListener("click", () => begin(""));
field("phrases").addEventListener("input", () => {
  if (field("id").value === (field("id").dataset.made ?? "")) nameEntry();
});
form.addEventListener("reset", () => {
  delete field("id").dataset.made;
  part("added").textContent = "";
  part("sources-chosen").replaceChildren();
});
form.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(tryOut, WAIT_MS);
});
field("references").addEventListener("input", () => {
  part("added").textContent = "";
  showChosen();
});
offerPassages(field("looked"), part("picked"), (reference, title) => {
  const { target } = partsOf(reference);
  if (!sources.get(target)) sources.set(target, { title });
  field("references").value = [...new Set([...split("references", "\n"), reference])].join("\n");
  showChosen();
  part("added").textContent = "Added.";
  part("sources-chosen").scrollIntoView({ block: "nearest" });
});
onView("curate", load);
