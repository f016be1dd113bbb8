//! What a file's own properties say → what a card takes of it.

use crate::{front_matter::FrontMatter, manuscript::joined};

/// What programs write where nobody gave a title.
const NO_TITLES: &[&str] = &[
    "untitled",
    "untitled document",
    "document",
    "document1",
    "presentation",
    "powerpoint presentation",
    "pptx presentation",
    "powerpoint-präsentation",
    "présentation powerpoint",
    "presentación de powerpoint",
    "slide 1",
    "book1",
    "workbook",
    "title",
    "word document",
];
/// Endings of files: a title with one is the name of a file that was printed or converted.
const ENDINGS: &[&str] = &[
    "doc", "docx", "docm", "dot", "dotx", "odt", "rtf", "ppt", "pptx", "odp", "xls", "xlsx", "ods", "pdf", "txt", "md",
    "tex", "html",
];
const TITLE_CHARS_MAX: usize = 300;

/// The title and the day of the last change, where they are real ones.
pub(crate) fn front_matter(title: Option<&str>, modified: Option<&str>) -> FrontMatter {
    FrontMatter { title: title.and_then(real_title), date: modified.and_then(day), ..FrontMatter::default() }
}

/// The title, unless a program put it there.
pub(crate) fn real_title(title: &str) -> Option<String> {
    let title = joined(title);
    let lower = title.to_lowercase();
    let is_file = lower.rsplit_once('.').is_some_and(|(_, ending)| ENDINGS.contains(&ending));
    let is_made = lower.starts_with("microsoft word - ") || lower.starts_with("microsoft powerpoint - ");
    let has_words = title.chars().any(char::is_alphanumeric);
    let is_real = has_words && !is_file && !is_made && !NO_TITLES.contains(&lower.as_str());
    (is_real && title.chars().nth(TITLE_CHARS_MAX).is_none()).then_some(title)
}

/// The day of a date and time as XML has them, such as `2026-03-04T09:30:00Z`.
pub(crate) fn day(time: &str) -> Option<String> {
    let day = time.trim().get(..10)?;
    let mut parts =
        day.split('-').map(|part| part.parse::<u32>().ok().filter(|_| part.bytes().all(|b| b.is_ascii_digit())));
    let (year, month, date) = (parts.next()??, parts.next()??, parts.next()??);
    let is_day = (1..=12).contains(&month) && (1..=31).contains(&date) && (1900..=9999).contains(&year);
    let is_apart = time.trim().get(10..).is_none_or(|rest| rest.is_empty() || rest.starts_with(['T', ' ']));
    (is_day && is_apart && parts.next().is_none()).then(|| day.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{day, real_title};

    #[test]
    fn titles_that_programs_made_up_are_none() {
        for made in ["Microsoft Word - Plan.doc", "untitled", "PowerPoint Presentation", "report.final.DOCX", " – "] {
            assert_eq!(real_title(made), None, "{made}");
        }
        assert_eq!(real_title("  Plan \n 2026 v1.2 ").as_deref(), Some("Plan 2026 v1.2"));
    }

    #[test]
    fn a_day_is_one_of_the_calendar() {
        assert_eq!(day("2026-03-04T09:30:00Z").as_deref(), Some("2026-03-04"));
        for bad in ["2026-13-04", "0000-00-00", "2026-3-4", "yesterday!", "2026-03-041", "+026-03-04"] {
            assert_eq!(day(bad), None, "{bad}");
        }
    }
}
