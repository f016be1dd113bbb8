// How the service does: what it depends on, how often its answers are wrong at most, and, for admins, what was asked.

import { get, sentenceOf } from "./api.js";
import { percent } from "./chart.js";
import { element } from "./dom.js";
import { loadTrail } from "./trail.js";
import { onView } from "./views.js";

const view = document.getElementById("view-operate");
const part = (name) => view.querySelector(`.${name}`);

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

async function load() {
  const [health, certificate, me] = await Promise.all([told("/readyz"), told("/v1/certificate"), told("/v1/me")]);
  showHealth(health);
  showCertificate(certificate);
  const isAdmin = me.value?.role === "admin";
  part("admins").hidden = !isAdmin;
  part("no-admin").hidden = isAdmin || !me.value;
  if (isAdmin) await loadTrail(told);
}

function showHealth({ value, fault }) {
  const inWords = { ready: "Ready.", degraded: "Ready, without some of what answers depend on." };
  part("ready").textContent = fault ?? inWords[value.status] ?? "Not ready.";
  const isUp = (one) => one.state === "up";
  const rows = (value?.dependencies ?? []).map((one) => {
    const state = isUp(one) ? one.state : element("strong", one.state);
    const row = element("tr", element("td", one.name), element("td", state), element("td", one.model ?? ""), element("td", one.sentence));
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
