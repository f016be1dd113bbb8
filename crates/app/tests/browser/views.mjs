// The other parts of the page: documents to look through and to add, and how the service does.

import { ask, check, clipped, end, equal, holds, open, picture, violations, without } from "./browser.mjs";

await check("documents are listed, and each opens", async () => {
  const { page, faults } = await open();
  await page.click('.views a[href="#documents"]');
  await page.locator("#view-documents .rows tr").first().waitFor();
  equal(await page.locator("#view-documents .state").innerText(), "One document.", "the count");
  equal(await violations(page), [], "axe");
  await picture(page, "documents");
  await page.locator("#view-documents .rows button").first().click();
  await page.locator("#source .text .heading").first().waitFor();
  equal(await violations(page), [], "axe with a document open");
  equal(faults, [], "faults");
});

await check("files are added one by one, a bad one stops no other, and what was added answers", async () => {
  const { page } = await open();
  await page.click('.views a[href="#documents"]');
  await page.locator("#view-documents .rows tr").first().waitFor();
  await page.setInputFiles("#view-documents .pick", [
    { name: "bad.txt", mimeType: "text/plain", buffer: Buffer.from([0xff, 0xfe, 0xfa, 0x00]) },
    { name: "parking.md", mimeType: "text/markdown", buffer: Buffer.from("# Parking\n\nThe visitors' car park has 40 places and closes at 22:00.\n") },
  ]);
  await page.locator("#view-documents .outcome .done").waitFor();
  const told = await page.locator("#view-documents .outcome li").allInnerTexts();
  holds(told[0].startsWith("bad.txt: no document was added: ") && told[0].includes("binary") && told[1] === "parking.md: added", told.join("; "));
  await page.locator("#view-documents .rows tr").nth(1).waitFor();
  await page.click('.views a[href="#ask"]');
  const turn = await ask(page, "When does the visitors' car park close?");
  holds((await turn.locator(".answer").innerText()).includes("22:00"), "the new document answers");
});

await check("a question that was refused is pinned to its answer, and is answered then", async () => {
  const { page, faults } = await open();
  const refused = await ask(page, "Where do I put my bike?");
  equal(await refused.locator(".verdict").innerText(), "Not answered", "at first");
  await page.click('.views a[href="#curate"]');
  const asked = page.locator("#view-curate .open-questions li", { hasText: "Where do I put my bike?" });
  await asked.getByRole("button", { name: "Pin an answer" }).click();
  await page.fill("#view-curate [name=references]", "docs/leave.md");
  equal(await violations(page), [], "axe");
  await picture(page, "curate");
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator("#view-curate .entries li").waitFor();
  equal(await page.locator("#view-curate > .state").innerText(), "Saved.", "what was done");
  await page.click('.views a[href="#ask"]');
  const turn = await ask(page, "Where do I put my bike?");
  holds((await turn.locator(".card").count()) > 0, "the pinned source is shown");
  await page.click('.views a[href="#curate"]');
  await page.locator("#view-curate .entries").getByRole("button", { name: "Remove" }).click();
  await page.locator("#view-curate .entries").getByRole("button", { name: "Yes, remove" }).click();
  await page.locator("#view-curate .none-kept:not([hidden])").waitFor();
  equal(faults, [], "faults");
});

await check("a document that is there already keeps who may see it when a file of its name is added", async () => {
  const { page, faults } = await open();
  await page.click('.views a[href="#documents"]');
  const add = async (text, choice) => {
    await page.setInputFiles("#view-documents .pick", [{ name: "pay.md", mimeType: "text/markdown", buffer: Buffer.from(text) }]);
    if (choice) await page.locator("#view-documents .outcome").getByRole("button", { name: choice }).click();
    await page.locator("#view-documents .outcome .done").waitFor();
  };
  await page.fill("#view-documents .files .tags", "hr");
  await add("# Pay\n\nThe clerk earns 3100 crowns.\n");
  await page.fill("#view-documents .files .tags", "");
  await add("# Pay of clerks\n\nThe clerk earns 3300 crowns.\n", "It is a new version");
  const outcome = page.locator("#view-documents .outcome li");
  equal(await outcome.innerText(), "pay.md: new version of “Pay”", "a new version");
  await add("# Pay of porters\n\nThe porter earns 2900 crowns.\n", "It is another document");
  equal(await outcome.innerText(), "pay.md: added", "another document");
  await add("# Pay of porters\n\nThe porter earns 2900 crowns.\n");
  equal(await outcome.innerText(), "pay.md: unchanged", "the same once more");
  await page.setInputFiles("#view-documents .pick", [{ name: "pay.md", mimeType: "text/markdown", buffer: Buffer.from("# Pay of cooks\n\nThe cook earns 3000 crowns.\n") }]);
  await outcome.getByText("“Pay of porters”").waitFor();
  equal(await violations(page), [], "axe with choices");
  await outcome.getByRole("button", { name: "Leave it out" }).click();
  await outcome.getByText("pay.md: left out").waitFor();
  await page.locator("#view-documents .rows tr", { hasText: "Pay of porters" }).waitFor();
  const row = page.locator("#view-documents .rows tr", { hasText: "Pay of clerks" });
  await row.waitFor();
  equal((await row.locator("td").allInnerTexts())[3], "hr", "who may see it");
  const told = await page.evaluate(async () => (await (await fetch("/v1/documents/pay.md")).json()).text);
  holds(told.includes("3300"), told);
  // The server asks which of the two it is.
  equal(without(faults, 409), [], "faults");
});

