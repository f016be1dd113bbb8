//! Words → the language they are most likely in, by the small words that every sentence of it needs, or by its script.
//!
//! Invariant: where two languages are as likely, or too few words tell, there is no answer.

use unicode_segmentation::UnicodeSegmentation;

/// How much of a text is looked at, in words.
const WORDS_MAX: usize = 200;
/// How many small words, and which share of all words, tell a language.
const FOUND_MIN: usize = 2;
const SHARE_MIN: f32 = 0.25;

/// A language and its small words. One that several languages have is in the list of each.
const SMALL_WORDS: &[(&str, &[&str])] = &[
    (
        "en",
        &[
            "a", "an", "and", "are", "at", "be", "by", "can", "did", "do", "does", "for", "from", "has", "have", "how",
            "i", "if", "in", "is", "it", "its", "many", "may", "me", "much", "must", "my", "no", "not", "of", "on",
            "or", "our", "should", "that", "the", "their", "them", "there", "they", "this", "to", "was", "we", "were",
            "what", "when", "where", "which", "who", "why", "will", "with", "would", "you", "your",
        ],
    ),
    (
        "nl",
        &[
            "aan", "al", "als", "bij", "dat", "de", "deze", "die", "dit", "een", "en", "er", "geen", "haar", "heb",
            "hebben", "heeft", "het", "hij", "hoe", "hoeveel", "hun", "ik", "in", "is", "je", "kan", "mag", "mijn",
            "met", "moet", "naar", "niet", "nog", "of", "om", "onze", "op", "over", "te", "tot", "uit", "van", "voor",
            "waar", "waarom", "wanneer", "wat", "we", "welke", "wie", "wij", "worden", "wordt", "zij", "zijn",
        ],
    ),
    (
        "de",
        &[
            "als", "am", "an", "auf", "aus", "bei", "bin", "das", "dem", "den", "der", "des", "die", "dies", "diese",
            "ein", "eine", "einem", "einen", "einer", "er", "es", "für", "gibt", "haben", "hat", "ich", "ihr", "im",
            "in", "ist", "kann", "man", "mein", "mit", "muss", "nach", "nicht", "oder", "sich", "sie", "sind", "über",
            "um", "und", "unsere", "viele", "vom", "von", "wann", "warum", "was", "welche", "wer", "werden", "wie",
            "wieviel", "wir", "wird", "wo", "zu", "zum", "zur",
        ],
    ),
    (
        "fr",
        &[
            "au", "aux", "avec", "ce", "ces", "cette", "combien", "comment", "dans", "de", "des", "du", "elle", "en",
            "est", "et", "il", "ils", "je", "la", "le", "les", "leur", "mon", "ne", "nos", "notre", "nous", "on", "ou",
            "où", "par", "pas", "peut", "pour", "pourquoi", "quand", "que", "quel", "quelle", "quelles", "quels",
            "qui", "sa", "se", "ses", "son", "sont", "sur", "un", "une", "vos", "vous",
        ],
    ),
    (
        "es",
        &[
            "al", "como", "cómo", "con", "cuál", "cuándo", "cuánto", "cuántos", "de", "del", "dónde", "el", "ella",
            "en", "es", "esta", "este", "está", "ha", "hay", "la", "las", "lo", "los", "mi", "no", "nos", "o", "para",
            "pero", "por", "puede", "que", "qué", "quién", "se", "ser", "sin", "sobre", "son", "su", "sus", "un",
            "una", "y",
        ],
    ),
    (
        "it",
        &[
            "al", "alla", "che", "chi", "come", "con", "cosa", "da", "dei", "del", "della", "delle", "di", "dove", "e",
            "gli", "ha", "i", "il", "in", "io", "la", "le", "lo", "ma", "nel", "nella", "non", "o", "per", "perché",
            "posso", "può", "qual", "quale", "quali", "quando", "quanti", "quanto", "si", "sono", "su", "sua", "un",
            "una", "è",
        ],
    ),
    (
        "pt",
        &[
            "a", "ao", "as", "com", "como", "da", "das", "de", "do", "dos", "e", "em", "está", "eu", "há", "mais",
            "meu", "na", "nas", "no", "nos", "não", "o", "onde", "os", "ou", "para", "pela", "pelo", "pode", "por",
            "qual", "quando", "quantos", "que", "quem", "se", "ser", "seu", "sua", "são", "tem", "um", "uma", "é",
        ],
    ),
    (
        "sv",
        &[
            "att", "av", "de", "den", "det", "du", "där", "en", "ett", "från", "för", "ha", "han", "har", "hon", "hur",
            "i", "inte", "jag", "kan", "man", "med", "mellan", "min", "många", "måste", "när", "och", "om", "på",
            "ska", "som", "till", "under", "var", "varför", "vad", "vem", "vi", "vilka", "vilken", "är",
        ],
    ),
];

