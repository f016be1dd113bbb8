//! A seed → sentences that are always the same, in three languages, each with a made word that stands nowhere else.

/// Marks around words that are printed bold.
pub(crate) const BOLD: [char; 2] = ['\u{e000}', '\u{e001}'];

/// What a text is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    English,
    German,
    French,
}

impl Language {
    pub(crate) fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
            Self::French => "fr",
        }
    }

    pub(crate) fn country(self) -> &'static str {
        match self {
            Self::English => "GB",
            Self::German => "DE",
            Self::French => "FR",
        }
    }

    /// Things, deeds, and words that join them.
    fn lexicon(self) -> [&'static [&'static str]; 3] {
        match self {
            Self::English => [ENGLISH_THINGS, ENGLISH_DEEDS, ENGLISH_LINKS],
            Self::German => [GERMAN_THINGS, GERMAN_DEEDS, GERMAN_LINKS],
            Self::French => [FRENCH_THINGS, FRENCH_DEEDS, FRENCH_LINKS],
        }
    }
}

const ENGLISH_THINGS: &[&str] = &[
    "the harbour office",
    "an affluent passenger",
    "every certificate",
    "the well-known captain",
    "a difficult crossing",
    "the waffle stand",
    "our R&D department",
    "the efficient ferry",
    "her lifejacket",
    "the cancellation fee",
    "a supervisor’s signature",
    "the first inspection",
    "weather equipment",
    "the fjord",
    "the Möwe",
    "their own responsibility",
    "12 tickets",
    "4.5 metres of rope",
    "the naïve apprentice",
    "a café on the quay",
    "the confidential file",
];
const ENGLISH_DEEDS: &[&str] = &[
    "approves",
    "certifies",
    "is afflicted by",
    "reconfigures",
    "does not influence",
    "accommodates",
    "classifies",
    "flies above",
    "officially replaces",
    "never mentions",
    "cannot differ from",
    "signals to",
];
const ENGLISH_LINKS: &[&str] = &["and", "but", "because", "while", "so that", "unless", "after which", "although"];

const GERMAN_THINGS: &[&str] = &[
    "das Hafenamt",
    "die Überfahrtsgenehmigung",
    "ein größerer Schlüssel",
    "die Rettungswestenprüfung",
    "der Öltank",
    "die Auflagenänderung",
    "das tägliche Schiffsjournal",
    "eine außergewöhnliche Lieferung",
    "der Kapitän",
    "die Kündigungsfrist von 14 Tagen",
    "das Süßwasser",
    "die Zuständigkeitsvereinbarung",
    "der Fährbetrieb",
    "ein Straßenbauunternehmen",
    "die Grundstücksverkehrsordnung",
    "jede Prüfstelle",
    "das Höchstgewicht",
];
const GERMAN_DEEDS: &[&str] = &[
    "genehmigt",
    "überprüft",
    "verpflichtet",
    "veröffentlicht",
    "berücksichtigt",
    "ersetzt nicht",
    "beschäftigt",
    "benachrichtigt",
    "erfüllt",
    "unterschreibt",
];
const GERMAN_LINKS: &[&str] = &["und", "aber", "weil", "während", "sodass", "außerdem", "jedoch", "obwohl"];

const FRENCH_THINGS: &[&str] = &[
    "la capitainerie",
    "l’équipage",
    "une traversée difficile",
    "le règlement intérieur",
    "l’affréteur",
    "la passerelle",
    "un employé qualifié",
    "le contrôle d’aptitude",
    "la sécurité des passagers",
    "l’île voisine",
    "un coefficient",
    "la fenêtre",
    "le goût de l’œuvre",
    "la réservation",
    "cet été",
    "la déclaration",
    "le prix de 30 €",
];
const FRENCH_DEEDS: &[&str] = &[
    "approuve",
    "vérifie",
    "n’affecte pas",
    "remplace",
    "précède",
    "signale",
    "interdit",
    "définit",
    "complète",
    "protège",
];
const FRENCH_LINKS: &[&str] = &["et", "mais", "parce que", "tandis que", "lorsque", "afin que", "où"];

/// Writes one text after the other.
pub(crate) struct Writer {
    state: u64,
    made: u64,
    pub(crate) language: Language,
}

impl Writer {
    pub(crate) fn new(seed: u64, language: Language) -> Self {
        Self { state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5851_F42D_4C95_7F2D, made: 0, language }
    }

    /// A number below another.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^= mixed >> 31;
        usize::try_from(mixed % u64::try_from(limit.max(1)).unwrap_or(1)).unwrap_or(0)
    }

    /// Whether something happens that happens once in so many times.
    pub(crate) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub(crate) fn pick(&mut self, words: &[&'static str]) -> &'static str {
        let at = self.below(words.len());
        words.get(at).copied().unwrap_or_default()
    }

    /// A word that no text has, and no other call gives.
    pub(crate) fn made_word(&mut self) -> String {
        // Neighbours differ in all of their syllables.
        let mut rest = self.made.wrapping_mul(7_919) % 160_000;
        self.made += 1;
        let mut word = String::new();
        for _ in 0..4 {
            let syllable = usize::try_from(rest % 20).unwrap_or(0);
            rest /= 20;
            word.push(char::from(*b"bdgklmnprt".get(syllable / 2).unwrap_or(&b'z')));
            word.push(char::from(*b"aeio".get(syllable % 2 + (word.len() / 4) * 2).unwrap_or(&b'u')));
        }
        let mut letters = word.chars();
        letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).chain(['z']).collect()
    }

    /// A few words without a made one.
    pub(crate) fn phrase(&mut self) -> String {
        let [things, deeds, _] = self.language.lexicon();
        format!("{} {} {}", self.pick(things), self.pick(deeds), self.pick(things))
    }

    /// A sentence, and its made word.
    pub(crate) fn sentence(&mut self) -> (String, String) {
        let [things, deeds, links] = self.language.lexicon();
        let made = self.made_word();
        let mut words = format!("{made} {} {}", self.pick(deeds), self.pick(things));
        for _ in 0..self.below(3) {
            words = format!("{words} {} {}", self.pick(links), self.phrase());
        }
        if self.once_in(4) {
            let [begin, end] = BOLD;
            let bold = self.pick(things);
            words = format!("{words} {} {} {begin}{bold}{end}", self.pick(links), self.pick(deeds));
        }
        let end = self.pick(&[".", ".", ".", ".", "!", "?"]);
        (format!("{words}{end}"), made)
    }

    /// A title of a few words; none is given twice.
    pub(crate) fn title(&mut self) -> String {
        let [things, ..] = self.language.lexicon();
        let (made, thing) = (self.made_word(), self.pick(things));
        match self.language {
            Language::English => format!("About {made} and {thing}"),
            Language::German => format!("Über {made} und {thing}"),
            Language::French => format!("De {made} et {thing}"),
        }
    }
}

/// A text without the marks of bold words.
pub(crate) fn plain(text: &str) -> String {
    text.chars().filter(|c| !BOLD.contains(c)).collect()
}
