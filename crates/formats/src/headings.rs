//! The headings of a Markdown text.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use vouch_domain::ports::ParseError;

use crate::{outline::Heading, tables};

pub(super) fn headings(body: &str) -> Result<Vec<Heading>, ParseError> {
    tables::check(body)?;
    let mut found: Vec<Heading> = Vec::new();
    let mut is_inside = false;
    for (event, range) in Parser::new_ext(body, Options::ENABLE_TABLES).into_offset_iter() {
        #[expect(clippy::wildcard_enum_match_arm, reason = "a foreign enum of which only headings matter")]
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                is_inside = true;
                found.push(Heading { level: depth(level), title: String::new(), start: range.start, end: range.end });
            }
            Event::End(TagEnd::Heading(_)) => {
                is_inside = false;
                // What a template would put there is not known: such a heading names nothing.
                if let Some(heading) = found.last_mut().filter(|heading| is_template(&heading.title)) {
                    heading.title.clear();
                }
            }
            Event::Text(text) | Event::Code(text) if is_inside => {
                if let Some(heading) = found.last_mut() {
                    heading.title.push_str(&text);
                }
            }
            _ => {}
        }
    }
    Ok(found)
}

/// Whether a title is one tag of a template and nothing else, such as `<%= page.title %>` or `{{ title }}`.
fn is_template(title: &str) -> bool {
    let title = title.trim();
    let is_within = |(first, last): &(&str, &str)| {
        let inside = title.strip_prefix(first).and_then(|rest| rest.strip_suffix(last));
        inside.is_some_and(|inside| !inside.contains(last))
    };
    [("<%", "%>"), ("{{", "}}"), ("{%", "%}")].iter().any(is_within)
}

pub(super) fn depth(level: HeadingLevel) -> usize {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

#[cfg(test)]
mod tests {
    use super::headings;

    #[test]
    fn a_heading_that_a_template_would_fill_names_nothing() {
        let text =
            "# <%= current_page.data.title %>\n\n## {{ page.title }}\n\n## {% title %}\n\n## Part {{ n }} of {{ m }}\n";
        let found = headings(text).expect("the headings are read");
        let titles: Vec<&str> = found.iter().map(|heading| heading.title.as_str()).collect();
        assert_eq!(titles, ["", "", "", "Part {{ n }} of {{ m }}"]);
    }
}
