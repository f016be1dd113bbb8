// Names and terms: what is typed goes on, near names and several meanings are buttons, and the vocabulary is a tree.

import { ask, check, end, equal, holds, open, picture, violations } from "./browser.mjs";

await check("prepared questions are offered first, and a click asks one", async () => {
  const { page, faults } = await open();
  const prepared = page.locator("#prepared").getByRole("button", { name: "Which standard do models use?" });
  await prepared.click();
  await page.locator(".turn .foot:not([hidden])").waitFor();
  holds((await page.locator(".turn .answer").innerText()).includes("modelled in CIM"), "it is answered");
  equal(faults, [], "faults");
});

await check("terms, addresses and prepared questions go on with what is typed", async () => {
  const { page } = await open();
  for (const [typed, wanted] of [["bus", "busbar"], ["adr-00", "ADR-0012"], ["which stand", "Which standard do models use?"]]) {
    await page.fill("#question", "");
    await page.locator("#question").pressSequentially(typed);
    await page.locator("#typing button", { hasText: wanted }).first().waitFor();
  }
  await picture(page, "typing");
  await page.keyboard.press("Escape");
  equal(await page.locator("#typing").isVisible(), false, "the list");
});

await check("a name that is not there brings near ones as buttons, and a click asks", async () => {
  const { page } = await open();
  const turn = await ask(page, "ADR-9999");
  equal(await turn.locator(".verdict").innerText(), "Not answered", "the verdict");
  await turn.getByRole("button", { name: "ADR-0012 (CIM Standard)" }).click();
  const second = page.locator(".turn").nth(1);
  await second.locator(".foot:not([hidden])").waitFor();
  holds((await second.locator(".answer").innerText()).includes("Every busbar is modelled in CIM."), "the answer");
});

await check("a term of several meanings is asked back about", async () => {
  const { page } = await open();
  const turn = await ask(page, "What is CIM?");
  equal(await turn.locator(".verdict").innerText(), "Please clarify", "the verdict");
  equal(await turn.locator(".suggestions button").count(), 2, "meanings");
  equal(await violations(page), [], "axe");
  await picture(page, "clarify");
});

await check("a notice says what replaced a document", async () => {
  const { page } = await open();
  const turn = await ask(page, "ADR-9");
  holds((await turn.locator(".notices").innerText()).includes("superseded by ADR-0012"), "the notice");
});

await check("the vocabulary opens as a tree, and a term is looked up", async () => {
  const { page, faults } = await open();
  await page.click('.views a[href="#terms"]');
  const tree = page.locator("#view-terms .tree");
  await tree.locator("summary", { hasText: "equipment" }).click();
  await tree.locator("summary", { hasText: "busbar" }).click();
  await tree.locator("dd", { hasText: "joins several circuits" }).waitFor();
  equal(await violations(page), [], "axe");
  await picture(page, "terms");
  await page.fill("#view-terms [name=term]", "bus bar");
  await page.getByRole("button", { name: "Look up" }).click();
  await tree.getByRole("button", { name: "Back to all terms" }).waitFor();
  await tree.locator("dd", { hasText: "joins several circuits" }).waitFor();
  equal(await tree.locator("li").count(), 2, "one term, and the way back");
  await page.fill("#view-terms [name=term]", "zeppelin");
  await page.getByRole("button", { name: "Look up" }).click();
  await page.locator("#view-terms .state", { hasText: "does not know this term" }).waitFor();
  equal(faults, [], "faults");
});

await check("a vocabulary that is not loaded is not said to know no term", async () => {
  const { page } = await open();
  const none = { request_id: "r", backend: null, can_list: false, concepts: [], next: null };
  await page.route("**/v1/concepts**", (route) => route.fulfill({ json: none }));
  await page.click('.views a[href="#terms"]');
  await page.fill("#view-terms [name=term]", "busbar");
  await page.getByRole("button", { name: "Look up" }).click();
  await page.locator("#view-terms .state", { hasText: "No vocabulary is loaded." }).waitFor();
});

await end();
