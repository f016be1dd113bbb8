//! Which links of documents are shown to people: those of the web, and relative ones, which stay on the host they are shown by.
//!
//! Invariant: no link that is let through makes whoever follows it run anything (`javascript:`, `data:`) or open anything of
//! their own machine (`file:`).

/// The schemes a link may have.
const SCHEMES: [&str; 2] = ["http", "https"];

/// The link where it may be shown: an address of the web, or a relative one, without a scheme and without a host.
#[must_use]
pub fn web_url(url: &str) -> Option<&str> {
    // Readers of links drop controls and spaces before they look for a scheme, so none may be there.
    let is_plain = !url.is_empty() && !url.chars().any(|c| c.is_control() || c.is_whitespace() || c == '\\');
    let is_shown = match scheme(url) {
        Some((scheme, rest)) => rest.starts_with("//") && SCHEMES.iter().any(|own| scheme.eq_ignore_ascii_case(own)),
        // Two slashes begin the name of another host.
        None => !url.starts_with("//"),
    };
    (is_plain && is_shown).then_some(url)
}

/// What stands before and after the first colon, unless a path, a query or a fragment has begun by then.
fn scheme(url: &str) -> Option<(&str, &str)> {
    let (before, after) = url.split_once(':')?;
    (!before.contains(['/', '?', '#'])).then_some((before, after))
}

#[cfg(test)]
mod tests {
    use super::web_url;

    #[test]
    fn links_of_the_web_are_shown_and_others_are_not() {
        for shown in [
            "https://wiki.example/leave?x=1#t=4",
            "HTTP://wiki.example",
            "https://video.example/{t}",
            "docs/leave.md",
            "/docs/leave:final.md",
            "leave.md#a:b",
            "?a:b",
        ] {
            assert_eq!(web_url(shown), Some(shown));
        }
        for hidden in [
            "",
            "javascript:alert(1)",
            "JaVaScRiPt:alert(1)",
            " javascript:alert(1)",
            "\u{1}javascript:alert(1)",
            "java\nscript:alert(1)",
            "java\tscript:alert(1)",
            "data:text/html,<script>",
            "vbscript:x",
            "file:///etc/passwd",
            "blob:https://a",
            "mailto:a@b.example",
            "a b",
            "\\\\host\\share",
            ":alert(1)",
            "javascript\u{3a}alert(1)",
            "http\u{a0}://a.example",
            "//evil.example/x",
            "///evil.example/x",
            "http:x",
            "https:/evil.example",
            "HTTPS:evil.example",
        ] {
            assert_eq!(web_url(hidden), None, "{hidden:?}");
        }
    }
}
