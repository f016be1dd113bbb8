// A refusal that mends itself: a curator sends a question to its owner, they answer on their page, and whoever asks again is answered.

import { ask, check, clipped, end, equal, holds, openWith, picture, violations } from "./browser.mjs";

const QUESTION = "How is sick pay computed during leave?";

async function signedIn(role) {
  const opened = await openWith(process.env[`${role}_KEY`]);
  await opened.page.locator("#me:not(:empty)").waitFor();
  return opened;
}

await check("a question without an answer goes to its owner by one click", async () => {
  const { page, faults } = await signedIn("ADMIN");
  faults.length = 0;
  const refused = await ask(page, QUESTION);
  equal(await refused.locator(".verdict").innerText(), "Not answered", "at first");
  await page.click('.views a[href="#curate"]');
  const topic = page.locator("#view-curate .open-questions section", { hasText: "hr" });
  await topic.locator("li", { hasText: QUESTION }).waitFor();
  equal(await violations(page), [], "axe");
  await picture(page, "unanswered");
  await topic.getByRole("button", { name: "Send to mira" }).click();
  await topic.locator("li", { hasText: "sent to mira" }).waitFor();
  const letter = await topic.getByRole("link", { name: "notify them by e-mail" }).getAttribute("href");
  holds(letter.startsWith("mailto:mira@tarnside.example?subject=") && !letter.includes("vouch_"), letter);
  equal(faults, [], "faults");
});

await check("wordings are tried before they are kept, and nothing is kept by that", async () => {
  const { page } = await signedIn("ADMIN");
  await page.click('.views a[href="#curate"]');
  await page.fill("#view-curate [name=phrases]", "How is sick pay computed?\nWhat does tea cost?");
  await page.fill("#view-curate [name=tried]", "How is sick pay calculated?");
  const rows = page.locator("#view-curate .tried li");
  await rows.nth(1).waitFor();
  const told = await rows.allInnerTexts();
  holds(/^\s*0\.\d\d/.test(told[0]) && told[1].includes("another question"), told.join("; "));
  equal(await violations(page), [], "axe");
  await picture(page, "tried");
  equal(await page.locator("#view-curate .entries li").count(), 0, "entries");
});

await check("the owner answers on a page of their own, and the answer is cited", async () => {
  const { page, faults } = await signedIn("OWNER");
  faults.length = 0;
  await page.locator(".to-answer", { hasText: "To answer (1)" }).click();
  const waiting = page.locator("#view-questions .waiting-list li", { hasText: QUESTION });
  holds((await waiting.innerText()).includes("readers with the tag hr"), "who will see it");
  equal(await violations(page), [], "axe");
  await picture(page, "to-answer");
  await waiting.locator("textarea").fill("Sick pay is computed from the last three months, also during leave.");
  await waiting.getByRole("button", { name: "Answer" }).click();
  await page.locator("#view-questions .done-list li", { hasText: QUESTION }).waitFor();
  equal(await page.locator(".to-answer").innerText(), "To answer", "nothing waits");
  await page.click('.views a[href="#ask"]');
  const turn = await ask(page, QUESTION);
  holds((await turn.locator(".answer").innerText()).includes("last three months"), "it is answered");
  await turn.locator(".card .open").first().click();
  await page.locator("#source mark").first().waitFor();
  holds((await page.locator("#source mark").allInnerTexts()).join(" ").includes("last three months"), "the owner's words are the source");
  equal(faults, [], "faults");
});

await check("a draft of another answer outlives the answer to one, and a question is taken back", async () => {
  const { page: curator } = await signedIn("ADMIN");
  const questions = ["Who waters the plants?", "Who feeds the parrot?"];
  for (const query of questions) {
    await curator.evaluate(async ([text, key]) => {
      const headers = { "Content-Type": "application/json", Authorization: `Bearer ${key}` };
      await fetch("/v1/questions", { method: "POST", headers, body: JSON.stringify({ query: text, owner: "mira" }) });
    }, [query, process.env.ADMIN_KEY]);
  }
  const { page } = await signedIn("OWNER");
  await page.locator(".to-answer", { hasText: "To answer (2)" }).click();
  const waiting = (query) => page.locator("#view-questions .waiting-list li", { hasText: query });
  await waiting(questions[0]).locator("textarea").fill("The gardener, as far as");
  await waiting(questions[1]).locator("textarea").fill("The cook feeds the parrot.");
  await waiting(questions[1]).getByRole("button", { name: "Answer" }).click();
  await page.locator("#view-questions .done-list li", { hasText: questions[1] }).waitFor();
  equal(await waiting(questions[0]).locator("textarea").inputValue(), "The gardener, as far as", "the draft");
  await curator.reload();
  await curator.locator(".to-answer", { hasText: "Sent (1)" }).click();
  const sent = curator.locator("#view-questions .waiting-list li", { hasText: questions[0] });
  await sent.getByRole("button", { name: "Withdraw" }).click();
  await sent.getByRole("button", { name: "Yes, withdraw" }).click();
  await curator.locator("#view-questions .state", { hasText: "Withdrawn." }).waitFor();
  equal(await sent.count(), 0, "it is gone");
});

await check("others are neither shown the question nor its answer", async () => {
  const { page } = await signedIn("OTHER");
  const turn = await ask(page, QUESTION);
  equal(await turn.locator(".verdict").innerText(), "Not answered", "the verdict");
  equal(await page.locator(".to-answer").isVisible(), false, "the link");
});

await check("a question that nobody answers for is sent to somebody who is picked", async () => {
  const { page, faults } = await signedIn("ADMIN");
  faults.length = 0;
  // Which documents come near a question is for others to say; this one is of no topic that anybody answers for.
  const query = "What does a zeppelin cost?";
  const topics = [{ topic: null, owner: null, questions: [{ query, asked: 1, reason: null, request_id: "r", sent_to: null, near: null }] }];
  await page.route("**/v1/unanswered", (route) => route.fulfill({ json: { request_id: "r", searched: 1, topics, wordings: [], unhelpful: [] } }));
  await page.click('.views a[href="#curate"]');
  const item = page.locator("#view-curate .open-questions li", { hasText: query });
  await item.getByRole("button", { name: "Send to…" }).click();
  await item.locator("select option", { hasText: "kees (kees@tarnside.example)" }).waitFor({ state: "attached" });
  equal(await violations(page), [], "axe");
  equal(await clipped(page), [], "placeholders that are cut off");
  await picture(page, "send-to");
  await item.locator("select").selectOption("kees");
  await item.locator("input").fill("it");
  await item.getByRole("button", { name: "Send", exact: true }).click();
  await item.getByText("sent to kees").waitFor();
  equal(faults, [], "faults");
});

await end();
