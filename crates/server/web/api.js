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
async function send(path, options) {
  const response = await fetch(path, { ...options, headers: { ...options.headers, ...headers() }, credentials: "omit" });
  if (response.status === 401) dispatchEvent(new Event("key-wanted"));
  return response;
}

export const get = (path, signal) => send(path, { signal });

export const post = (path, body, signal) =>
  send(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal });

export const patch = (path, body) =>
  send(path, { method: "PATCH", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

/** Sends a file as it is. */
export const postFile = (path, file) =>
  send(path, { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: file });

export const remove = (path) => send(path, { method: "DELETE" });

/**
 * The path of one thing. Every sign of its id is escaped, slashes too: browsers fold `..` between slashes, and would lead to
 * another thing. An id of dots alone cannot be told from such a step, and leads nowhere.
 */
export const pathOf = (folder, id) => `${folder}/${/^\.+$/.test(id) ? "%20" : encodeURIComponent(id)}`;

/** Lets go of a response nobody reads, so that its connection is free. */
export const drop = (response) => response.body?.cancel().catch(() => {});

/** What stands where a key is missing; how a program sends one is no help on a page. */
export const NO_KEY = "Sign in with a key first.";

/** What a response that is no success says, in a sentence. */
export async function sentenceOf(response) {
  try {
    const { detail } = await response.json();
    if (response.status === 401 && detail?.startsWith("A key is required")) return NO_KEY;
    return detail || `The server answered ${response.status}.`;
  } catch {
    return `The server answered ${response.status}.`;
  }
}
