//! A certificate and the store as it is now → which of its sources still stand, what else has changed, and a verdict.

use std::collections::BTreeSet;

use serde::Serialize;
use vouch_domain::{PortError, Reader, Scope, ports::Directory};

use super::{
    AnswerCertificate, CertifiedCircumstances, CertifiedClaim, CertifiedReader, CertifiedSource, SourcePorts,
    kept_source::{KeptSource, QuotePlace},
};
use crate::{certificate::CertifiedState, outcome::Outcome};

/// How many titles the verdict names.
const TITLES_MAX: usize = 5;

/// What was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CheckedAnswer {
    /// Whether the file is whole and every source still says what was quoted.
    pub holds: bool,
    /// The verdict in a sentence.
    pub verdict: String,
    /// Whether the file is as it was written.
    pub whole: bool,
    /// Whether its reader can still be asked for; a user may have been removed.
    pub reader_known: bool,
    /// The sources, in the order of the certificate, and then the tools.
    pub sources: Vec<CheckedSource>,
    /// What else an answer depends on.
    pub circumstances: Vec<ComparedCircumstance>,
}

/// One source as it is now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckedSource {
    /// Number of its marker in the answer; null if it is not cited.
    pub marker: Option<u32>,
    /// `document`, `card`, `term`, `entry` or `tool`.
    pub kind: &'static str,
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Whether it stands.
    pub standing: SourceStanding,
    /// The quotes that do not stand there any more.
    pub missing: Vec<String>,
    /// What else is to be known of it; null if nothing is.
    pub remark: Option<String>,
}

/// Whether a source still stands behind an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceStanding {
    /// It is as it was.
    Unchanged,
    /// It was changed, and the quote still stands there word for word.
    QuoteStands,
    /// The quote does not stand there.
    QuoteGone,
    /// It was removed, or its reader may not read it any more: which of the two is not told.
    Unavailable,
    /// Nothing in the store can say.
    Unchecked,
}

impl SourceStanding {
    /// Whether it still says what was quoted.
    #[must_use]
    pub fn is_good(self) -> bool {
        match self {
            Self::Unchanged | Self::QuoteStands => true,
            Self::QuoteGone | Self::Unavailable | Self::Unchecked => false,
        }
    }
}

/// Something an answer depends on, then and now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ComparedCircumstance {
    /// What it is.
    pub name: &'static str,
    /// Whether it is the same.
    pub same: bool,
    /// Then.
    pub before: String,
    /// Now.
    pub now: String,
}

/// Holds a certificate against a store. `is_whole` says whether its file is as it was written.
///
/// # Errors
/// Fails if the store cannot be read.
pub async fn check(
    certificate: &AnswerCertificate,
    is_whole: bool,
    (ports, directory): (&SourcePorts<'_>, &dyn Directory),
    now: &CertifiedCircumstances,
) -> Result<CheckedAnswer, PortError> {
    let reader = certificate.reader.as_of_now(directory).await?;
    let mut sources = Vec::new();
    for source in &certificate.sources {
        sources.push(check_source(source, reader.as_ref(), ports).await?);
    }
    sources.extend(certificate.tools.iter().map(|call| CheckedSource {
        marker: None,
        kind: "tool",
        id: call.name.clone(),
        title: call.name.clone(),
        standing: SourceStanding::Unchecked,
        missing: Vec::new(),
        remark: None,
    }));
    let state = CertifiedState::from(&ports.catalogue.state().await?);
    let circumstances = compared((&certificate.circumstances, &certificate.state), (now, &state));
    Ok(CheckedAnswer {
        holds: is_whole
            && sources.iter().all(|source| source.standing.is_good())
            && match sources.is_empty() {
                // What rests on no source rests on everything that was looked at.
                true => !needs_source(certificate) && circumstances.iter().all(|one| one.same),
                false => certificate.claims.iter().all(|claim| has_sources(claim, certificate)),
            },
        verdict: verdict(certificate, is_whole, &sources, &circumstances),
        whole: is_whole,
        reader_known: reader.is_some(),
        sources,
        circumstances,
    })
}

impl CertifiedReader {
    /// The reader with the rights they have now; none for a user who is not there any more, and so may read nothing.
    async fn as_of_now(&self, directory: &dyn Directory) -> Result<Option<Reader>, PortError> {
        let scope = match (&self.user, &self.tags) {
            (Some(user), _) => match directory.person(&self.tenant, user).await? {
                Some(person) => Scope::Tags(person.tags),
                None => return Ok(None),
            },
            (None, Some(tags)) => Scope::Tags(tags.clone()),
            (None, None) => Scope::WholeTenant,
        };
        Ok(Some(Reader::of_scope(&self.tenant, scope)))
    }
}

async fn check_source(
    source: &CertifiedSource,
    reader: Option<&Reader>,
    ports: &SourcePorts<'_>,
) -> Result<CheckedSource, PortError> {
    let told = |standing: SourceStanding, missing: Vec<String>, remark: Option<String>| CheckedSource {
        marker: source.marker,
        kind: source.kind.as_str(),
        id: source.id.clone(),
        title: source.title.clone(),
        standing,
        missing,
        remark,
    };
    if !ports.can_look_up(source) {
        let remark = format!("{} is not asked", source.origin);
        return Ok(told(SourceStanding::Unchecked, Vec::new(), Some(remark)));
    }
    let kept = match reader {
        Some(reader) => ports.look_up(reader, source).await?,
        None => None,
    };
    let Some(KeptSource { hash, places, superseded_by }) = kept else {
        return Ok(told(SourceStanding::Unavailable, Vec::new(), None));
    };
    let is_same = hash == source.hash;
    let quotes = source.quotes.iter().zip(&places);
    let missing: Vec<String> =
        quotes.filter(|(_, place)| **place == QuotePlace::Nowhere).map(|(quote, _)| quote.text.clone()).collect();
    let standing = match (missing.is_empty() && !source.quotes.is_empty(), is_same) {
        (false, _) => SourceStanding::QuoteGone,
        (true, true) => SourceStanding::Unchanged,
        (true, false) => SourceStanding::QuoteStands,
    };
    let remark = superseded_by.filter(|_| !is_same).map(|successor| format!("superseded by {successor}"));
    Ok(told(standing, missing, remark))
}

/// What an answer depends on, then and now.
fn compared(
    (before, state_before): (&CertifiedCircumstances, &CertifiedState),
    (now, state): (&CertifiedCircumstances, &CertifiedState),
) -> Vec<ComparedCircumstance> {
    let compare = |name: &'static str, before: String, now: String| ComparedCircumstance {
        name,
        same: before == now,
        before,
        now,
    };
    let or_none = |text: &Option<String>| text.clone().unwrap_or_else(|| "none".to_owned());
    // How often two stores have changed has nothing in common.
    let is_one_store = state_before.store == state.store;
    let documents = |state: &CertifiedState| match is_one_store {
        true => format!("generation {}", state.generation),
        false => format!("generation {} of store {}", state.generation, or_none(&state.store)),
    };
    vec![
        compare("documents", documents(state_before), documents(state)),
        compare("memory", or_none(&state_before.memory), or_none(&state.memory)),
        compare("vocabulary", or_none(&state_before.vocabulary), or_none(&state.vocabulary)),
        compare("settings", before.settings.clone(), now.settings.clone()),
        compare("embedder", before.embedder.clone(), now.embedder.clone()),
        compare("judge", or_none(&before.judge), or_none(&now.judge)),
        compare("writer", or_none(&before.writer), or_none(&now.writer)),
        compare("version", before.version.clone(), now.version.clone()),
    ]
}

