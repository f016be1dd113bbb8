// A card beside a footnote: whose words these are, shown while the footnote is pointed at or has the focus.

const WAIT_MS = 120;

const card = document.getElementById("hint");
let waiting = 0;
let shownFor = null;

/** Shows what `fill` puts into the card while `link` is pointed at or focused. */
export function hint(link, fill) {
  link.setAttribute("aria-describedby", "hint");
  const open = () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      if (!link.isConnected) return;
      card.replaceChildren();
      if (!fill(card)) return;
      shownFor = link;
      card.hidden = false;
      place(link);
    }, WAIT_MS);
  };
  const close = () => {
    clearTimeout(waiting);
    waiting = setTimeout(hide, WAIT_MS);
  };
  link.addEventListener("pointerenter", open);
  link.addEventListener("pointerleave", close);
  link.addEventListener("focus", open);
  link.addEventListener("blur", close);
}

export function hide() {
  clearTimeout(waiting);
  card.hidden = true;
  shownFor = null;
}

/** Below the link, or above it where there is no room, and within the window. */
function place(link) {
  const at = link.getBoundingClientRect();
  const own = card.getBoundingClientRect();
  const left = Math.max(8, Math.min(at.left, innerWidth - own.width - 8));
  const below = at.bottom + 6;
  const top = below + own.height > innerHeight ? Math.max(8, at.top - own.height - 6) : below;
  card.style.setProperty("left", `${left}px`);
  card.style.setProperty("top", `${top}px`);
}

// Whoever reads the card may point at it, and Escape puts it away.
card.addEventListener("pointerenter", () => clearTimeout(waiting));
card.addEventListener("pointerleave", hide);
addEventListener("keydown", (event) => {
  if (event.key === "Escape" && shownFor) hide();
});
addEventListener("scroll", () => {
  if (shownFor) hide();
}, { passive: true, capture: true });
