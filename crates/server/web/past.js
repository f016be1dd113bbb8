// The versions of a document: each can be read as it was, and what changed from one to the next.

import { get, sentenceOf } from "./api.js";
import { difference } from "./diff.js";
import { button, element, styled } from "./dom.js";

/** What a path tells; a sentence where it tells nothing, and nothing at all where nobody waits any more. */
async function told(path, fields, signal) {
  try {
    const response = await get(`${path}?${new URLSearchParams(fields)}`, signal);
    const value = response.ok ? await response.json() : null;
    if (signal.aborted) return {};
    if (value) return { value };
    return { fault: response.status === 404 ? "This version is no longer kept, or is not open to you." : await sentenceOf(response) };
  } catch (error) {
    return error.name === "AbortError" ? {} : { fault: "The server cannot be reached." };
  }
}

/** A version in words. */
const nameOf = (version) => [`Version ${version.number}`, version.version && `labelled ${version.version}`, version.date, `taken in ${version.taken_in.slice(0, 10)}`, version.current && "current"].filter(Boolean).join(" · ");

/** Fills a place with the versions of a document, where there are several; `show` gets what is to be read instead of it. */
export async function listVersions(place, id, signal, show) {
  place.hidden = true;
  const { value } = await told("/v1/versions", { id }, signal);
  if (signal.aborted || !value || value.versions.length < 2) return;
  const items = value.versions.map((version, at) => {
    const read = button(nameOf(version), () => readVersion(id, version.number, signal, show), "link");
    const before = value.versions[at + 1];
    const changed = before ? button("What changed", () => readChanges({ id, from: before.number, to: version.number }, signal, show), "link") : "";
    return element("li", read, " ", changed);
  });
  place.querySelector("ul").replaceChildren(...items);
  if (value.is_cut) place.querySelector("ul").append(element("li", "There are older versions."));
  place.hidden = false;
}

async function readVersion(id, number, signal, show) {
  const { value, fault } = await told(`/v1/versions/${number}`, { id }, signal);
  if (fault) show(fault, []);
  else if (value) show(value.current ? "" : `${nameOf(value)}. It is no longer current.`, value.text);
}

/** What changed between two versions; `wanted` names the document and, where it is not the last change, the two. */
export async function readChanges(wanted, signal, show) {
  const fields = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value));
  const { value, fault } = await told("/v1/changes", fields, signal);
  if (fault) show(fault, []);
  if (!value) return;
  const { from, to, changes } = value;
  if (!from) {
    show(`There is no version before ${nameOf(to)}.`, []);
    return;
  }
  const count = changes.length === 1 ? "One block differs" : `${changes.length || "No"} blocks differ`;
  const cut = value.is_cut ? " There was too much to compare or list, so some may be missing, shortened, or shown as removed and added." : "";
  show(`${count} between ${nameOf(from)} and ${nameOf(to)}.${cut}`, changes.map(block));
}

function block({ kind, section, before, after }) {
  const words = kind === "changed" ? difference(before, after) ?? [element("del", before), " ", element("ins", after)] : [element(kind === "added" ? "ins" : "del", before ?? after)];
  return styled("section", `change ${kind}`, styled("p", "small", [kind, section].filter(Boolean).join(" in ")), element("p", ...words));
}
