// The form for an entry of the memory: beside the lists where there is room, and in front of them where there is none.

const BESIDE = matchMedia("(min-width: 64rem)");

const desk = document.querySelector("#view-curate .desk");

/** Brings the form up. */
export function openDesk() {
  if (!BESIDE.matches && !desk.open) desk.showModal();
}

/** Puts it away, where it is in front of the lists. */
export function closeDesk() {
  if (!BESIDE.matches && desk.open) desk.close();
}

function place() {
  if (desk.open) desk.close();
  // Opened by hand it takes no focus from what is being read.
  desk.open = BESIDE.matches;
}

desk.querySelector(".close").addEventListener("click", closeDesk);
BESIDE.addEventListener("change", place);
place();
