//! What was proposed, as an answer may repeat it: its words, its verbs, its values and its times.

use std::collections::BTreeSet;

use vouch_domain::language::words::stem;

use super::{
    tokens::{PROPOSAL_CHARS_MAX, Word, clauses},
    words::{CALENDAR, DAY_PARTS, ENDING, NUMBERS, PARTICLES, PROPOSING, SAME_ACTS, SPANS, TIMES, among},
};

/// A word of a verb: its stem, and itself.
type Verb = (String, String);

/// What was proposed.
pub(super) struct Proposal {
    /// Its words in order, without hyphens.
    words: Vec<String>,
    stems: BTreeSet<String>,
    /// Phrases that mean what it will do, word by word.
    acts: Vec<Vec<Verb>>,
    /// Its times of day, in minutes.
    clocks: BTreeSet<u32>,
    /// What it changes from: naming that alone would be to want it back.
    left: BTreeSet<String>,
    /// Whether it says when.
    pub(super) has_time: bool,
    /// Whether it says how often.
    counts: bool,
    /// Whether it asks for what stands against it, so that a no agrees.
    pub(super) asks_objection: bool,
}

impl Proposal {
    pub(super) fn read(text: &str) -> Self {
        let clauses = clauses(text, PROPOSAL_CHARS_MAX).unwrap_or_default();
        let asks = |word: &Word| among("mind objection objections object against", &word.text);
        let asks_objection =
            clauses.iter().rfind(|clause| clause.is_asked).is_some_and(|clause| clause.words.iter().any(asks));
        let all: Vec<Word> = clauses.into_iter().flat_map(|clause| clause.words).collect();
        let words: Vec<String> = all.iter().map(|word| plain(&word.text)).collect();
        let parts = all.iter().flat_map(|word| word.text.split(['-', '@']).map(str::to_owned).collect::<Vec<_>>());
        let stems = words.iter().cloned().chain(parts).map(|word| stem(&word)).collect();
        let clocks: BTreeSet<u32> = (0..words.len()).filter_map(|at| clock(&words, at)).map(|(time, _)| time).collect();
        let says_when = |word: &String| among(TIMES, word) || is_date(word);
        let has_time = !clocks.is_empty() || words.iter().any(says_when);
        let counts = words.iter().any(|word| among("once twice times", word));
        let (acts, left) = (acts(text), left(&words));
        Self { words, stems, acts, clocks, left, has_time, counts, asks_objection }
    }

    /// How many words from here are the verb of what is proposed; 0 if none. What it does may stand within it: "turn it on".
    pub(super) fn act_at(&self, words: &[Word], is_spelt: bool) -> usize {
        let is_part = |word: Option<&Word>, (stemmed, own): &Verb| {
            word.is_some_and(|word| stem(&word.text) == *stemmed || (!is_spelt && is_typo(&word.text, own)))
        };
        let length = |act: &Vec<Verb>| {
            if act.iter().enumerate().all(|(at, part)| is_part(words.get(at), part)) {
                return act.len();
            }
            // "Turn auto-renewal off".
            let is_apart = match act.as_slice() {
                [verb, end] => {
                    is_part(words.first(), verb) && words.iter().skip(2).take(3).any(|word| is_part(Some(word), end))
                }
                _ => false,
            };
            let is_object = words.get(1).is_some_and(|word| among("it that this him her them", &word.text));
            let is_next = act.get(1).is_some_and(|end| is_part(words.get(2), end));
            if is_apart && is_object && is_next { 3 } else { usize::from(is_apart) }
        };
        self.acts.iter().map(length).max().unwrap_or(0)
    }

