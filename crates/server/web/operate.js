// How the service does, a part at a time: what it depends on, how often its answers are wrong at most, what no longer stands, and, for
// admins, what was asked over time, evaluations, the trail, sources and keys. A part is read when somebody looks at it.

import { get, key, sentenceOf } from "./api.js";
import { axes, bars, chart, columns, line, minute, percent, roundUp } from "./chart.js";
import { element, named, spoken } from "./dom.js";
import { loadEvaluations } from "./evaluations.js";
import { loadJobs } from "./jobs.js";
import { loadKeys } from "./keys.js";
import { loadRecalls } from "./recalls.js";
import { loadTrail, reasonInWords } from "./trail.js";
import { mark, me, onView } from "./views.js";

const view = document.getElementById("view-operate");
const part = (name) => view.querySelector(`.${name}`);
const span = part("span");

/** What a path tells; a sentence where it tells nothing. A service that is not ready tells why. */
async function told(path) {
  try {
    const response = await get(path);
    if (response.ok || (response.status === 503 && path === "/readyz")) return { value: await response.json() };
    return { fault: await sentenceOf(response), status: response.status };
  } catch {
    return { fault: "The server cannot be reached." };
  }
}

/** The parts by the name that the address gives them. */
const PARTS = {
  health: loadHealth,
  recalls: () => loadRecalls(told),
  time: loadHistory,
  evaluations: () => loadEvaluations(told),
  trail: () => loadTrail(told),
  jobs: () => loadJobs(told),
  // Whoever is let in without a key is on a server that has none, and is called local there.
  keys: () => loadKeys(told, Boolean(key.get()) || me.id !== "local"),
};
const OF_ADMINS = ["time", "evaluations", "trail", "jobs", "keys"];