/// Scripts that mostly one language is written in.
const SCRIPTS: &[(&str, std::ops::RangeInclusive<char>)] = &[
    ("el", '\u{370}'..='\u{3ff}'),
    ("ru", '\u{400}'..='\u{4ff}'),
    ("he", '\u{590}'..='\u{5ff}'),
    ("ar", '\u{600}'..='\u{6ff}'),
    ("hi", '\u{900}'..='\u{97f}'),
    ("th", '\u{e00}'..='\u{e7f}'),
    ("ja", '\u{3040}'..='\u{30ff}'),
    ("ko", '\u{ac00}'..='\u{d7a3}'),
];

/// The language a text is most likely in; none if too little tells.
#[must_use]
pub fn detect_language(text: &str) -> Option<&'static str> {
    let words: Vec<String> = text.unicode_words().take(WORDS_MAX).map(str::to_lowercase).collect();
    let by_script = SCRIPTS.iter().map(|(language, script)| {
        let is_written = |word: &&String| word.chars().all(|c| script.contains(&c));
        (*language, words.iter().filter(is_written).count())
    });
    if let Some((language, _)) = by_script.max_by_key(|(_, found)| *found).filter(|(_, found)| found * 2 > words.len())
    {
        return Some(language);
    }
    let mut found: Vec<(usize, &str)> = SMALL_WORDS
        .iter()
        .map(|(language, small)| (words.iter().filter(|word| small.contains(&word.as_str())).count(), *language))
        .collect();
    found.sort_by(|a, b| b.cmp(a));
    let (most, language) = *found.first()?;
    let is_alone = found.get(1).is_none_or(|(next, _)| *next < most);
    #[expect(clippy::cast_precision_loss, reason = "few words are looked at")]
    let share = most as f32 / words.len().max(1) as f32;
    (most >= FOUND_MIN && is_alone && share >= SHARE_MIN).then_some(language)
}

/// Whether a word in lower case is one of the small words of a language.
#[must_use]
pub fn is_small_word(language: &str, word: &str) -> bool {
    SMALL_WORDS.iter().any(|(known, small)| *known == language && small.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::detect_language;

    #[test]
    fn a_question_tells_its_language() {
        for (text, language) in [
            ("Which village has the first turn of water?", "en"),
            ("Welk dorp heeft de eerste beurt van het water?", "nl"),
            ("Welches Dorf hat im Frühling die erste Wasserrunde und wie lange?", "de"),
            ("Quel village a le premier tour de l'eau au printemps ?", "fr"),
            ("¿Cuál es el primer pueblo que recibe el agua?", "es"),
            ("Quale villaggio ha il primo turno della settimana?", "it"),
            ("Qual é a aldeia que tem o primeiro turno?", "pt"),
            ("Vilken by har den första turen på våren?", "sv"),
            ("Какая деревня пьёт первой?", "ru"),
        ] {
            assert_eq!(detect_language(text), Some(language), "{text}");
        }
    }

    #[test]
    fn too_little_tells_nothing() {
        for text in ["", "ADR-0012", "annual leave", "CV 2.4", "water", "de la Cruz"] {
            assert_eq!(detect_language(text), None, "{text}");
        }
    }
}
