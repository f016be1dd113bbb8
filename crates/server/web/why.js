// How an answer came about → gates as bars, the passages that were looked at, the checks of every sentence, and where the time went.

import { drawn, element, table } from "./dom.js";

const PASSAGES_MAX = 30;

/** How passages are found, in words. */
const LANES = {
  dense: "by meaning",
  lexical: "by words",
  address: "by name",
  memory: "by what an editor has prepared",
  conversation: "by the answer before",
};

const laneInWords = (lane) => (Object.hasOwn(LANES, lane) ? LANES[lane] : lane);

const figure = (number) => (number === null || number === undefined ? "–" : number.toFixed(2));

/** Fills a panel with what a reply tells of itself. */
export function explain(panel, reply) {
  const { trace } = reply;
  panel.append(gates(trace.gates), passages(trace), sentences(reply.claims), times(trace.timings_ms));
}

/** Boxes side by side, each `[from, width, name]` in hundredths. */
const bar = (...boxes) =>
  drawn(
    "svg",
    { viewBox: "0 0 100 8", class: "bar", "aria-hidden": "true", preserveAspectRatio: "none" },
    ...boxes.map(([x, width, name]) => drawn("rect", { x, y: 0, width, height: 8, class: name })),
  );

/** A share of 0 to 1, with a line where it must reach. */
function gauge(reading, threshold) {
  const within = (share) => Math.max(0, Math.min(1, share)) * 100;
  return bar([0, 100, "ground"], [0, within(reading), "reading"], [Math.min(99, within(threshold)), 1, "threshold"]);
}

const titled = (title, ...children) => element("section", element("h3", title), ...children);

/** What a gate says; of sentences that all are verified, none is left out. */
function saidBy({ name, sentence }) {
  const [, verified, written] = (name === "verification" && sentence.match(/^(\d+) of (\d+) sentences are verified/)) || [];
  if (verified === undefined) return sentence;
  if (verified !== written) return `${verified} of ${written} sentences ${verified === "1" ? "is" : "are"} verified; the others are not shown`;
  return verified === "1" ? "the only sentence is verified" : `all ${verified} sentences are verified`;
}

/** Parts of a sentence, one after the other. */
const inRow = (list) => [list.slice(0, -1).join(", "), list.at(-1)].filter(Boolean).join(" and ");

function gates(list) {
  const items = list.map((gate) => {
    const item = element("li", element("strong", gate.name.replaceAll("_", " ")), ` ${gate.passed ? "passed" : "not passed"}: ${saidBy(gate)}. `);
    if (gate.reading <= 1 && gate.threshold <= 1) item.append(gauge(gate.reading, gate.threshold));
    item.className = gate.passed ? "passed" : "stopped";
    return item;
  });
  return titled("Gates", items.length ? element("ul", ...items) : element("p", "No gates were checked."));
}

function passages(trace) {
  const lanes = trace.lanes.map((lane) => `${laneInWords(lane.lane)} (${lane.failure ? `failed: ${lane.failure}` : `${lane.hits} found`})`);
  const rewrites = trace.rewrites.filter((one) => one.kind !== "original").map((one) => `“${one.text}”`);
  const head = ["Passage", "Found by", "Relevance", "Answers", "Became"];
  const rows = trace.candidates.slice(0, PASSAGES_MAX).map((one) => {
    const found = one.found_by.map((lane) => `${laneInWords(lane.lane)}: place ${lane.rank}`).join(", ");
    const fate = one.dropped ? `left out: ${String(one.dropped).replaceAll("_", " ")}` : one.marker ? `kept as ${one.marker}` : "kept";
    return [one.source_id, found, figure(one.relevance), figure(one.answerable), fate];
  });
  const told = [lanes.length ? `Searched ${inRow(lanes)}.` : "Nothing was searched."];
  if (rewrites.length) told.push(`Also asked as ${rewrites.join(", ")}.`);
  if (trace.candidates.length > PASSAGES_MAX) told.push(`The first ${PASSAGES_MAX} of ${trace.candidates.length} passages:`);
  return titled("Passages", element("p", told.join(" ")), ...(rows.length ? [table("Passages considered", head, rows)] : []));
}

function sentences(claims) {
  const items = claims.map((claim) => {
    const checks = claim.checks.map((check) => check.replaceAll("_", " ")).join(", ");
    const sources = claim.markers.length ? ` by source ${claim.markers.join(", ")}` : "";
    const words = claim.text.length > 160 ? `${claim.text.slice(0, 160)}…` : claim.text;
    return element("li", `${words} `, element("em", `${claim.supported ? "supported" : "not supported"}${sources}${checks ? `: ${checks}` : ""}`));
  });
  return titled("Sentences", items.length ? element("ol", ...items) : element("p", "The answer has no sentences."));
}

/** One stage below the other, each where it began. */
function times(stages) {
  const all = stages.reduce((sum, stage) => sum + stage.elapsed_ms, 0);
  const share = (time) => (all > 0 ? (time / all) * 100 : 0);
  let from = 0;
  const rows = stages.filter((stage) => stage.elapsed_ms > 0).map((stage) => {
    const node = bar([share(from), Math.max(0.6, share(stage.elapsed_ms)), "reading"]);
    from += stage.elapsed_ms;
    return element("tr", element("td", stage.stage), element("td", `${stage.elapsed_ms.toFixed(1)} ms`), element("td", node));
  });
  return titled("Time", element("table", element("tbody", ...rows)));
}
