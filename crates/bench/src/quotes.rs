//! `vouch-bench quotes`: every answer's every quote against the stored document, character by character.

use std::{process::ExitCode, sync::Arc};

use serde::Serialize;
use vouch_domain::{
    CharSpan, DocumentId, Question, Reader,
    ports::{Catalogue, Embedder, SentenceRole},
};
use vouch_engine::{decide::Decision, verify::Claim};
use vouch_models::GteSmall;

use crate::cli::BenchArgs;
use crate::datasets::{self, DataSet};
use vouch_app::{
    cli::Common,
    console::{print, print_json},
    render, wiring,
};

#[derive(Default, Serialize)]
struct Row {
    set: String,
    questions: usize,
    answered: usize,
    refused: usize,
    citations: usize,
    quotes_found: usize,
    sentences: usize,
    sentences_found: usize,
}

pub(crate) async fn run(common: &Common, args: &BenchArgs) -> anyhow::Result<ExitCode> {
    let embedder: Arc<dyn Embedder> = Arc::new(GteSmall::load(wiring::threads())?);
    let mut rows = Vec::new();
    for name in datasets::names(common, args)? {
        rows.push(measure(&datasets::open(common, args, &name, &embedder).await?).await?);
    }
    let is_whole = rows.iter().all(|row| row.quotes_found == row.citations && row.sentences_found == row.sentences);
    if common.json {
        print_json(&rows)?;
    } else {
        let heading = ["set", "questions", "answered", "refused", "citations", "quotes found", "sentences", "found"];
        let mut table = vec![heading.map(str::to_owned).to_vec()];
        table.extend(rows.iter().map(|row| {
            let figures = [row.questions, row.answered, row.refused, row.citations, row.quotes_found];
            let sentences = [row.sentences, row.sentences_found];
            let figures = figures.iter().chain(&sentences).map(usize::to_string);
            std::iter::once(row.set.clone()).chain(figures).collect::<Vec<_>>()
        }));
        print(&render::table(&table))?;
    }
    Ok(if is_whole { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Asks every answerable question and looks up every quote in the stored document by its span.
async fn measure(set: &DataSet) -> anyhow::Result<Row> {
    let reader = Reader::of_tenant(Reader::DEFAULT_TENANT);
    let mut row = Row { set: set.name.clone(), ..Row::default() };
    for golden in set.questions.iter().filter(|golden| golden.answerable) {
        row.questions += 1;
        let question = Question::new(golden.query.clone(), reader.clone());
        let response = set.app.engine.ask(&question).await?;
        let Decision::Answer(answer) = &response.decision else {
            row.refused += 1;
            continue;
        };
        row.answered += 1;
        // A list names documents and quotes none.
        if answer.text().is_from_catalogue() {
            continue;
        }
        for cited in answer.text().citations() {
            row.citations += 1;
            let id: &DocumentId = &cited.document().id;
            let text = set.app.store.catalogue.text(&reader, id).await?.unwrap_or_default();
            let span = cited.quote().unwrap_or(CharSpan { start: 0, end: 0 });
            let length = span.end.saturating_sub(span.start);
            let quote: String = text.chars().skip(span.start).take(length).collect();
            let own: Vec<_> =
                answer.text().claims().iter().filter(|claim| claim.markers().contains(&cited.marker())).collect();
            let headings = cited.piece().map(|piece| piece.passage.passage.section.as_ref()).unwrap_or_default();
            // What answers is in the quote; what it is read with is in the document, or is a heading over it, without its marks.
            let is_found = |claim: &&&Claim| match claim.role() {
                SentenceRole::Answer => quote.contains(claim.text()),
                SentenceRole::Context => {
                    let is_heading = claim.checks().contains(&"heading");
                    text.contains(claim.text())
                        || (is_heading && headings.iter().any(|heading| heading == claim.text()))
                }
            };
            let found = own.iter().filter(is_found).count();
            row.sentences += own.len();
            row.sentences_found += found;
            row.quotes_found += usize::from(!own.is_empty() && found == own.len() && quote.chars().count() == length);
        }
    }
    Ok(row)
}
