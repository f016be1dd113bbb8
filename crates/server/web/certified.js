// How often answers are wrong, in a plain sentence: what the certificate says, and nothing where there is none that holds.

/** A share as so many of a hundred, rounded up: it is never told smaller than it is. */
const ofHundred = (share) => Math.ceil(share * 1000 - 1e-9) / 10;

const counted = (count) => ({ 0: "none was", 1: "one was" })[count] ?? `${count} were`;

/** The sentence for a certificate and its standing. */
export function howOftenWrong({ standing, bound, certificate }) {
  if (standing !== "valid" || bound === null || !certificate) return "";
  const sure = `${Math.round(certificate.confidence * 100)} %`;
  return `At most ${ofHundred(bound)} of 100 questions are answered wrongly, with ${sure} confidence: of ${certificate.questions} in a test, ${counted(certificate.errors)}.`;
}
