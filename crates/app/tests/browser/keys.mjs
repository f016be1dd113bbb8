// A server that needs keys: the page asks for one, keeps it in the tab, and shows what its role may use.

import { ask, check, end, equal, holds, open, openWith, violations } from "./browser.mjs";

const keys = { reader: process.env.READER_KEY, admin: process.env.ADMIN_KEY };

async function signedIn(role) {
  const opened = await openWith(keys[role]);
  await opened.page.locator("#me", { hasText: role }).waitFor();
  return opened;
}

await check("without a key the page asks for one", async () => {
  const { page } = await openWith("no-key-at-all");
  await page.locator("#key-form:not([hidden])").waitFor();
  equal(await violations(page), [], "axe");
});

await check("without a key no part of the page speaks of headers, and none says that keys are not needed", async () => {
  const { page } = await open();
  await page.locator("#key-form:not([hidden])").waitFor();
  for (const [name, said] of [["curate", "#view-curate > .state"], ["operate=keys", "#view-operate .certified"], ["operate=recalls", "#view-operate .recalls .state"]]) {
    await page.evaluate((hash) => { location.hash = hash; }, name);
    await page.locator(said, { hasText: "Sign in with a key first." }).waitFor();
    const told = await page.locator("main").innerText();
    holds(!/Authorization|needs no keys|Bearer/.test(told), told);
    equal(await page.getByRole("button", { name: "New entry" }).isVisible(), false, "the button for entries");
    equal(await page.locator("#view-curate .desk").isVisible(), false, "the form for entries");
  }
});

await check("a reader asks and sees nothing for admins", async () => {
  const { page } = await signedIn("reader");
  const turn = await ask(page, "How many days of annual leave do I have?");
  holds((await turn.locator(".answer").innerText()).includes("26 days"), "it answers");
  equal(await page.locator('.views a[href="#curate"]').isVisible(), false, "the link to curate");
  await page.click('.views a[href="#documents"]');
  await page.locator("#view-documents .rows tr").first().waitFor();
  equal(await page.locator("#view-documents .files").isVisible(), false, "the place to add documents");
  holds(!page.url().includes(keys.reader), "the key is not in the address");
  const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, document.cookie]));
  holds(!kept.includes(keys.reader), "the key outlives no tab");
});

await check("what one caller was answered is neither shown to the next nor told in their name", async () => {
  const { page } = await signedIn("reader");
  await ask(page, "How many days of annual leave do I have?");
  // The key ends while the tab is open, and somebody else gives theirs.
  let isOver = true;
  await page.route("**/v1/ask/stream", (route) => (isOver ? route.fulfill({ status: 401, contentType: "application/problem+json", body: "{}" }) : route.continue()));
  await page.fill("#question", "From which day on is a doctor's note needed?");
  await page.press("#question", "Enter");
  await page.locator("#key-form:not([hidden])").waitFor();
  holds((await page.locator("#sign-in-note").innerText()).includes("not valid"), "the reason can be seen");
  isOver = false;
  const sent = page.waitForRequest((request) => request.url().endsWith("/v1/ask/stream"));
  await page.fill("#key", keys.admin);
  await page.getByRole("button", { name: "Use this key" }).click();
  equal(JSON.parse((await sent).postData()).chat_history, [], "the conversation that goes along");
  await page.locator(".turn .foot:not([hidden])").waitFor();
  equal(await page.locator(".turn").count(), 1, "turns");
});

await check("a question that fails can be asked again", async () => {
  const { page } = await signedIn("reader");
  await page.route("**/v1/ask/stream", (route) => route.fulfill({ status: 503, contentType: "application/problem+json", body: '{"detail":"Too many requests."}' }));
  await page.fill("#question", "How many days of annual leave do I have?");
  await page.press("#question", "Enter");
  await page.locator(".turn .reason", { hasText: "Too many requests." }).waitFor();
  equal(await page.inputValue("#question"), "How many days of annual leave do I have?", "the box");
});

await check("a reader sees of Operate what is not for admins", async () => {
  const { page } = await signedIn("reader");
  await page.click('.views a[href="#operate"]');
  await page.locator("#view-operate .no-admin:not([hidden])").waitFor();
  equal(await page.locator(".parts a:visible").allInnerTexts(), ["Health", "Recalls"], "the parts");
  // A link of an admin leads to what everybody may see.
  await page.evaluate(() => { location.hash = "#operate=keys"; });
  await page.locator("#view-operate .part.health:not([hidden])").waitFor();
  equal(await page.locator("#view-operate .part:visible").count(), 1, "parts");
});

await check("an admin sees what is for admins", async () => {
  const { page } = await signedIn("admin");
  equal(await page.locator('.views a[href="#curate"]').isVisible(), true, "the link to curate");
});

await end();
