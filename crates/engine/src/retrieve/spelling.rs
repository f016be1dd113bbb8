//! Words of the question that the documents spell differently → the documents' own words.

use vouch_domain::{
    PassageKey, PortError, Reader, StoredPassage,
    language::{Nearness, spelling::word_heard, terms},
    ports::{PlainWords, Spelling},
};

use super::{RetrievePorts, with_timeout};
use crate::{
    policy::RetrievePolicy,
    understand::{Respelling, Understanding},
};

/// Reads words as the documents spell them, by a passage the reader may see.
///
/// # Errors
/// Fails if the words or the passages cannot be looked up.
pub async fn respellings(
    understanding: &Understanding,
    reader: &Reader,
    ports: &RetrievePorts,
    policy: &RetrievePolicy,
) -> Result<Vec<Respelling>, PortError> {
    let asked = ports.lexical.spellings(reader, understanding.asked());
    let mut spellings = with_timeout(policy, "lexical", asked).await?;
    spellings.retain(|spelling| !is_common(spelling, ports.plain_words.as_ref()));
    if spellings.is_empty() {
        return Ok(Vec::new());
    }
    let holders: Vec<PassageKey> = spellings.iter().map(|spelling| spelling.holder).collect();
    let passages = with_timeout(policy, "catalogue", ports.catalogue.passages(reader, &holders)).await?;
    let mut respelt = Vec::new();
    for spelling in spellings {
        let holder = passages.iter().find(|passage| passage.key == spelling.holder);
        let written = holder.and_then(|holder| written(holder, &spelling));
        let written = written.map(|written| in_case_of(understanding.asked(), &spelling, written));
        respelt.extend(written.map(|written| Respelling {
            is_meant: is_meant(&spelling, understanding.asked()),
            asked: spelling.asked,
            written,
        }));
    }
    Ok(respelt)
}

/// Whether a word needs no other spelling, since it is common, or sounds like a common one and the documents' word is not that:
/// "realy" is "really", and not "ready".
fn is_common(spelling: &Spelling, plain_words: &dyn PlainWords) -> bool {
    let is_slip = matches!(spelling.nearness, Some(Nearness::Slips(_)));
    plain_words.knows(&spelling.asked) || (is_slip && plain_words.sounds_common(&spelling.asked))
}

/// A word in small letters stays so where the documents write it in capitals alone: whoever has not written a name has not asked
/// for one.
fn in_case_of(asked: &str, spelling: &Spelling, written: String) -> String {
    let is_in_capitals = !written.chars().any(char::is_lowercase);
    if is_in_capitals && asked.contains(spelling.asked.as_str()) { written.to_lowercase() } else { written }
}

/// Whether a word is certainly meant: the one that was asked stands nowhere, and either both sound alike or a slip of the hand
/// parts them. What is written as a name is taken at its word.
fn is_meant(spelling: &Spelling, asked: &str) -> bool {
    match spelling.nearness {
        Some(Nearness::SameSound) => true,
        Some(Nearness::Slips(_)) => asked.contains(spelling.asked.as_str()),
        None => false,
    }
}

/// The word of a passage, or of what stands above it, that sounds as it should.
fn written(holder: &StoredPassage, spelling: &Spelling) -> Option<String> {
    let said = [holder.passage.text.as_str(), &holder.document.title, &holder.passage.section.join(" ")].join(" ");
    let word = word_heard(&said, &spelling.heard, &spelling.asked)?;
    // "café" is found by "cafe" as it is.
    (terms(word) != terms(&spelling.asked)).then(|| word.to_owned())
}
