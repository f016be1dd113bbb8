//! The words a trace is told in, and stages decide by.

crate::words! {
    /// A gate, as the profile and refusals call it.
    pub enum GateName {
        /// The best passage must be relevant enough.
        Top1 = "top1",
        /// One strong passage, or several fair ones.
        Coverage = "coverage",
        /// The question must say what it is about.
        Specific = "specific",
        /// Enough passages, relevant enough on average.
        NoContext = "no_context",
        /// Nothing is near enough to go on looking.
        BailOut = "bail_out",
        /// Terms of the question that the evidence lacks; only warns.
        Keywords = "keywords",
        /// The same, and refuses.
        QueryCoverage = "query_coverage",
        /// The judge must find the answer in a passage.
        Answerability = "answerability",
        /// A passage that would answer must hold what the question names.
        Constraints = "constraints",
        /// What was written must be found in the evidence. Not of the profile's list either: `verify` reads it.
        Verification = "verification",
        /// The answer itself must be sure enough. Not of the profile's list: `decide` reads it.
        Confidence = "confidence",
    }

    /// A way of finding passages.
    pub enum Lane {
        /// By meaning.
        Dense = "dense",
        /// By words.
        Lexical = "lexical",
        /// By name.
        Address = "address",
        /// By what an editor has prepared.
        Memory = "memory",
        /// By what the answer before rested on.
        Conversation = "conversation",
    }

    /// Why a passage that was found is not used.
    pub enum DropReason {
        /// Neither embedder nor judge has weighed it.
        NotWeighed = "not weighed",
        /// Less relevant than the profile asks for.
        BelowFloor = "below the floor",
        /// Further away than its collection allows.
        BeyondDistance = "beyond the collection's distance",
        /// Its collection's passages hold too few of the question's terms.
        BelowCoverage = "below the collection's query coverage",
        /// Too far down the list that diversity looks at.
        BeyondDiversity = "beyond what diversity chooses from",
        /// Too like what is used already.
        NothingNew = "says too little that is new",
        /// Its document is used often enough.
        DocumentLimit = "document limit",
        /// Nearly the same words are used already.
        NearDuplicate = "near-duplicate",
        /// Enough passages are used.
        PassageLimit = "passage limit",
    }

    /// What was taken out of a model's words, and why.
    pub enum Removal {
        /// A footnote whose number was never given.
        NeverMinted = "never_minted",
        /// A source that is not of this turn.
        UnknownSource = "unknown_source",
        /// Something said to be done that was not.
        ActionNotDone = "action_not_done",
        /// A bracket that is half a citation, or one inside another.
        Malformed = "malformed",
        /// A citation said twice in one sentence.
        Repeated = "repeated",
        /// A citation of a passage that does not say it, on a sentence that stands without it.
        Unneeded = "unneeded",
        /// An identifier of the store, or a token of a model's own language.
        Leaked = "leaked",
        /// What a model says to itself.
        Thinking = "thinking",
        /// Bytes that are no text, and signs that are not seen.
        NotText = "not_text",
    }

    /// What came of a look-up by name.
    pub enum LookupOutcome {
        /// It was found.
        Hit = "hit",
        /// It is not known.
        Miss = "miss",
        /// Several things are called so.
        Several = "several",
        /// No answer in time.
        Timeout = "timeout",
        /// The look-up failed.
        Error = "error",
        /// It was not even asked, since it has failed too often of late.
        CircuitOpen = "circuit_open",
    }

    /// Whether an entry of the curated memory is used.
    pub enum MemoryVerdict {
        /// It is.
        Accepted = "accepted",
        /// It is about something else.
        TooFar = "too far",
        /// It is nearly the same question, and nobody could say whether it is.
        BorderUnjudged = "border, and no judge",
        /// It is nearly the same question, and the judge finds it is not.
        BorderRefused = "border, and the judge says no",
        /// The question has a name, a number or a rare word that neither the entry nor its sources have.
        NamesAnother = "it names something else",
    }

    /// What stood in for something that was down.
    pub enum Fallback {
        /// Search by words alone.
        Bm25Only = "bm25_only",
        /// Search by meaning alone.
        DenseOnly = "dense_only",
        /// A lane beside those two failed: addresses, memory or the conversation.
        LaneLost = "lane_lost",
        /// A service was not even asked.
        CircuitOpen = "circuit_open",
        /// A term is not defined, since the vocabulary was late.
        SkosmosTimeout = "skosmos_timeout",
        /// A term is not defined, since the vocabulary failed.
        SkosmosError = "skosmos_error",
        /// The documents are quoted in the place of a model's words.
        LlmUnavailable = "llm_unavailable",
        /// A deadline ended the judge's work before all of it was done: another time the decision may be another.
        NotReadInTime = "not_read_in_time",
        /// The reranker failed or was late: passages stand in the fused order.
        NotReranked = "not_reranked",
        /// Another model wrote in the place of the one that should have.
        StandIn = "stand_in",
    }

    /// A stage of the walk, as timings call it.
    pub enum Stage {
        /// Reading the question.
        Understand = "understand",
        /// Finding whose question it is.
        Route = "route",
        /// Looking up what it names.
        Resolve = "resolve",
        /// Finding other ways to ask it.
        Widen = "widen",
        /// A vector for each.
        Embed = "embed",
        /// What editors prepared.
        Recall = "recall",
        /// Searching.
        Retrieve = "retrieve",
        /// Reading what was found.
        Judge = "judge",
        /// A tool.
        Tool = "tool",
        /// The rest of one of the ways.
        Gather = "gather",
        /// Writing, and checking what was written.
        Write = "write and verify",
        /// Deciding.
        Decide = "decide",
    }
}

impl Removal {
    /// Whether it is a citation of something the writer was never given.
    #[must_use]
    pub fn is_invented(self) -> bool {
        matches!(self, Self::NeverMinted | Self::UnknownSource)
    }
}
