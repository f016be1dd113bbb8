//! What a check finds: which check, what is wrong, with which words.

crate::words! {
    /// What is checked.
    pub enum Check {
        /// Every figure of the claim is in the evidence.
        Numbers = "numbers",
        /// Every figure counts the same thing there.
        Units = "units",
        /// Every date fits one of the evidence.
        Dates = "dates",
        /// Every name, code and address is in the evidence.
        Names = "names",
        /// Quoted words are the evidence's own.
        Quotations = "quotations",
        /// What the evidence affirms is not denied, nor turned into its opposite.
        Polarity = "polarity",
        /// What the evidence says of one thing is not said of another.
        Subjects = "subjects",
    }

    /// What is wrong with words of a claim.
    pub enum Objection {
        /// The evidence says something else in that place.
        Contradicted = "contradicted",
        /// The evidence is silent about them.
        Missing = "missing",
        /// There are more of them than are looked up, so the claim is not checked to its end.
        TooMany = "too_many",
    }
}

/// One objection of one check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Which check.
    pub check: Check,
    /// What is wrong.
    pub objection: Objection,
    /// The claim's words, or what it has too many of.
    pub words: String,
    /// The evidence's words in that place.
    pub instead: Option<String>,
}

impl Finding {
    /// The finding as a sentence for a person.
    #[must_use]
    pub fn sentence(&self) -> String {
        let (check, words) = (self.check.as_str(), &self.words);
        match (self.objection, &self.instead) {
            (Objection::Contradicted, Some(instead)) if words.is_empty() => {
                format!("{check}: the passage says \"{instead}\", the claim does not")
            }
            (Objection::Contradicted, Some(instead)) if instead.is_empty() => {
                format!("{check}: the claim says \"{words}\", the passage does not")
            }
            (Objection::TooMany, _) => format!("{check}: the claim has {words}; check it in parts"),
            (Objection::Contradicted | Objection::Missing, Some(instead)) => {
                format!("{check}: the claim says \"{words}\", the passage says \"{instead}\"")
            }
            (Objection::Contradicted, None) => format!("{check}: the passage contradicts \"{words}\""),
            (Objection::Missing, None) => format!("{check}: \"{words}\" is not in the passage"),
        }
    }
}
