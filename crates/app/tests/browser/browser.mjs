// A real browser on a page of the server: what the checks of the page share.
//
// Usage of every script here: node SCRIPT ADDRESS CHROMIUM PICTURES; `playwright-core` and `axe-core` are found from where npm put them.

import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import path from "node:path";

const require = createRequire(path.join(process.cwd(), "package.json"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const [, , address, executable, pictures] = process.argv;
const WAIT_MS = 120_000;

let failures = 0;

/** One check: told by its name where it fails, and the others go on. */
export async function check(name, act) {
  try {
    await act();
    console.log(`ok: ${name}`);
  } catch (error) {
    failures += 1;
    console.log(`FAILED: ${name}: ${error.message.split("\n").slice(0, 6).join("\n  ")}`);
  }
}

export function equal(found, wanted, what) {
  const [a, b] = [found, wanted].map((one) => JSON.stringify(one));
  if (a !== b) throw new Error(`${what}: ${a}, not ${b}`);
}

export function holds(is, what) {
  if (!is) throw new Error(what);
}

const browser = await chromium.launch({ executablePath: executable, args: ["--no-sandbox"], timeout: 180_000 });

/** A fresh page; `options` are those of a context. It fails with any error of a script and any request to another host. */
export async function open(options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: address }).catch(() => {});
  const page = await context.newPage();
  page.setDefaultTimeout(WAIT_MS);
  const faults = [];
  page.on("pageerror", (error) => faults.push(`an error of a script: ${error.message}`));
  page.on("console", (message) => message.type() === "error" && faults.push(`on the console: ${message.text()}`));
  page.on("request", (request) => {
    if (!request.url().startsWith(address) && !request.url().startsWith("data:")) faults.push(`asks ${request.url()}`);
  });
  await page.goto(address);
  return { page, faults, context };
}

/** The faults but for what the browser notes on the console of replies with this status. */
export const without = (faults, status) => faults.filter((fault) => !fault.includes(`with a status of ${status} `));

/** Asks, and waits for the end of the answer. */
export async function ask(page, question) {
  const turns = await page.locator(".turn").count();
  await page.fill("#question", question);
  await page.press("#question", "Enter");
  const turn = page.locator(".turn").nth(turns);
  await turn.locator(".foot:not([hidden])").waitFor();
  return turn;
}

/** A fresh page of a server that needs keys, with this one given. */
export async function openWith(key) {
  const opened = await open();
  await opened.page.locator("#key-form:not([hidden])").waitFor();
  await opened.page.fill("#key", key);
  await opened.page.getByRole("button", { name: "Use this key" }).click();
  return opened;
}

/** What axe-core finds wrong with a page. */
export async function violations(page) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  return found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.target.join(" ")).slice(0, 3).join(", ")}`);
}

/** Placeholders that are wider than their fields. */
export const clipped = (page) =>
  page.evaluate(() => {
    const drawing = document.createElement("canvas").getContext("2d");
    const isCut = (field) => {
      const style = getComputedStyle(field);
      drawing.font = style.font;
      const room = field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
      return field.checkVisibility() && drawing.measureText(field.placeholder).width > room;
    };
    return [...document.querySelectorAll("input[placeholder], textarea[placeholder]")].filter(isCut).map((field) => field.placeholder);
  });

export const picture = (page, name) => page.screenshot({ path: path.join(pictures, `${name}.png`) });

/** Closes the browser and says how it went. */
export async function end() {
  await browser.close();
  console.log(failures === 0 ? "all is well" : `${failures} failed`);
  process.exit(failures === 0 ? 0 : 1);
}
