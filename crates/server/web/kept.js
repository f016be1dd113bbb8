// The conversation of this tab, so that a reload loses nothing. It goes with the tab.

const NAME = "vouch-thread";
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
