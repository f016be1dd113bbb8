// Which part of the page is shown: the one that the address names, and asking where it names none.

import { drop, get } from "./api.js";

const VIEWS = ["ask", "documents", "terms", "curate", "questions", "operate", "request"];
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
  // The skip link leads here from any view.
  if (location.hash === "#question") document.getElementById("question").focus();
}

addEventListener("hashchange", show);

/** Who is asking; nobody until the server has said so. */
export const me = { id: null, person: null, role: null, tags: null, isAdmin: false };

/** Shows the parts that the caller may use, and the one that the address names. */
export async function start() {
  const response = await get("/v1/me");
  if (response.ok) {
    const { id, user_id: person, role, tags } = await response.json();
    Object.assign(me, { id, person, role, tags, isAdmin: role === "admin" });
    document.querySelectorAll(".for-admins").forEach((node) => { node.hidden = !me.isAdmin; });
    document.getElementById("me").textContent = id === "local" ? "" : `${id}, ${role}`;
    dispatchEvent(new Event("known"));
  } else {
    drop(response);
  }
  show();
}
