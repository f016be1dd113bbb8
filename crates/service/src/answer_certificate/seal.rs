//! A certificate → its file with the digest as the last word, and a file → whether the digest fits.
//!
//! The digest is of the words of the file and not of the white space between them, so that an editor that sets lines anew
//! raises no alarm. Nothing is read and written again for it, which might change a figure.

use super::{AnswerCertificate, Digest};

const EMPTY: &str = r#","digest":""}"#;

impl AnswerCertificate {
    /// The text of the file, with its digest.
    ///
    /// # Errors
    /// Fails on a figure that cannot be written.
    pub fn sealed(&self, digest: Digest) -> Result<String, serde_json::Error> {
        let open = Self { digest: String::new(), ..self.clone() };
        let digest = digest(&serde_json::to_string(&open)?);
        Ok(serde_json::to_string_pretty(&Self { digest, ..open })? + "\n")
    }

    /// Whether the text it was read from is as it was written.
    #[must_use]
    pub fn is_whole(&self, text: &str, digest: Digest) -> bool {
        let words = without_white_space(text);
        let rest = words.strip_suffix(&format!(r#","digest":"{}"}}"#, self.digest));
        rest.is_some_and(|rest| digest(&format!("{rest}{EMPTY}")) == self.digest)
    }
}

/// JSON without what stands between its words.
fn without_white_space(json: &str) -> String {
    let (mut is_text, mut is_escaped) = (false, false);
    let is_kept = |sign: &char| {
        let is_kept = is_text || !matches!(sign, ' ' | '\n' | '\r' | '\t');
        if *sign == '"' && !is_escaped {
            is_text = !is_text;
        }
        is_escaped = is_text && *sign == '\\' && !is_escaped;
        is_kept
    };
    json.chars().filter(is_kept).collect()
}

#[cfg(test)]
mod tests {
    use super::without_white_space;

    #[test]
    fn only_what_stands_between_the_words_is_left_out() {
        let value = serde_json::json!({ "a b": [1.5, null, " \" \\", "\n}", "\\"], "c": { " ": true } });
        let pretty = serde_json::to_string_pretty(&value).expect("JSON");
        assert_eq!(without_white_space(&pretty.replace('\n', "\r\n")), value.to_string());
    }
}
