//! Words of the question that stand nowhere → the documents' words they are most likely meant for.

use vouch_domain::{PassageKey, PortError, Reader, language::terms};

use super::{RetrievePorts, within};
use crate::{
    policy::RetrievePolicy,
    understand::{Respelling, Understanding},
};

/// Reads unknown words as known ones, in the spelling of a document the reader may see.
///
/// # Errors
/// Fails where the words or the passages cannot be looked up.
pub async fn respellings(
    understanding: &Understanding,
    reader: &Reader,
    ports: &RetrievePorts,
    policy: &RetrievePolicy,
) -> Result<Vec<Respelling>, PortError> {
    let asked = ports.lexical.spellings(reader, understanding.asked());
    let spellings = within(policy, "lexical", asked).await?;
    if spellings.is_empty() {
        return Ok(Vec::new());
    }
    let holders: Vec<PassageKey> = spellings.iter().map(|spelling| spelling.holder).collect();
    let passages = within(policy, "catalogue", ports.catalogue.passages(reader, &holders)).await?;
    let mut respelt = Vec::new();
    for spelling in spellings {
        let holder = passages.iter().find(|passage| passage.key == spelling.holder);
        let Some(holder) = holder else { continue };
        let said = [holder.passage.text.as_str(), holder.document.title.as_str()].join(" ");
        let headings = holder.passage.section.join(" ");
        let mut words = said.split_whitespace().chain(headings.split_whitespace());
        let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
        let written = words.find(|word| terms(word).contains(&spelling.term)).map(bare);
        respelt.extend(written.map(|written| Respelling {
            asked: spelling.asked,
            written,
            is_same_sound: spelling.is_same_sound,
        }));
    }
    Ok(respelt)
}
