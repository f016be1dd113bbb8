//! The tag of a language as people write it → one spelling of it.

/// The longest tag that is taken.
const TAG_BYTES_MAX: usize = 35;

/// `en`, `pt-br`: a tag in lower case; none if it is no tag.
#[must_use]
pub fn language_tag(text: &str) -> Option<String> {
    let tag = text.trim().replace('_', "-").to_ascii_lowercase();
    let is_part = |part: &str| (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let mut parts = tag.split('-');
    let is_language = |part: &str| (2..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_tag = tag.len() <= TAG_BYTES_MAX && parts.next().is_some_and(is_language) && parts.all(is_part);
    is_tag.then_some(tag)
}

/// A tag and what it is a variety of: `pt-br`, then `pt`.
#[must_use]
pub fn with_parents(tag: &str) -> Vec<String> {
    let ends = tag.match_indices('-').map(|(at, _)| at).chain([tag.len()]);
    let mut tags: Vec<String> = ends.filter_map(|end| tag.get(..end)).map(str::to_owned).collect();
    tags.reverse();
    tags
}

#[cfg(test)]
mod tests {
    use super::{language_tag, with_parents};

    #[test]
    fn tags_have_one_spelling() {
        assert_eq!(language_tag(" NL "), Some("nl".to_owned()));
        assert_eq!(language_tag("pt_BR"), Some("pt-br".to_owned()));
        for text in ["", "e", "english", "en-", "de; drop", "n1", "en--gb"] {
            assert_eq!(language_tag(text), None, "{text}");
        }
        assert_eq!(with_parents("zh-hant-tw"), ["zh-hant-tw", "zh-hant", "zh"]);
    }
}
