// Which part of the page is shown: the one that the address names, and asking where it names none.

import { get } from "./api.js";

const VIEWS = ["ask", "documents", "curate", "operate", "request"];
const shown = new Map();

/** What is done each time a view comes up. */
export const onView = (name, act) => shown.set(name, act);

function show() {
  const isCalled = (one) => location.hash === `#${one}` || location.hash.startsWith(`#${one}=`);
  const name = VIEWS.find(isCalled) ?? "ask";
  for (const one of VIEWS) {
    document.getElementById(`view-${one}`).hidden = one !== name;
    const link = document.querySelector(`.views a[href="#${one}"]`);
    if (one === name) link?.setAttribute("aria-current", "page");
    else link?.removeAttribute("aria-current");
  }
  shown.get(name)?.();
}

addEventListener("hashchange", () => {
  // A footnote is a place in the view that is open.
  if (!location.hash.startsWith("#source-")) show();
});

/** Shows the parts that the caller may use, and the one that the address names. */
export async function start() {
  show();
  const response = await get("/v1/me");
  if (!response.ok) return;
  const { id, role } = await response.json();
  const isAdmin = role === "admin";
  document.querySelectorAll(".for-admins").forEach((node) => { node.hidden = !isAdmin; });
  document.getElementById("me").textContent = id === "local" ? "" : `${id}, ${role}`;
}