await check("an id of dots and slashes leads to what has it and to nothing else", async () => {
  const { page, faults } = await open();
  await page.evaluate(async () => {
    const body = JSON.stringify({ id: "../documents/pay.md", phrases: ["spam?"], references: ["pay.md"] });
    await fetch("/v1/memory", { method: "POST", headers: { "Content-Type": "application/json" }, body });
  });
  await page.click('.views a[href="#curate"]');
  const entry = page.locator("#view-curate .entries li", { hasText: "spam?" });
  await entry.getByRole("button", { name: "Remove" }).click();
  await entry.getByRole("button", { name: "Yes, remove" }).click();
  await page.locator("#view-curate > .state", { hasText: "Removed." }).waitFor();
  equal(await entry.count(), 0, "entries of that id");
  const left = await page.evaluate(async () => (await (await fetch("/v1/documents?id=pay.md")).json()).documents.length);
  equal(left, 1, "documents of the other name");
  equal(faults, [], "faults");
});

await check("what is known of a document is changed, its text stays, and it goes when that is wanted twice", async () => {
  const { page, faults } = await open();
  await page.click('.views a[href="#documents"]');
  const row = page.locator("#view-documents .rows tr", { hasText: "parking.md" });
  await row.getByRole("button", { name: "Change" }).click();
  await page.fill("#view-documents [name=status]", "draft");
  await page.fill("#view-documents [name=tags]", "visitors, reception");
  equal(await violations(page), [], "axe");
  await picture(page, "document-form");
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator("#view-documents .state", { hasText: "Saved." }).waitFor();
  const cells = await row.locator("td").allInnerTexts();
  equal([cells[2], cells[3]], ["draft", "reception, visitors"], "the row");
  await row.getByRole("button", { name: "Change" }).click();
  await page.locator("#view-documents .by-hand li", { hasText: "status: “draft”" }).waitFor();
  await page.fill("#view-documents [name=tags]", "");
  await page.getByRole("button", { name: "Save" }).click();
  const sheet = page.locator("#view-documents .sheet");
  await sheet.getByText("More people could see it than now. Tick “Let more people see it than before” if that is intended.").waitFor();
  equal(await sheet.locator("[name=tags]").inputValue(), "", "what was written stays");
  equal(await violations(page), [], "axe with a fault in the form");
  await page.getByRole("button", { name: "Cancel" }).click();
  equal((await row.locator("td").allInnerTexts())[3], "reception, visitors", "nobody said that it is open");
  await row.locator("button.link").first().click();
  await page.locator("#source .text", { hasText: "40 places" }).waitFor();
  await page.keyboard.press("Escape");
  await row.getByRole("button", { name: "Remove" }).click();
  await row.getByRole("button", { name: "Go back" }).click();
  equal(await row.count(), 1, "it was kept");
  await row.getByRole("button", { name: "Remove" }).click();
  await row.getByRole("button", { name: "Yes, remove" }).click();
  await page.locator("#view-documents .state", { hasText: "is removed. If its file is still in the folder, the next ingest brings it back." }).waitFor();
  equal(await row.count(), 0, "it is gone");
  // The server refuses to open it.
  equal(without(faults, 400), [], "faults");
});

