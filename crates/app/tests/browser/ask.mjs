// Asking on the page: answer, footnotes, the source beside it, refusal, copies, feedback, keys, themes, widths.

import { ask, check, end, equal, holds, open, picture, violations } from "./browser.mjs";

const LEAVE = "How many days of annual leave do I have?";
const NOTE = "From which day on is a doctor's note needed?";

/** The words that are marked in the document, as they are read. */
const markedWords = (page) => page.locator("#source mark").allInnerTexts().then((parts) => parts.join(" ").replace(/\s+/g, " ").trim());

await check("an answer has its sources, and nothing is asked of another host", async () => {
  const { page, faults } = await open();
  const turn = await ask(page, LEAVE);
  holds((await turn.locator(".answer").innerText()).includes("26 days of annual leave"), "the answer is shown");
  equal(await turn.locator(".card").count(), 1, "cards");
  holds(await turn.locator(".answer table td").first().isVisible(), "a table is a table");
  holds(/confidence, \d+ of 100/.test(await turn.locator(".sureness summary").innerText()), "the confidence is told");
  const whole = (await turn.locator(".sureness").textContent()) + (await page.locator("#status").textContent());
  holds(!/undefined|null|NaN|\b1 sources/.test(whole), whole);
  equal(await violations(page), [], "axe");
  await picture(page, "answer");
  equal(faults, [], "faults");
});

await check("a footnote shows its card when it is pointed at or focused", async () => {
  const { page } = await open();
  const turn = await ask(page, LEAVE);
  const marker = turn.locator(".marker").first();
  await marker.hover();
  await page.locator("#hint:not([hidden])").waitFor();
  holds((await page.locator("#hint mark").innerText()).includes("26 days of annual leave"), "the card has the quote");
  await page.keyboard.press("Escape");
  await page.locator("#hint").waitFor({ state: "hidden" });
  await page.mouse.move(0, 0);
  await marker.focus();
  await page.locator("#hint:not([hidden])").waitFor();
});

await check("a source opens at the quote, and exactly the quote is marked", async () => {
  const { page, faults } = await open();
  const turn = await ask(page, NOTE);
  const citation = await page.evaluate(
    async (query) => {
      const response = await fetch("/v1/ask", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ query }) });
      const [first] = (await response.json()).citations;
      return { ...first, words: Array.from(first.snippet_full).slice(first.quote.start - first.snippet_start, first.quote.end - first.snippet_start).join("") };
    },
    NOTE,
  );
  await turn.locator(".marker").first().click();
  await page.locator("#source mark").first().waitFor();
  const bare = (text) => text.replace(/[*\s.]+/g, " ").trim();
  equal(bare(await markedWords(page)), bare(citation.words), "the marked words");
  holds(await page.locator("#source mark").first().isVisible(), "the mark is in view");
  holds((await page.locator("#source .headings button").allTextContents()).includes("Sick leave"), "the outline has the headings");
  equal(await violations(page), [], "axe");
  await picture(page, "source");
  await page.keyboard.press("Escape");
  await page.locator("#source").waitFor({ state: "hidden" });
  equal(await page.evaluate(() => document.activeElement.className), "marker", "focus comes back");
  equal(faults, [], "faults");
});

await check("the sentence that answers stands out, and its context is quieter", async () => {
  const { page } = await open();
  const turn = await ask(page, NOTE);
  const said = (await turn.locator(".answer mark").allInnerTexts()).join("");
  holds(said.startsWith("A doctor's note") && !said.includes("manager"), said);
  equal(await turn.locator(".answer mark.answering").innerText(), "third", "the words that answer");
  const ink = (selector) => turn.locator(selector).first().evaluate((node) => getComputedStyle(node).color);
  holds((await ink(".answer mark")) !== (await ink(".answer > p")), "the context has another ink");
});

await check("signs beyond the first plane do not move the mark", async () => {
  const { page } = await open();
  const turn = await ask(page, "Until when may unused days be carried over?");
  await turn.locator(".card .open").first().click();
  await page.locator("#source mark").first().waitFor();
  const words = await markedWords(page);
  holds(words.startsWith("Every employee") || words.startsWith("Unused days"), `a sentence begins the mark: ${words}`);
  holds(/next year$|Full time 26 days/.test(words), `and ends it: ${words}`);
});

