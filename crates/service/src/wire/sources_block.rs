//! The sources of an answer as a list below it, for readers who see nothing but text.

use super::{CitationWire, Reply, SourceWire, file_name::name};

/// What the list begins with.
const HEADING: &str = "Sources:";

/// A text without the list at its end, as it was written at any time.
pub(super) fn without_sources(text: &str) -> &str {
    let heading = format!("\n\n{HEADING}\n");
    let found = text.rsplit_once(heading.as_str());
    let is_list = |list: &str| list.lines().all(|line| line.starts_with("- "));
    found.filter(|(_, list)| is_list(list)).map_or(text, |(words, _)| words)
}

impl Reply {
    /// The list, a line a source: title, section, file, version and date, relevance; none if nothing is cited.
    #[must_use]
    pub fn sources_block(&self) -> Option<String> {
        let mut lines: Vec<String> = Vec::new();
        for citation in &self.citations {
            let line = format!("- {}", self.source_line(citation));
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
        (!lines.is_empty()).then(|| format!("{HEADING}\n{}", lines.join("\n")))
    }

    /// The same reply with the list at the end of its answer, unless it is there.
    pub(crate) fn with_sources_block(mut self) -> Self {
        if let Some(block) = self.sources_block().filter(|block| !self.answer.ends_with(block.as_str())) {
            self.answer = format!("{}\n\n{block}", self.answer.trim_end());
        }
        self
    }

    /// The answer without the list at its end, for who shows sources in their own way.
    #[must_use]
    pub fn answer_alone(&self) -> &str {
        let block = self.sources_block();
        let bare = block.and_then(|block| self.answer.strip_suffix(block.as_str()));
        bare.map_or(self.answer.as_str(), str::trim_end)
    }

    /// Whether the list is at the end of the answer.
    #[must_use]
    pub fn has_sources_block(&self) -> bool {
        self.answer_alone().len() < self.answer.len()
    }

    /// A citation as the list tells it, without what begins its line.
    #[must_use]
    pub fn source_line(&self, citation: &CitationWire) -> String {
        let of_it = |source: &&SourceWire| source.title == citation.document_name && source.section == citation.section;
        let source = self.sources.iter().find(of_it);
        let file = source.map(|source| name(&source.file)).unwrap_or_default();
        let version = citation.version.as_ref().map(|version| format!("v{version}"));
        let updated = citation.updated.as_ref().map(|date| format!("updated {date}"));
        let details: Vec<String> = version.into_iter().chain(updated).collect();
        let details = if details.is_empty() { String::new() } else { format!(" ({})", details.join(", ")) };
        let section = citation.section.as_ref().map(|section| format!(" — {section}")).unwrap_or_default();
        let score = source.map_or(citation.relevance_score, |source| source.score);
        format!("{}{section} — {file}{details} [{score:.2}]", citation.document_name)
    }
}
