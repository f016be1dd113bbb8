//! A summary → the same without what is only said to be polite: "Sure!", "Yes,", "I'm sorry to say that", "Let me know if you have any
//! other questions."
//!
//! Invariant: what is cut away holds no value of the output, and what is left is held against the output; nothing polite is
//! shown that was not read. A "yes" answers a question that the output does not know, so it is cut as well.

use vouch_domain::language::sentence_ranges;

/// Words that a polite opening begins with, and those it goes on with.
const OPENS: &[&str] = &[
    "absolutely",
    "all",
    "alright",
    "certainly",
    "dear",
    "done",
    "good",
    "got",
    "great",
    "happy",
    "hello",
    "here",
    "here's",
    "hi",
    "i",
    "i'm",
    "i've",
    "indeed",
    "no",
    "of",
    "ok",
    "okay",
    "right",
    "sorry",
    "sure",
    "thank",
    "thanks",
    "that's",
    "unfortunately",
    "yes",
];
const OPENING: &[&str] = &[
    "a", "account", "afraid", "all", "an", "are", "asking", "at", "can", "checked", "checking", "course", "customer",
    "details", "find", "for", "found", "getting", "good", "had", "have", "help", "here", "in", "into", "is", "it",
    "just", "look", "looked", "news", "out", "overview", "patience", "problem", "quick", "reaching", "record",
    "records", "right", "say", "summary", "tell", "that", "the", "there", "thing", "this", "to", "touch", "up",
    "waiting", "what", "with", "you", "your",
];
/// Openings that need no pause behind them.
const LEADS: &[&str] = &[
    "good news",
    "i am sorry to say that",
    "i can confirm",
    "i can confirm that",
    "i can see that",
    "i can tell you that",
    "i see that",
    "i'm afraid",
    "i'm afraid that",
    "i'm sorry to say",
    "i'm sorry to say that",
    "it looks like",
    "sorry to say",
    "sorry to say but",
    "unfortunately",
];
/// How a polite closing begins, and all the words it may have.
const CLOSES: &[&str] = &[
    "anything else",
    "can i help",
    "do you",
    "don't hesitate",
    "feel free",
    "glad",
    "happy to help",
    "have a",
    "hope",
    "i can look",
    "i hope",
    "i'm happy to",
    "i'm here",
    "if anything",
    "if there is",
    "if there's",
    "if you",
    "is there anything",
    "just ask",
    "just let me know",
    "let me know",
    "need anything",
    "please don't hesitate",
    "please feel free",
    "please let me know",
    "please reach out",
    "would you like",
];
const CLOSING: &[&str] = &[
    "a",
    "about",
    "account",
    "additional",
    "again",
    "an",
    "and",
    "another",
    "any",
    "anything",
    "anytime",
    "are",
    "as",
    "ask",
    "assist",
    "assistance",
    "at",
    "back",
    "bill",
    "can",
    "check",
    "contact",
    "day",
    "details",
    "do",
    "don't",
    "else",
    "feel",
    "for",
    "free",
    "further",
    "get",
    "glad",
    "go",
    "good",
    "great",
    "happy",
    "have",
    "help",
    "helps",
    "here",
    "hesitate",
    "hope",
    "i",
    "i'm",
    "if",
    "in",
    "invoice",
    "invoices",
    "is",
    "it",
    "just",
    "know",
    "let",
    "like",
    "look",
    "me",
    "more",
    "need",
    "nice",
    "or",
    "other",
    "others",
    "out",
    "plan",
    "please",
    "question",
    "questions",
    "reach",
    "see",
    "something",
    "that",
    "the",
    "there",
    "there's",
    "this",
    "through",
    "time",
    "to",
    "today",
    "touch",
    "up",
    "us",
    "want",
    "we",
    "we're",
    "well",
    "with",
    "would",
    "you",
    "you'd",
    "your",
];

/// How many sentences of a line may be its polite end.
const SENTENCES_MAX: usize = 8;

/// A summary without its courtesies; empty where it is nothing else.
pub(super) fn without_courtesies(summary: &str) -> String {
    let lines = summary.lines().map(|line| {
        let line = line.get(..closing_start(line)).unwrap_or(line);
        let starts = sentence_ranges(line).into_iter().map(|range| range.start).skip(1);
        let cuts: Vec<usize> = std::iter::once(0).chain(starts).chain([line.len()]).collect();
        let sentences = cuts.iter().zip(cuts.iter().skip(1)).filter_map(|(from, to)| line.get(*from..*to));
        sentences.map(without_opening).collect::<String>().trim_end().to_owned()
    });
    let kept: Vec<String> = lines.collect();
    kept.join("\n").trim().to_owned()
}

