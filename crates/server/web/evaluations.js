// Evaluations: how each came out, the trade between answering more and being wrong less, and what another threshold would have done.

import { pathOf } from "./api.js";
import { axes, chart, line, minute, percent, ring, roundUp } from "./chart.js";
import { button, element, spoken, styled, table } from "./dom.js";

const ANSWERABLE = ["right", "beside", "false_refusal"];
const ANSWERED = ["right", "beside", "overconfident"];
const ROWS = [
  ["Answered correctly", "right", String],
  ["Answered wrongly", "wrong", String],
  ["Refused though answerable", "missed", String],
  ["Refused correctly", "spared", String],
  ["Precision", "precision", percent],
  ["Recall", "recall", percent],
];

const view = document.querySelector("#view-operate .part.evaluations");
const [list, opened, state] = ["listed", "evaluation", "state"].map((name) => view.querySelector(`.${name}`));

/** Lists what was evaluated; `told` reads a path. */
export async function loadEvaluations(told) {
  const { value, fault } = await told("/v1/evaluations");
  const newest = [...(value?.evaluations ?? [])].sort((a, b) => (a.name < b.name ? 1 : -1));
  state.replaceChildren(...spoken(fault ?? (newest.length ? "" : "There are no evaluations yet. Run `vouch eval run` to make one.")));
  const rows = newest.map((one) => [
    button(minute(one.timestamp), () => open(one, told), "link"),
    [one.golden_set_version ?? one.golden_set_hash.slice(0, 8), one.split].filter(Boolean).join(", "),
    String(one.questions),
    ...[one.precision, one.recall, one.answered_unanswerable].map(percent),
  ]);
  const head = ["When (UTC)", "Set", "Questions", "Precision", "Recall", "Unanswerable answered"];
  list.replaceChildren(...(rows.length ? [table("List of evaluations", head, rows)] : []));
}

async function open(one, told) {
  const { value, fault } = await told(pathOf("/v1/evaluations", one.name));
  state.textContent = fault ?? "";
  if (!value) return;
  const heading = element("h3", `The evaluation of ${minute(one.timestamp)}`);
  heading.tabIndex = -1;
  opened.replaceChildren(heading, ...whatIf(value.report.questions));
  heading.focus();
}

/** What comes of the questions where answers below a confidence are refused. What was refused then stays refused. */
function counted(questions, threshold) {
  const isAnswered = (one) => ANSWERED.includes(one.verdict) && (one.confidence ?? 0) >= threshold;
  const answered = questions.filter(isAnswered).length;
  const answerable = questions.filter((one) => ANSWERABLE.includes(one.verdict));
  const right = questions.filter((one) => one.verdict === "right" && isAnswered(one)).length;
  const missed = answerable.filter((one) => !isAnswered(one)).length;
  return {
    answered,
    right,
    wrong: answered - right,
    missed,
    spared: questions.length - answered - missed,
    precision: right / answered,
    recall: right / answerable.length,
    coverage: answered / questions.length,
    risk: 1 - right / answered,
  };
}

function whatIf(questions) {
  const before = counted(questions, 0);
  const { figure, move } = plot(questions, before);
  const slider = Object.assign(element("input"), { type: "range", min: 0, max: 100, value: 0, className: "slider" });
  const number = element("output");
  const cells = ROWS.map(() => element("span"));
  const told = styled("p", "small told");
  told.setAttribute("role", "status");
  const show = () => {
    const now = counted(questions, slider.valueAsNumber);
    number.textContent = slider.value;
    ROWS.forEach(([, name, write], at) => { cells[at].textContent = write(now[name]); });
    told.textContent = now.answered ? `${now.answered} of ${questions.length} answered, ${now.wrong} of them wrongly.` : "Nothing is answered.";
    move(now);
  };
  slider.addEventListener("input", show);
  show();
  const rows = ROWS.map(([label, name, write], at) => [label, write(before[name]), cells[at]]);
  const figures = table("What another threshold would have done", ["Questions", "As it was", "What if"], rows);
  const label = element("label", "Refuse answers whose confidence is below ", number, slider);
  const note = "This is from that evaluation and changes no setting. `vouch eval calibrate --write` chooses thresholds and sets them.";
  return [styled("div", "charts", figure, element("div", label, told, figures)), styled("p", "small", ...spoken(note))];
}

/** Risk over coverage, with a ring where the threshold is. */
function plot(questions, before) {
  const sure = questions.filter((one) => ANSWERED.includes(one.verdict)).map((one) => one.confidence ?? 0);
  const steps = [...new Set(sure)].sort((a, b) => b - a).map((threshold) => ({ threshold, ...counted(questions, threshold) }));
  const top = Math.min(1, roundUp(Math.max(0.05, ...steps.map((one) => one.risk))));
  const place = (one) => one.answered > 0 && [one.coverage, one.risk / top];
  const { node, move } = ring();
  const figure = chart({
    title: "How many answers are wrong",
    gist: `With ${percent(before.coverage)} of the questions answered, ${percent(before.risk)} of the answers are wrong; each point is a threshold of confidence.`,
    nodes: [...axes(top, percent, [[0, "0 %"], [0.5, "of the questions answered"], [1, "100 %"]]), ...line(steps.map(place), "line"), node],
    legend: [["wrong, of the answers", "line"]],
    head: ["Confidence from", "Answers", "Of the questions", "Wrong"],
    rows: steps.map((one) => [String(one.threshold), String(one.answered), percent(one.coverage), percent(one.risk)]),
  });
  return { figure, move: (now) => move(place(now)) };
}
