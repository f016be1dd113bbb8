//! A question that is nothing but the name of a document, or of a section in it: how that document or section begins.
//!
//! What is offered beside a refusal asks like this, so that whatever is offered is also answered.

use vouch_domain::{PortError, Reader, StoredPassage, language::fold_spaces};

use super::{
    engine::Engine,
    material::{Author, Material, Quotation},
};
use crate::{
    decide::section_name,
    judge::Evidence,
    retrieve::{Candidates, with_timeout},
    understand::Understanding,
};

const PARAGRAPHS_MAX: usize = 3;
const WRITER: &str = "extractive";

impl Engine {
    /// The section that the question names word for word, if one of the candidates lies in it.
    pub(super) async fn gather_section(
        &self,
        understanding: &Understanding,
        candidates: &Candidates,
        reader: &Reader,
    ) -> Result<Option<Material>, PortError> {
        let asked = folded(understanding.text());
        let is_named = |passage: &StoredPassage| folded(&section_name(passage)) == asked;
        let is_titled = |passage: &StoredPassage| folded(&passage.document.title) == asked;
        let mut passages = candidates.items().iter().map(|candidate| &candidate.passage);
        let Some(found) = passages.find(|passage| is_named(passage) || is_titled(passage)) else { return Ok(None) };
        let whole = self.retrieve.register.passages_of(reader, &found.document.id);
        let whole = with_timeout(&self.policies.retrieve, "register", whole).await?;
        let own: Vec<StoredPassage> =
            whole.into_iter().filter(|one| is_titled(one) || is_named(one)).take(PARAGRAPHS_MAX).collect();
        let evidence = Evidence::looked_up(own);
        let author =
            Author::Passages(Quotation { paragraphs_max: PARAGRAPHS_MAX, model: WRITER.to_owned(), card: None });
        // The search that led here is part of what happened.
        let candidates = candidates.clone();
        let material = Material::looked_up(understanding, evidence, author);
        Ok(Some(Material { candidates, is_named: true, ..material }))
    }
}

fn folded(text: &str) -> String {
    fold_spaces(text).to_lowercase()
}
