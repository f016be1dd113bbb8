//! `vouch eval lint`: a golden set by itself, and against the documents it was written from.

use std::{collections::BTreeMap, path::Path, process::ExitCode};

use vouch_domain::{DocumentId, ports::Catalogue};
use vouch_evals::{golden::GoldenQuestion, lint::lint};

use super::{circumstances, open_filled, print, print_json, read, tell};
use crate::{cli::Common, wiring::App};

pub(super) async fn run(common: &Common, path: &Path) -> anyhow::Result<ExitCode> {
    let (questions, _) = read(path, None)?;
    let app = open_filled(common)?;
    let mut faults = lint(&questions);
    let mut files = BTreeMap::new();
    for golden in &questions {
        let tenant = golden.reader().tenant;
        if !files.contains_key(&tenant) {
            files.insert(tenant.clone(), circumstances::ids(&app, &tenant).await?);
        }
        let ids = files.get(&tenant).map(Vec::as_slice).unwrap_or_default();
        faults.extend(unfounded(&app, golden, ids).await?.map(|fault| format!("{}: {fault}", golden.id)));
    }
    if common.json {
        print_json(&faults)?;
    } else {
        faults.iter().for_each(|fault| tell(fault));
        print(&format!("{} questions, {} faults\n", questions.len(), faults.len()))?;
    }
    Ok(if faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What a question claims of documents that they do not bear out: one that its asker cannot see, or an answer that stands in none.
async fn unfounded(app: &App, golden: &GoldenQuestion, ids: &[DocumentId]) -> anyhow::Result<Option<String>> {
    let mut texts = Vec::new();
    for id in &golden.gold_ids {
        let Some(named) = DocumentId::parse(id) else { return Ok(Some(format!("'{id}' is not a valid document id"))) };
        let catalogue = &app.store.catalogue;
        let mut found = catalogue.text(&golden.reader(), &named).await?;
        // A file may be named from whichever folder.
        let is_below =
            |own: &&DocumentId| own.as_str().strip_suffix(id.as_str()).is_some_and(|folder| folder.ends_with('/'));
        if let Some(own) = found.is_none().then(|| ids.iter().find(is_below)).flatten() {
            found = catalogue.text(&golden.reader(), own).await?;
        }
        if let Some(text) = found {
            texts.push(plain(&text));
        } else if !id.contains("://") {
            return Ok(Some(format!("there is no document '{id}' that its user may see")));
        }
    }
    // What a vocabulary, a tool or the card of a document says stands in no text.
    let is_of_vocabulary = golden.gold_ids.iter().any(|id| id.contains("://"));
    let is_of_card = golden.expected.intent.as_deref() == Some("entity");
    let is_of_documents = !texts.is_empty() && golden.expected.tool.is_none() && !is_of_vocabulary && !is_of_card;
    let stands = |answer: &String| texts.iter().any(|text| text.contains(&plain(answer)));
    let missing = golden.gold_answers.iter().find(|answer| !stands(answer)).filter(|_| is_of_documents);
    Ok(missing.map(|answer| format!("none of its gold documents contains \"{answer}\"")))
}

/// Its words in lower case with single blanks: marks of emphasis, lists and cues are none.
fn plain(text: &str) -> String {
    let words = text.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}
