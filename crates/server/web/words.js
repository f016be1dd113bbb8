// Why there is no answer → the same in words alone. The figures are for `--explain` and for programs. The sentences are
// those of the command line; a test compares them.

const FAR = "Nothing in these documents is close enough to this question.";
const SILENT = "Some passages are about this, but none of them clearly answers it.";
const UNREAD = "The passages that were found could not be read.";
const UNSURE = "Something was found, but it is not certain enough to be shown as an answer.";
const UNVERIFIED = "What the model wrote could not be verified.";
const NONE = "Nothing about this was found in the documents.";
const PARTLY = "Nothing was found, but part of the search was unavailable. Please ask again later.";

/** Stands above what comes nearest to a question without an answer. */
export const NEAREST = "No certain answer was found. Closest matches:";

const MISSING = "Not in the evidence: ";

/** Whether a warning names words of the question that were not found. */
export const isMissing = (warning) => warning.startsWith(MISSING);

/** The reason of a refusal, `gate NAME: sentence with a figure`, for a person; with the words that were not found. */
export function why(reason, warnings) {
  const missing = warnings.find(isMissing);
  const told = reasonOf(reason);
  if (!missing || ![FAR, SILENT].includes(told)) return told;
  return `${told} What was found does not mention ${missing.slice(MISSING.length)}.`;
}

function reasonOf(reason) {
  const found = reason.match(/^gate ([a-z_0-9]+): (.*)$/s);
  const [gate, sentence] = found ? [found[1], found[2]] : ["", reason];
  switch (gate) {
    case "top1":
    case "coverage":
    case "no_context":
    case "bail_out":
      return FAR;
    case "answerability":
      return sentence.startsWith("No passage was read") ? UNREAD : SILENT;
    case "evidence":
      if (sentence.startsWith("0 passages")) return NONE;
      if (sentence.startsWith("no passage")) return PARTLY;
      return sentence.startsWith("none of") ? FAR : SILENT;
    case "confidence":
      return UNSURE;
    case "claims":
    case "outline":
      return UNVERIFIED;
    case "constraints":
      return asSentence(sentence.includes(": ") ? sentence.slice(sentence.indexOf(": ") + 2) : sentence);
    default:
      return asSentence(sentence);
  }
}

const asSentence = (words) => `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.!?]$/.test(words) ? "" : "."}`;

const SOURCES = "\n\nSources:\n";

/** An answer without the list of sources at its end: the page has a card for each. */
export function withoutSources(answer) {
  const at = answer.lastIndexOf(SOURCES);
  if (at < 0) return answer;
  const isList = answer.slice(at + SOURCES.length).split("\n").every((line) => line.startsWith("- "));
  return isList ? answer.slice(0, at) : answer;
}