/// Its words, lower case, with straight apostrophes.
fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase().replace('’', "'");
    let is_of_word = |c: char| c.is_alphanumeric() || c == '\'';
    lower.split(|c: char| !is_of_word(c)).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Where the polite end of a line begins; its length where it has none. Few sentences are looked at, from the last on.
fn closing_start(line: &str) -> usize {
    let ends = line.match_indices(['.', '!', '?']).map(|(at, sign)| at + sign.len());
    let starts: Vec<usize> = std::iter::once(0).chain(ends).collect();
    let mut start = line.len();
    for from in starts.into_iter().rev().take(SENTENCES_MAX) {
        let Some(text) = line.get(from..start) else { break };
        if text.trim().is_empty() {
            continue;
        }
        if !is_closing(text) {
            break;
        }
        start = from;
    }
    start
}

fn is_closing(sentence: &str) -> bool {
    let words = words(sentence);
    let said = words.join(" ");
    let is_begun = CLOSES
        .iter()
        .any(|opening| said.strip_prefix(opening).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric)));
    is_begun && words.iter().all(|word| CLOSING.contains(&word.as_str()))
}

/// A sentence without its polite opening, its first letter large again; none of it where it is nothing else.
fn without_opening(sentence: &str) -> String {
    let mut rest = sentence;
    // "Sure! Yes," are two.
    for _ in 0..3 {
        let Some(shorter) = behind_lead(rest).or_else(|| behind_pause(rest)) else { break };
        rest = shorter;
    }
    if rest.len() == sentence.len() {
        return sentence.to_owned();
    }
    let rest = ["but ", "and "].into_iter().find_map(|word| rest.strip_prefix(word)).unwrap_or(rest);
    let first_word = rest.split(' ').next().unwrap_or_default();
    if first_word.contains(|c: char| c.is_ascii_digit() || c == '-' || c == '_') {
        return rest.to_owned();
    }
    let mut letters = rest.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// What stands behind a lead.
fn behind_lead(sentence: &str) -> Option<&str> {
    let plain = sentence.to_lowercase().replace('’', "'");
    let leads = LEADS.iter().filter(|lead| {
        plain.strip_prefix(**lead).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '\''))
    });
    let lead = leads.max_by_key(|lead| lead.len())?;
    // Counted in letters: an apostrophe may be several bytes long.
    let (at, _) = sentence.char_indices().nth(lead.chars().count())?;
    Some(sentence.get(at..)?.trim_start_matches([' ', ',', ':', '!', '–', '—', '-']))
}

/// What stands behind the first pause, where all before it is an opening.
fn behind_pause(sentence: &str) -> Option<&str> {
    let at = sentence.find([',', ':', '!', '.', ';', '–', '—'])?;
    let opening = words(sentence.get(..at)?);
    let (first, others) = opening.split_first()?;
    let is_of_opening = |word: &String| OPENING.contains(&word.as_str()) || OPENS.contains(&word.as_str());
    if !OPENS.contains(&first.as_str()) || !others.iter().all(is_of_opening) {
        return None;
    }
    Some(sentence.get(at..)?.trim_start_matches([',', ':', '!', '.', ';', '–', '—', ' ']))
}

#[cfg(test)]
mod tests {
    use super::without_courtesies;

    #[test]
    fn courtesies_are_cut_and_nothing_else_is() {
        let cut = [
            ("Sure! Your plan is M.", "Your plan is M."),
            ("Yes, your plan is active.", "Your plan is active."),
            ("I’m sorry to say that invoice INV-1 is overdue.", "Invoice INV-1 is overdue."),
            ("I'm sorry, but case R1 was declined.", "Case R1 was declined."),
            ("Here's what I found:\n- INV-1: PLN 29.00", "- INV-1: PLN 29.00"),
            ("Your plan is M. Is there anything else I can help you with?", "Your plan is M."),
            ("Your plan is M. Let me know if you have any other questions.", "Your plan is M."),
            ("Thanks for your patience! It is paid.", "It is paid."),
            ("Of course!", ""),
            ("Sure, u-1007 is on M.", "u-1007 is on M."),
        ];
        for (said, left) in cut {
            assert_eq!(without_courtesies(said), left);
        }
        let kept = [
            "Your plan is M.",
            "Let me know if you want the refund of PLN 20.",
            "If you pay by Friday, nothing is due.",
            "Of your three invoices, one is open.",
            "Good customers pay PLN 20, and you do.",
            "No invoice is open.",
            "I refunded it, and all is well.",
        ];
        for said in kept {
            assert_eq!(without_courtesies(said), said);
        }
    }
}
