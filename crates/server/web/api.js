// The API, with the key of this tab. Keys go into a header and nowhere else.

const KEY = "vouch-key";

/** The key lives as long as the tab; where the browser keeps nothing, as long as the page. */
export const key = {
  own: null,
  get() {
    try { return this.own ?? sessionStorage.getItem(KEY); } catch { return this.own; }
  },
  set(value) {
    this.own = value;
    try { sessionStorage.setItem(KEY, value); } catch { /* kept in the page alone */ }
  },
  forget() {
    this.own = null;
    try { sessionStorage.removeItem(KEY); } catch { /* nothing was kept */ }
  },
};

const headers = () => (key.get() ? { Authorization: `Bearer ${key.get()}` } : {});

/** Asks; whoever shows the page is told where a key is missing. */
export async function get(path, signal) {
  const response = await fetch(path, { headers: headers(), signal, credentials: "omit" });
  if (response.status === 401) dispatchEvent(new Event("key-wanted"));
  return response;
}

export const post = (path, body, signal) =>
  fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers() },
    body: JSON.stringify(body),
    signal,
    credentials: "omit",
  });

export const remove = (path) => fetch(path, { method: "DELETE", headers: headers(), credentials: "omit" });

/** The path of one thing: slashes of its id part it, all else is escaped. */
export const pathOf = (folder, id) => `${folder}/${id.split("/").map(encodeURIComponent).join("/")}`;

/** Lets go of a response nobody reads, so that its connection is free. */
export const drop = (response) => response.body?.cancel().catch(() => {});

/** What a response that is no success says, in a sentence. */
export async function sentenceOf(response) {
  try {
    return (await response.json()).detail || `The server answered ${response.status}.`;
  } catch {
    return `The server answered ${response.status}.`;
  }
}
