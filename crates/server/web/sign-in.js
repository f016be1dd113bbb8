// Signing in with an issuer, there and back: OpenID Connect, a code with PKCE.
//
// The server exchanges the code, so the page speaks with nobody else. The token goes where keys go.

import { get, key, post, sentenceOf } from "./api.js";
import { forgetAll } from "./kept.js";

const NAME = "vouch-sign-in";
const RANDOM_BYTES = 32;
const ERRORS = new Map([
  ["access_denied", "The issuer did not let you in."],
  ["login_required", "The issuer wants you to log in first."],
  ["server_error", "The issuer cannot sign anybody in at the moment; try again later."],
  ["temporarily_unavailable", "The issuer cannot sign anybody in at the moment; try again later."],
]);

const [button, note, out, byKey, bySignIn, showKey, keyField] = ["sign-in", "sign-in-note", "sign-out", "by-key", "by-sign-in", "show-key", "key"].map((id) =>
  document.getElementById(id),
);

// A code must not stay in the address, where it would be shown, shared and kept in the history.
const back = new URLSearchParams(location.search);
const isBack = back.has("code") || back.has("error");
if (isBack) history.replaceState(null, "", "/");
const begun = isBack ? taken() : null;
if (typeof begun?.place === "string" && begun.place.startsWith("#")) history.replaceState(null, "", `/${begun.place}`);

/** What was kept when the page was left; each sign-in comes back once. */
function taken() {
  try {
    const kept = JSON.parse(sessionStorage.getItem(NAME));
    sessionStorage.removeItem(NAME);
    return kept;
  } catch {
    return null;
  }
}

const encoded = (bytes) => btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
const random = () => encoded(crypto.getRandomValues(new Uint8Array(RANDOM_BYTES)));
const digest = async (text) => encoded(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))));
const ownAddress = () => `${location.origin}/`;

function tell(sentence) {
  note.textContent = sentence;
}

let offering = null;

/** Shows how to come in: by signing in where the server offers that, and else by a key. `typed` says what is to be in the box afterwards. */
export async function offerWays(typed) {
  offering ??= offer(typed);
  const isOffered = await offering.catch(() => {
    offering = null;
    return false;
  });
  bySignIn.hidden = !isOffered;
  if (!isOffered) byKey.hidden = false;
  // Whoever is typing elsewhere goes on there.
  const typing = document.activeElement;
  if (typing?.matches("textarea, input") && typing.value) return;
  if (byKey.hidden) button.focus();
  else keyField.focus();
}

/** Whether there is an issuer to sign in with. */
async function offer(typed) {
  const response = await get("/v1/sign-in");
  if (!response.ok) {
    if (!note.textContent) tell(await sentenceOf(response));
    throw new Error("no offer");
  }
  const { oidc } = await response.json();
  if (!oidc) return false;
  if (!globalThis.crypto?.subtle) {
    tell("Signing in needs an address with https, or localhost: browsers do no cryptography on other pages.");
    return false;
  }
  button.addEventListener("click", () => leave(oidc, typed()).catch(() => tell("The sign-in could not be started.")));
  return true;
}

showKey.addEventListener("click", () => {
  byKey.hidden = !byKey.hidden;
  showKey.setAttribute("aria-expanded", String(!byKey.hidden));
  if (!byKey.hidden) keyField.focus();
});

/** Takes back what was said about signing in: somebody is in. */
export function forgetSignIn() {
  tell("");
}

/** Goes to the issuer; what it takes to come back stays in the tab. */
async function leave(oidc, question) {
  const address = new URL(oidc.authorize);
  if (address.protocol !== "https:" && address.protocol !== "http:") throw new Error("no address of the web");
  const [state, nonce, verifier] = [random(), random(), random()];
  const wanted = {
    response_type: "code",
    client_id: oidc.client_id,
    redirect_uri: ownAddress(),
    scope: oidc.scope,
    state,
    nonce,
    code_challenge: await digest(verifier),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(wanted)) address.searchParams.set(name, value);
  try {
    sessionStorage.setItem(NAME, JSON.stringify({ state, nonce, verifier, question, place: location.hash }));
  } catch {
    tell("Signing in needs a browser that stores data for this site; allow it and try again.");
    return;
  }
  location.assign(address);
}

/** Ends a sign-in, if the page was come back to from one; what was typed before is in the box again. */
export async function signedIn(box) {
  if (!isBack) return;
  if (typeof begun?.question === "string" && begun.question) box.value = begun.question;
  try {
    const wrong = await exchanged();
    if (wrong) tell(wrong);
  } catch {
    tell("The server cannot be reached.");
  }
}

/** Keeps the token; says in a sentence why there is none. */
async function exchanged() {
  if (typeof begun?.state !== "string" || back.get("state") !== begun.state) {
    return "This sign-in was not started in this tab, or is already over. Sign in again.";
  }
  const error = back.get("error");
  if (error !== null) {
    return ERRORS.get(error) ?? `The issuer did not sign you in${/^[a-z_]{1,40}$/.test(error) ? `: ${error}` : ""}.`;
  }
  const body = { code: back.get("code"), code_verifier: begun.verifier, redirect_uri: ownAddress(), nonce: begun.nonce };
  const response = await post("/v1/sign-in", body);
  if (!response.ok) return sentenceOf(response);
  key.set((await response.json()).token);
  return null;
}

// The answers go with the key that they were shown to.
out.addEventListener("click", () => {
  key.forget();
  forgetAll();
  location.replace("/");
});
