// How heavy and how quick the page is; no test, since times are of the machine they are taken on.
//
// Usage: node measure.mjs ADDRESS CHROMIUM PICTURES, on a server with the documents that `docs/measurements.md` names.

import { ask, end, open } from "./browser.mjs";

const SENTENCES = 200;
const TIMES = 7;

const median = (figures) => figures.sort((a, b) => a - b)[Math.floor(figures.length / 2)];
const told = (what, figure) => console.log(`${what}: ${figure}`);

/** The longest time for which the page did not answer, in milliseconds, while something was done. */
async function longestTask(page, act) {
  await page.evaluate(() => {
    window.tasks = [];
    new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map((one) => one.duration))).observe({ entryTypes: ["longtask"] });
  });
  const began = Date.now();
  await act();
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const tasks = await page.evaluate(() => window.tasks);
  return `${Date.now() - began} ms, longest task ${Math.round(Math.max(0, ...tasks))} ms`;
}

/** A reply as the server sends it, with so many sentences in so many events. */
function stream(reply) {
  const sentences = Array.from({ length: SENTENCES }, (_, at) => `Rule ${at + 1} says that every station is read at ${at % 24}:00 and written down. [^1]`);
  const events = sentences.map((text, at) => ({ event: "sentence", text: at ? ` ${text}` : text }));
  const claims = sentences.map((text) => ({ ...reply.claims[0], text: text.replace(" [^1]", ""), role: "answer" }));
  const whole = { ...reply, answer: sentences.join(" "), claims };
  return [...events, { event: "done", reply: whole }].map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
}

{
  const paints = [];
  let weight = 0;
  for (let time = 0; time < TIMES; time += 1) {
    const { page, context } = await open();
    const [painted, bytes] = await page.evaluate(() => [
      performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? performance.getEntriesByName("first-paint")[0]?.startTime,
      performance.getEntriesByType("resource").concat(performance.getEntriesByType("navigation"))
        .filter((one) => !one.name.includes("/v1/"))
        .reduce((sum, one) => sum + one.decodedBodySize, 0),
    ]);
    paints.push(painted);
    weight = Math.max(weight, bytes);
    await context.close();
  }
  told("weight of the page", `${Math.round(weight / 1000)} kB`);
  told(`first paint, median of ${TIMES}`, `${Math.round(median(paints))} ms`);
}

{
  const { page } = await open();
  const first = page.waitForResponse((response) => response.url().endsWith("/v1/documents?limit=100"));
  told("the list of documents", await longestTask(page, async () => {
    await page.click('.views a[href="#documents"]');
    await first;
    await page.locator("#view-documents .rows tr").first().waitFor();
  }));
  told("every document listed", await longestTask(page, async () => {
    while (await page.locator("#view-documents .more").isVisible()) {
      const before = await page.locator("#view-documents .rows tr").count();
      await page.locator("#view-documents .more").click();
      await page.waitForFunction((count) => document.querySelectorAll("#view-documents .rows tr").length > count, before);
    }
  }));
  told("rows", await page.locator("#view-documents .rows tr").count());
  told("back to asking, a question typed", await longestTask(page, async () => {
    await page.click('.views a[href="#ask"]');
    await page.locator("#question").pressSequentially("How much does the lighthouse keeper of Skerry earn?");
  }));
}

{
  const { page } = await open();
  const turn = await ask(page, "How much does the lighthouse keeper of Skerry earn?");
  told("a large document opened at its quote", await longestTask(page, async () => {
    await turn.locator(".card .open").first().click();
    await page.locator("#source mark").first().waitFor();
  }));
  told("scrolled through", await longestTask(page, () => page.mouse.move(1000, 400).then(() => page.mouse.wheel(0, 20_000))));
  const reply = await page.evaluate(async (query) => {
    const body = JSON.stringify({ query, explain: true });
    return (await fetch("/v1/ask", { method: "POST", headers: { "Content-Type": "application/json" }, body })).json();
  }, "How much does the lighthouse keeper of Skerry earn?");
  await page.route("**/v1/ask/stream", (route) => route.fulfill({ contentType: "text/event-stream", body: stream(reply) }));
  told(`an answer of ${SENTENCES} sentences, with that document open`, await longestTask(page, () => ask(page, "Which rules are there?")));
}

await end();
