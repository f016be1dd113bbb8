//! What was proposed, as an answer may repeat it: its words, its verbs, its values and its times.

use std::collections::BTreeSet;

use vouch_domain::language::words::stem;

use super::{
    tokens::{PROPOSAL_CHARS_MAX, Word, clauses},
    words::{CALENDAR, DAY_PARTS, ENDING, PROPOSING, SAME_ACTS, TIMES},
};

/// What was proposed.
pub(super) struct Proposal {
    /// Its words in order, without hyphens.
    words: Vec<String>,
    stems: BTreeSet<String>,
    /// Phrases that mean what it will do, word by word.
    acts: Vec<Vec<String>>,
    /// Its times of day, in minutes.
    clocks: BTreeSet<u32>,
    /// What it changes from: naming that alone would be to want it back.
    left: BTreeSet<String>,
    /// Whether it says when.
    pub(super) has_time: bool,
}

impl Proposal {
    pub(super) fn read(text: &str) -> Self {
        let all: Vec<Word> =
            clauses(text, PROPOSAL_CHARS_MAX).unwrap_or_default().into_iter().flat_map(|clause| clause.words).collect();
        let words: Vec<String> = all.iter().map(|word| plain(&word.text)).collect();
        let parts = all.iter().flat_map(|word| word.text.split('-').map(str::to_owned).collect::<Vec<_>>());
        let stems = words.iter().cloned().chain(parts).map(|word| stem(&word)).collect();
        let clocks: BTreeSet<u32> = (0..words.len()).filter_map(|at| clock(&words, at)).map(|(time, _)| time).collect();
        let says_when = |word: &String| CALENDAR.contains(&word.as_str()) || TIMES.contains(&word.as_str());
        let has_time = !clocks.is_empty() || words.iter().any(says_when);
        let (acts, left) = (acts(text), left(&words));
        Self { words, stems, acts, clocks, left, has_time }
    }

    /// How many words from here are the verb of what is proposed; 0 if none. What it does may stand within it: "turn it on".
    pub(super) fn act_at(&self, words: &[Word]) -> usize {
        let is_part = |word: Option<&Word>, part: &String| {
            word.is_some_and(|word| stem(&word.text) == *part || is_typo(&word.text, part))
        };
        let is_object =
            |word: Option<&Word>| word.is_some_and(|word| ["it", "that", "this"].contains(&word.text.as_str()));
        let length = |act: &Vec<String>| {
            let is_whole = act.iter().enumerate().all(|(at, part)| is_part(words.get(at), part));
            let is_apart = || match act.as_slice() {
                [verb, end] => is_part(words.first(), verb) && is_object(words.get(1)) && is_part(words.get(2), end),
                _ => false,
            };
            match is_whole {
                true => act.len(),
                false => {
                    if is_apart() {
                        3
                    } else {
                        0
                    }
                }
            }
        };
        self.acts.iter().map(length).max().unwrap_or(0)
    }

    /// How many words from here repeat what was proposed; 0 if none.
    pub(super) fn echo_at(&self, words: &[Word], before: Option<&Word>) -> usize {
        let texts: Vec<String> = words.iter().take(2).map(|word| plain(&word.text)).collect();
        let Some(first) = texts.first() else { return 0 };
        if let Some((time, length)) = clock(&texts, 0) {
            return if self.clocks.contains(&time) { length } else { 0 };
        }
        if let Some(number) = number(first) {
            let is_said = self.words.iter().filter_map(|own| self::number(own)).any(|own| (own - number).abs() < 1e-9);
            let is_hour = before.is_some_and(|word| word.text == "at") && self.is_hour(number);
            return usize::from(is_said || is_hour);
        }
        if let Some((_, from, to)) = DAY_PARTS.iter().find(|(name, ..)| name == first) {
            let fits = self.clocks.iter().all(|time| (from..=to).contains(&time));
            return usize::from(self.words.contains(first) || (fits && !self.clocks.is_empty()));
        }
        let is_short_for =
            |own: &String| CALENDAR.contains(&own.as_str()) && first.len() >= 3 && own.starts_with(first.as_str());
        let is_said =
            self.stems.contains(&stem(first)) || self.words.iter().any(|own| is_short_for(own) || is_typo(first, own));
        usize::from(is_said)
    }

    /// Whether it ends something: not to want that any more speaks for it.
    pub(super) fn is_ending(&self) -> bool {
        self.acts.iter().any(|act| act.len() == 1 && ENDING.iter().any(|verb| act.first() == Some(&stem(verb))))
    }

    /// Whether naming these words alone is to want back what was to be changed.
    pub(super) fn goes_back(&self, words: &[Word]) -> bool {
        words.iter().enumerate().any(|(at, word)| {
            let before = at.checked_sub(1).and_then(|at| words.get(at)).map(|word| word.text.as_str());
            let before_that = at.checked_sub(2).and_then(|at| words.get(at)).map(|word| word.text.as_str());
            self.left.contains(&plain(&word.text)) && ![before, before_that].contains(&Some("from"))
        })
    }

    fn is_hour(&self, number: f64) -> bool {
        self.clocks.iter().any(|time| [f64::from(*time), f64::from(*time) - 720.0].contains(&(number * 60.0)))
    }
}

