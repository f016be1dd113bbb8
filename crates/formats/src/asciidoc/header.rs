//! The lines around the title of a text → what it says of itself: its attributes, its title, its revision.

use super::{
    blocks::Blocks,
    inline::{VALUE_BYTES_MAX, plain},
    line_marks::{Fence, attribute, fence, is_anchor, is_block_attributes, is_silent_macro, section, underlined},
};

impl<'a> Blocks<'_, 'a> {
    /// Reads a whole text, with what stands below its title.
    pub(super) fn document(&mut self, lines: &[&'a str]) {
        let mut at = self.above_title(lines);
        let (first, next) =
            (lines.get(at).copied().unwrap_or_default(), lines.get(at + 1).copied().unwrap_or_default());
        let is_underlined = underlined(first, next) == Some(1);
        if is_underlined || section(first).is_some_and(|(level, _)| level == 1) {
            let title = if is_underlined { first } else { first.get(2..).unwrap_or_default() };
            let title = plain(title.trim(), &self.names).0;
            self.out.heading(1, &title);
            self.names.attributes.entry("doctitle".to_owned()).or_insert(title);
            at += 1 + usize::from(is_underlined);
            at += self.header(lines.get(at..).unwrap_or_default());
        }
        self.read(lines.get(at..).unwrap_or_default(), 0);
    }

    /// Reads what stands above a title; answers where that is, or where the text begins that has none. What is said there of
    /// the block below is said of the title.
    fn above_title(&mut self, lines: &[&'a str]) -> usize {
        let (mut at, mut text_at) = (0, None);
        while let Some(line) = lines.get(at) {
            if let Some((name, value)) = attribute(line) {
                at += self.attribute(lines.get(at..).unwrap_or_default(), name, value);
                continue;
            }
            if fence(line) == Some(Fence::Comment) {
                let inside = lines.get(at + 1..).unwrap_or_default().iter().take_while(|inside| *inside != line);
                at += inside.count() + 2;
                continue;
            }
            let is_comment = line.starts_with("//");
            let is_said_of_title = is_block_attributes(line) || is_anchor(line) || is_silent_macro(line);
            if !(line.is_empty() || is_comment || is_said_of_title) {
                break;
            }
            text_at = text_at.or_else(|| is_said_of_title.then_some(at));
            at += 1;
        }
        let next = lines.get(at + 1).copied().unwrap_or_default();
        let is_title = lines.get(at).is_some_and(|line| {
            section(line).is_some_and(|(level, _)| level == 1) || underlined(line, next) == Some(1)
        });
        text_at.filter(|_| !is_title).unwrap_or(at)
    }

    /// The lines right below the title: who wrote it, which revision it is, attributes.
    fn header(&mut self, lines: &[&'a str]) -> usize {
        let (mut at, mut plain_lines) = (0, 0);
        while let Some(line) = lines.get(at).filter(|line| !line.is_empty()) {
            if let Some((name, value)) = attribute(line) {
                at += self.attribute(lines.get(at..).unwrap_or_default(), name, value);
                continue;
            }
            if !(line.starts_with("//") || is_silent_macro(line)) {
                plain_lines += 1;
                match plain_lines {
                    1 => self.words(line),
                    2 if line.contains(|c: char| c.is_ascii_digit()) => self.revision(line),
                    _ => return at,
                }
            }
            at += 1;
        }
        at
    }

    /// `v1.0, 2026-01-31: remark`.
    fn revision(&mut self, line: &str) {
        let line = line.split(": ").next().unwrap_or_default();
        let (version, date) =
            line.split_once(',').unwrap_or(if line.starts_with('v') { (line, "") } else { ("", line) });
        let version = version.trim().trim_start_matches(|c: char| c.is_alphabetic());
        for (name, value) in [("revnumber", version), ("revdate", date.trim())] {
            self.names.attributes.entry(name.to_owned()).or_insert_with(|| value.to_owned());
        }
    }

    /// Takes note of an attribute; answers how many lines it has.
    pub(super) fn attribute(&mut self, lines: &[&str], name: &str, value: Option<&str>) -> usize {
        let name = name.to_lowercase();
        let Some(value) = value else {
            self.names.attributes.remove(&name);
            return 1;
        };
        let mut whole = value.trim_end_matches('\\').trim_end().to_owned();
        let mut taken = 1;
        while lines.get(taken - 1).is_some_and(|line| line.ends_with(" \\")) {
            let Some(more) = lines.get(taken) else { break };
            whole.push(' ');
            whole.push_str(more.trim_end_matches('\\').trim());
            taken += 1;
        }
        if whole.len() <= VALUE_BYTES_MAX {
            let whole = plain(&whole, &self.names).0;
            self.names.attributes.insert(name, whole);
        }
        taken
    }
}
