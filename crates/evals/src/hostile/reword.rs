//! A true sentence → the same in other words: what an honest scribe would write.
//!
//! Invariant: what is written follows from the sentence; the rules would rather leave a sentence than bend it.

use super::sentences::{bare, claims};

/// Words that say the same; each also the other way round.
const SAME: &[(&str, &str)] = &[
    ("begins", "starts"),
    ("began", "started"),
    ("obtain", "get"),
    ("purchase", "buy"),
    ("purchased", "bought"),
    ("permitted", "allowed"),
    ("required", "needed"),
    ("requires", "needs"),
    ("provides", "gives"),
    ("large", "big"),
    ("numerous", "many"),
    ("primarily", "mainly"),
    ("usually", "normally"),
    ("located", "situated"),
    ("shows", "demonstrates"),
    ("assist", "help"),
    ("commenced", "began"),
    ("rapidly", "quickly"),
    ("constructed", "built"),
    ("famous", "well-known"),
    ("movie", "film"),
    ("often", "frequently"),
    ("additional", "further"),
    ("although", "though"),
    ("each", "every"),
];

const OPENINGS: &[&str] =
    &["In addition,", "Additionally,", "Moreover,", "Furthermore,", "For example,", "In fact,", "As a result,"];
const NUMBERS: &[&str] =
    &["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

/// Other wordings of a passage's sentences, at most one each, with the sentence.
#[must_use]
pub fn reword(passage: &str) -> Vec<(String, String)> {
    let said = claims(passage);
    said.into_iter().filter_map(|sentence| reword_one(sentence).map(|other| (sentence.to_owned(), other))).collect()
}

/// The first one or two rules that change something.
pub(super) fn reword_one(sentence: &str) -> Option<String> {
    let rules: [fn(&str) -> Option<String>; 6] =
        [without_opening, time_elsewhere, without_aside, shorter, synonyms, figures];
    let mut text = sentence.to_owned();
    let mut changed = 0;
    for rule in rules {
        if let Some(other) = rule(&text) {
            text = other;
            changed += 1;
        }
        if changed == 2 {
            break;
        }
    }
    if changed == 0 {
        return introduced(sentence);
    }
    Some(text)
}

fn without_opening(text: &str) -> Option<String> {
    let rest = OPENINGS.iter().find_map(|opening| text.strip_prefix(opening))?;
    Some(large(rest.trim_start()))
}

fn time_elsewhere(text: &str) -> Option<String> {
    time_first(text).or_else(|| time_last(text))
}

/// "X was built in 1731." → "In 1731, X was built."
fn time_first(text: &str) -> Option<String> {
    let body = text.strip_suffix('.')?;
    let (before, year) = body.rsplit_once(" in ")?;
    let is_year = year.len() == 4 && year.bytes().all(|byte| byte.is_ascii_digit());
    let is_plain = !before.contains([',', ';', ':', '(']) && !before.contains(" and ") && !before.contains(" in ");
    (is_year && is_plain).then(|| format!("In {year}, {}.", small(before)))
}

/// "In 1731, X was built." → "X was built in 1731."
fn time_last(text: &str) -> Option<String> {
    let body = text.strip_suffix('.')?;
    let (opening, rest) = body.split_once(", ")?;
    let is_time = opening.starts_with("In ") && opening.split(' ').count() <= 3;
    let is_plain = !rest.contains([',', ';', ':']) && !rest.contains(" and ");
    (is_time && is_plain).then(|| format!("{} {}.", large(rest), small(opening)))
}

/// Without what stands in brackets, or between ", which" and the next comma.
fn without_aside(text: &str) -> Option<String> {
    if let (Some(open), Some(close)) = (text.find(" ("), text.find(')'))
        && open < close
    {
        return Some(format!("{}{}", text.get(..open)?, text.get(close + 1..)?));
    }
    let open = text.find(", which ")?;
    let rest = text.get(open + 2..)?;
    let close = rest.find(", ")?;
    Some(format!("{} {}", text.get(..open)?, rest.get(close + 2..)?))
}

/// The first of two statements joined by ", and" or ";".
fn shorter(text: &str) -> Option<String> {
    let (first, second) = text.split_once("; ").or_else(|| text.split_once(", and the "))?;
    let is_whole = first.split(' ').count() >= 6 && second.split(' ').count() >= 4 && !first.contains([',', '(']);
    let has_verb =
        first.split(' ').any(|word| ["is", "are", "was", "were", "has", "have", "can", "must"].contains(&word));
    (is_whole && has_verb && !first.starts_with("If ") && !first.starts_with("When ")).then(|| format!("{first}."))
}

fn synonyms(text: &str) -> Option<String> {
    let mut changed = 0;
    let words: Vec<String> = text
        .split(' ')
        .map(|word| {
            let plain = bare(word);
            let other = SAME.iter().find_map(|(one, other)| {
                if plain == *one {
                    Some(*other)
                } else if plain == *other {
                    Some(*one)
                } else {
                    None
                }
            });
            let is_whole = word.trim_end_matches(['.', ',', ';']).len() == plain.len();
            match other.filter(|_| is_whole && changed < 2 && word.starts_with(|c: char| c.is_lowercase())) {
                Some(other) => {
                    changed += 1;
                    word.replacen(&plain, other, 1)
                }
                None => word.to_owned(),
            }
        })
        .collect();
    (changed > 0).then(|| words.join(" "))
}

/// Small figures as words, and words as figures.
fn figures(text: &str) -> Option<String> {
    let mut is_changed = false;
    let words: Vec<String> = text
        .split(' ')
        .enumerate()
        .map(|(place, word)| {
            // "12 March", "Part 3" and "type 2" are names.
            let follows_small = text.split(' ').nth(place.wrapping_sub(1)).is_some_and(|before| {
                ["the", "of", "than", "least", "most", "for", "about", "has", "have", "with"].contains(&before)
            });
            let number = word.parse::<usize>().ok().filter(|_| follows_small).and_then(|number| NUMBERS.get(number));
            let figure = NUMBERS.iter().position(|name| *name == word).filter(|figure| follows_small && *figure > 1);
            match (number.filter(|_| !is_changed), figure.filter(|_| !is_changed)) {
                (Some(name), _) => {
                    is_changed = true;
                    (*name).to_owned()
                }
                (None, Some(figure)) => {
                    is_changed = true;
                    figure.to_string()
                }
                (None, None) => word.to_owned(),
            }
        })
        .collect();
    is_changed.then(|| words.join(" "))
}

/// The sentence under a word on where it stands.
fn introduced(text: &str) -> Option<String> {
    let first = text.split(' ').next()?;
    let is_article = ["The", "A", "An", "In", "On", "If", "When", "For", "Each", "Every", "All"].contains(&first);
    is_article.then(|| format!("According to the notes, {}", small(text)))
}

fn small(text: &str) -> String {
    let first = text.split(' ').next().unwrap_or_default();
    let is_name = !["The", "A", "An", "In", "On", "If", "When", "For", "Each", "Every", "All"].contains(&first);
    if is_name { text.to_owned() } else { recased(text, |sign| sign.to_lowercase().collect()) }
}

fn large(text: &str) -> String {
    recased(text, |sign| sign.to_uppercase().collect())
}

fn recased(text: &str, case: impl Fn(char) -> String) -> String {
    let mut signs = text.chars();
    signs.next().map_or_else(String::new, |first| format!("{}{}", case(first), signs.as_str()))
}

#[cfg(test)]
mod tests {
    use super::reword_one;

    #[test]
    fn sentences_are_said_in_other_words_and_say_the_same() {
        for (sentence, expected) in [
            ("The Stone Channel was dug in 1731.", "In 1731, the Stone Channel was dug."),
            ("In 1731, the channel was dug by hand.", "The channel was dug by hand in 1731."),
            ("The mast (a steel tube) carries the lamp at night.", "The mast carries the lamp at night."),
            ("The claim requires a signed form of the manager.", "The claim needs a signed form of the manager."),
            ("A move of house gives staff a break of 3 days.", "A move of house provides staff a break of three days."),
            (
                "The yard closes early on the last Friday of June.",
                "According to the notes, the yard closes early on the last Friday of June.",
            ),
        ] {
            assert_eq!(reword_one(sentence).as_deref(), Some(expected), "{sentence}");
        }
    }
}
