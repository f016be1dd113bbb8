//! A term that the vocabulary does not define and that is looked for in the documents: what is said of that.
//!
//! Invariant: what documents say of such a term is never shown without the word that it is no definition from the vocabulary.

use vouch_domain::{Reader, language::fold_spaces};

use super::{engine::Engine, material::Material, term::mentioning_in};
use crate::decide::{Decision, RefusalReason, Suggestion};

impl Engine {
    /// Says of a question for an undefined term, where the documents do not answer it either, that no vocabulary defines it, and
    /// offers terms like it.
    pub(super) async fn tell_undefined(
        &self,
        mut decision: Decision,
        material: &mut Material,
        reader: &Reader,
    ) -> Decision {
        let (Decision::Refuse(refusal), Some(undefined), Some(term_lookup)) =
            (&mut decision, &material.undefined, self.terms_in_use().await)
        else {
            return decision;
        };
        if !refusal.reason.lacks_context() {
            return decision;
        }
        let (key, limit) = (&undefined.key, self.policies.decide.suggestions_max);
        let mentions = mentioning_in(&material.candidates, key).len();
        let (term, is_listed) = (key.as_str().to_owned(), undefined.is_listed);
        refusal.reason = RefusalReason::TermUnknown { term, is_listed, mentions, is_searched: true };
        let alike = material.faults.note(term_lookup.similar(reader, key, limit).await);
        let is_other = |name: &&String| fold_spaces(name) != key.as_str();
        let mut suggestions: Vec<Suggestion> =
            alike.iter().filter(is_other).map(|name| Suggestion::from_term(name)).collect();
        for known in std::mem::take(&mut refusal.suggestions) {
            if !suggestions.contains(&known) {
                suggestions.push(known);
            }
        }
        suggestions.truncate(limit);
        refusal.suggestions = suggestions;
        decision
    }
}