await check("an answer has a link to its entry in the trail, and what changed since is told there", async () => {
  const { page, faults } = await open();
  const turn = await ask(page, "From which day on is a doctor's note needed?");
  await turn.locator(".figures a").click();
  await page.locator("#view-request .rests button").first().waitFor();
  equal(await page.locator("#view-request .asked").innerText(), "From which day on is a doctor's note needed?", "the question");
  equal(await violations(page), [], "axe");
  await page.getByRole("button", { name: "Ask again and compare" }).click();
  await page.locator("#view-request .compared", { hasText: "the same today" }).waitFor();
  await page.locator("#view-request .rests button").first().click();
  await page.locator("#source mark").first().waitFor();
  await picture(page, "entry");
  // The link alone leads there, too.
  await page.reload();
  await page.locator("#view-request .rests button").first().waitFor();
  equal(faults, [], "faults");
});

await check("health and the certificate are told", async () => {
  const { page, faults } = await open();
  await page.click('.views a[href="#operate"]');
  await page.locator("#view-operate .dependencies tr").first().waitFor();
  equal(await page.locator("#view-operate .ready").innerText(), "Ready.", "readiness");
  holds((await page.locator("#view-operate .certified").innerText()).includes("None has been issued"), "no certificate");
  equal(await violations(page), [], "axe");
  await picture(page, "operate");
  equal(faults, [], "faults");
});

await check("two quick looks at a list show it once", async () => {
  const { page } = await open();
  await page.click('.views a[href="#documents"]');
  await page.locator("#view-documents .rows tr").first().waitFor();
  await page.evaluate(() => {
    const show = document.querySelector("#view-documents .filter button");
    show.click();
    show.click();
  });
  await page.locator("#view-documents .state", { hasText: /documents?\.$/ }).waitFor();
  await page.waitForLoadState("networkidle");
  const ids = await page.locator("#view-documents .rows tr td:first-child .small").allInnerTexts();
  equal(ids.length, new Set(ids).size, "rows");
});

await check("documents are found by words of their title as they are typed", async () => {
  const { page, faults } = await open();
  await page.evaluate(async () => {
    const body = JSON.stringify({ id: "boats", title: "Boats and their Berths", address: "ADR-0012", text: "# Boats\n\nBoats lie in berths.\n" });
    await fetch("/v1/documents", { method: "POST", headers: { "Content-Type": "application/json" }, body });
  });
  await page.click('.views a[href="#documents"]');
  const [titles, state] = [page.locator("#view-documents .rows td:first-child > button.link"), page.locator("#view-documents > .state")];
  await page.locator("#view-documents .words").pressSequentially("berth boat");
  await state.getByText("One document.").waitFor();
  equal(await titles.allInnerTexts(), ["Boats and their Berths"], "the list");
  await page.fill("#view-documents .words", "zeppelin");
  await state.getByText("No documents match.").waitFor();
  equal(await violations(page), [], "axe");
  equal(faults, [], "faults");
});

await check("a dialog is closed when the view changes, and the page can be used", async () => {
  const { page, faults } = await open({ viewport: { width: 820, height: 1100 } });
  await page.click('.views a[href="#documents"]');
  await page.locator("#view-documents .rows").getByRole("button", { name: "Change" }).first().click();
  await page.locator("#view-documents .sheet:modal").waitFor();
  await page.goBack();
  await page.locator("#view-ask:not([hidden])").waitFor();
  equal(await page.locator("dialog:modal").count(), 0, "dialogs over another view");
  await page.click('.views a[href="#curate"]');
  await page.getByRole("button", { name: "New entry" }).click();
  await page.locator("#view-curate .desk:modal").waitFor();
  await page.goBack();
  await page.locator("#view-ask:not([hidden])").waitFor();
  await page.click('.views a[href="#documents"]');
  await page.locator("#view-documents .rows tr").first().waitFor();
  equal(faults, [], "faults");
});

