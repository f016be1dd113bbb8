// What editors do: questions that were not answered, documents that contradict each other, the entries of the memory, and how near a wording comes before it is kept.

import { get, pathOf, post, remove, sentenceOf } from "./api.js";
import { closeDesk, openDesk } from "./desk.js";
import { button, element, parts, spoken, styled, surely } from "./dom.js";
import { loadFindings } from "./findings.js";
import { offerPassages } from "./picker.js";
import { showUnanswered } from "./unanswered.js";
import { onView } from "./views.js";
import { showUnhelpful, showWordings, unreachedIn } from "./wordings.js";

const WAIT_MS = 300;
const NEARNESS = { same: "the same question", border: "near: a model judges", far: "another question" };

const view = document.getElementById("view-curate");
const part = (name) => view.querySelector(`.${name}`);
const [open, entries, form, state, tried] = ["open-questions", "entries", "entry", "state", "tried"].map(part);
const field = (name) => form.elements.namedItem(name);

/** The ids that entries have. */
let taken = new Set();

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
  const [unanswered, memory] = await Promise.all([told("/v1/unanswered"), told("/v1/memory?limit=1000"), loadFindings(told)]);
  const topics = unanswered?.topics ?? [];
  const say = (words) => { state.textContent = words; };
  const done = async (words) => {
    await load();
    say(words);
  };
  showUnanswered(open, topics, { pin: begin, say, done });
  showWordings(part("chosen"), unanswered?.wordings ?? [], { say, done });
  showUnhelpful(part("unhelpful"), unanswered?.unhelpful ?? [], { pin: begin });
  part("none-open").hidden = !unanswered || topics.length > 0;
  showEntries(memory?.entries ?? []);
  part("none-kept").hidden = !memory || memory.entries.length > 0;
}

function showEntries(list) {
  taken = new Set(list.map((entry) => entry.id));
  entries.replaceChildren(
    ...list.map((entry) => {
      const seen = entry.tags.length ? ` · only for ${entry.tags.join(", ")}` : "";
      const about = styled("p", "small", `${entry.kind} · ${entry.id}`, entry.references.length ? ` → ${entry.references.join(", ")}` : "", seen);
      const words = entry.note.length ? element("p", entry.note[0]) : "";
      const isPlain = entry.translations.length === 0;
      const edit = isPlain ? button("Change", () => change(entry), "link") : styled("span", "small", ...spoken("This entry is in several languages; change it with `vouch memory import`."));
      const acts = styled("p", "acts", edit, surely(["Remove", "Yes, remove"], entry.id, () => forget(entry.id)));
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
    const whose = one.id === null ? "this entry" : one.id;
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
form.addEventListener("reset", () => { delete field("id").dataset.made; });
form.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(tryOut, WAIT_MS);
});
offerPassages(field("looked"), part("picked"), (reference) => {
  field("references").value = [...split("references", "\n"), reference].join("\n");
});
onView("curate", load);
