// An answer → what goes to the clipboard, with its sources.

import { withoutSources } from "./words.js";

/** As Markdown: the answer as it came, and its footnotes. */
export function asMarkdown(question, reply) {
  const notes = reply.citations.map((citation) => `[^${citation.marker}]: ${sourceOf(citation)}`);
  return [`**${question.replaceAll("*", "\\*")}**`, withoutSources(reply.answer), notes.join("\n")].filter(Boolean).join("\n\n");
}

/** As plain text: `plain` are the words of the answer as they are shown, with numbers in brackets. */
export function asPlain(question, plain, reply) {
  const notes = reply.citations.map((citation) => `[${citation.marker}] ${sourceOf(citation)}`);
  return [question, plain, notes.join("\n")].filter(Boolean).join("\n\n");
}

const sourceOf = (citation) =>
  [citation.document_name, citation.section, citation.locator, citation.version && `version ${citation.version}`, citation.updated, citation.url]
    .filter(Boolean)
    .join(", ");

// Code has its button wherever it is shown.
document.addEventListener("click", (event) => {
  const button = event.target.closest?.(".copy-code");
  if (button) copyFrom(button, button.closest("figure").querySelector("pre").textContent);
});

/** Puts a text on the clipboard and says so on the button; where that is not allowed, says that. */
export async function copyFrom(button, text) {
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Not allowed here";
  }
  setTimeout(() => { button.textContent = label; }, 1500);
}
