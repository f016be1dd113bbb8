//! What a document says of who may see it, and who could see it before → who may see it from now on.
//!
//! Invariant: nobody sees what they could not see before unless somebody opens it in so many words, whether the document was
//! there all the time, was away for a while or comes from somewhere else now.

use std::collections::BTreeSet;

use vouch_domain::{Document, PortError, ports::Fingerprint};

use super::{Ingest, IngestReport, IngestRun};

/// Who could see what a source and its neighbours held before this run, and what is said of it now.
#[derive(Debug, Clone, Default)]
pub(super) struct SourceAccess {
    /// Who could see the documents of this source; empty for everyone, and where there were none.
    pub(super) source: BTreeSet<String>,
    /// Who could see everything that lies beside it; empty where not all of that was closed.
    pub(super) neighbours: BTreeSet<String>,
    /// Whether documents may be opened by this run.
    pub(super) opens: bool,
    /// Whether one source is one document.
    pub(super) holds_one: bool,
}

/// Who could see a document before.
#[derive(Debug, Default)]
struct Before {
    /// Who could see it, by every way in which it was known; none of them is empty.
    closed: Vec<BTreeSet<String>>,
    /// Whether it is known that it was open to everyone.
    was_open: bool,
}

impl Ingest {
    /// Gives a document the tags it has from now on; a sentence says why it cannot have any.
    pub(super) async fn settle_access(
        &self,
        document: &mut Document,
        known: Option<&Fingerprint>,
        access: &SourceAccess,
        (run, report): (&IngestRun<'_>, &mut IngestReport),
    ) -> Result<Result<(), String>, PortError> {
        if access.opens {
            return Ok(Ok(()));
        }
        let before = self.before(document, known, access, run).await?;
        let Some(allowed) = common(&before.closed) else {
            let sentence = "it is unclear who could see it before, because its id, its source and its text were \
                            visible to different people; say who may see it with --tags and --open";
            return Ok(Err(sentence.to_owned()));
        };
        let card = &mut document.card;
        match (document.states_access, allowed.is_empty()) {
            (true, true) => {}
            (true, false) if !card.tags.is_empty() && card.tags.is_subset(&allowed) => {}
            (true, false) => {
                let both: BTreeSet<String> = card.tags.intersection(&allowed).cloned().collect();
                let stays = if both.is_empty() { allowed.clone() } else { both };
                report.warn(&card.source, stays_closed(&allowed, &card.tags, &stays), run.progress);
                card.tags = stays;
                // What is said of it is not followed, and a person should hear of that again.
                document.states_access = false;
                report.kept_access += 1;
            }
            (false, false) => {
                card.tags = allowed;
                report.kept_access += 1;
            }
            (false, true) if known.is_none() && !before.was_open && !access.neighbours.is_empty() => {
                card.tags.clone_from(&access.neighbours);
                report.joined_access += 1;
            }
            (false, true) => {}
        }
        Ok(Ok(()))
    }

    /// Who could see a document before, under its id, from its source or with its text.
    async fn before(
        &self,
        document: &Document,
        known: Option<&Fingerprint>,
        access: &SourceAccess,
        run: &IngestRun<'_>,
    ) -> Result<Before, PortError> {
        let card = &document.card;
        let mut before = Before::default();
        before.add(known.map(|known| &known.tags));
        before.add(Some(&access.source).filter(|tags| !tags.is_empty()));
        let past = self.catalogue.past_access(run.tenant, &card.id, &card.source, &document.text).await?;
        if known.is_none() {
            before.add(past.by_id.as_ref());
        }
        // Of a source that holds many documents each is known by its id alone.
        if known.is_none() && access.source.is_empty() && access.holds_one {
            before.add(past.by_source.as_ref());
        }
        // Nobody is told of the text of documents that they may know nothing of.
        if run.sees_all {
            self.add_text(&mut before, document, past.by_text.as_ref(), run).await?;
        }
        Ok(before)
    }

    /// Adds who could see the documents of the same text: a file that has moved cannot be told from a copy of it. A text that
    /// everyone sees elsewhere is closed to nobody.
    async fn add_text(
        &self,
        before: &mut Before,
        document: &Document,
        removed: Option<&BTreeSet<String>>,
        run: &IngestRun<'_>,
    ) -> Result<(), PortError> {
        let same = self.catalogue.with_text(run.tenant, &document.text).await?;
        let is_known_as_such = same.iter().any(|known| known.id == document.card.id);
        if is_known_as_such || same.iter().any(|known| known.tags.is_empty()) {
            return Ok(());
        }
        let there: BTreeSet<String> = same.into_iter().flat_map(|known| known.tags).collect();
        before.add(if there.is_empty() { removed } else { Some(&there) });
        Ok(())
    }

    /// Who could see everything beside a source, there or gone, where not everyone could see any of it; empty otherwise. A
    /// file that is new in such a folder must not be the only one that is open. Of a folder that is new itself, the one that
    /// holds it tells, up to where this run looks.
    pub(super) async fn access_of_folder(
        &self,
        source: &str,
        run: &IngestRun<'_>,
        report: &mut IngestReport,
    ) -> Result<BTreeSet<String>, PortError> {
        let is_within = |folder: &str| run.roots.iter().any(|root| is_under(folder, root));
        let (mut access, mut new_folders, mut below) = (BTreeSet::new(), Vec::new(), source);
        while let Some((folder, _)) = below.rsplit_once('/') {
            if !new_folders.is_empty() && !is_within(folder) {
                break;
            }
            new_folders.push(folder);
            if let Some(known) = report.folder_access.get(folder) {
                access.clone_from(known);
                break;
            }
            let known = self.catalogue.under_source(run.tenant, folder).await?;
            let mut sets: Vec<BTreeSet<String>> = known.into_iter().map(|known| known.tags).collect();
            if sets.is_empty() {
                sets = self.catalogue.past_access_below(run.tenant, folder).await?;
            }
            if !sets.is_empty() {
                let is_closed = sets.iter().all(|tags| !tags.is_empty());
                access = sets.into_iter().next().filter(|_| is_closed).unwrap_or_default();
                break;
            }
            below = folder;
        }
        for folder in new_folders {
            report.folder_access.insert(folder.to_owned(), access.clone());
        }
        Ok(access)
    }

    /// The same of a source that holds many documents: who could see those it held before.
    pub(super) async fn access_of_others(
        &self,
        document: &Document,
        run: &IngestRun<'_>,
        report: &mut IngestReport,
    ) -> Result<BTreeSet<String>, PortError> {
        let card = &document.card;
        // No folder has a name that ends like this.
        let place = format!("{}\n", card.source);
        if let Some(access) = report.folder_access.get(&place) {
            return Ok(access.clone());
        }
        let known = self.catalogue.under_source(run.tenant, &card.source).await?;
        let mut sets: Vec<BTreeSet<String>> = known.into_iter().map(|known| known.tags).collect();
        if sets.is_empty() {
            let past = self.catalogue.past_access(run.tenant, &card.id, &card.source, &document.text).await?;
            sets.extend(past.by_source);
        }
        let is_closed = sets.iter().all(|tags| !tags.is_empty());
        let access = sets.into_iter().next().filter(|_| is_closed).unwrap_or_default();
        report.folder_access.insert(place, access.clone());
        Ok(access)
    }
}

impl Before {
    fn add(&mut self, tags: Option<&BTreeSet<String>>) {
        match tags {
            Some(tags) if tags.is_empty() => self.was_open = true,
            Some(tags) => self.closed.push(tags.clone()),
            None => {}
        }
    }
}

/// Whether a folder is another one or lies in it.
fn is_under(folder: &str, root: &str) -> bool {
    let root = root.trim_end_matches('/');
    folder.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Those who could see all of it; empty if everyone could, and nothing if nobody could.
fn common(closed: &[BTreeSet<String>]) -> Option<BTreeSet<String>> {
    let mut sets = closed.iter();
    let Some(first) = sets.next() else { return Some(BTreeSet::new()) };
    let common = sets.fold(first.clone(), |common, tags| common.intersection(tags).cloned().collect());
    (!common.is_empty()).then_some(common)
}

/// What is told of a document that is not opened as it says.
fn stays_closed(before: &BTreeSet<String>, wanted: &BTreeSet<String>, stays: &BTreeSet<String>) -> String {
    let list = |tags: &BTreeSet<String>| tags.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    let wanted = if wanted.is_empty() { "everyone".to_owned() } else { format!("the tags {}", list(wanted)) };
    format!(
        "it asks to be visible to {wanted}, but only the tags {} could see it before, so it stays with {}; use --open \
         (`open` over HTTP) to allow what it asks for",
        list(before),
        list(stays)
    )
}
