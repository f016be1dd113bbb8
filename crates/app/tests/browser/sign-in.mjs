// A server whose people sign in with an issuer: there and back on the page, what is kept on the way, and what is told where it fails.
//
// The issuer asks nobody anything and sends straight back; `/next?is=` says how the next sign-in ends.

import { ask, check, end, equal, holds, open, picture, violations, without } from "./browser.mjs";

const issuer = process.env.ISSUER;
const [, , address] = process.argv;

const next = (how) => fetch(`${issuer}/next?is=${how}`);

/** A fresh page that asks for a key and offers to sign in; the issuer is the only other host it may go to. */
async function atTheDoor(options) {
  const opened = await open(options);
  const { page } = opened;
  const asked = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(address)) asked.push([request.isNavigationRequest(), request.url()]);
  });
  await page.locator("#key-form:not([hidden])").waitFor();
  await page.locator("#sign-in:not([hidden])").waitFor();
  return { ...opened, asked };
}

const signIn = (page) => page.getByRole("button", { name: "Sign in" }).click();
const toldAtTheDoor = async (page) => {
  await page.locator("#key-form:not([hidden])").waitFor();
  await page.locator("#sign-in-note:not(:empty)").waitFor();
  equal(page.url(), `${address}/`, "the address");
  return page.locator("#sign-in-note").innerText();
};

await check("who signs in comes back with a token, and what was typed is still there", async () => {
  const { page, asked, faults } = await atTheDoor();
  equal(await violations(page), [], "axe at the door");
  await picture(page, "sign-in");
  equal(await page.locator("#sign-out").isVisible(), false, "sign-out before sign-in");
  equal(await page.locator("#key").isVisible(), false, "the field for a key, beside the sign-in");
  await page.fill("#question", "How many days of annual leave do I have?");
  await signIn(page);
  await page.locator("#me", { hasText: "Mira Tarn, reader" }).waitFor();
  equal(page.url(), `${address}/`, "the address");
  equal(await page.locator("#key-form").isVisible(), false, "the form for keys");
  equal(await page.inputValue("#question"), "How many days of annual leave do I have?", "what was typed");
  holds(asked.length > 0 && asked.every(([goes, url]) => goes && url.startsWith(`${issuer}/authorize?`)), JSON.stringify(asked));
  const sent = new URL(asked[0][1]).searchParams;
  equal(
    ["response_type", "client_id", "redirect_uri", "scope", "code_challenge_method"].map((name) => sent.get(name)),
    ["code", "page", `${address}/`, "openid profile", "S256"],
    "what the issuer was asked",
  );
  for (const name of ["state", "nonce", "code_challenge"]) equal(sent.get(name).length, 43, name);
  const turn = await ask(page, "How many days of annual leave do I have?");
  holds((await turn.locator(".answer").innerText()).includes("26 days"), "it answers");
  const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, document.cookie]));
  holds(!kept.includes("eyJ"), "the token outlives no tab");
  equal(await page.evaluate(() => sessionStorage.getItem("vouch-sign-in")), null, "what was kept on the way");
  equal(await violations(page), [], "axe within");
  // The browser notes on the console that the door was closed at first.
  const isExpected = (fault) => fault.startsWith(`asks ${issuer}/authorize?`);
  equal(without(faults, 401).filter((fault) => !isExpected(fault)), [], "faults");
});

await check("a question that was asked before the sign-in is in the box afterwards, and the view is the same", async () => {
  const { page } = await atTheDoor();
  await page.fill("#question", "What about leave?");
  await page.press("#question", "Enter");
  await page.locator(".turn").waitFor({ state: "detached" });
  await page.evaluate(() => { location.hash = "#operate"; });
  await signIn(page);
  await page.locator("#me", { hasText: "Mira Tarn" }).waitFor();
  equal(page.url(), `${address}/#operate`, "the address");
  equal(await page.locator("#view-operate").isVisible(), true, "the view");
  equal(await page.inputValue("#question"), "What about leave?", "what was asked");
});

await check("signing out forgets the token and the answers", async () => {
  const { page } = await atTheDoor();
  await signIn(page);
  await page.locator("#me", { hasText: "Mira Tarn" }).waitFor();
  await ask(page, "How many days of annual leave do I have?");
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.locator("#key-form:not([hidden])").waitFor();
  equal(await page.locator(".turn").count(), 0, "answers");
  equal(await page.evaluate(() => Object.keys(sessionStorage)), [], "what the tab keeps");
});

await check("a key is signed out too", async () => {
  const { page } = await atTheDoor();
  await page.getByRole("button", { name: "Use a key instead" }).click();
  equal(await violations(page), [], "axe with the field for a key");
  await page.fill("#key", process.env.READER_KEY);
  await page.getByRole("button", { name: "Use this key" }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.locator("#key-form:not([hidden])").waitFor();
  equal(await page.evaluate(() => Object.keys(sessionStorage)), [], "what the tab keeps");
});

for (const [how, said] of [
  ["denied", "The issuer did not let you in."],
  ["strange", "The issuer did not sign you in."],
  ["other-state", "not started in this tab"],
  ["other-nonce", "a different sign-in than the one started"],
]) {
  await check(`a sign-in that ends otherwise is told in words: ${how}`, async () => {
    const { page } = await atTheDoor();
    await page.fill("#question", "Still here?");
    await next(how);
    await signIn(page);
    await page.waitForURL(`${address}/`);
    const told = await toldAtTheDoor(page);
    holds(told.includes(said), told);
    equal(await page.locator("#sign-in-note *").count(), 0, "markup in what was told");
    equal(await page.inputValue("#question"), "Still here?", "what was typed");
    equal(await page.evaluate(() => Object.keys(sessionStorage)), [], "what the tab keeps");
    await page.locator("#sign-in:not([hidden])").waitFor();
    await signIn(page);
    await page.locator("#me", { hasText: "Mira Tarn" }).waitFor();
  });
}

await check("a link with a code signs nobody in", async () => {
  const { page } = await atTheDoor();
  const posts = [];
  page.on("request", (request) => request.method() === "POST" && posts.push(request.url()));
  await page.goto(`${address}/?code=code0&state=made-up`);
  holds((await toldAtTheDoor(page)).includes("not started in this tab"), "it is told");
  equal(posts, [], "what was sent");
});

await check("a page that may do no cryptography says so", async () => {
  const { page } = await open();
  await page.addInitScript(() => Object.defineProperty(Crypto.prototype, "subtle", { get: () => undefined }));
  await page.reload();
  holds((await toldAtTheDoor(page)).includes("https"), "it is told");
  equal(await page.locator("#sign-in").isVisible(), false, "the button");
});

await end();
