//! Sentences about servers that failed, for remote callers: without where those servers are.

/// The sentence without addresses of the web and the "at" before them; the log has them.
#[must_use]
pub fn without_addresses(sentence: &str) -> String {
    if !sentence.contains("://") {
        return sentence.to_owned();
    }
    let mut kept: Vec<String> = Vec::new();
    for word in sentence.split(' ') {
        if !word.contains("://") {
            kept.push(word.to_owned());
            continue;
        }
        if kept.last().is_some_and(|before| before == "at") {
            kept.pop();
        }
        // What ends a clause still ends it.
        let end = word.trim_start_matches(|c: char| !matches!(c, ',' | ';' | ')' | '"'));
        let end = if end.is_empty() { word.rsplit(|c| c != ':' && c != '.').next().unwrap_or_default() } else { end };
        if let Some(before) = kept.last_mut() {
            before.push_str(end);
        }
    }
    kept.join(" ")
}

#[cfg(test)]
mod tests {
    use super::without_addresses;

    #[test]
    fn a_sentence_stays_one_without_its_addresses() {
        let cases = [
            ("the server at http://10.0.0.5:8000/v1 cannot be reached", "the server cannot be reached"),
            ("it failed, see https://a.example/x, twice", "it failed, see, twice"),
            ("Skosmos at http://skos.local/rest/v1: it is late", "Skosmos: it is late"),
            ("nothing to hide at noon", "nothing to hide at noon"),
            ("http://a.example", ""),
        ];
        for (given, expected) in cases {
            assert_eq!(without_addresses(given), expected, "{given}");
        }
    }
}
