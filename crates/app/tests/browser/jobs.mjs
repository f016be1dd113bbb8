// What is done in the background, as admins see it: a source is taken in, and a job that failed says why and is tried again.

import { check, end, equal, holds, open, violations } from "./browser.mjs";

async function operate() {
  const opened = await open();
  await opened.page.click('.views a[href="#operate"]');
  await opened.page.click('.parts a[href="#operate=jobs"]');
  await opened.page.locator("#view-operate .job-sources strong").first().waitFor();
  return opened;
}

const rows = (page) => page.locator("#view-operate .job-list tbody tr");

await check("a source is taken in and the list follows it to its end", async () => {
  const { page, faults } = await operate();
  await page.getByRole("button", { name: "Update now: handbook" }).click();
  const row = rows(page).filter({ hasText: "handbook" });
  await row.filter({ hasText: "done" }).first().waitFor();
  holds((await row.first().innerText()).includes("added 1"), "how far it came");
  equal(await violations(page), [], "axe");
  equal(faults, [], "faults");
});

await check("a job that fails says why, and is stopped and tried again", async () => {
  const { page } = await operate();
  await page.getByRole("button", { name: "Update now: missing" }).click();
  const row = rows(page).filter({ hasText: "missing" }).first();
  await row.filter({ hasText: "waiting" }).waitFor();
  await row.getByText("What went wrong").click();
  holds((await row.innerText()).includes("does not exist"), "the reason");
  await row.getByRole("button", { name: /^Cancel/ }).click();
  await row.getByRole("button", { name: /^Yes, cancel/ }).click();
  await row.filter({ hasText: "cancelled" }).waitFor();
  await row.getByRole("button", { name: /^Try again/ }).click();
  await row.filter({ hasText: "waiting" }).waitFor();
});

await end();
