// The keys of the server: whose they are, how long they last, and an end to one, which is asked for twice.

import { pathOf, remove, sentenceOf } from "./api.js";
import { element, spoken, surely, table } from "./dom.js";

const HEAD = ["Name", "Id", "Role", "For", "Created", "Expires", "State"];

const view = document.querySelector("#view-operate .part.keys");
const [held, state] = ["held", "state"].map((name) => view.querySelector(`.${name}`));

/** Shows every key; `told` reads a path, and a server that asks for no key has none to show. */
export async function loadKeys(told, hasKeys) {
  const { value, fault, status } = hasKeys ? await told("/v1/keys") : { status: 404 };
  held.replaceChildren(...(value ? [table("List of keys", HEAD, value.keys.map((key) => row(key, told)), "table stacked")] : []));
  state.replaceChildren(...spoken(status === 404 ? "This server needs no keys. Make one with `vouch key add` to require keys." : fault ?? ""));
}

function row(key, told) {
  const whose = [key.user_id, key.tags?.join(", ")].filter(Boolean).join("; ") || "all";
  const standing = element("span", key.state, " ");
  if (key.state === "valid") standing.append(surely(["Revoke", "Yes, revoke"], `the key ${key.name}`, () => revoke(key, told)));
  return [key.name, key.id, key.role, whose, key.made.slice(0, 10), key.expires?.slice(0, 10) ?? "never", standing];
}

async function revoke(key, told) {
  let sentence = `The key ${key.name} is revoked.`;
  try {
    const response = await remove(pathOf("/v1/keys", key.id));
    if (!response.ok) sentence = await sentenceOf(response);
  } catch {
    sentence = "The server cannot be reached.";
  }
  await loadKeys(told, true);
  state.textContent = sentence;
  state.focus();
}
