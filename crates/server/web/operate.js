// How the service does: everything it depends on, and how often its answers are wrong at most.

import { get, sentenceOf } from "./api.js";
import { element } from "./dom.js";
import { onView } from "./views.js";

const view = document.getElementById("view-operate");
const part = (name) => view.querySelector(`.${name}`);

const percent = (share) => `${(share * 100).toFixed(1)} %`;

/** What a path tells; a sentence where it tells nothing. A service that is not ready tells why. */
async function told(path) {
  try {
    const response = await get(path);
    if (response.ok || response.status === 503) return { value: await response.json() };
    return { fault: await sentenceOf(response) };
  } catch {
    return { fault: "The server cannot be reached." };
  }
}

async function load() {
  const [health, certificate] = await Promise.all([told("/readyz"), told("/v1/certificate")]);
  showHealth(health);
  showCertificate(certificate);
}

function showHealth({ value, fault }) {
  part("ready").textContent = fault ?? (value.status === "ready" ? "Ready." : `Not ready: ${value.status}.`);
  const rows = (value?.dependencies ?? []).map((one) => {
    const row = element("tr", element("td", one.name), element("td", one.state), element("td", one.model ?? ""), element("td", one.sentence));
    row.className = one.state === "up" ? "passed" : "stopped";
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
  if (standing === "none") lines.push("None was issued. `vouch eval calibrate` issues one.");
  else if (standing === "valid") lines.push(`At most ${percent(bound)} of questions are answered wrongly, with ${percent(certificate.confidence)} confidence.`);
  else lines.push("Withdrawn.", ...withdrawn.map((one) => one.sentence));
  if (certificate) {
    lines.push(`${certificate.errors} of ${certificate.questions} questions were answered wrongly, and ${certificate.refused} of ${certificate.answerable} answerable ones refused, on ${certificate.date.slice(0, 10)}.`);
  }
  if (live) {
    lines.push(`Since the start ${live.answered} questions were answered and ${live.refused} refused.`);
    if (live.advice) lines.push(`By what askers did next: ${live.advice.replaceAll("_", " ")}.`);
  }
  node.replaceChildren(...lines.map((line) => element("p", line)));
  node.className = `certified ${standing === "withdrawn" ? "stopped" : ""}`;
}

onView("operate", load);
