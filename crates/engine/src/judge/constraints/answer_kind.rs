//! A question → what sort of thing answers it, and whether a text holds one.
//!
//! Invariant: a text that may hold one in words no rule knows counts as holding it; only one that certainly holds none does not.

use super::held::is_among;
use crate::reading::{
    Sentence,
    calendar::is_calendar_word,
    figures::Figure,
    measures::{Dimension, is_unit_word},
    name_spans::find_names,
    token::Joint,
};

/// What sort of thing answers a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AnswerKind {
    /// How many of something that is no unit.
    Count,
    /// How much, how tall, how many metres.
    Amount,
    /// How much it costs.
    Price,
    /// How long, how often, how soon.
    Duration,
    /// When, on what day.
    Date,
    /// In what year.
    Year,
    /// Who.
    Person,
    /// Which version.
    Version,
}

/// Words for an amount that is no figure.
const AMOUNTS: &str = "none no unlimited zero any every all nobody full little few several half third quarter majority most \
    hundreds thousands millions billions dozens minority entire whole pair each";
/// Words for a time that is no figure.
const TIMES: &str = "daily weekly monthly quarterly yearly annually annual hourly biweekly always until till forever \
    permanent permanently indefinitely immediately never continuously regularly every each day days week \
    weeks month months year years hour hours minute minutes second seconds century centuries decade decades \
    overnight whenever soon while lifetime anniversary long short";
/// Words that say when without a date.
const OCCASIONS: &str = "after before when once during if upon following first next last today tomorrow yesterday now currently \
    spring summer autumn fall winter end beginning start later earlier since noon midnight morning evening \
    night then ago as date time by at on holiday christmas easter through throughout";
/// Words for persons and parties.
const PERSONS: &str = "you your we our us i my they their he his she her it anyone anybody everyone everybody nobody somebody \
    someone who people person persons team teams staff group groups office company committee board \
    department government council organisation organization agency agencies party parties community public \
    men women man woman children king queen";
/// What words for those who do something end with.
const DOERS: &str = "er ers or ors ist ists ee ees ian ians ant ants ent ents lead leads";

impl AnswerKind {
    /// The sort that a question asks for; none where its words do not say, or ask for several things.
    pub(super) fn new(question: &[Sentence<'_>]) -> Option<Self> {
        question.iter().find_map(Self::of)
    }

    fn of(sentence: &Sentence<'_>) -> Option<Self> {
        let folds: Vec<&str> = sentence.folds().collect();
        let is_asking = |fold: &&&str| {
            matches!(**fold, "what" | "which" | "who" | "whom" | "whose" | "when" | "where" | "why" | "how")
        };
        if folds.iter().filter(is_asking).count() != 1 {
            return None;
        }
        let at = folds.iter().position(|fold| is_asking(&fold))?;
        let fold = |offset: usize| folds.get(at + offset).copied().unwrap_or_default();
        let is_first = at == 0
            || matches!(
                folds.get(..at),
                Some(["and" | "but" | "so" | "since" | "until" | "in" | "by" | "to" | "for" | "from" | "at" | "on"])
            );
        let costs = ["cost", "costs", "price", "expensive"];
        match (fold(0), fold(1)) {
            ("how", "much" | "expensive") if folds.iter().any(|fold| costs.contains(fold)) => Some(Self::Price),
            ("how", "many") if !is_unit_word(fold(2)) => Some(Self::Count),
            (
                "how",
                "many" | "much" | "tall" | "high" | "large" | "big" | "wide" | "deep" | "heavy" | "fast" | "far",
            ) => Some(Self::Amount),
            ("how", "long" | "often" | "soon" | "quickly" | "old") => Some(Self::Duration),
            ("what", "percentage" | "percent" | "share" | "proportion" | "fraction") => Some(Self::Amount),
            ("what" | "which", "year") => Some(Self::Year),
            ("what" | "which", "date" | "day" | "month") => Some(Self::Date),
            ("what" | "which", "version") => Some(Self::Version),
            ("when", next) if is_first && is_auxiliary(next) => Some(Self::Date),
            ("who" | "whom" | "whose", _) if is_first => Some(Self::Person),
            _ => None,
        }
    }

    /// Whether a text holds a thing of this sort.
    pub(super) fn is_met_by(self, text: &[Sentence<'_>]) -> bool {
        text.iter().any(|sentence| self.is_in(sentence))
    }

    fn is_in(self, sentence: &Sentence<'_>) -> bool {
        let holds = |words: &str| sentence.folds().any(|fold| is_among(words, fold));
        let counts = |is_fitting: &dyn Fn(&Figure) -> bool| {
            sentence.figures.iter().any(|figure| is_quantity(sentence, figure) && is_fitting(figure))
        };
        let dimension = |figure: &Figure| figure.unit.map(|unit| unit.dimension);
        match self {
            Self::Count => {
                counts(&|figure| dimension(figure).is_none_or(|one| one == Dimension::Share)) || holds(AMOUNTS)
            }
            Self::Amount => counts(&|_| true) || holds(AMOUNTS),
            Self::Price => counts(&|figure| dimension(figure).is_none_or(Dimension::is_money)) || holds("free no"),
            Self::Duration => counts(&|_| true) || !sentence.dates.is_empty() || holds(TIMES),
            Self::Date => {
                let is_said = || holds(TIMES) || holds(OCCASIONS) || sentence.folds().any(is_calendar_word);
                !sentence.dates.is_empty() || !sentence.figures.is_empty() || is_said()
            }
            Self::Year => !sentence.dates.is_empty() || !sentence.figures.is_empty(),
            Self::Person => {
                let is_doer = |fold: &str| fold.len() > 4 && DOERS.split(' ').any(|ending| fold.ends_with(ending));
                !find_names(sentence).is_empty()
                    || holds(PERSONS)
                    || sentence.folds().any(is_doer)
                    || sentence.tokens.iter().any(|token| token.is_address)
            }
            Self::Version => sentence.tokens.iter().any(|token| token.has_digit()),
        }
    }

    /// The sort in a word or two.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Amount => "amount",
            Self::Price => "price",
            Self::Duration => "length of time",
            Self::Date => "time or date",
            Self::Year => "year",
            Self::Person => "person or role",
            Self::Version => "version",
        }
    }
}

/// A number that is no part of an address, a port or a code.
fn is_quantity(sentence: &Sentence<'_>, figure: &Figure) -> bool {
    let joint = sentence.tokens.get(figure.range.start).map(|token| token.joint);
    !matches!(joint, Some(Joint::Colon | Joint::Slash))
}

fn is_auxiliary(fold: &str) -> bool {
    matches!(
        fold,
        "is" | "are"
            | "was"
            | "were"
            | "do"
            | "does"
            | "did"
            | "will"
            | "would"
            | "can"
            | "could"
            | "should"
            | "must"
            | "may"
            | "has"
            | "have"
            | "had"
    )
}
