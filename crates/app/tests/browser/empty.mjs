// A server without documents: it says so, and hints at none that somebody may not see.

import { ask, check, end, equal, holds, open, picture, violations } from "./browser.mjs";

await check("a server without documents says that there are none, and where to add some", async () => {
  const { page, faults } = await open();
  const facts = page.locator("#welcome .facts");
  await facts.getByText("There are no documents yet. Add some to ask about.").waitFor();
  equal(await page.locator("#prepared").isVisible(), false, "questions to begin with");
  equal(await violations(page), [], "axe");
  await picture(page, "empty");
  const turn = await ask(page, "How many days of leave do I have?");
  const told = await turn.innerText();
  holds(told.includes("There are no documents to answer from yet."), told);
  holds(!/may (not )?see|documents do not say|words of the documents/.test(told), `a hint: ${told}`);
  await facts.waitFor({ state: "hidden" });
  equal(faults, [], "faults");
});

await check("what is added is counted at once", async () => {
  const { page } = await open();
  await page.click('.views a[href="#documents"]');
  await page.locator("#view-documents > .state", { hasText: "There are no documents yet." }).waitFor();
  await page.setInputFiles("#view-documents .pick", [{ name: "leave.md", mimeType: "text/markdown", buffer: Buffer.from("# Leave\n\nStaff have 26 days of leave a year.\n") }]);
  await page.locator("#view-documents .outcome .done").waitFor();
  await page.click('.views a[href="#ask"]');
  await page.locator("#welcome .facts", { hasText: "One document to answer from." }).waitFor();
});

await end();