/// The verbs: what stands after "I will" and its like, and after an "and" that follows; with those that mean the same.
fn acts(text: &str) -> Vec<Vec<String>> {
    let mut acts: BTreeSet<Vec<String>> = BTreeSet::new();
    for clause in clauses(text, PROPOSAL_CHARS_MAX).unwrap_or_default() {
        let words: Vec<&str> = clause.words.iter().map(|word| word.text.as_str()).collect();
        let mut is_proposing = false;
        for at in 0..words.len() {
            let rest = words.get(at..).unwrap_or_default();
            let opens = PROPOSING.iter().map(|phrase| phrase.split(' ').collect::<Vec<_>>());
            let Some(opening) = opens.filter(|phrase| rest.starts_with(phrase)).map(|phrase| phrase.len()).max() else {
                if is_proposing && words.get(at) == Some(&"and") {
                    add(&mut acts, rest.get(1..).unwrap_or_default());
                }
                continue;
            };
            is_proposing = true;
            add(&mut acts, rest.get(opening..).unwrap_or_default());
        }
    }
    acts.into_iter().collect()
}

/// Adds a verb with those that mean the same.
fn add(acts: &mut BTreeSet<Vec<String>>, words: &[&str]) {
    let Some(verb) = words.first().filter(|verb| verb.chars().all(char::is_alphabetic)) else { return };
    if matches!(*verb, "do" | "be" | "have" | "go" | "make" | "set" | "switch" | "turn") && words.len() < 2 {
        return;
    }
    let own = stem(verb);
    for group in SAME_ACTS {
        let is_meant = group.iter().any(|same| {
            let mut parts = same.split(' ');
            parts.all(|part| words.iter().take(4).any(|word| stem(word) == stem(part)))
                && same.split(' ').next().is_some_and(|first| stem(first) == own)
        });
        if is_meant {
            acts.extend(group.iter().map(|same| same.split(' ').map(stem).collect()));
        }
    }
    if !matches!(*verb, "do" | "be" | "have" | "go" | "make") {
        acts.insert(vec![own]);
    }
}

/// What stands between "from" and "to", and not after it.
fn left(words: &[String]) -> BTreeSet<String> {
    let Some(from) = words.iter().position(|word| word == "from") else { return BTreeSet::new() };
    let Some(to) = words.iter().skip(from).position(|word| word == "to").map(|at| at + from) else {
        return BTreeSet::new();
    };
    let after: BTreeSet<&String> = words.iter().skip(to).collect();
    let between = words.iter().skip(from + 1).take(to.saturating_sub(from + 1));
    between.filter(|word| !after.contains(word)).cloned().collect()
}

/// A time of day that begins here, in minutes, and how many words it takes.
fn clock(words: &[String], at: usize) -> Option<(u32, usize)> {
    let word = words.get(at)?;
    let next = words.get(at + 1).map(String::as_str);
    let halves = |hour: u32, minute: u32, half: &str| match (half, hour) {
        ("am" | "a", 12) => Some(minute),
        ("am" | "a", 1..=11) => Some(hour * 60 + minute),
        ("pm" | "p", 12) => Some(720 + minute),
        ("pm" | "p", 1..=11) => Some((hour + 12) * 60 + minute),
        _ => None,
    };
    let (figures, half) = match word.find(|c: char| c.is_alphabetic()) {
        Some(end) => (word.get(..end)?, word.get(end..)),
        None => (word.as_str(), None),
    };
    let mut parts = figures.split([':', '.']);
    let hour: u32 = parts.next()?.parse().ok().filter(|hour| *hour < 24)?;
    let minute: Option<u32> = parts.next().and_then(|minute| minute.parse().ok()).filter(|minute| *minute < 60);
    let is_colon = figures.contains(':');
    match (half, next) {
        (Some(half @ ("am" | "pm")), _) => Some((halves(hour, minute.unwrap_or(0), half)?, 1)),
        (None, Some(half @ ("am" | "pm"))) => Some((halves(hour, minute.unwrap_or(0), half)?, 2)),
        (None, _) if is_colon => Some((hour * 60 + minute?, 1)),
        _ => None,
    }
}

/// The number a word is, whether cents are written or not.
fn number(word: &str) -> Option<f64> {
    let bare = word.strip_suffix("st").or_else(|| word.strip_suffix("nd")).or_else(|| word.strip_suffix("rd"));
    let bare = bare.or_else(|| word.strip_suffix("th")).unwrap_or(word);
    if !bare.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    bare.replace(',', ".").parse().ok()
}

/// Without hyphens, so that "e-mail" is "email".
fn plain(word: &str) -> String {
    word.replace('-', "")
}

/// Whether one is the other with two neighbouring letters exchanged, or a letter too many or too few.
pub(super) fn is_typo(said: &str, meant: &str) -> bool {
    let (said, meant): (Vec<char>, Vec<char>) = (said.chars().collect(), meant.chars().collect());
    if said.len() < 3 || meant.len() < 3 || !said.iter().chain(&meant).all(|c| c.is_alphabetic()) {
        return false;
    }
    let from = said.iter().zip(&meant).take_while(|(a, b)| a == b).count();
    let (rest, other) = (said.get(from..).unwrap_or_default(), meant.get(from..).unwrap_or_default());
    let is_long = meant.len() >= 5;
    match (rest, other) {
        ([a, b, tail @ ..], [c, d, rest @ ..]) if a == d && b == c && tail == rest => true,
        ([_, tail @ ..], other) if is_long && tail == other => true,
        (rest, [_, tail @ ..]) if is_long && tail == rest => true,
        _ => false,
    }
}
