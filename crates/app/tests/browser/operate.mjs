// How the service does over time: charts with their figures, what another threshold would have done, the trail searched, the keys.

import { ask, check, end, equal, holds, open, picture, violations } from "./browser.mjs";

const LEAVE = "How many days of annual leave do I have?";
const SUBMARINE = "What does a submarine cost?";

/** A fresh page that shows this part. */
async function operate(name, options) {
  const opened = await open(options);
  await opened.page.click('.views a[href="#operate"]');
  await opened.page.click(`.parts a[href="#operate=${name}"]`);
  await opened.page.locator(`#view-operate .part.${name}:not([hidden])`).waitFor();
  return { ...opened, view: opened.page.locator("#view-operate") };
}

/** The table of a chart, row by row, its head first; it need not be open. */
async function figures(view, title) {
  const chart = view.locator(".chart").filter({ has: view.page().getByRole("heading", { name: title }) });
  await chart.waitFor();
  return chart.locator("tr").evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));
}

/** How many questions there were by the table, of each sort; the server may have been asked before. */
async function sums(view) {
  await view.locator(".asked:not(:empty)").waitFor();
  if ((await view.locator(".asked").innerText()) === "No questions were asked in this period.") return {};
  const rows = await figures(view, /^Questions per/);
  equal(rows.at(-1)[0], "Total", "the last row");
  return Object.fromEntries(rows[0].slice(1).map((name, at) => [name, Number(rows.at(-1)[at + 1])]));
}

/** Searches the trail and gives the questions that were found. */
async function search(view, fields) {
  for (const [name, value] of Object.entries(fields)) {
    const field = view.locator(`.search [name=${name}]`);
    if (name === "outcome") await field.selectOption(value);
    else await field.fill(value);
  }
  const told = view.page().waitForResponse((response) => response.url().includes("/v1/audit?"));
  await view.getByRole("button", { name: "Search" }).click();
  await told;
  await view.locator(".trail .state", { hasNotText: "Looking" }).waitFor();
  return view.locator(".found td:nth-child(3)").allInnerTexts();
}

await check("what was asked is drawn, with the right counts in the tables", async () => {
  const before = await sums((await operate("time")).view);
  for (const question of [LEAVE, SUBMARINE]) await ask((await open()).page, question);
  const { page, view, faults } = await operate("time");
  const after = await sums(view);
  const more = (name) => after[name] - (before[name] ?? 0);
  equal(["answered", "refused", "failed", "asked"].map(more), [1, 1, 0, 2], "the questions");
  const shares = (await figures(view, "Share answered")).slice(1);
  holds(shares.length > 0 && shares.every(([, share]) => /^\d+\.\d\s%$/.test(share)), `the shares: ${shares}`);
  const times = (await figures(view, "Time to answer")).slice(1);
  equal(times.length, shares.length, "steps with a time");
  holds(times.every(([, time]) => /^[\d.]+\sm?s$/.test(time)), `the times: ${times}`);
  holds((await figures(view, "Why there was no answer")).length > 1, "a reason is told");
  for (const drawing of await view.locator(".chart svg[role=img]").all()) {
    holds((await drawing.getAttribute("aria-label")).endsWith("."), "a drawing says its gist");
  }
  await view.locator(".chart summary").first().click();
  equal(await violations(page), [], "axe");
  await picture(page, "operate-charts");
  const told = page.waitForResponse((response) => response.url().includes("/v1/history?hours=720"));
  await view.locator(".span").selectOption({ label: "30 days" });
  await told;
  await page.waitForLoadState("networkidle");
  holds((await sums(view)).asked >= after.asked, "30 days hold a day");
  equal(await violations(page), [], "axe with 30 days");
  equal(faults, [], "faults");
});

await check("the trail is searched by words, outcome and user, and what is found leads to its entry", async () => {
  const { page, view, faults } = await operate("trail");
  await view.locator(".found tr").nth(1).waitFor();
  const leave = await search(view, { contains: "annual" });
  holds(leave.includes(LEAVE) && leave.every((query) => /annual/i.test(query)), `by a word: ${leave}`);
  equal(await search(view, { contains: "zeppelin" }), [], "by a word that nobody asked");
  equal(await view.locator(".trail .state").innerText(), "Nothing was found.", "in words");
  const refused = await search(view, { contains: "", outcome: "refused" });
  holds(refused.includes(SUBMARINE) && !refused.includes(LEAVE), `by the outcome: ${refused}`);
  equal(await search(view, { outcome: "", user: "nobody" }), [], "by another user");
  const both = await search(view, { user: "local" });
  holds(both.includes(SUBMARINE) && both.includes(LEAVE), `by the user: ${both}`);
  equal(await violations(page), [], "axe");
  await view.locator(".trail").scrollIntoViewIfNeeded();
  await picture(page, "operate-trail");
  await view.getByRole("link", { name: LEAVE }).first().click();
  await page.locator("#view-request .asked", { hasText: LEAVE }).waitFor();
  equal(faults, [], "faults");
});