    /// How many words from here repeat what was proposed; 0 if none.
    pub(super) fn echo_at(&self, words: &[Word], before: Option<&Word>, is_spelt: bool) -> usize {
        let texts: Vec<String> = words.iter().take(2).map(|word| plain(&word.text)).collect();
        let Some(first) = texts.first() else { return 0 };
        if let Some((time, length)) = clock(&texts, 0) {
            return if self.clocks.contains(&time) { length } else { 0 };
        }
        let is_own =
            |number: f64| self.words.iter().filter_map(|own| self::number(own)).any(|own| (own - number).abs() < 1e-9);
        let range: Option<Vec<f64>> = words.first().and_then(|word| word.text.split('-').map(number).collect());
        if let Some(number) = number(first) {
            let is_hour = before.is_some_and(|word| word.text == "at") && self.is_hour(number);
            let is_range = range.is_some_and(|range| range.into_iter().all(is_own));
            return usize::from(is_own(number) || is_range || is_hour);
        }
        if let Some((_, from, to)) = DAY_PARTS.iter().find(|(name, ..)| name == first) {
            let fits = self.clocks.iter().all(|time| (from..=to).contains(&time));
            return usize::from(self.words.contains(first) || (fits && !self.clocks.is_empty()));
        }
        let is_near = || !is_spelt && !is_date(first) && self.words.iter().any(|own| is_typo(first, own));
        usize::from(self.stems.contains(&stem(first)) || is_near())
    }

    /// Whether a word tells a value that was not proposed: a figure, a name, a letter, or a time where one was proposed.
    pub(super) fn is_new_value(&self, word: &Word, (is_first, is_bound): (bool, bool), next: Option<&Word>) -> bool {
        let text = plain(&word.text);
        let is_number = text.contains(|c: char| c.is_ascii_digit()) || among(NUMBERS, &text);
        let is_span = next.is_some_and(|next| match next.text.as_str() {
            "times" => !self.counts,
            next => among(SPANS, next) && (next == "a" || !self.stems.contains(&stem(next))),
        });
        let is_when = is_date(&text) || among(TIMES, &text) || DAY_PARTS.iter().any(|(name, ..)| *name == text);
        let is_letter = text.chars().count() == 1 && text.chars().all(char::is_alphabetic);
        if is_when {
            return self.has_time || is_bound;
        }
        (is_number && !is_span) || is_letter || (word.is_capital && !is_first)
    }

    /// Whether words of it tell a value: a figure or a time.
    pub(super) fn is_value(&self, words: &[Word]) -> bool {
        let is_value = |text: String| is_date(&text) || text.contains(|c: char| c.is_ascii_digit());
        words.iter().any(|word| is_value(plain(&word.text)))
    }

    /// Whether it is what was to be changed, and not what it becomes.
    pub(super) fn is_left(&self, word: &Word) -> bool {
        self.left.contains(&plain(&word.text))
    }

    /// Whether it ends something: not to want that any more speaks for it.
    pub(super) fn is_ending(&self) -> bool {
        self.acts
            .iter()
            .any(|act| act.len() == 1 && act.iter().any(|(own, _)| ENDING.split(' ').any(|verb| *own == stem(verb))))
    }

    /// Whether this is its verb, whatever else it means.
    pub(super) fn does(&self, verb: &str) -> bool {
        self.acts.iter().any(|act| act.iter().any(|(own, _)| *own == stem(verb)))
    }

    /// Whether naming these words alone is to want back what was to be changed.
    pub(super) fn goes_back(&self, words: &[Word]) -> bool {
        words.iter().enumerate().any(|(at, word)| {
            let before = at.checked_sub(1).and_then(|at| words.get(at)).map(|word| word.text.as_str());
            let before_that = at.checked_sub(2).and_then(|at| words.get(at)).map(|word| word.text.as_str());
            self.is_left(word) && ![before, before_that].contains(&Some("from"))
        })
    }

    fn is_hour(&self, number: f64) -> bool {
        self.clocks.iter().any(|time| [f64::from(*time), f64::from(*time) - 720.0].contains(&(number * 60.0)))
    }
}

