//! A line of `vouch ask --batch --json` → what a judge is shown of a reply, and who wrote it.

use std::collections::BTreeSet;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// Most replies of one file.
pub const REPLIES_MAX: usize = 10_000;

/// What one file holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Replies {
    /// The replies, in the file's order; no id is there twice.
    pub replies: Vec<Reply>,
    /// How many questions could not be answered at all.
    pub failed: usize,
}

/// What is judged of a reply.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The question's id, as JSON.
    pub id: String,
    /// The question, where the file says it.
    pub query: Option<String>,
    /// The answer with its markers, or the refusal in words.
    pub answer: String,
    /// Whether the documents were found not to answer.
    pub refused: bool,
    /// What it cites: the marker and the quoted words.
    pub quotes: Vec<(u32, String)>,
    /// The markers of each of its sentences.
    pub claims: Vec<Vec<u32>>,
    /// Who wrote it; nobody where nothing was written.
    pub model: Option<String>,
}

/// Why a file of replies cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum RepliesError {
    /// A line that is none.
    #[error("line {line} is not a reply from `vouch ask --batch --json`")]
    Line {
        /// Which line.
        line: usize,
        /// What is wrong with it.
        #[source]
        source: serde_json::Error,
    },
    /// An id that is there twice.
    #[error("line {line}: the id {id} appears twice")]
    Twice {
        /// Which line.
        line: usize,
        /// The id.
        id: String,
    },
    /// More than are taken.
    #[error("there are more than {REPLIES_MAX} replies")]
    TooMany,
}

/// What every line has.
#[derive(Deserialize)]
struct Heading {
    id: Value,
    #[serde(default)]
    error: Option<String>,
}

#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    query: Option<String>,
    answer: String,
    refused: bool,
    citations: Vec<Citation>,
    claims: Vec<Claim>,
    #[serde(deserialize_with = "present")]
    model_used: Option<String>,
}

#[derive(Deserialize)]
struct Citation {
    marker: u32,
    snippet_full: String,
    snippet_start: usize,
    #[serde(deserialize_with = "present")]
    quote: Option<Span>,
}

#[derive(Deserialize)]
struct Span {
    start: usize,
    end: usize,
}

#[derive(Deserialize)]
struct Claim {
    markers: Vec<u32>,
}

/// A value that may be null and may not be missing: nobody can tell who wrote a reply that does not say it.
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    Option::deserialize(deserializer)
}

/// Reads the replies of a file.
///
/// # Errors
/// Fails at the first line that is no reply, at an id that is there twice, and where there are too many.
pub fn read(text: &str) -> Result<Replies, RepliesError> {
    let (mut read, mut seen) = (Replies::default(), BTreeSet::new());
    for (line, text) in (1usize..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty()) {
        let unreadable = |source| RepliesError::Line { line, source };
        let heading: Heading = serde_json::from_str(text).map_err(unreadable)?;
        let id = heading.id.to_string();
        if !seen.insert(id.clone()) {
            return Err(RepliesError::Twice { line, id });
        }
        if seen.len() > REPLIES_MAX {
            return Err(RepliesError::TooMany);
        }
        match heading.error {
            Some(_) => read.failed += 1,
            None => read.replies.push(reply(id, serde_json::from_str(text).map_err(unreadable)?)),
        }
    }
    Ok(read)
}

fn reply(id: String, line: Line) -> Reply {
    let quoted = |citation: Citation| (citation.marker, citation.words());
    Reply {
        id,
        query: line.query,
        answer: line.answer,
        refused: line.refused,
        quotes: line.citations.into_iter().map(quoted).collect(),
        claims: line.claims.into_iter().map(|claim| claim.markers).collect(),
        model: line.model_used,
    }
}

impl Citation {
    /// The quoted words; the whole where an entry of the catalogue is cited, or the span is none of it.
    fn words(self) -> String {
        let Some(span) = &self.quote else { return self.snippet_full };
        let (from, length) = (span.start.checked_sub(self.snippet_start), span.end.saturating_sub(span.start));
        let words: String =
            from.map(|from| self.snippet_full.chars().skip(from).take(length).collect()).unwrap_or_default();
        if words.is_empty() { self.snippet_full } else { words }
    }
}

#[cfg(test)]
mod tests {
    use super::{REPLIES_MAX, RepliesError, read};

    const LINE: &str = r#"{"id":"q1","query":"How tall?","answer":"3 m [^1].","refused":false,"citations":[{"marker":1,"snippet_full":"Ä mast. It is 3 m tall.","snippet_start":10,"quote":{"start":18,"end":33}}],"claims":[{"markers":[1]}],"model_used":"tiny","further":[1]}"#;

    #[test]
    fn a_reply_has_the_quoted_words_and_who_wrote_it() {
        let read = read(&format!("{LINE}\n\n{{\"id\":2,\"error\":\"the question is empty\"}}\n")).expect("replies");
        let reply = read.replies.first().expect("a reply");
        assert_eq!((reply.id.as_str(), reply.model.as_deref(), read.failed), ("\"q1\"", Some("tiny"), 1));
        assert_eq!(reply.quotes, [(1, "It is 3 m tall.".to_owned())]);
        assert_eq!((reply.claims.as_slice(), reply.query.as_deref()), ([vec![1]].as_slice(), Some("How tall?")));
    }

    #[test]
    fn a_quote_that_is_none_is_the_whole_passage() {
        for (from, to) in [
            (r#"{"start":18,"end":33}"#, "null"),
            (r#""start":18"#, r#""start":3"#),
            (r#""start":18,"end":33"#, r#""start":900,"end":950"#),
            (r#""end":33"#, r#""end":3"#),
        ] {
            let read = read(&LINE.replace(from, to)).expect("replies");
            assert_eq!(
                read.replies.first().map(|reply| reply.quotes.clone()).unwrap_or_default()[0].1.chars().count(),
                23
            );
        }
    }

    #[test]
    fn what_is_no_reply_is_an_error_with_its_line() {
        for (from, to) in [
            (r#""model_used":"tiny","#, ""),
            (r#""answer":"3 m [^1].","#, ""),
            (r#""refused":false"#, r#""refused":"no""#),
            (r#""marker":1"#, r#""marker":-1"#),
            (r#""id":"q1","#, ""),
            ("}", ""),
        ] {
            let text = format!("{}\n{}\n", LINE.replace("q1", "q0"), LINE.replace(from, to));
            assert!(matches!(read(&text), Err(RepliesError::Line { line: 2, .. })), "{from}");
        }
        let twice = read(&format!("{LINE}\n{LINE}\n"));
        assert_eq!(twice.expect_err("twice").to_string(), "line 2: the id \"q1\" appears twice");
        let many: String = (0..=REPLIES_MAX).map(|id| format!("{{\"id\":{id},\"error\":\"\"}}\n")).collect();
        assert!(matches!(read(&many), Err(RepliesError::TooMany)));
    }
}