await check("another threshold is tried on an evaluation, and no answer is left above the highest confidence", async () => {
  const { page, view, faults } = await operate("evaluations");
  await view.locator(".listed tbody tr").first().waitFor();
  equal(await view.locator(".listed tbody tr").count(), 1, "evaluations");
  const read = page.waitForResponse((response) => response.url().includes("/v1/evaluations/"));
  await view.locator(".listed button").click();
  const { questions } = (await (await read).json()).report;
  await view.locator(".evaluation .chart .ring").waitFor({ state: "attached" });
  const column = (at) => view.locator(`.evaluation div > .table > table tbody td:nth-child(${at})`).filter({ visible: true }).allInnerTexts();
  equal(await column(3), await column(2), "at 0 all is as it was");
  const counted = (...verdicts) => questions.filter((one) => verdicts.includes(one.verdict)).length;
  const [right, wrong, missed, spared] = (await column(2)).map(Number);
  equal([right, wrong], [counted("right"), counted("beside", "overconfident")], "what was answered");
  equal([missed, spared], [counted("false_refusal"), counted("right_refusal")], "what was refused");
  await picture(page, "operate-evaluation");
  await view.locator(".slider").fill("100");
  // A list from the catalogue is as sure as can be, and 100 is not below 100.
  const sure = questions.filter((one) => one.confidence === 100 && ["right", "beside", "overconfident"].includes(one.verdict)).length;
  const [kept, stillWrong] = (await column(3)).map(Number);
  equal(kept + stillWrong, sure, "answers that are left at 100");
  if (sure === 0) equal(await view.locator(".evaluation .told").innerText(), "Nothing is answered.", "in words");
  equal(await violations(page), [], "axe");
  equal(faults, [], "faults");
});

await check("Operate is read a part at a time, and a link leads to each", async () => {
  const { page, faults } = await open({ viewport: { width: 1280, height: 800 } });
  await page.click('.views a[href="#operate"]');
  for (const name of ["health", "recalls", "time", "evaluations", "trail", "jobs", "keys"]) {
    await page.evaluate((hash) => { location.hash = hash; }, name === "health" ? "#operate" : `#operate=${name}`);
    await page.locator(`#view-operate .part.${name}:not([hidden])`).waitFor();
    await page.waitForLoadState("networkidle");
    equal(await page.locator("#view-operate .part:visible").count(), 1, `parts beside ${name}`);
    equal(await page.locator(".parts a[aria-current]").count(), 1, "the part that is named");
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    holds(height < 1800, `${name} is ${height} px high`);
    equal(await violations(page), [], `axe on ${name}`);
  }
  equal(faults, [], "faults");
});

await check("a server without keys says so", async () => {
  const { view, faults } = await operate("keys");
  await view.locator(".keys .state:not(:empty)").waitFor();
  equal(await view.locator(".keys .state").innerText(), "This server needs no keys. Make one with vouch key add to require keys.", "in words");
  equal(faults, [], "faults");
});

await check("a key is revoked after it was asked for twice, and not by a double click", async () => {
  const { page, faults } = await open();
  // This server has no keys, so the list of one that has stands in for it.
  const key = { id: "k1", name: "<b>marta</b>", role: "reader", user_id: null, tags: ["hr"], made: "2026-01-02T03:04:05Z", expires: null, state: "valid" };
  await page.evaluate(() => sessionStorage.setItem("vouch-key", "a key"));
  await page.route("**/v1/**", (route) => route.continue({ headers: { ...route.request().headers(), authorization: undefined } }));
  await page.route("**/v1/keys**", (route) => {
    if (route.request().method() === "DELETE") key.state = "revoked";
    return route.fulfill({ json: { request_id: "r", keys: [key], removed: 1 } });
  });
  await page.click('.views a[href="#operate"]');
  await page.click('.parts a[href="#operate=keys"]');
  const keys = page.locator("#view-operate .keys");
  await keys.getByRole("button", { name: "Revoke: the key" }).dblclick();
  equal(await keys.locator("td").allInnerTexts(), ["<b>marta</b>", "k1", "reader", "hr", "2026-01-02", "never", "valid Revoke"], "the key");
  await keys.getByRole("button", { name: "Revoke: the key" }).click();
  equal(await violations(page), [], "axe");
  await keys.scrollIntoViewIfNeeded();
  await picture(page, "operate-keys");
  await keys.getByRole("button", { name: "Yes, revoke" }).click();
  await keys.getByText("The key <b>marta</b> is revoked.").waitFor();
  equal(await keys.locator("td").last().innerText(), "revoked", "its state");
  equal(faults, [], "faults");
});

for (const [name, options] of [
  ["narrow", { viewport: { width: 360, height: 740 } }],
  ["tablet", { viewport: { width: 820, height: 1100 } }],
  ["dark", { colorScheme: "dark", viewport: { width: 1280, height: 1100 } }],
]) {
  await check(`the part is sound: ${name}`, async () => {
    const { page, view, faults } = await operate("evaluations", options);
    await view.locator(".listed button").click();
    await view.locator(".slider").fill("60");
    await page.waitForLoadState("networkidle");
    equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false, "it scrolls sideways");
    equal(await violations(page), [], "axe");
    await picture(page, `operate-${name}-evaluation`);
    await page.click('.parts a[href="#operate=time"]');
    await view.locator(".charts .chart").first().waitFor();
    equal(await violations(page), [], "axe over time");
    await picture(page, `operate-${name}`);
    equal(faults, [], "faults");
  });
}

await end();
