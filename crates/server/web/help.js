// Why there is no answer → what would help to get one.

const OTHER_WORDS = "It may help to use the words of the documents, or to ask for one thing at a time.";
const NARROWER = "It may help to name the rule, the place or the time you mean.";
const MAY_SEE = "The people who maintain the documents can tell you whether there are some you may not see.";
const EMPTY = "There are no documents to answer from yet.";
const EMPTY_FOR_ADMINS = `${EMPTY} Add some under Documents.`;
const LATER = "It may help to ask again later; Operate shows what is not working.";

const HELPS = {
  answerability: OTHER_WORDS,
  bail_out: OTHER_WORDS,
  coverage: OTHER_WORDS,
  no_context: OTHER_WORDS,
  query_coverage: OTHER_WORDS,
  top1: OTHER_WORDS,
  claims: NARROWER,
  confidence: NARROWER,
  outline: NARROWER,
  specific: NARROWER,
  evidence: MAY_SEE,
  unavailable: LATER,
};

/**
 * What would help with a refusal; nothing where its reason says it all. Who reads everything is not told of documents they may not
 * see, and where there are no documents, other words find none.
 */
export function whatHelps(reply, { isAdmin, tags }, total) {
  const gate = reply.refusal_reason?.match(/^gate ([a-z_0-9]+):/)?.[1];
  const found = Object.hasOwn(HELPS, gate ?? "") ? HELPS[gate] : "";
  if (!found || reply.route_to) return "";
  if (total === 0 && found !== LATER) return isAdmin ? EMPTY_FOR_ADMINS : EMPTY;
  const helps = found === MAY_SEE && tags === null ? OTHER_WORDS : found;
  return isAdmin ? `${helps} Or pin an answer under Curate, or send the question to someone who knows.` : helps;
}