await check("a document full of script and HTML stays text", async () => {
  const { page, faults } = await open();
  const turn = await ask(page, LEAVE);
  await turn.locator(".card .open").first().click();
  await page.locator("#source mark").first().waitFor();
  equal(await page.locator("#source script, #source img, #source b").count(), 0, "elements of the document");
  equal(await page.evaluate(() => window.hacked ?? null), null, "scripts that ran");
  equal(faults, [], "faults");
});

await check("code has a button that copies it, and an answer is copied with its sources", async () => {
  const { page } = await open();
  const turn = await ask(page, LEAVE);
  await turn.locator(".copy-markdown").click();
  const markdown = await page.evaluate(() => navigator.clipboard.readText());
  holds(markdown.includes("[^1]: Leave") && markdown.includes("26 days"), markdown);
  await turn.locator(".copy-plain").click();
  const plain = await page.evaluate(() => navigator.clipboard.readText());
  holds(plain.includes("[1] Leave") && !plain.includes("[^1]"), plain);
  await turn.locator(".card .open").first().click();
  await page.locator("#source .copy-code").first().click();
  holds((await page.evaluate(() => navigator.clipboard.readText())).startsWith("vouch ask"), "the code is copied");
});

await check("a refusal says why, and what comes nearest", async () => {
  const { page } = await open();
  const turn = await ask(page, "What does a submarine cost?");
  equal(await turn.locator(".verdict").innerText(), "Not answered", "the verdict");
  holds((await turn.locator(".reason").innerText()).endsWith("."), "a sentence");
  holds((await turn.locator(".helps").innerText()).startsWith("It may help to"), "what would help");
  const near = turn.locator(".nearest button");
  equal(await near.count(), await turn.locator(".nearest figure").count(), "closest matches that open");
  equal(await violations(page), [], "axe");
});

await check("how an answer came about is told when it is asked for", async () => {
  const { page, faults } = await open();
  const turn = await ask(page, "What does a submarine cost?");
  await turn.locator(".why summary").click();
  const panel = turn.locator(".why .panel");
  await panel.locator("h3").first().waitFor();
  equal(await panel.locator("h3").allInnerTexts(), ["Gates", "Passages", "Sentences", "Time"], "the parts");
  holds((await panel.locator(".stopped").count()) > 0, "the gate that refused is told");
  holds(/Searched by \w+( \w+)* \(\d+ found\)/.test(await panel.innerText()), "how it was searched, in words");
  holds((await panel.locator(".bar").count()) > 2, "bars");
  equal(await violations(page), [], "axe");
  await picture(page, "why");
  equal(faults, [], "faults");
});

await check("a reload loses nothing, and a new conversation begins with nothing", async () => {
  const { page, faults } = await open();
  await ask(page, LEAVE);
  await page.reload();
  const turn = page.locator(".turn");
  await turn.locator(".foot:not([hidden])").waitFor();
  holds((await turn.locator(".answer").innerText()).includes("26 days"), "the answer is there again");
  await page.focus("#question");
  await page.keyboard.press("ArrowUp");
  equal(await page.inputValue("#question"), LEAVE, "the arrow up");
  await page.getByRole("button", { name: "Start a new conversation" }).click();
  await page.reload();
  equal(await page.locator(".turn").count(), 0, "turns");
  equal(faults, [], "faults");
});

