// One question of the trail: what was asked and answered then, what it rested on, and what is answered today.

import { get, post, sentenceOf } from "./api.js";
import { difference } from "./diff.js";
import { button, element } from "./dom.js";
import { rendered } from "./markdown.js";
import { openSource } from "./source.js";
import { onView } from "./views.js";
import { withoutSources } from "./words.js";

const view = document.getElementById("view-request");
const part = (name) => view.querySelector(`.${name}`);

let entry = null;

const wanted = () => new URLSearchParams(location.hash.slice(1)).get("request");

async function load() {
  const own = wanted();
  entry = null;
  ["then", "now", "rests", "changes"].forEach((name) => part(name).replaceChildren());
  part("again").hidden = true;
  part("compared").textContent = "";
  part("asked").textContent = "";
  part("state").textContent = "Reading the entry…";
  try {
    const response = await get(`/v1/audit/${encodeURIComponent(own)}`);
    if (own !== wanted()) return;
    if (!response.ok) {
      part("state").textContent = await sentenceOf(response);
      return;
    }
    const found = await response.json();
    // Another entry was opened meanwhile.
    if (own !== wanted()) return;
    entry = found;
    show();
  } catch {
    part("state").textContent = "The server cannot be reached.";
  }
}

function show() {
  part("asked").textContent = entry.asked?.query ?? "";
  const told = [entry.timestamp?.slice(0, 16).replace("T", " "), entry.user_id, entry.outcome, entry.reason];
  part("state").textContent = told.filter(Boolean).join(" · ");
  const citations = entry.response?.citations ?? [];
  part("then").replaceChildren(...rendered(withoutSources(entry.reply ?? ""), marker(citations)));
  part("rests").replaceChildren(
    ...citations.map((citation) => {
      const name = [citation.document_name, citation.section].filter(Boolean).join(" › ");
      return element("li", button(`${citation.marker}. ${name}`, (from) => openSource(citation, from), "link"));
    }),
  );
  part("again").hidden = !entry.asked?.query;
}

/** A marker opens its source. */
const marker = (citations) => (number) => {
  const citation = citations.find((one) => one.marker === Number(number));
  const open = button(number, (from) => openSource(citation, from), "link marker");
  open.setAttribute("aria-label", `source ${number}`);
  open.disabled = !citation?.quote;
  return element("sup", open);
};

/** Asks the same question today, as whoever looks. */
async function askAgain() {
  const asked = entry;
  const { query, chat_history: history, language } = asked.asked;
  part("compared").textContent = "Asking…";
  part("again").disabled = true;
  try {
    const body = { query, chat_history: history ?? [] };
    if (language) body.language = language;
    const response = await post("/v1/ask", body);
    const fault = response.ok ? null : await sentenceOf(response);
    const reply = fault ? null : await response.json();
    if (asked !== entry) return;
    if (fault) {
      part("compared").textContent = fault;
      return;
    }
    const [then, now] = [entry.reply ?? "", reply.answer].map(withoutSources);
    const isSame = then === now;
    const shown = isSame ? [] : difference(bare(then), bare(now)) ?? rendered(now, marker(reply.citations));
    part("compared").textContent = isSame ? "The answer is the same today." : "Today the answer is different:";
    part("now").replaceChildren(...shown);
    part("changes").replaceChildren(...changes(reply).map((line) => element("li", line)));
  } catch {
    part("compared").textContent = "The server cannot be reached.";
  } finally {
    part("again").disabled = false;
  }
}

/** An answer without the numbers of its sources. */
const bare = (answer) => answer.replace(/ ?\[\^\d+\]/g, "");

/** What differs beside the words: how it ended, what it rests on, and how far the corpus has come. */
function changes(reply) {
  const lines = [];
  if (reply.outcome !== entry.outcome) lines.push(`It was ${entry.outcome}, now it is ${reply.outcome}.`);
  const sources = (list) => [...new Set(list.map((one) => one.document_name))];
  const [then, now] = [sources(entry.response?.citations ?? []), sources(reply.citations)];
  const [gone, come] = [then.filter((name) => !now.includes(name)), now.filter((name) => !then.includes(name))];
  if (gone.length) lines.push(`No longer cited: ${gone.join(", ")}.`);
  if (come.length) lines.push(`Newly cited: ${come.join(", ")}.`);
  const generation = entry.corpus?.generation_before;
  if (Number.isFinite(generation) && generation !== reply.generation) lines.push(`The documents have changed ${reply.generation - generation} times since.`);
  return lines;
}

part("again").addEventListener("click", askAgain);
onView("request", load);
