//! What a site says programs may read (robots.txt, RFC 9309).

use std::time::Duration;

/// How much of the file is read: lines, and characters of one rule.
const LINES_MAX: usize = 10_000;
const RULE_CHARS_MAX: usize = 1_000;
/// The longest wait between two pages that a site can ask for.
const DELAY_MAX: Duration = Duration::from_secs(30);
/// What this program is called there.
const OWN_NAME: &str = "vouch";

/// The rules for this program.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Robots {
    /// Patterns of paths, and whether they may be read.
    rules: Vec<(String, bool)>,
    pub(super) delay: Duration,
}

impl Robots {
    /// Reads the group that names this program, or else the one for all.
    pub(super) fn parse(text: &str) -> Self {
        let (mut own, mut of_all) = (None, None);
        let mut names: Vec<String> = Vec::new();
        let mut is_naming = false;
        for line in text.lines().take(LINES_MAX) {
            let line = line.split('#').next().unwrap_or_default();
            let Some((key, value)) = line.split_once(':') else { continue };
            let (key, value) = (key.trim().to_ascii_lowercase(), value.trim());
            if key == "user-agent" {
                if !is_naming {
                    names.clear();
                }
                is_naming = true;
                names.push(value.to_ascii_lowercase());
            } else {
                is_naming = false;
            }
            for name in &names {
                let group = match name.as_str() {
                    OWN_NAME => &mut own,
                    "*" => &mut of_all,
                    _ => continue,
                };
                group.get_or_insert_with(Self::default).add(&key, value);
            }
        }
        own.or(of_all).unwrap_or_default()
    }

    fn add(&mut self, key: &str, value: &str) {
        let is_rule = !value.is_empty() && value.len() <= RULE_CHARS_MAX;
        match key {
            "allow" if is_rule => self.rules.push((value.to_owned(), true)),
            "disallow" if is_rule => self.rules.push((value.to_owned(), false)),
            "crawl-delay" => {
                let seconds = value.parse::<f64>().ok().filter(|seconds| *seconds >= 0.0);
                let delay = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
                self.delay = delay.unwrap_or_default().min(DELAY_MAX);
            }
            _ => {}
        }
    }

    /// Whether a path may be read: the longest rule that fits says so, and of two equally long ones the kinder.
    pub(super) fn allows(&self, path: &str) -> bool {
        let fitting = self.rules.iter().filter(|(pattern, _)| fits(pattern, path));
        fitting
            .max_by_key(|(pattern, is_allowed)| (pattern.len(), *is_allowed))
            .is_none_or(|(_, is_allowed)| *is_allowed)
    }
}

/// Whether a path begins like a pattern, in which `*` stands for anything and a last `$` for the end.
fn fits(pattern: &str, path: &str) -> bool {
    let (pattern, is_whole) = pattern.strip_suffix('$').map_or((pattern, false), |pattern| (pattern, true));
    let mut parts = pattern.split('*');
    let Some(mut rest) = path.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return !is_whole || rest.is_empty();
    }
    // The first place that fits leaves the most for the parts that follow; only the last must stand at the end.
    while let Some(part) = parts.next() {
        if is_whole && parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some((_, after)) =
            rest.split_once(part).filter(|_| !part.is_empty()).or(part.is_empty().then_some(("", rest)))
        else {
            return false;
        };
        rest = after;
    }
    true
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Robots, fits};

    #[test]
    fn patterns_fit_as_the_standard_says() {
        for (pattern, path, is_fit) in [
            ("/a", "/a", true),
            ("/a", "/ab/c", true),
            ("/a", "/b", false),
            ("/a$", "/ab", false),
            ("/a$", "/a", true),
            ("/*.pdf", "/x/y.pdf", true),
            ("/*.pdf$", "/y.pdf?x", false),
            ("/*.pdf$", "/a.pdf/b.pdf", true),
            ("/a*b*c", "/a-b-c-d", true),
            ("/a*b*c", "/a-c-b", false),
            ("*", "/any", true),
            ("/a*", "/a", true),
            ("/a*$", "/abc", true),
        ] {
            assert_eq!(fits(pattern, path), is_fit, "{pattern} {path}");
        }
    }

    #[test]
    fn the_group_of_this_program_counts_before_the_one_for_all() {
        let text = "User-agent: other\nUser-agent: *\nDisallow: /private\nAllow: /private/open # but this\nCrawl-delay: 2\n\n\
                    User-agent: vouch\nDisallow: /own\n";
        let own = Robots::parse(text);
        assert!(own.allows("/private") && !own.allows("/own/x"));
        assert_eq!(own.delay, Duration::ZERO);
        let all = Robots::parse(text.split("User-agent: vouch").next().unwrap_or_default());
        assert!(!all.allows("/private/x") && all.allows("/private/open/x") && all.allows("/other"));
        assert_eq!(all.delay, Duration::from_secs(2));
        assert!(Robots::parse("no rules at all").allows("/"));
        assert!(Robots::parse("Disallow: /\n").allows("/x"), "a rule of nobody's");
        assert!(!Robots::parse("user-agent:*\ndisallow:/").allows("/x"));
        assert_eq!(Robots::parse("User-agent: *\nCrawl-delay: 1e300").delay, Duration::ZERO);
    }
}
