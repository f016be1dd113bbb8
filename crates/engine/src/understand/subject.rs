//! A follow-up and what was said before → the same question with its subject, so that it can be understood alone.

use super::fragment;
use vouch_domain::{
    Speaker, Turn,
    language::{
        find_words, fold_spaces,
        words::{is_stop_word, stem},
    },
};

/// Words that stand for what was spoken of.
const PRONOUNS: &[&str] = &["it", "they", "them", "he", "she", "him"];
/// Words that do so only where no noun follows: "when was this decided?", and not "this form" or "the form that applies".
const POINTERS: &[&str] = &["this", "that", "these", "those"];
/// "One" stands for what was spoken of after these words, and "ones" after any.
const BEFORE_ONE: &[&str] =
    &["another", "any", "each", "every", "first", "last", "latest", "next", "other", "that", "the", "this", "which"];
/// Where it must stand in a question that does not say that it goes on.
const ONE_WORDS_MAX: usize = 3;
/// What a question begins with before it says anything of its own.
const ASKING: &[&str] = &[
    "a", "an", "are", "can", "could", "did", "do", "does", "how", "i", "is", "many", "much", "of", "often", "should",
    "the", "was", "we", "were", "what", "when", "where", "which", "who", "whom", "whose", "why", "will", "you",
];
const OWNERS: &[&str] = &["its", "their", "his", "her"];
/// Words that count what follows or say whose it is.
const HOLDERS: &[&str] = &["many", "much", "my", "your", "its", "their", "his", "her"];
/// What a follow-up may begin with and mean nothing by.
const OPENINGS: &[&str] = &["and ", "but ", "so ", "also ", "then ", "ok ", "okay "];
const TOPIC_CHANGES: &[&str] = &["what about ", "how about ", "and for ", "and in "];
/// A follow-up is short; a long question has a subject of its own.
const FOLLOW_UP_WORDS_MAX: usize = 12;
const ARTICLES: &[&str] = &["the", "a", "an", "our", "every", "each", "any", "some"];
const PARTICIPLES: &[&str] =
    &["built", "made", "held", "kept", "paid", "set", "done", "laid", "broken", "written", "chosen"];
/// How far back a subject is looked for.
const TURNS_MAX: usize = 6;

/// The question with its subject carried over; none if it has one or nothing was said before.
pub(super) fn with_subject(text: &str, conversation: &[Turn]) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let begins = |starts: &[&str]| {
        let lower = fold_spaces(text);
        starts.iter().any(|start| lower.starts_with(start))
    };
    let goes_on = begins(OPENINGS) || begins(TOPIC_CHANGES);
    let pronoun = pronoun(&words).filter(|at| goes_on || !has_subject(words.get(..*at).unwrap_or_default()));
    // Further on, "one" may stand for what the question itself has named.
    let leaves_out = says_one(words.get(..ONE_WORDS_MAX).filter(|_| !goes_on).unwrap_or(&words));
    if words.len() > FOLLOW_UP_WORDS_MAX || (pronoun.is_none() && !goes_on && !leaves_out) {
        return None;
    }
    let said = conversation.iter().rev().filter(|turn| turn.speaker != Speaker::System);
    let asked_before = said.take(TURNS_MAX).filter(|turn| turn.speaker == Speaker::Asker);
    let (before, subject) = asked_before.filter_map(|turn| Some((turn, subject_of(&turn.text)?))).next()?;
    if begins(TOPIC_CHANGES) {
        return Some(changed_topic(text.trim(), &before.text, &subject));
    }
    if let Some(whole) = fragment::completed(&without_opening(text.trim()), &before.text) {
        return Some(whole);
    }
    if let Some(at) = pronoun {
        return Some(without_opening(&replaced(&words, at, &subject)));
    }
    let text = without_opening(text.trim());
    let subject = if leaves_out { without_asking(&before.text) } else { subject };
    let lower = fold_spaces(&text);
    find_words(&lower, &fold_spaces(&subject))
        .is_none()
        .then(|| format!("{} ({subject})", text.trim_end_matches(['?', '.', ' '])))
}

