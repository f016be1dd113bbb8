// What somebody thinks of an answer: a thumb, and words. What is said later replaces what was said before.

import { drop, post, sentenceOf } from "./api.js";

let isTaken = true;

/** Lets a turn be judged; `say` tells what became of it. */
export function offerFeedback(turn, requestId, say) {
  const [group, up, down, thanks, comment] = ["feedback", "up", "down", "thanks", "comment"].map((name) => turn.part(name));
  group.hidden = !isTaken;
  const opinion = { request_id: requestId };
  const tell = async () => {
    try {
      const response = await post("/v1/feedback", opinion);
      if (response.status === 404) {
        isTaken = false;
        document.querySelectorAll(".feedback").forEach((one) => { one.hidden = true; });
        return;
      }
      show(response.ok ? "Thank you." : await sentenceOf(response));
      if (response.ok) drop(response);
    } catch {
      show("The server cannot be reached.");
    }
  };
  const show = (words) => {
    thanks.textContent = words;
    say(words);
  };
  const choose = (isUp) => {
    opinion.helpful = isUp;
    up.setAttribute("aria-pressed", String(isUp));
    down.setAttribute("aria-pressed", String(!isUp));
    comment.hidden = isUp;
    if (!isUp) comment.querySelector("input").focus();
    tell();
  };
  up.addEventListener("click", () => choose(true));
  down.addEventListener("click", () => choose(false));
  comment.addEventListener("submit", (event) => {
    event.preventDefault();
    comment.hidden = true;
    const words = comment.querySelector("input").value.trim();
    if (words) opinion.comment = words;
    tell();
  });
}