await check("a document tells what relies on it before it is removed, and an entry whose source is gone is marked", async () => {
  const { page, faults } = await open();
  await page.evaluate(async () => {
    const post = (path, body) => fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
    await post("/v1/documents", { id: "kites", title: "Flying kites", text: "# Kites\n\nKites fly on the north beach.\n" });
    await post("/v1/memory", { id: "kites-where", phrases: ["Where do kites fly?"], references: ["kites"] });
  });
  await page.click('.views a[href="#curate"]');
  const entry = page.locator("#view-curate .entries li", { hasText: "Where do kites fly?" });
  await entry.getByText("Flying kites").waitFor();
  await page.click('.views a[href="#documents"]');
  const row = page.locator("#view-documents .rows tr", { hasText: "Flying kites" });
  await row.getByRole("button", { name: "Remove" }).click();
  await row.getByText("1 pinned answer relies on it.").waitFor();
  await row.getByRole("button", { name: "Yes, remove" }).click();
  await page.locator("#view-documents .state", { hasText: "is removed" }).waitFor();
  await page.click('.views a[href="#curate"]');
  await entry.getByText("there is no such document").waitFor();
  equal(await violations(page), [], "axe");
  await entry.getByRole("button", { name: "Remove" }).click();
  await entry.getByRole("button", { name: "Yes, remove" }).click();
  await page.locator("#view-curate > .state", { hasText: "Removed." }).waitFor();
  equal(faults, [], "faults");
});

await check("a passage that is picked is shown among the chosen sources, and a document is found by a part of its title", async () => {
  const { page, faults } = await open();
  await page.click('.views a[href="#curate"]');
  await page.fill("#view-curate [name=looked]", "and their ber");
  const found = page.locator("#view-curate .picked li", { hasText: "Boats and their Berths" });
  await found.getByRole("button", { name: "The document" }).first().click();
  await page.locator("#view-curate .added", { hasText: "Added." }).waitFor();
  equal(await page.locator("#view-curate .sources-chosen li").allInnerTexts(), ["Boats and their Berths"], "the chosen sources");
  equal(await page.inputValue("#view-curate [name=references]"), "boats", "as it is kept");
  equal(await violations(page), [], "axe");
  equal(faults, [], "faults");
});

await check("what supersedes a document is picked by its title, and no address need be known", async () => {
  const { page, faults } = await open();
  await page.click('.views a[href="#documents"]');
  const row = page.locator("#view-documents .rows tr", { hasText: "docs/leave.md" });
  await row.getByRole("button", { name: "Change" }).click();
  const sheet = page.locator("#view-documents .sheet");
  const field = sheet.locator("[name=superseded_by]");
  await field.pressSequentially("berths");
  const found = sheet.locator(".successors").getByRole("button", { name: /Boats and their Berths/ });
  await found.waitFor();
  equal(await violations(page), [], "axe");
  await picture(page, "successor");
  await page.keyboard.press("Escape");
  equal([await found.isVisible(), await sheet.isVisible()], [false, true], "Escape closes the list and not the form");
  await field.pressSequentially(" boats");
  await found.click();
  equal(await field.inputValue(), "ADR-0012", "what is taken");
  await field.fill("ADR-7777");
  await sheet.getByRole("button", { name: "Save" }).click();
  await sheet.getByText("No document has the address, id or title “ADR-7777”.").waitFor();
  await page.keyboard.press("Escape");
  await sheet.waitFor({ state: "hidden" });
  equal(await row.getByRole("button", { name: "Change" }).evaluate((node) => node === document.activeElement), true, "focus comes back");
  equal(faults, [], "faults");
});

await check("on a phone the form for an entry is in front of the lists, and its id is made", async () => {
  const { page, faults } = await open({ viewport: { width: 390, height: 844 } });
  await page.click('.views a[href="#curate"]');
  const form = page.locator("#view-curate .entry");
  equal(await form.isVisible(), false, "the form before it is wanted");
  await page.getByRole("button", { name: "New entry" }).click();
  await form.locator("[name=phrases]").fill("Where do boats lie?");
  equal(await form.locator("[name=id]").inputValue(), "where-do-boats-lie", "the id");
  equal(await violations(page), [], "axe");
  await picture(page, "narrow-entry");
  await form.locator("[name=references]").fill("boats");
  await form.getByRole("button", { name: "Save" }).click();
  await form.waitFor({ state: "hidden" });
  await page.locator("#view-curate .entries li", { hasText: "Where do boats lie?" }).waitFor();
  equal(faults, [], "faults");
});

await check("every part fits a narrow screen", async () => {
  const { page } = await open({ viewport: { width: 360, height: 740 } });
  for (const name of ["documents", "terms", "curate", "operate"]) {
    await page.click(`.views a[href="#${name}"]`);
    await page.locator(`#view-${name}:not([hidden])`).waitFor();
    await page.waitForLoadState("networkidle");
    equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false, `${name} scrolls sideways`);
    equal(await violations(page), [], `axe on ${name}`);
    equal(await clipped(page), [], `placeholders that are cut off on ${name}`);
    await picture(page, `narrow-${name}`);
  }
});

await end();