fn verdict(
    certificate: &AnswerCertificate,
    is_whole: bool,
    sources: &[CheckedSource],
    circumstances: &[ComparedCircumstance],
) -> String {
    let part = |standing: SourceStanding, words: &str| {
        let of_standing = sources.iter().filter(|source| source.standing == standing);
        let titles: BTreeSet<&str> = of_standing.map(|source| source.title.as_str()).collect();
        let more = match titles.len().saturating_sub(TITLES_MAX) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let first: Vec<&str> = titles.into_iter().take(TITLES_MAX).collect();
        (!first.is_empty()).then(|| format!("{words} {}{more}", first.join(", ")))
    };
    if !is_whole {
        return "It does not hold: the file was changed after it was written.".to_owned();
    }
    let gone = [
        part(SourceStanding::QuoteGone, "the quote is gone from"),
        part(SourceStanding::Unavailable, "removed or no longer open to this reader:"),
        part(SourceStanding::Unchecked, "cannot be checked offline:"),
    ];
    let gone: Vec<String> = gone.into_iter().flatten().collect();
    if !gone.is_empty() {
        let is_known = sources
            .iter()
            .any(|source| matches!(source.standing, SourceStanding::QuoteGone | SourceStanding::Unavailable));
        let word = if is_known { "It does not hold" } else { "It cannot be determined whether it holds" };
        return format!("{word}: {}.", gone.join("; "));
    }
    if !sources.is_empty() && !certificate.claims.iter().all(|claim| has_sources(claim, certificate)) {
        return "It does not hold: a sentence of the answer names a source that the file does not have.".to_owned();
    }
    match part(SourceStanding::QuoteStands, "") {
        Some(changed) => {
            format!(
                "It holds: every quote is still there word for word, although the text around it changed in{changed}."
            )
        }
        None if sources.is_empty() => unsourced(certificate, circumstances),
        None => "It holds: the file is whole and every source is unchanged.".to_owned(),
    }
}

/// Whether something is said that documents must bear out.
fn needs_source(certificate: &AnswerCertificate) -> bool {
    !certificate.claims.is_empty() || certificate.outcome == Outcome::General.as_str()
}

/// Whether a sentence names sources, and the file has them.
fn has_sources(claim: &CertifiedClaim, certificate: &AnswerCertificate) -> bool {
    let is_there = |marker: &u32| certificate.sources.iter().any(|source| source.marker == Some(*marker));
    !claim.markers.is_empty() && claim.markers.iter().all(is_there)
}

/// The verdict on a reply that names no source.
fn unsourced(certificate: &AnswerCertificate, circumstances: &[ComparedCircumstance]) -> String {
    let changed: Vec<&str> = circumstances.iter().filter(|one| !one.same).map(|one| one.name).collect();
    if certificate.outcome == Outcome::General.as_str() {
        return "It cannot be determined whether it holds: a model answered from general knowledge, so there is no \
                source to check."
            .to_owned();
    }
    match (certificate.abstain_reason.is_some(), changed.is_empty()) {
        (true, true) => "It holds: the file is whole, and nothing that the refusal rests on has changed.".to_owned(),
        (true, false) => format!(
            "It cannot be determined whether it holds: since the refusal there were changes in {}, so ask again.",
            changed.join(", ")
        ),
        (false, true) if !needs_source(certificate) => {
            "It holds: the file is whole, and nothing that the reply rests on has changed.".to_owned()
        }
        (false, _) => "It cannot be determined whether it holds: the reply names no source.".to_owned(),
    }
}