/// "What about Ness?" asks the question before of something else. What was counted or is somebody's ("how many sick days", "my
/// notice period") makes room for its like alone; anything else ("what about contractors?") is asked for beside it.
fn changed_topic(text: &str, before: &str, subject: &str) -> String {
    let lower = fold_spaces(text);
    let start = TOPIC_CHANGES.iter().find(|start| lower.starts_with(**start)).map_or(0, |start| start.len());
    let topic = text.get(start..).unwrap_or(text).trim_end_matches(['?', '.', ' ']);
    let with_article = ARTICLES.iter().find_map(|article| find_words(before, &format!("{article} {subject}")));
    let exchanged = with_article.or_else(|| find_words(before, subject)).and_then(|said| {
        let (head, tail) = (before.get(..said.start)?, before.get(said.end..)?);
        let holder = head.split_whitespace().next_back().map(bare).filter(|word| HOLDERS.contains(&word.as_str()));
        match holder {
            None => Some(format!("{head}{topic}{tail}")),
            Some(holder) if is_like(topic, subject) => Some(format!("{head}{}{tail}", without_first(topic, &holder))),
            Some(_) => None,
        }
    });
    exchanged.unwrap_or_else(|| format!("{} ({topic})", before.trim_end_matches(['?', '.', ' '])))
}

/// "my trial period" after "my" is "trial period".
fn without_first<'a>(topic: &'a str, holder: &str) -> &'a str {
    topic.split_once(' ').filter(|(first, _)| bare(first) == holder).map_or(topic, |(_, rest)| rest)
}

/// Whether two names end in the same word, and so are of one sort: "sick days" and "vacation days".
fn is_like(one: &str, other: &str) -> bool {
    let sort = |name: &str| name.split_whitespace().next_back().map(|word| stem(&bare(word)));
    sort(one) == sort(other)
}

/// Where a word stands for what was spoken of; none if every such word has a noun of its own.
fn pronoun(words: &[&str]) -> Option<usize> {
    let lower: Vec<String> = words.iter().map(|word| bare(word)).collect();
    (0..words.len()).find(|at| {
        let word = lower.get(*at).map(String::as_str).unwrap_or_default();
        let before = at.checked_sub(1).and_then(|before| lower.get(before)).map(String::as_str).unwrap_or_default();
        let after = lower.get(at + 1).map(String::as_str);
        let stands_alone = after.is_none_or(|after| is_participle(after) && is_stop_word(before));
        PRONOUNS.contains(&word) || OWNERS.contains(&word) || (POINTERS.contains(&word) && stands_alone)
    })
}

/// Whether "one" or "ones" stands for things that were spoken of: "which one failed?", and not "one day" or "one of".
fn says_one(words: &[&str]) -> bool {
    let lower: Vec<String> = words.iter().map(|word| bare(word)).collect();
    lower.windows(2).any(|pair| match pair {
        [before, one] => one == "ones" || (one == "one" && BEFORE_ONE.contains(&before.as_str())),
        _ => false,
    })
}

/// A question without the words it asks with.
fn without_asking(question: &str) -> String {
    let words: Vec<&str> = question.split_whitespace().collect();
    let own = words.iter().position(|word| !ASKING.contains(&bare(word).as_str())).unwrap_or(0);
    words.get(own..).unwrap_or_default().join(" ").trim_end_matches(['?', '.', '!', ' ']).to_owned()
}

/// Whether words before a pronoun name what it may stand for.
fn has_subject(words: &[&str]) -> bool {
    let names = |(at, word): (usize, &&str)| {
        let is_large = at > 0 && word.chars().any(char::is_uppercase);
        is_large || word.chars().any(|c| c.is_ascii_digit()) || ARTICLES.contains(&bare(word).as_str())
    };
    words.iter().enumerate().any(names)
}

/// The words with a subject in the place of one, and an owner for an owner.
pub(super) fn replaced(words: &[&str], at: usize, subject: &str) -> String {
    let with = |(place, word): (usize, &&str)| {
        if place != at {
            return (*word).to_owned();
        }
        let end: String = word.chars().rev().take_while(|c| !c.is_alphanumeric()).collect();
        let owns = if OWNERS.contains(&bare(word).as_str()) { "'s" } else { "" };
        format!("{subject}{owns}{end}")
    };
    words.iter().enumerate().map(with).collect::<Vec<_>>().join(" ")
}

fn without_opening(text: &str) -> String {
    let lower = text.to_lowercase();
    let start = OPENINGS.iter().find(|start| lower.starts_with(**start)).map_or(0, |start| start.len());
    text.get(start..).unwrap_or(text).trim().to_owned()
}

/// A word without signs, in small letters.
pub(super) fn bare(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}

fn is_participle(word: &str) -> bool {
    (word.len() > 4 && word.ends_with("ed")) || PARTICIPLES.contains(&word)
}

