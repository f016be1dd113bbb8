// A guess at a contradiction, on the page: both sentences with titles and dates, opened, dismissed.

import { check, end, equal, open, picture, violations } from "./browser.mjs";

const SENTENCE = (days) => `Full-time employees receive ${days} days of annual leave per calendar year.`;

async function curate() {
  const opened = await open();
  await opened.page.click('.views a[href="#curate"]');
  return { ...opened, found: opened.page.locator("#view-curate .findings") };
}

await check("a contradiction shows both sides and opens their documents", async () => {
  const { page, found, faults } = await curate();
  await found.getByText("A possible contradiction. Most of these guesses are wrong, so check before you act.").waitFor();
  const sides = await found.locator(".change").evaluateAll((nodes) => nodes.map((node) => [...node.querySelectorAll("p")].map((line) => line.textContent)));
  const wanted = [
    ["Leave policy · 2025-03-01", SENTENCE(28)],
    ["Starter handbook · 2026-01-15", SENTENCE(30)],
  ];
  equal(sides.toSorted(), wanted, "the sides");
  equal(await violations(page), [], "axe");
  await picture(page, "findings");
  await found.getByRole("button", { name: "Leave policy", exact: true }).click();
  await page.locator("#source .text", { hasText: SENTENCE(28) }).waitFor();
  equal(faults, [], "faults");
});

await check("one that is dismissed is off the list and stays off", async () => {
  const { page, found, faults } = await curate();
  await found.getByRole("button", { name: /^Dismiss .* and / }).click();
  await found.getByText("There are no findings to review.").waitFor();
  equal(await found.locator("li").count(), 0, "the list");
  equal(await violations(page), [], "axe");
  const again = await curate();
  await again.found.getByText("There are no findings to review.").waitFor();
  equal([...faults, ...again.faults], [], "faults");
});

await end();
