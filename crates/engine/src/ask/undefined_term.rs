//! A term that the vocabulary does not define and that is looked for in the documents.

use vouch_domain::TermKey;

use super::asked_term::AskedTerm;
use crate::{
    terminology::{LookupResult, TermFinding},
    trace::LookupReport,
};

/// The term, with what became of its look-up.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct UndefinedTerm {
    pub(super) key: TermKey,
    /// Whether the vocabulary has it, without saying what it means.
    pub(super) is_listed: bool,
    pub(super) report: LookupReport,
}

impl UndefinedTerm {
    /// A term that was asked for, where the vocabulary has no word on what it means and the documents are to be searched; else it is
    /// handed back.
    pub(super) fn of(asked: AskedTerm) -> Result<Self, AskedTerm> {
        let is_listed = asked.is_known();
        let is_undefined = match &asked.finding {
            TermFinding::Unknown(_) => true,
            TermFinding::Found(LookupResult { concepts, .. }) => match concepts.as_ref() {
                [only] => only.definition(asked.term_lookup.language()).is_none(),
                _ => false,
            },
            TermFinding::Late { .. } | TermFinding::Failed { .. } => false,
        };
        match (&asked.key, asked.report()) {
            (Some(key), Some(report)) if is_undefined && asked.term_lookup.searches_undefined() => {
                Ok(Self { key: key.clone(), is_listed, report })
            }
            (Some(_) | None, _) => Err(asked),
        }
    }
}