/// The verbs: what stands after "I will" and its like, and after an "and" that follows; with those that mean the same.
fn acts(text: &str) -> Vec<Vec<Verb>> {
    let mut acts: BTreeSet<Vec<Verb>> = BTreeSet::new();
    for clause in clauses(text, PROPOSAL_CHARS_MAX).unwrap_or_default() {
        let words: Vec<&str> = clause.words.iter().map(|word| word.text.as_str()).collect();
        let mut is_proposing = false;
        for at in 0..words.len() {
            let rest = words.get(at..).unwrap_or_default();
            let opens = PROPOSING.split('|').map(|phrase| phrase.split(' ').collect::<Vec<_>>());
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
fn add(acts: &mut BTreeSet<Vec<Verb>>, words: &[&str]) {
    let words = words
        .iter()
        .position(|word| !word.ends_with("ly") || among("apply supply reply comply", word))
        .and_then(|at| words.get(at..))
        .unwrap_or_default();
    let Some(verb) = words.first().filter(|verb| verb.chars().all(char::is_alphabetic)) else { return };
    if matches!(*verb, "do" | "be" | "have" | "go" | "make" | "set" | "switch" | "turn") && words.len() < 2 {
        return;
    }
    let own = stem(verb);
    for group in SAME_ACTS.split(';') {
        let is_meant = group.split('|').any(|same| {
            let mut parts = same.split(' ');
            parts.all(|part| words.iter().take(4).any(|word| stem(word) == stem(part)))
                && same.split(' ').next().is_some_and(|first| stem(first) == own)
        });
        if is_meant {
            acts.extend(
                group.split('|').map(|same| same.split(' ').map(|word| (stem(word), word.to_owned())).collect()),
            );
        }
    }
    let end = words.iter().skip(1).take(3).find(|end| among(PARTICLES, end)).map(|end| (stem(end), (*end).to_owned()));
    if !matches!(*verb, "do" | "be" | "have" | "go" | "make") {
        acts.insert([(own, (*verb).to_owned())].into_iter().chain(end).collect());
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

/// The number a word is, whether cents are written or not, or a word tells it.
fn number(word: &str) -> Option<f64> {
    let suffix = ["st", "nd", "rd", "th"].into_iter().find_map(|suffix| word.strip_suffix(suffix));
    let bare = suffix.unwrap_or(word);
    if bare.starts_with(|c: char| c.is_ascii_digit()) {
        return bare.replace(',', ".").parse().ok();
    }
    let told = NUMBERS.split_whitespace().take(11).position(|own| own == word)?;
    u32::try_from(told + 2).ok().map(f64::from)
}

/// Without hyphens, so that "e-mail" is "email"; a day or a month by its first letters, and what is or belongs to something without that.
fn plain(word: &str) -> String {
    let word = word.strip_suffix("'s").unwrap_or(word).replace('-', "");
    let is_short = |name: &&str| word.len() >= 3 && name.starts_with(word.as_str());
    match CALENDAR.split_whitespace().find(is_short) {
        Some(name) => name.chars().take(3).collect(),
        None => word,
    }
}

/// Whether it names a day or a month.
fn is_date(plain: &str) -> bool {
    CALENDAR.split_whitespace().any(|name| plain.len() == 3 && name.starts_with(plain))
}

/// Whether one is the other mistyped: two neighbouring letters exchanged, and in a longer word a letter too many or too few, or another
/// one than the first.
pub(super) fn is_typo(said: &str, meant: &str) -> bool {
    let (said, meant): (Vec<char>, Vec<char>) = (said.chars().collect(), meant.chars().collect());
    if said.len() < 3 || meant.len() < 3 || !said.iter().chain(&meant).all(|c| c.is_alphabetic()) {
        return false;
    }
    let from = said.iter().zip(&meant).take_while(|(a, b)| a == b).count();
    let (rest, other) = (said.get(from..).unwrap_or_default(), meant.get(from..).unwrap_or_default());
    match (rest, other) {
        ([a, b, tail @ ..], [c, d, rest @ ..]) if a == d && b == c && tail == rest => true,
        ([_, tail @ ..], other) if meant.len() >= 5 && tail == other => true,
        (rest, [_, tail @ ..]) if meant.len() >= 5 && tail == rest => true,
        ([_, tail @ ..], [_, rest @ ..]) => from > 0 && meant.len() >= 6 && tail == rest,
        _ => false,
    }
}
