// What is done in the background: the sources documents come from, how far each job has come, an end to one, and another try.

import { pathOf, post, remove, sentenceOf } from "./api.js";
import { minute } from "./chart.js";
import { button, element, spoken, styled, surely, table } from "./dom.js";

const POLLED_EVERY_MS = 1000;
const HEAD = ["What", "State", "Progress", "Requested", "Change"];
const COUNTED = ["added", "updated", "unchanged", "renamed", "removed", "failed"];
const OVER = ["done", "failed", "cancelled"];

const view = document.querySelector("#view-operate .part.jobs");
const [sources, listed, state] = ["job-sources", "job-list", "state"].map((name) => view.querySelector(`.${name}`));
let timer = null;
let shown = "";

/** Shows every job, and goes on showing while one is under way and somebody looks; `told` reads a path. */
export async function loadJobs(told) {
  clearTimeout(timer);
  const { value, fault } = await told("/v1/jobs");
  if (!value) {
    state.textContent = fault;
    return;
  }
  // What has not changed stays, so that nobody loses the place they are at.
  const now = JSON.stringify([value.jobs, value.sources]);
  if (now !== shown) {
    shown = now;
    const none = "No sources are configured; add some under `sources` in vouch.yaml, or run `vouch ingest`.";
    sources.replaceChildren(...(value.sources.length ? value.sources.map((one) => source(one, told)) : [styled("p", "small", ...spoken(none))]));
    listed.replaceChildren(...(value.jobs.length ? [table("List of jobs", HEAD, value.jobs.map((job) => row(job, told)), "table stacked")] : []));
  }
  const isUnderWay = value.jobs.some((job) => !OVER.includes(job.state));
  const isSeen = !view.closest("[hidden]");
  if (isUnderWay && isSeen) timer = setTimeout(() => loadJobs(told), POLLED_EVERY_MS);
}

function source(one, told) {
  const when = [one.watched && "followed as it changes", one.every_s && `every ${inWords(one.every_s)}`].filter(Boolean).join(", ");
  const start = button("Update now", () => act(() => post("/v1/jobs", { source: one.name }), `${one.name} is being updated.`, told));
  start.setAttribute("aria-label", `Update now: ${one.name}`);
  return element("p", element("strong", one.name), ` (${[one.kind, when].filter(Boolean).join("; ")}) `, start);
}

function inWords(seconds) {
  const [size, unit] = [[86400, "days"], [3600, "hours"], [60, "minutes"], [1, "seconds"]].find(([size]) => seconds % size === 0);
  return `${seconds / size} ${unit}`;
}

function row(job, told) {
  const name = job.source ?? job.paths.join(", ");
  const isOver = OVER.includes(job.state);
  const standing = job.is_cancelled && !isOver ? "stopping" : job.state;
  const next = job.next_try ? ` until ${minute(job.next_try)}` : "";
  const acts = element("span");
  if (!isOver && !job.is_cancelled) acts.append(surely(["Cancel", "Yes, cancel"], `the job ${job.id}`, () => act(() => remove(pathOf("/v1/jobs", job.id)), "The job is stopped.", told)), " ");
  if (isOver || job.state === "waiting") {
    const again = button("Try again", () => act(() => post(`${pathOf("/v1/jobs", job.id)}/retry`, {}), "The job will be tried again.", told), "link");
    again.setAttribute("aria-label", `Try again: the job ${job.id}`);
    acts.append(again);
  }
  return [name, `${standing}${next}`, progress(job), `${minute(job.asked)} by ${job.asked_by}`, acts];
}

function progress({ progress, failures, error }) {
  const counts = COUNTED.filter((name) => progress[name]).map((name) => `${name} ${progress[name]}`);
  const of = progress.total === null ? "" : ` of ${progress.total}`;
  const parts = [element("span", [`${progress.seen}${of}`, ...counts].join(", "))];
  if (progress.total) {
    const bar = Object.assign(element("progress"), { max: progress.total, value: Math.min(progress.seen, progress.total) });
    bar.setAttribute("aria-label", `${progress.seen} of ${progress.total} looked at`);
    parts.unshift(bar, " ");
  }
  const wrong = [...(error ? [error] : []), ...failures.map((one) => `${one.source}: ${one.reason}`)];
  if (wrong.length) parts.push(element("details", element("summary", "What went wrong"), element("ul", ...wrong.map((line) => element("li", line)))));
  return element("div", ...parts);
}

async function act(work, sentence, told) {
  let outcome = sentence;
  try {
    const response = await work();
    if (!response.ok) outcome = await sentenceOf(response);
  } catch {
    outcome = "The server cannot be reached.";
  }
  await loadJobs(told);
  state.textContent = outcome;
  state.focus();
}
