// A model that writes a sentence and then hangs: what was verified is shown while the rest is waited for, and stopping keeps it.

import { check, end, equal, holds, open, picture } from "./browser.mjs";

const LEAVE = "How many days of annual leave do I have?";

async function begun(options) {
  const opened = await open(options);
  const { page } = opened;
  await page.fill("#question", LEAVE);
  await page.press("#question", "Enter");
  await page.locator(".turn .answer", { hasText: "26 days of annual leave" }).waitFor();
  return opened;
}

await check("a verified sentence is shown before the answer is whole", async () => {
  const { page } = await begun();
  equal(await page.locator(".turn .foot").isVisible(), false, "the end of the answer");
  equal(await page.locator("#stop").isVisible(), true, "it can be stopped");
  equal(await page.locator(".turn .marker").count() > 0, true, "the sentence has its source");
  await picture(page, "stream");
});

await check("stopping keeps what was verified", async () => {
  const { page } = await begun();
  await page.locator("#stop").click();
  await page.locator(".turn .reason", { hasText: "Stopped. The text above was verified." }).waitFor();
  holds((await page.locator(".turn .answer").innerText()).includes("26 days"), "the sentence stays");
  equal(await page.locator("#send").isVisible(), true, "the next question can be asked");
});

await check("with reduced motion nothing moves while it waits", async () => {
  const moves = async (reducedMotion) => {
    const { page } = await open({ reducedMotion });
    await page.fill("#question", LEAVE);
    await page.press("#question", "Enter");
    const dot = page.locator(".turn .dot").first();
    await dot.waitFor({ state: "attached" });
    return dot.evaluate((node) => getComputedStyle(node).animationName);
  };
  equal([await moves("no-preference"), await moves("reduce")], ["breathe", "none"], "what moves");
});

await end();
