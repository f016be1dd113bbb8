//! Texts that make careless functions slow, in any size.

/// A kind of text.
pub struct Nasty {
    /// Its name in the table.
    pub name: &'static str,
    /// A text of about so many bytes.
    pub make: fn(usize) -> String,
}

/// Every kind of text that has been found to matter, and some that might.
pub const CATALOGUE: &[Nasty] = &[
    Nasty { name: "prose", make: |n| of("The mast of Ness is 27 metres high. It was built in 1931 by Mira Holt. ", n) },
    Nasty { name: "stops and quotes", make: |n| of(".\"", n) },
    Nasty { name: "word, stops, quotes", make: |n| format!("a{}", of(".\"", n)) },
    Nasty { name: "quotes", make: |n| of("\"", n) },
    Nasty { name: "quoted words", make: |n| of("\"the old mast stands here\" ", n) },
    Nasty { name: "nested quotes", make: |n| of("“a “b ", n / 2) + &of("c” d” ", n / 2) },
    Nasty { name: "quotes in brackets", make: |n| format!("\"{}\"", of("a b c[d]…", n)) },
    Nasty { name: "brackets", make: |n| of("[", n) },
    Nasty { name: "wide brackets", make: |n| of("［", n) },
    Nasty { name: "wide citations", make: |n| of("［^1］", n) },
    Nasty { name: "citations", make: |n| of("[^1]", n) },
    Nasty { name: "nested brackets", make: |n| of("((((", n / 2) + &of("))))", n / 2) },
    Nasty { name: "tags", make: |n| of("<note <", n) },
    Nasty { name: "identifiers", make: |n| of("docs/a.md:0,", n) },
    Nasty { name: "nested identifiers", make: |n| of("docs/", n / 2) + &of("a.md:0", n / 2) },
    Nasty { name: "digits", make: |n| of("1234567890", n) },
    Nasty { name: "distinct figures", make: |n| distinct(n, |at| format!("{}.{} km ", at, at % 97)) },
    Nasty { name: "equal figures", make: |n| of("27 km ", n) },
    Nasty { name: "units in a sentence", make: |n| of("It is 5 km, 7 kg and 9 % long. ", n) },
    Nasty { name: "spelled figures", make: |n| of("one hundred and five thousand ", n) },
    Nasty { name: "dates", make: |n| distinct(n, |at| format!("on {} May {} ", 1 + at % 28, 1000 + at % 1099)) },
    Nasty { name: "commas", make: |n| of(",", n) },
    Nasty { name: "comma words", make: |n| of("a,b;c:", n) },
    Nasty { name: "one long word", make: |n| of("a", n) },
    Nasty { name: "long syllables", make: |n| of("ational", n) },
    Nasty { name: "long word of y", make: |n| of("ya", n) },
    Nasty { name: "capitals", make: |n| of("A ", n) },
    Nasty { name: "equal names", make: |n| of("of Mira Holt and ", n) },
    Nasty { name: "distinct names", make: |n| distinct(n, |at| format!("of {} ", name(at))) },
    Nasty { name: "distinct acronyms", make: |n| distinct(n, |at| format!("of {} ", name(at).to_uppercase())) },
    Nasty { name: "distinct codes", make: |n| distinct(n, |at| format!("of X-{at} ")) },
    Nasty { name: "addresses", make: |n| distinct(n, |at| format!("at a{at}@b.org ")) },
    Nasty { name: "initials", make: |n| of("a. b. c. ", n) },
    Nasty { name: "joined initials", make: |n| of("a.b.c.", n) },
    Nasty { name: "distinct words", make: |n| distinct(n, |at| format!("{} ", letters(at))) },
    Nasty {
        name: "distinct sentences",
        make: |n| distinct(n, |at| format!("The {} is {}. ", letters(at), letters(at + 7))),
    },
    Nasty { name: "equal words", make: |n| of("mast ", n) },
    Nasty { name: "equal sentences", make: |n| of("The mast is high. ", n) },
    Nasty { name: "tiny sentences", make: |n| of("A b. ", n) },
    Nasty { name: "numbered sentences", make: |n| distinct(n, |at| format!("{at}. ")) },
    Nasty { name: "questions", make: |n| of("and what is it? ", n) },
    Nasty { name: "long sentence", make: |n| of("the mast and the lamp and the rope ", n) },
    Nasty { name: "denials", make: |n| of("not ", n) },
    Nasty { name: "denied words", make: |n| of("not high never low ", n) },
    Nasty { name: "opposites", make: |n| of("increase decrease ", n) },
    Nasty { name: "combining marks", make: |n| format!("a{}", of("\u{301}", n)) },
    Nasty { name: "unsorted marks", make: |n| format!("a{}", of("\u{301}\u{323}", n)) },
    Nasty { name: "marked letters", make: |n| of("\u{1e69}\u{104} ", n) },
    Nasty { name: "new lines", make: |n| of("\n", n) },
    Nasty { name: "short lines", make: |n| of("a\n", n) },
    Nasty { name: "list items", make: |n| of("- a b\n", n) },
    Nasty { name: "headings", make: |n| of("# a\n", n) },
    Nasty { name: "table", make: |n| of("| a | b |\n", n) },
    Nasty { name: "fences", make: |n| of("```\n", n) },
    Nasty { name: "spaces", make: |n| of(" ", n) },
    Nasty { name: "words far apart", make: |n| format!("a.{}b", of(" ", n)) },
    Nasty { name: "apostrophes", make: |n| of("'", n) },
    Nasty { name: "possessives", make: |n| of("a's n't ", n) },
    Nasty { name: "dashes", make: |n| of("—", n) },
    Nasty { name: "hyphens", make: |n| of("a-b-", n) },
    Nasty { name: "han", make: |n| of("漢字", n) },
    Nasty { name: "han sentences", make: |n| of("漢字。", n) },
    Nasty { name: "zero width", make: |n| of("a\u{200b}", n) },
    Nasty { name: "flags", make: |n| of("🇳🇱", n) },
    Nasty { name: "mixed", make: |n| of("A \"b\" [1] 27 km, not C.D.; é—漢 (X-9) ", n) },
];

fn of(unit: &str, bytes: usize) -> String {
    unit.repeat(bytes.div_ceil(unit.len()))
}

fn distinct(bytes: usize, make: impl Fn(usize) -> String) -> String {
    let mut text = String::with_capacity(bytes + 40);
    let mut at = 1;
    while text.len() < bytes {
        text.push_str(&make(at));
        at += 1;
    }
    text
}

/// A number in letters, each number another word.
fn letters(mut number: usize) -> String {
    let mut word = String::from("q");
    while number > 0 {
        word.push(char::from(b'a' + u8::try_from(number % 20).unwrap_or_default()));
        number /= 20;
    }
    word + "um"
}

/// The same as a name.
fn name(number: usize) -> String {
    let word = letters(number);
    format!("Z{word}")
}
