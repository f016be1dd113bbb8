// Which part of the page is shown: the one that the address names, and asking where it names none.

import { drop, get } from "./api.js";

const VIEWS = ["ask", "documents", "terms", "curate", "questions", "operate", "request"];
const shown = new Map();

/** What is done each time a view comes up. */
export const onView = (name, act) => shown.set(name, act);

/** Says of a link whether it leads to what is shown; one in a row that scrolls is brought into view. */
export function mark(link, isShown) {
  if (!isShown) {
    link?.removeAttribute("aria-current");
    return;
  }
  link?.setAttribute("aria-current", "page");
  const row = link?.parentElement;
  if (row) row.scrollLeft = link.offsetLeft - row.offsetLeft - (row.clientWidth - link.offsetWidth) / 2;
}

/** A dialog in front of a view that is hidden could not be seen, and would still take every click. */
const closeDialogs = () => document.querySelectorAll("dialog:modal").forEach((dialog) => dialog.close());

function show() {
  const isCalled = (one) => location.hash === `#${one}` || location.hash.startsWith(`#${one}=`);
  const name = VIEWS.find(isCalled) ?? "ask";
  for (const one of VIEWS) {
    document.getElementById(`view-${one}`).hidden = one !== name;
    mark(document.querySelector(`.views a[href="#${one}"]`), one === name);
  }
  shown.get(name)?.();
  // The skip link leads here from any view.
  if (location.hash === "#question") document.getElementById("question").focus();
}

addEventListener("hashchange", () => {
  closeDialogs();
  show();
});

/** Who is asking; nobody until the server has said so. */
export const me = { id: null, name: null, person: null, role: null, tags: null, isAdmin: false };

/** Shows the parts that the caller may use, and the one that the address names. */
export async function start() {
  const response = await get("/v1/me");
  if (response.ok) {
    const { id, name, user_id: person, role, tags } = await response.json();
    Object.assign(me, { id, name, person, role, tags, isAdmin: role === "admin" });
    document.querySelectorAll(".for-admins").forEach((node) => { node.hidden = !me.isAdmin; });
    document.getElementById("me").textContent = id === "local" ? "" : `${name ?? id}, ${role}`;
    dispatchEvent(new Event("known"));
  } else {
    drop(response);
  }
  show();
}