/// What a question is about: a name in capitals, else the words after an article, else the last words with a subject.
pub(super) fn subject_of(question: &str) -> Option<String> {
    let words: Vec<&str> =
        question.split_whitespace().map(|word| word.trim_matches(['?', '!', '.', ',', '"'])).collect();
    let runs = runs(&words);
    let is_name = |word: &str| word.chars().any(char::is_uppercase) || word.chars().any(|c| c.is_ascii_digit());
    let named = runs.iter().map(|run| run.words.iter().filter(|word| is_name(word)).copied().collect::<Vec<_>>());
    if let Some(name) = named.filter(|name| !name.is_empty()).max_by_key(Vec::len) {
        return Some(name.join(" "));
    }
    let after_article = runs.iter().find(|run| run.follows_article);
    let run = after_article.or(runs.last())?;
    Some(without_participle(&run.words).join(" "))
}

struct Run<'a> {
    words: Vec<&'a str>,
    follows_article: bool,
}

/// Neighbouring words with a subject; "of" may join two.
fn runs<'a>(words: &[&'a str]) -> Vec<Run<'a>> {
    let mut runs: Vec<Run<'a>> = Vec::new();
    let mut open: Option<Run<'a>> = None;
    for (place, word) in words.iter().enumerate() {
        let lower = word.to_lowercase();
        let joins = lower == "of" && open.is_some() && words.get(place + 1).is_some();
        // The first word of a question is written large whatever it is.
        let is_question_word = place == 0 && (is_stop_word(&lower) || !lower.chars().any(char::is_uppercase));
        let is_subject = !lower.is_empty() && !is_stop_word(&lower) && !is_question_word;
        if is_subject || joins {
            let before = place.checked_sub(1).and_then(|before| words.get(before)).map(|word| word.to_lowercase());
            let follows_article = before.is_some_and(|before| ARTICLES.contains(&before.as_str()));
            open.get_or_insert_with(|| Run { words: Vec::new(), follows_article }).words.push(word);
        } else {
            runs.extend(open.take());
        }
    }
    runs.extend(open);
    for run in &mut runs {
        while run.words.last().is_some_and(|word| word.eq_ignore_ascii_case("of")) {
            run.words.pop();
        }
    }
    runs.retain(|run| !run.words.is_empty());
    runs
}

/// "larch trough replaced" is about the larch trough.
fn without_participle<'a>(words: &[&'a str]) -> Vec<&'a str> {
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() && is_participle(last) => rest.to_vec(),
        Some(_) | None => words.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Speaker, Turn, subject_of, with_subject};

    fn after(before: &str, text: &str) -> Option<String> {
        let asked = Turn::new(Speaker::Asker, before.to_owned());
        let told = Turn::new(Speaker::Vouch, "It was built in 1731.".to_owned());
        with_subject(text, &[asked, told])
    }

    #[test]
    fn a_question_tells_its_subject() {
        let cases = [
            ("When was the Stone Channel built?", "Stone Channel"),
            ("How long is a turn of water?", "turn of water"),
            ("When was the larch trough replaced?", "larch trough"),
            ("What does ADR-0012 decide?", "ADR-0012"),
            ("Who pays for cleaning?", "cleaning"),
            ("What is the lhōsta made of?", "lhōsta"),
        ];
        for (question, subject) in cases {
            assert_eq!(subject_of(question).as_deref(), Some(subject), "{question}");
        }
        assert_eq!(subject_of("Who are you?"), None);
    }

    #[test]
    fn a_follow_up_gets_the_subject_of_the_question_before() {
        let cases = [
            ("and when was it replaced?", "when was Stone Channel replaced?"),
            ("Who paid for it?", "Who paid for Stone Channel?"),
            ("What is its length?", "What is Stone Channel's length?"),
            ("And the slope?", "the slope (Stone Channel)"),
            ("When was this decided?", "When was Stone Channel decided?"),
            ("and how does the keeper check it?", "how does the keeper check Stone Channel?"),
            ("What about the Long Channel?", "When was the Long Channel built?"),
            ("Which one is older?", "Which one is older (Stone Channel built)"),
            ("and after the flood?", "When was the Stone Channel built after the flood?"),
        ];
        for (text, expected) in cases {
            assert_eq!(after("When was the Stone Channel built?", text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn a_question_with_a_subject_of_its_own_keeps_it() {
        for text in [
            "How high is the divide wall?",
            "How does a station send its data?",
            "When a gauge breaks, who repairs it?",
            "Which form is the one that managers sign?",
            "Is this form needed?",
            "Is one day enough?",
            "What must be done when Ness loses their turn?",
        ] {
            assert_eq!(after("When was the Stone Channel built?", text), None, "{text}");
        }
        assert_eq!(with_subject("and when was it replaced?", &[]), None);
    }
}
