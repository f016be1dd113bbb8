// Where a source came from → a link to it at the very place: the page of a PDF, the second of a recording.

import { element } from "./dom.js";

const SECOND = /^t=(\d{1,7})$/;

/** The address of the web a citation names; nothing for any other. */
function addressOf(citation) {
  try {
    const target = citation.url ? new URL(citation.url) : null;
    return target && ["http:", "https:"].includes(target.protocol) ? target : null;
  } catch {
    return null;
  }
}

const clock = (seconds) => {
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const shown = parts[0] ? parts : parts.slice(1);
  return shown.map((part, at) => (at ? String(part).padStart(2, "0") : String(part))).join(":");
};

/** Where in it: browsers and players know these marks. */
function placed(target, citation) {
  const second = citation.locator?.match(SECOND)?.[1];
  if (second) {
    const isVideoPage = /(^|\.)(youtube\.com|youtu\.be|vimeo\.com)$/.test(target.hostname);
    if (isVideoPage && !target.hostname.includes("vimeo")) target.searchParams.set("t", second);
    else target.hash = `t=${second}`;
    return `Play from ${clock(Number(second))}`;
  }
  if (citation.page_number && /\.pdf$/i.test(target.pathname)) {
    target.hash = `page=${citation.page_number}`;
    return `Open page ${citation.page_number}`;
  }
  return null;
}

/** A link of the web with these words; the words alone where there is none. */
export function linked(words, citation) {
  const target = addressOf(citation);
  if (!target) return element("span", words);
  placed(target, citation);
  return outward(words, target);
}

/** A link to the very place, where there is one. */
export function original(citation) {
  const target = addressOf(citation);
  const words = target && placed(target, citation);
  return words ? outward(words, target) : "";
}

function outward(words, target) {
  const link = element("a", words);
  link.href = target.href;
  link.target = "_blank";
  link.rel = "noopener noreferrer";
  return link;
}
