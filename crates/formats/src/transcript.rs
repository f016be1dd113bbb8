//! SubRip or WebVTT → a document of spoken text that knows when each word is said.
//!
//! What it says of itself stands between two lines of dashes: at the top of a SubRip file, in a NOTE of a WebVTT one.

use vouch_domain::{Document, Section, TimeMark, ports::ParseError};

use crate::{
    fault::whole,
    front_matter::{self, FrontMatter},
    origin::{Origin, checked},
};

/// A silence this long, in milliseconds, ends a paragraph.
const PARAGRAPH_GAP_MS: u64 = 2_000;
/// How much of a line that holds no time is shown.
const TIME_CHARS_SHOWN: usize = 100;

struct Cue {
    start_ms: u64,
    end_ms: u64,
    text: String,
}

pub(super) fn parse(text: &str, origin: &Origin<'_>) -> Result<Document, ParseError> {
    let (own, body) = front_matter::split(text, origin.access_from)?;
    let mut own = note(body, origin.access_from)?.unwrap_or(own);
    let warnings = std::mem::take(&mut own.warnings);
    // Lines are counted from the top of the file, front matter included.
    let skipped = text.get(..text.len() - body.len()).map_or(0, |front| front.lines().count());
    let cues = cues(body, skipped)?;
    if cues.is_empty() {
        return Err(whole("it contains no timed text"));
    }
    let (card, states_access) = origin.card(own, None)?;
    let (text, times) = joined(&cues);
    let sections = vec![Section { path: [].into(), start: 0, end: text.len() }];
    checked(Document { card, text, sections, times, pages: Vec::new(), states_access, warnings })
}

/// The front matter in the first NOTE that holds one.
fn note(body: &str, access_from: &[String]) -> Result<Option<FrontMatter>, ParseError> {
    for (at, line) in body.match_indices("NOTE") {
        let begins_line = body.get(..at).is_some_and(|before| before.is_empty() || before.ends_with('\n'));
        let note = body.get(at + line.len()..).unwrap_or_default().trim_start();
        if begins_line && note.starts_with("---") {
            return Ok(Some(front_matter::split(note, access_from)?.0));
        }
    }
    Ok(None)
}

fn cues(body: &str, skipped: usize) -> Result<Vec<Cue>, ParseError> {
    let mut cues: Vec<Cue> = Vec::new();
    let mut lines = (skipped + 1..).zip(body.lines());
    while let Some((number, line)) = lines.next() {
        let Some((start, rest)) = line.split_once("-->") else { continue };
        let end = rest.split_whitespace().next().unwrap_or_default();
        let unread = || ParseError {
            place: format!("line {number}"),
            sentence: format!(
                "its time cannot be read: '{}'",
                line.trim().chars().take(TIME_CHARS_SHOWN).collect::<String>()
            ),
        };
        let (start_ms, end_ms) =
            (milliseconds(start.trim()).ok_or_else(unread)?, milliseconds(end).ok_or_else(unread)?);
        let said: Vec<&str> = lines.by_ref().map(|(_, line)| line.trim()).take_while(|line| !line.is_empty()).collect();
        let text = plain(&said.join(" "));
        // Captions that roll up the screen say the same line twice.
        let is_repeated = cues.last().is_some_and(|before| before.text == text);
        if !text.is_empty() && !is_repeated {
            cues.push(Cue { start_ms, end_ms, text });
        }
    }
    Ok(cues)
}

/// `01:02:03,456`, `02:03.456` and the like.
fn milliseconds(time: &str) -> Option<u64> {
    let (clock, fraction) = time.split_once([',', '.']).unwrap_or((time, "0"));
    let mut seconds: u64 = 0;
    let parts: Vec<&str> = clock.split(':').take(4).collect();
    if !(2..=3).contains(&parts.len()) {
        return None;
    }
    for part in parts {
        let value: u64 = part.parse().ok()?;
        seconds = seconds.checked_mul(60)?.checked_add(value)?;
    }
    let thousandths: u64 = format!("{fraction:0<3}").get(..3)?.parse().ok()?;
    seconds.checked_mul(1_000)?.checked_add(thousandths)
}

/// Words without the marks of a player.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut closing: Option<char> = None;
    for c in text.chars() {
        match (closing, c) {
            (Some(end), c) if c == end => closing = None,
            (Some(_), _) => {}
            (None, '<') => closing = Some('>'),
            (None, '{') => closing = Some('}'),
            (None, c) => plain.push(c),
        }
    }
    let plain = plain.replace("&nbsp;", " ").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn joined(cues: &[Cue]) -> (String, Vec<TimeMark>) {
    let (mut text, mut characters) = (String::new(), 0);
    let mut times = Vec::with_capacity(cues.len());
    let mut spoken_until = 0;
    for cue in cues {
        if !text.is_empty() {
            let gap = if cue.start_ms.saturating_sub(spoken_until) >= PARAGRAPH_GAP_MS { "\n\n" } else { " " };
            text.push_str(gap);
            characters += gap.len();
        }
        let seconds = u32::try_from(cue.start_ms / 1_000).unwrap_or(u32::MAX);
        times.push(TimeMark { at: characters, seconds });
        text.push_str(&cue.text);
        characters += cue.text.chars().count();
        spoken_until = cue.end_ms;
    }
    (text, times)
}

#[cfg(test)]
mod tests {
    use super::{milliseconds, plain};

    #[test]
    fn times_of_both_forms() {
        assert_eq!(milliseconds("00:12:34,500"), Some(754_500));
        assert_eq!(milliseconds("12:34.5"), Some(754_500));
        assert_eq!(milliseconds("01:00:00"), Some(3_600_000));
        for bad in ["", "12", "a:b:c", "00:00:-1,0", "1:2:3:4", "99999999999999999999:00"] {
            assert_eq!(milliseconds(bad), None, "{bad}");
        }
    }

    #[test]
    fn marks_of_a_player_are_not_words() {
        assert_eq!(plain("<v Maren>Good <i>evening</i>, {\\an8}all &amp; sundry"), "Good evening, all & sundry");
    }
}
