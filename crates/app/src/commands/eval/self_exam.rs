//! `vouch eval self`: questions made by rule out of the documents, and how they fare.

use std::{collections::BTreeSet, process::ExitCode, sync::Arc};

use async_trait::async_trait;
use futures::{StreamExt, TryStreamExt};
use vouch_domain::{
    CardEdit, DocumentId, PassageKey, PortError, Reader, StoredPassage,
    ports::{
        Catalogue, Counts, EditedCard, Fingerprint, Generation, KeptDocument, PastAccess, Register, SourceReading,
        StoreState, UpsertOutcome,
    },
};
use vouch_engine::ask::Engine;
use vouch_evals::{
    bounds::Rate,
    self_exam::{ExamDocument, ExamQuestion, Missed, SelfExam, Sort, exam},
};

use super::{asked, circumstances, open_filled, print, print_json};
use crate::{cli::Common, exit::Usage, wiring::App};

/// How many documents are read.
const DOCUMENTS_MAX: usize = 300;
/// How much of a document is read.
const CHARS_MAX: usize = 20_000;
const AT_ONCE: usize = 4;
/// How many questions that went wrong are shown to a person; all of them are in the JSON.
const SHOWN_MAX: usize = 20;

pub(super) async fn run(common: &Common, questions: usize, tenant: &str) -> anyhow::Result<ExitCode> {
    let mut app = open_filled(common)?;
    app.engine.be_patient();
    let documents = documents(&app, &Reader::of_tenant(tenant)).await?;
    let made: Vec<ExamQuestion> = exam(&documents, questions);
    if made.is_empty() {
        return Err(Usage("no question could be made by rule from any sentence of these documents".to_owned()).into());
    }
    let app = &app;
    let asked = futures::stream::iter(made.into_iter().map(|mut question| async move {
        question.golden.tenant = Some(tenant.to_owned());
        let asked = asked::ask_of(app, engine_for(app, &question)?, &question.golden).await?;
        anyhow::Ok((question, asked.graded))
    }));
    let asked: Vec<_> = asked.buffered(AT_ONCE).try_collect().await?;
    let outcome = SelfExam::new(&asked);
    if common.json {
        print_json(&outcome)?;
    } else {
        print(&shown(&outcome))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Some of the documents, from the whole of the catalogue.
async fn documents(app: &App, reader: &Reader) -> anyhow::Result<Vec<ExamDocument>> {
    let register = &app.store.register;
    let ids = circumstances::ids(app, &reader.tenant).await?;
    let step = ids.len().div_ceil(DOCUMENTS_MAX).max(1);
    let mut documents = Vec::new();
    for id in ids.into_iter().step_by(step) {
        let passages = register.passages_of(reader, &id).await?;
        let texts: Vec<&str> = passages.iter().map(|stored| stored.passage.text.as_str()).collect();
        let text: String = texts.join("\n\n").chars().take(CHARS_MAX).collect();
        documents.push(ExamDocument { id: id.to_string(), text });
    }
    Ok(documents)
}

/// The engine for a question: one that cannot see its document where that is taken away.
fn engine_for(app: &App, question: &ExamQuestion) -> anyhow::Result<Engine> {
    let mut engine = asked::engine_of(app, &question.golden)?;
    if question.sort == Sort::Removed {
        let catalogue = Arc::clone(&engine.retrieve.catalogue);
        engine.retrieve.catalogue = Arc::new(WithoutDocument { catalogue, hidden: question.document.clone() });
    }
    Ok(engine)
}

fn shown(outcome: &SelfExam) -> String {
    let rate = |name: &str, rate: &Rate| match rate.of {
        0 => format!("{name}: no question of this kind could be made\n"),
        _ => format!("{name}: {} of {} ({:.0} %)\n", rate.part, rate.of, rate.share * 100.0),
    };
    let list = |name: &str, missed: &[Missed]| {
        let lines: String = missed
            .iter()
            .take(SHOWN_MAX)
            .map(|one| format!("- {} ({})\n  {}: {}\n", one.question, one.reason, one.document, one.sentence))
            .collect();
        let more = match missed.len().saturating_sub(SHOWN_MAX) {
            0 => String::new(),
            more => format!("and {more} more (--json has all)\n"),
        };
        if missed.is_empty() { String::new() } else { format!("\n{name}:\n{lines}{more}") }
    };
    let health = outcome.health.map_or_else(String::new, |health| format!("health: {:.0} of 100\n", health * 100.0));
    format!(
        "{}\n\n{} questions of {} documents\n{}{}{}{health}{}{}",
        outcome.label,
        outcome.questions,
        outcome.documents,
        rate("stated in a document, and answered with it", &outcome.stated),
        rate("one thing altered, and refused", &outcome.altered),
        rate("the document taken away, and refused", &outcome.removed),
        list("Could not be answered, although a document says it", &outcome.not_answered),
        list("Answered, although no document says it", &outcome.answered_wrongly),
    )
}

/// A store in which one document cannot be found.
struct WithoutDocument {
    catalogue: Arc<dyn Catalogue>,
    hidden: String,
}

#[async_trait]
impl Catalogue for WithoutDocument {
    async fn generation(&self) -> Result<Generation, PortError> {
        self.catalogue.generation().await
    }

    async fn state(&self) -> Result<StoreState, PortError> {
        self.catalogue.state().await
    }

    async fn fingerprints(&self, tenant: &str, ids: &[DocumentId]) -> Result<Vec<Fingerprint>, PortError> {
        self.catalogue.fingerprints(tenant, ids).await
    }

    async fn under_source(&self, tenant: &str, source: &str) -> Result<Vec<Fingerprint>, PortError> {
        self.catalogue.under_source(tenant, source).await
    }

    async fn with_text(&self, tenant: &str, text: &str) -> Result<Vec<Fingerprint>, PortError> {
        self.catalogue.with_text(tenant, text).await
    }

    async fn past_access(
        &self,
        tenant: &str,
        id: &DocumentId,
        source: &str,
        text: &str,
    ) -> Result<PastAccess, PortError> {
        self.catalogue.past_access(tenant, id, source, text).await
    }

    async fn past_access_below(&self, tenant: &str, folder: &str) -> Result<Vec<BTreeSet<String>>, PortError> {
        self.catalogue.past_access_below(tenant, folder).await
    }

    async fn edits(&self, tenant: &str, id: &DocumentId) -> Result<Vec<CardEdit>, PortError> {
        self.catalogue.edits(tenant, id).await
    }

    async fn edit(&self, edited: EditedCard) -> Result<Option<u32>, PortError> {
        self.catalogue.edit(edited).await
    }

    async fn rename(&self, tenant: &str, renames: &[(DocumentId, String)]) -> Result<(), PortError> {
        self.catalogue.rename(tenant, renames).await
    }

    async fn note_readings(&self, tenant: &str, readings: &[SourceReading]) -> Result<(), PortError> {
        self.catalogue.note_readings(tenant, readings).await
    }

    async fn upsert(&self, documents: Vec<KeptDocument>) -> Result<Vec<UpsertOutcome>, PortError> {
        self.catalogue.upsert(documents).await
    }

    async fn remove(&self, tenant: &str, ids: &[DocumentId]) -> Result<u64, PortError> {
        self.catalogue.remove(tenant, ids).await
    }

    async fn passages(&self, reader: &Reader, keys: &[PassageKey]) -> Result<Vec<StoredPassage>, PortError> {
        let mut passages = self.catalogue.passages(reader, keys).await?;
        passages.retain(|stored| stored.document.id.as_str() != self.hidden);
        Ok(passages)
    }

    async fn text(&self, reader: &Reader, id: &DocumentId) -> Result<Option<String>, PortError> {
        self.catalogue.text(reader, id).await
    }

    async fn counts(&self, reader: &Reader) -> Result<Counts, PortError> {
        self.catalogue.counts(reader).await
    }
}
