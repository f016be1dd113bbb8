// Documents as they were: answers that rest on what no longer stands, the versions of a document, and what changed between two.

import { ask, check, end, equal, holds, open, picture, violations } from "./browser.mjs";

const QUESTION = "How tall is the mast of the relay station?";
const FIRST = "# Mast\n\n## Size\n\nThe mast of the relay station is 3 m tall.\n\nThe <b>bold</b> paint is red.\n";

/** Takes a document in, as the page does. */
const keep = (page, text) =>
  page.evaluate(async (body) => (await fetch("/v1/documents", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) })).status, { id: "mast", title: "Mast", text });

await check("an answer is recalled once its sentence has changed, with the way to what changed", async () => {
  const { page, faults } = await open();
  equal(await keep(page, FIRST), 200, "the first version");
  await ask(page, QUESTION);
  await page.click('.views a[href="#operate"]');
  await page.click('.parts a[href="#operate=recalls"]');
  await page.getByText("No answer relies on an outdated source.").waitFor();
  equal(await keep(page, FIRST.replace("3 m", "4 m")), 200, "the second version");
  await page.click('.views a[href="#documents"]');
  await page.click('.views a[href="#operate"]');
  await page.click('.parts a[href="#operate=recalls"]');
  const recalls = page.locator("#view-operate .recalls");
  await recalls.getByText("1 answer relies on an outdated source.").waitFor();
  equal(await recalls.locator("del").allInnerTexts(), ["The mast of the relay station is 3 m tall."], "what was cited");
  equal(await recalls.locator("ins").allInnerTexts(), ["The mast of the relay station is 4 m tall."], "what stands in its place");
  equal(await violations(page), [], "axe");
  await picture(page, "recalls");
  await recalls.getByRole("button", { name: "What changed" }).click();
  const pane = page.locator("#source");
  await pane.getByText("One block differs between Version 1").waitFor();
  equal([await pane.locator(".text del").innerText(), await pane.locator(".text ins").innerText()].map((words) => words.trim()), ["3", "4"], "the change");
  await picture(page, "recalls-changes");
  await pane.getByRole("button", { name: "Close" }).click();
  await recalls.getByRole("link", { name: QUESTION }).click();
  await page.locator("#view-request .then", { hasText: "3 m tall" }).waitFor();
  equal(faults, [], "faults");
});

await check("a document shows its versions, each as it was", async () => {
  const { page, faults } = await open();
  await page.click('.views a[href="#documents"]');
  await page.getByRole("button", { name: "Mast", exact: true }).click();
  const pane = page.locator("#source");
  await pane.locator(".past summary").click();
  equal(await pane.locator(".past li").count(), 2, "versions");
  await pane.getByRole("button", { name: /^Version 1/ }).click();
  await pane.getByText("It is no longer current.").waitFor();
  const text = await pane.locator(".text").innerText();
  holds(text.includes("is 3 m tall") && text.includes("paint is red."), `the text as it was: ${text}`);
  await pane.getByRole("button", { name: "What changed" }).click();
  await pane.locator(".change.changed").waitFor();
  equal(await violations(page), [], "axe");
  await picture(page, "versions");
  await pane.getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "Leave", exact: true }).click();
  await pane.locator(".text", { hasText: "26 days" }).waitFor();
  await page.waitForLoadState("networkidle");
  equal(await pane.locator(".past").isVisible(), false, "a document that never changed has no list");
  equal(faults, [], "faults");
});

await end();