await check("feedback is kept", async () => {
  const { page } = await open();
  const turn = await ask(page, LEAVE);
  const noted = page.waitForResponse((response) => response.url().endsWith("/v1/feedback"));
  await turn.locator(".up").click();
  equal((await noted).status(), 200, "the status");
  equal(await turn.locator(".up").getAttribute("aria-pressed"), "true", "the button");
  await turn.locator(".thanks", { hasText: "Thank you." }).waitFor();
  equal(await turn.getByRole("button", { name: /of 5/ }).count(), 0, "stars beside the thumbs");
  await turn.locator(".down").click();
  await turn.locator(".comment input").fill("It is 27 now.");
  const commented = page.waitForResponse((response) => response.request().postData()?.includes("27 now"));
  await turn.getByRole("button", { name: "Send" }).click();
  equal((await commented).status(), 200, "the status of a comment");
  const id = await turn.locator(".figures a").evaluate((link) => new URLSearchParams(link.hash.slice(1)).get("request"));
  const kept = await page.evaluate(async (name) => (await (await fetch(`/v1/audit/${name}`)).json()).feedback, id);
  equal(kept.map((one) => [one.helpful, one.rating, one.comment]), [[false, null, "It is 27 now."]], "what is kept");
});

await check("what was asked before goes on with what is typed", async () => {
  const { page, faults } = await open();
  await ask(page, LEAVE);
  await page.locator("#question").pressSequentially("annual le");
  await page.locator("#typing:not([hidden]) button").first().waitFor();
  equal(await violations(page), [], "axe");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  equal(await page.inputValue("#question"), LEAVE, "the field");
  equal(await page.locator("#typing").isVisible(), false, "the list");
  equal(await page.locator(".turn").count(), 1, "nothing is asked by that");
  equal(faults, [], "faults");
});

await check("everything can be done by keyboard alone", async () => {
  const { page } = await open();
  await page.keyboard.type(LEAVE);
  await page.keyboard.press("Enter");
  await page.locator(".foot:not([hidden])").waitFor();
  for (let step = 0; step < 30; step += 1) {
    await page.keyboard.press("Shift+Tab");
    if (await page.evaluate(() => document.activeElement.matches(".open"))) break;
  }
  await page.keyboard.press("Enter");
  await page.locator("#source mark").first().waitFor();
  await page.keyboard.press("Escape");
  equal(await page.evaluate(() => document.activeElement.matches(".open")), true, "focus comes back");
});

/** What holds once nothing has moved for ten frames. */
async function still(page, act) {
  await page.locator("#source .body").evaluate((node) => new Promise((done) => {
    let [last, same] = [-1, 0];
    const look = () => {
      same = node.scrollTop === last ? same + 1 : 0;
      last = node.scrollTop;
      if (same > 10) done();
      else requestAnimationFrame(look);
    };
    look();
  }));
  return act();
}

/** Where a node is in the window. */
const box = (locator) => locator.evaluate((node) => { const { top, bottom, height } = node.getBoundingClientRect(); return { top, bottom, height }; });

for (const viewport of [{ width: 390, height: 844 }, { width: 820, height: 1100 }, { width: 1280, height: 800 }]) {
  const size = `${viewport.width} by ${viewport.height}`;

  await check(`the second answer and the third can be seen when they come: ${size}`, async () => {
    const { page } = await open({ viewport });
    await ask(page, LEAVE);
    for (const question of [NOTE, LEAVE]) {
      // What comes late must be in view too, so the answer is kept back until the question has been put.
      await page.route("**/v1/ask/stream", async (route) => {
        const response = await route.fetch();
        await page.locator(".turn .waiting:visible").waitFor();
        await route.fulfill({ response });
      });
      const turn = await ask(page, question);
      const [asked, answer, form] = await Promise.all([turn.locator(".question"), turn.locator(".answer > *").first(), page.locator("#ask-form")].map(box));
      holds(asked.top >= 0 && asked.top < viewport.height / 4, `the question is at the top: ${JSON.stringify(asked)}`);
      holds(answer.top > 0 && answer.bottom <= form.top, `the answer is above the box: ${JSON.stringify([answer, form])}`);
      await page.unroute("**/v1/ask/stream");
    }
    await picture(page, `second-answer-${viewport.width}`);
  });

  await check(`a quote deep in a long document is in view when it opens: ${size}`, async () => {
    const { page } = await open({ viewport });
    // Not every browser keeps what is read in its place while what lies above it grows.
    await page.evaluate(() => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync("#source .body { overflow-anchor: none }");
      document.adoptedStyleSheets = [sheet];
    });
    const turn = await ask(page, "How tall is the crane of the old harbour?");
    await turn.locator(".card .open").first().click();
    const mark = page.locator("#source mark").first();
    await mark.waitFor();
    const inView = async () => {
      const [quote, room] = await Promise.all([mark, page.locator("#source .body")].map(box));
      return quote.top >= room.top && quote.bottom <= Math.min(room.bottom, await page.evaluate(() => innerHeight));
    };
    holds(await still(page, inView), `the quote: ${JSON.stringify(await box(mark))}`);
    await picture(page, `deep-quote-${viewport.width}`);
    // The pane goes from beside the answer to in front of it, or back, and the quote stays in view.
    await page.setViewportSize(viewport.width === 1280 ? { width: 390, height: 844 } : { width: 1280, height: viewport.height });
    holds(await still(page, inView), `the quote in another window: ${JSON.stringify(await box(mark))}`);
  });
}

