// The help desk: what a tool needs is asked for, what it will do is shown, and a click on Yes does it once.

import { ask, check, end, equal, holds, openWith, picture, violations } from "./browser.mjs";

await check("an overcharge becomes a case by one Yes", async () => {
  const { page } = await openWith(process.env.USER_KEY);
  const first = await ask(page, "I was overcharged by PLN 150. Can you fix it?");
  equal(await first.locator(".verdict").innerText(), "Please clarify", "what is missing is asked for");
  const shown = await ask(page, "INV-26101007");
  equal(await shown.locator(".verdict").innerText(), "Please confirm", "what will be done is shown");
  equal(await shown.locator(".suggestions button").allInnerTexts(), ["Yes", "No"], "the buttons");
  equal(await violations(page), [], "axe");
  await picture(page, "confirm");
  await shown.getByRole("button", { name: "Yes" }).click();
  const done = page.locator(".turn").nth(2);
  await done.locator(".foot:not([hidden])").waitFor();
  holds((await done.locator(".answer").innerText()).includes("R40009"), "the case is told");
  equal(await done.locator(".verdict").innerText(), "From your records", "where it comes from");
  // The same Yes again does nothing.
  await shown.getByRole("button", { name: "Yes" }).click();
  const again = page.locator(".turn").nth(3);
  await again.locator(".foot:not([hidden])").waitFor();
  holds(!(await again.locator(".answer").innerText()).includes("R40010"), "no second case");
});

await check("a question that is too vague is asked back about", async () => {
  const { page } = await openWith(process.env.USER_KEY);
  const turn = await ask(page, "weird query about quantum teleportation");
  holds(["Please clarify", "Not answered"].includes(await turn.locator(".verdict").innerText()), "the verdict");
  equal(await violations(page), [], "axe");
});

await end();
