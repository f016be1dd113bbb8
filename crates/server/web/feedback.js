// What somebody thinks of an answer: a thumb, a rating of one to five, and words. What is said later replaces what was said before.

import { drop, post, sentenceOf } from "./api.js";
import { button } from "./dom.js";

const STARS = [1, 2, 3, 4, 5];

let isTaken = true;

/** Lets a turn be judged; `say` tells what became of it. */
export function offerFeedback(turn, requestId, say) {
  const [group, up, down, stars, comment] = ["feedback", "up", "down", "stars", "comment"].map((name) => turn.part(name));
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
      say(response.ok ? "Thank you." : await sentenceOf(response));
      if (response.ok) drop(response);
    } catch {
      say("The server cannot be reached.");
    }
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
  const rated = STARS.map((count) => {
    const star = button("★", () => {
      opinion.rating = count;
      rated.forEach((one, at) => {
        one.setAttribute("aria-pressed", String(at === count - 1));
        one.classList.toggle("lit", at < count);
      });
      tell();
    });
    star.setAttribute("aria-label", `${count} of 5`);
    star.setAttribute("aria-pressed", "false");
    return star;
  });
  stars.append(...rated);
  comment.addEventListener("submit", (event) => {
    event.preventDefault();
    comment.hidden = true;
    const words = comment.querySelector("input").value.trim();
    if (words) opinion.comment = words;
    tell();
  });
}