await check("on a phone the header and the question box leave room for the answer", async () => {
  const { page } = await open({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  const turn = await ask(page, LEAVE);
  const [header, form] = await Promise.all([page.locator("header.top"), page.locator("#ask-form")].map(box));
  holds(header.height + form.height < 844 / 4, `header ${header.height}, box ${form.height}`);
  equal(await turn.locator(".answer").isVisible(), true, "the answer");
});

await check("before anything is asked there is how many documents there are and what can be asked", async () => {
  const { page, faults } = await open();
  const welcome = page.locator("#welcome");
  await welcome.getByText("2 documents to answer from.").waitFor();
  equal(await welcome.locator(".wrong").isVisible(), false, "a rate of errors that nobody has certified");
  const offered = page.locator("#prepared button");
  await offered.first().waitFor();
  equal(await violations(page), [], "axe");
  await picture(page, "welcome");
  await offered.first().click();
  await page.locator(".turn .foot:not([hidden])").waitFor();
  equal(await page.locator(".turn .verdict").isVisible(), false, "what is offered is answered");
  equal(await welcome.isVisible(), false, "the welcome");
  equal(faults, [], "faults");
});

const CERTIFICATE = { format: "1", date: "2026-03-01T00:00:00Z", bound: 0.0231, confidence: 0.95, questions: 400, errors: 3, answerable: 300, refused: 20, sets: [] };

for (const [standing, bound, wanted] of [
  ["valid", 0.0231, "At most 2.4 of 100 questions are answered wrongly, with 95 % confidence: of 400 in a test, 3 were."],
  ["withdrawn", 0.0231, ""],
  ["none", null, ""],
]) {
  await check(`how often answers are wrong is told by a certificate that holds, and by no other: ${standing}`, async () => {
    const { page } = await open();
    const certificate = standing === "none" ? null : { ...CERTIFICATE };
    await page.route("**/v1/certificate", (route) => route.fulfill({ json: { standing, withdrawn: [], bound, certificate, live: null } }));
    await page.reload();
    await page.locator("#welcome .facts:not([hidden])").waitFor();
    equal(await page.locator("#welcome .wrong").isVisible(), wanted !== "", "the sentence");
    if (wanted) holds((await page.locator("#welcome .wrong").innerText()).startsWith(wanted), "in words");
    const turn = await ask(page, LEAVE);
    await turn.locator(".sureness summary").click();
    equal(await turn.locator(".how-often").evaluate((node) => (node.hidden ? "" : node.textContent)), wanted, "beside the confidence");
  });
}

for (const [name, options] of [
  ["dark", { colorScheme: "dark" }],
  ["narrow", { viewport: { width: 360, height: 740 } }],
  ["tablet", { viewport: { width: 820, height: 1100 }, reducedMotion: "reduce" }],
]) {
  await check(`the page is sound: ${name}`, async () => {
    const { page, faults } = await open(options);
    const turn = await ask(page, LEAVE);
    await picture(page, `${name}-answer`);
    equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false, "it scrolls sideways");
    equal(await violations(page), [], "axe");
    await turn.locator(".card .open").first().click();
    await page.locator("#source mark").first().waitFor();
    await picture(page, `${name}-source`);
    equal(await violations(page), [], "axe with the source open");
    equal(faults, [], "faults");
  });
}

await end();
