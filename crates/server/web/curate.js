// What editors do: questions that were not answered, each one click from a pinned answer, and the entries of the memory.

import { get, pathOf, post, remove, sentenceOf } from "./api.js";
import { button, element, styled } from "./dom.js";
import { onView } from "./views.js";

const LOOKED_AT = 500;
const GROUPS_MAX = 50;

const view = document.getElementById("view-curate");
const part = (name) => view.querySelector(`.${name}`);
const [open, entries, form, state] = ["open-questions", "entries", "entry", "state"].map(part);
const field = (name) => form.elements.namedItem(name);

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
  const [trail, memory] = [await told(`/v1/audit?limit=${LOOKED_AT}`), await told("/v1/memory")];
  showOpen(trail?.entries ?? []);
  showEntries(memory?.entries ?? []);
}

/** Questions without an answer, the most frequent first; those that ask the same in other letters count together. */
function showOpen(list) {
  const groups = new Map();
  for (const one of list.filter((entry) => ["refused", "routed", "clarify"].includes(entry.outcome))) {
    const key = one.query.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ").trim();
    const group = groups.get(key) ?? { query: one.query, count: 0, reason: one.reason };
    group.count += 1;
    groups.set(key, group);
  }
  const sorted = [...groups.values()].sort((a, b) => b.count - a.count).slice(0, GROUPS_MAX);
  open.replaceChildren(
    ...sorted.map(({ query, count, reason }) => {
      const times = count > 1 ? ` (${count} times)` : "";
      const why = styled("span", "small", reason ? ` · ${reason.replaceAll("_", " ")}` : "");
      return element("li", `${query}${times}`, why, " ", button("Pin an answer", () => begin(query), "link"));
    }),
  );
  part("none-open").hidden = sorted.length > 0;
}

function showEntries(list) {
  entries.replaceChildren(
    ...list.map((entry) => {
      const about = styled("p", "small", `${entry.kind} · ${entry.id}`, entry.references.length ? ` → ${entry.references.join(", ")}` : "");
      const words = entry.note.length ? element("p", entry.note[0]) : "";
      const acts = element("p", button("Change", () => change(entry), "link"), " ", button("Remove", () => forget(entry.id), "link"));
      return element("li", element("p", entry.phrases.join(" / ")), words, about, acts);
    }),
  );
  part("none-kept").hidden = list.length > 0;
}

/** Puts a question into the form. */
function begin(query) {
  form.reset();
  field("phrases").value = query;
  field("id").value = query.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 60);
  field("references").focus();
}

function change(entry) {
  form.reset();
  field("id").value = entry.id;
  field("phrases").value = entry.phrases.join("\n");
  field("references").value = entry.references.join("\n");
  field("note").value = entry.note[0] ?? "";
  field("phrases").focus();
}

const lines = (name) => field(name).value.split("\n").map((line) => line.trim()).filter(Boolean);

async function keep() {
  const body = { id: field("id").value.trim(), phrases: lines("phrases"), references: lines("references") };
  if (field("note").value.trim()) body.note = field("note").value.trim();
  await act(() => post("/v1/memory", body), "Kept.");
}

const forget = (id) => act(() => remove(pathOf("/v1/memory", id)), "Removed.");

async function act(send, done) {
  let sentence = done;
  try {
    const response = await send();
    if (!response.ok) sentence = await sentenceOf(response);
    else form.reset();
  } catch {
    sentence = "The server cannot be reached.";
  }
  if (sentence === done) await load();
  state.textContent = sentence;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  keep();
});
onView("curate", load);
