//! An answer from a model's general knowledge: no source, no citation, and a sentence that says so before it.

/// What a model says where the documents are silent and the profile lets it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeneralAnswer {
    disclaimer: String,
    sentences: Vec<String>,
    model: String,
}

impl GeneralAnswer {
    /// Sentences that cite nothing, under their disclaimer; none if there is no sentence or no disclaimer.
    pub(crate) fn new(disclaimer: &str, sentences: Vec<String>, model: &str) -> Option<Self> {
        let is_said = !disclaimer.trim().is_empty() && !sentences.is_empty();
        is_said.then(|| Self { disclaimer: disclaimer.to_owned(), sentences, model: model.to_owned() })
    }

    /// What is said before it.
    #[must_use]
    pub fn disclaimer(&self) -> &str {
        &self.disclaimer
    }

    /// The disclaimer and the sentences.
    #[must_use]
    pub fn text(&self) -> String {
        format!("{}\n{}", self.disclaimer, self.sentences.join(" "))
    }

    /// Who said it.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.model
    }
}