/** Shows the part that the address names, or health. */
async function load() {
  const asked = new URLSearchParams(location.hash.slice(1)).get("operate");
  const isThere = Object.hasOwn(PARTS, asked ?? "") && (me.isAdmin || !OF_ADMINS.includes(asked));
  const name = isThere ? asked : "health";
  for (const one of Object.keys(PARTS)) {
    view.querySelector(`.part.${one}`).hidden = one !== name;
    mark(view.querySelector(`.parts a[href="${one === "health" ? "#operate" : `#operate=${one}`}"]`), one === name);
  }
  await PARTS[name]();
}

async function loadHealth() {
  const [health, certificate] = await Promise.all([told("/readyz"), told("/v1/certificate")]);
  showHealth(health);
  showCertificate(certificate);
  part("no-admin").hidden = me.isAdmin || !me.id;
}

function showHealth({ value, fault }) {
  const inWords = { ready: "Ready.", degraded: "Ready, without some of what answers depend on." };
  part("ready").textContent = fault ?? inWords[value.status] ?? "Not ready.";
  const isUp = (one) => one.state === "up";
  const rows = (value?.dependencies ?? []).map((one) => {
    const state = isUp(one) ? one.state : element("strong", one.state);
    const cells = { Part: one.name, State: state, Model: one.model ?? "", Details: one.sentence };
    const row = element("tr", ...Object.entries(cells).map(([name, content]) => named(name, content)));
    row.className = isUp(one) ? "passed" : "stopped";
    return row;
  });
  part("dependencies").replaceChildren(...rows);
}

function showCertificate({ value, fault }) {
  const node = part("certified");
  if (fault) {
    node.replaceChildren(element("p", fault));
    return;
  }
  const { standing, bound, certificate, withdrawn, live } = value;
  const lines = [];
  if (standing === "none") lines.push("None has been issued. Run `vouch eval calibrate` to issue one.");
  else if (standing === "valid") lines.push(`At most ${percent(bound)} of questions are answered wrongly, with ${percent(certificate.confidence)} confidence.`);
  else lines.push("Withdrawn.", ...withdrawn.map((one) => one.sentence));
  if (certificate) {
    lines.push(`${certificate.errors} of ${certificate.questions} questions were answered wrongly, and ${certificate.refused} of ${certificate.answerable} answerable ones refused, on ${certificate.date.slice(0, 10)}.`);
  }
  if (live) {
    lines.push(`Since the start ${live.answered} questions were answered and ${live.refused} refused.`);
    if (live.advice) lines.push(`Judging by what people did next: ${live.advice.replaceAll("_", " ")}.`);
  }
  node.replaceChildren(...lines.map((line) => element("p", ...spoken(line))));
  node.className = `certified ${standing === "withdrawn" ? "stopped" : ""}`;
}

async function loadHistory() {
  const hours = span.value;
  const { value, fault } = await told(`/v1/history?hours=${hours}`);
  // Another span was chosen meanwhile.
  if (hours !== span.value) return;
  const steps = (value?.steps ?? []).map(counted);
  const total = Object.fromEntries(["asked", ...Object.keys(OUTCOMES)].map((name) => [name, steps.reduce((sum, step) => sum + step[name], 0)]));
  part("asked").textContent = fault ?? inWords(total, value.is_cut);
  part("charts").replaceChildren(...(total.asked ? [questions(steps, total, value.step_s), ...trends(steps), ...reasons(steps)] : []));
}

/** The parts of a column from below, and how each is drawn. */
const OUTCOMES = { answered: "full", refused: "hollow", other: "hollow dashed", failed: "dark" };

/** One step with each of its questions in one part. */
function counted(step) {
  const of = (...names) => names.reduce((sum, name) => sum + (step.outcomes[name] ?? 0), 0);
  const parts = { answered: of("answered", "tool"), refused: of("refused"), failed: of("failed") };
  const other = step.asked - parts.answered - parts.refused - parts.failed;
  return { ...step, ...parts, other, share: step.asked ? parts.answered / step.asked : null };
}

function inWords(total, isCut) {
  if (!total.asked) return "No questions were asked in this period.";
  const counts = Object.keys(OUTCOMES).filter((name) => total[name]).map((name) => `${total[name]} ${name}`);
  const cut = isCut ? " There were more; these are the newest." : "";
  return `${total.asked} ${total.asked === 1 ? "question" : "questions"}: ${counts.join(", ")}.${cut} Times are UTC.`;
}

/** The first, the middle and the last step, as short as a time can be read. */
function clock(steps) {
  const short = ({ start }) => (span.value === "24" ? start.slice(11, 16) : start.slice(5, 10));
  const middle = Math.floor(steps.length / 2);
  return [[0, short(steps[0])], [(middle + 0.5) / steps.length, short(steps[middle])], [1, short(steps.at(-1))]];
}

/** The figures of the steps in which something was asked. */
const figures = (steps, write) => steps.filter((step) => step.asked).map((step) => [minute(step.start), ...write(step)]);

function questions(steps, total, seconds) {
  const shown = Object.entries(OUTCOMES).filter(([name]) => name !== "other" || total.other);
  const most = Math.max(...steps.map((step) => step.asked));
  const top = roundUp(most);
  const names = [...shown.map(([name]) => name), "asked"];
  const write = (step) => names.map((name) => String(step[name]));
  return chart({
    title: `Questions per ${seconds < 7200 ? `${seconds / 60} minutes` : `${seconds / 3600} hours`}`,
    gist: `${inWords(total, false)} At most ${most}, from ${minute(steps.find((step) => step.asked === most).start)} on.`,
    nodes: [
      ...axes(top, (figure) => (figure % 1 ? "" : String(figure)), clock(steps)),
      ...columns(steps.map((step) => shown.map(([name, tone]) => [tone, step[name]])), top),
    ],
    legend: shown,
    head: ["From", ...names],
    rows: [...figures(steps, write), ["Total", ...write(total)]],
  });
}

function duration(ms) {
  if (!Number.isFinite(ms)) return "–";
  return ms >= 1000 ? `${+(ms / 1000).toFixed(1)}\u00a0s` : `${+ms.toFixed(ms < 10 ? 1 : 0)}\u00a0ms`;
}

const trends = (steps) => [
  trend(steps, "Share answered", percent, 1, [["share", "of all questions", "line"]]),
  trend(steps, "Time to answer", duration, 0, [["p95_ms", "95 %", "line dashed"], ["median_ms", "median", "line"]]),
];

/** Lines over time; `series` are a field, its words and how it is drawn each. */
function trend(steps, title, write, least, series) {
  const known = (name) => steps.map((step) => step[name]).filter((figure) => figure !== null);
  const top = roundUp(Math.max(least, ...series.flatMap(([name]) => known(name))));
  const points = (name) => steps.map((step, at) => step[name] !== null && [(at + 0.5) / steps.length, step[name] / top]);
  return chart({
    title,
    gist: `${series.map(([name, words]) => `${words}: between ${write(Math.min(...known(name)))} and ${write(Math.max(...known(name)))}`).join("; ")}.`,
    nodes: [...axes(top, write, clock(steps)), ...series.flatMap(([name, , tone]) => line(points(name), tone))],
    legend: series.map(([, words, tone]) => [words, tone]),
    head: ["From", ...series.map(([, words]) => words)],
    rows: figures(steps, (step) => series.map(([name]) => write(step[name]))),
  });
}

function reasons(steps) {
  const sums = new Map();
  for (const [reason, count] of steps.flatMap((step) => Object.entries(step.reasons))) sums.set(reason, (sums.get(reason) ?? 0) + count);
  const sorted = [...sums].sort((a, b) => b[1] - a[1]).map(([reason, count]) => [reasonInWords(reason), String(count)]);
  if (!sorted.length) return [];
  const gist = `${sorted.map((pair) => pair.join(": ")).join(", ")}.`;
  return [chart({ title: "Why there was no answer", gist, ...bars(sorted), legend: [], head: ["Reason", "Questions"], rows: sorted })];
}

span.addEventListener("change", loadHistory);
onView("operate", load);
