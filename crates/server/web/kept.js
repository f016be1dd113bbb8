// The conversation of this tab, so that a reload loses nothing. It goes with the tab.

const NAME = "vouch-thread";
const WHOSE = "vouch-asker";
const TURNS_MAX = 20;
const SIGNS_MAX = 2_000_000;

/** What was asked and answered before, oldest first. */
export function kept() {
  try {
    const list = JSON.parse(sessionStorage.getItem(NAME) ?? "[]");
    return Array.isArray(list) ? list.filter((one) => typeof one?.question === "string" && one.reply) : [];
  } catch {
    return [];
  }
}

/** Keeps one more turn; the oldest go where there is no room. */
export function keep(question, reply) {
  const list = [...kept(), { question, reply }].slice(-TURNS_MAX);
  let text = JSON.stringify(list);
  while (text.length > SIGNS_MAX && list.length > 1) {
    list.shift();
    text = JSON.stringify(list);
  }
  try { sessionStorage.setItem(NAME, text); } catch { /* a reload begins anew */ }
}

export function forget() {
  try { sessionStorage.removeItem(NAME); } catch { /* nothing was kept */ }
}

/** Forgets the conversation, and whose it was. */
export function forgetAll() {
  forget();
  try { sessionStorage.removeItem(WHOSE); } catch { /* nothing was kept */ }
}

/** Whether what is kept is this caller's; from now on it is. */
export function isKeptFor(id) {
  try {
    const known = sessionStorage.getItem(WHOSE);
    sessionStorage.setItem(WHOSE, id);
    return known === null || known === id;
  } catch {
    return true;
  }
}
