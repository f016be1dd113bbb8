//! A question → what its answer must hold, and what of it a passage does not.
//!
//! Invariant: a constraint says what is missing in words of the question; what a rule cannot tell for certain is met.

mod answer_kind;
mod held;
mod named;
mod superlative;

use std::ops::Range;

use vouch_domain::{
    Address, CharSpan,
    language::{Block, BlockKind, blocks, sentence_ranges},
    ports::Reading,
};

use super::Piece;
use crate::reading::{self, Sentence, budget::Budget};
use answer_kind::AnswerKind;
use held::Held;
use named::Named;

/// Keeps pieces from answering that lack what their part of the question names.
pub(super) fn constrain(questions: &[&str], pieces: &mut [Piece]) {
    let budget = Budget::default();
    for (part, question) in questions.iter().enumerate() {
        let question = reading::sentences(&[question], &budget);
        let constraints = Constraints::new(&question);
        for piece in pieces.iter_mut().filter(|piece| piece.part == part && piece.may_answer) {
            let span = piece.reading.and_then(|reading| reading.span);
            piece.unmet = constraints.unmet_by(&piece.passage.passage.text, span, &above(piece));
            piece.may_answer = piece.unmet.is_none();
        }
    }
}

/// What a question names and a piece does not hold, where the judge has read it for that question.
pub(super) fn unmet(question: &str, piece: &Piece, reading: Reading) -> Option<String> {
    let question = reading::sentences(&[question], &Budget::default());
    Constraints::new(&question).unmet_by(&piece.passage.passage.text, reading.span, &above(piece))
}

/// What an answer to a question must hold.
struct Constraints<'a> {
    named: Named<'a>,
    superlative: Option<&'a str>,
    kind: Option<AnswerKind>,
}

impl<'a> Constraints<'a> {
    /// What the answer to these sentences of a question must hold.
    fn new(question: &'a [Sentence<'a>]) -> Self {
        Self { named: Named::new(question), superlative: superlative::asked(question), kind: AnswerKind::new(question) }
    }

    /// What a passage lacks, as the end of a sentence for a person, if it answers where the span is; none if nothing.
    fn unmet_by(&self, text: &str, span: Option<CharSpan>, above: &str) -> Option<String> {
        let pointed = pointed_at(text, span);
        let budget = Budget::default();
        let blocks = blocks(text);
        let answer_text = text.get(with_introduced(text, &blocks, pointed.clone())).unwrap_or(text);
        let held = Held {
            pointed: reading::sentences(&[text.get(pointed.clone()).unwrap_or(text)], &budget),
            is_tabular: blocks.iter().any(|block| is_row(block) && is_touched(block, &pointed)),
            answer: reading::sentences(&[answer_text], &budget),
            answer_text,
            passage: reading::sentences(&[text], &budget),
            above: reading::sentences(&[above], &budget),
        };
        let kind = self.kind.filter(|kind| !kind.is_met_by(&held.answer));
        self.named
            .unmet_by(&held)
            .or_else(|| self.superlative.and_then(|asked| superlative::unmet(asked, &held)))
            .or_else(|| kind.map(|kind| format!("what was found gives no {}", kind.as_str())))
    }
}

fn above(piece: &Piece) -> String {
    let (document, passage) = (&piece.passage.document, &piece.passage.passage);
    let titles = std::iter::once(&document.title).chain(passage.section.iter()).map(String::as_str);
    let addresses = document.address.iter().chain(&passage.address).map(Address::as_str);
    titles.chain(addresses).collect::<Vec<_>>().join("\n\n")
}

/// Where the sentences stand that a span touches; the whole text where there is no span.
fn pointed_at(text: &str, span: Option<CharSpan>) -> Range<usize> {
    let whole = 0..text.len();
    let Some(span) = span else { return whole };
    let mut at = text.char_indices().map(|(byte, _)| byte).chain(std::iter::once(text.len()));
    let Some(start) = at.nth(span.start) else { return whole };
    let length = span.end.saturating_sub(span.start).max(1);
    let end = at.nth(length - 1).unwrap_or(text.len());
    let ranges = sentence_ranges(text);
    let mut touched = ranges.iter().filter(|range| range.start < end && start < range.end);
    let Some(first) = touched.next() else { return whole };
    first.start..touched.next_back().unwrap_or(first).end
}

/// The same with the list or code that the sentences introduce; of a table, all rows.
fn with_introduced(text: &str, blocks: &[Block], pointed: Range<usize>) -> Range<usize> {
    let Some(at) = blocks.iter().position(|block| is_touched(block, &pointed)) else { return pointed };
    if blocks.get(at).is_some_and(is_row) {
        let before = blocks.iter().take(at).rev().take_while(|block| is_row(block)).last();
        let after = blocks.iter().skip(at).take_while(|block| is_row(block)).last();
        let start = before.map_or(pointed.start, |block| block.range.start);
        return start..after.map_or(pointed.end, |block| block.range.end);
    }
    let introduces = text.get(pointed.clone()).is_some_and(|words| words.trim_end().ends_with(':'));
    let is_part = |block: &&Block| block.depth > 0 || block.kind == BlockKind::Code || is_row(block);
    let introduced = blocks.iter().skip(at + 1).take_while(is_part).last().filter(|_| introduces);
    pointed.start..introduced.map_or(pointed.end, |block| block.range.end.max(pointed.end))
}

fn is_row(block: &Block) -> bool {
    matches!(block.kind, BlockKind::TableRow { .. })
}

fn is_touched(block: &Block, range: &Range<usize>) -> bool {
    block.range.start < range.end && range.start < block.range.end
}

#[cfg(test)]
mod tests {
    use super::{Budget, CharSpan, Constraints, reading};

    /// What a passage under "Leave" lacks whose answer stands between angle brackets.
    fn unmet(question: &str, passage: &str) -> Option<String> {
        let at = |mark: char| passage.chars().position(|c| c == mark);
        let span = at('‹').zip(at('›')).map(|(start, end)| CharSpan { start, end: end - 1 });
        let text = passage.replace(['‹', '›'], "");
        let asked = reading::sentences(&[question], &Budget::default());
        Constraints::new(&asked).unmet_by(&text, span, "Leave")
    }

    #[test]
    fn what_a_question_names_and_a_passage_lacks_is_said() {
        let cases = [
            ("Who audited the dam in 2021?", "‹Mira Holt audited the dam in 2018.›", "mention 2018, not 2021"),
            (
                "When are the FY26 awards paid?",
                "‹FY25 awards are paid in May.› FY26 plans are due.",
                "mention FY25, not FY26",
            ),
            ("Is Sentry approved for drawings?", "‹Drawings are approved by the board.›", "not mention Sentry"),
            ("How many teams use Gatling?", "‹Gatling is used by many teams.› It took 3 days.", "no count"),
            ("How many hours may I donate?", "‹Donate hours on the page.›\n\n1. Log in.\n2. Click.", "no amount"),
            ("How large may a file be?", "‹Send it to localhost:9100.›", "no amount"),
            ("How much does a seat cost?", "‹A seat is booked at the desk.›", "no price"),
            ("What was the very first pump ever built?", "‹Pumps are built at Ness.›", "anything the first"),
            ("Which language is the most used?", "‹Go is an actively used language.›", "anything the most"),
            (
                "Which is the oldest pump?",
                "| Pump | Place |\n|---|---|\n| ‹A› | Ness |\n| B | Tarn |",
                "anything the oldest",
            ),
            ("Which is the oldest phone?", "‹Phones on page 9 or in order of age are kept.›", "anything the oldest"),
            ("Which version fixed the leak?", "‹The leak is fixed.›", "no version"),
            ("Who signs it?", "‹with blue ink, by hand.›", "no person or role"),
        ];
        for (question, passage, expected) in cases {
            let found = unmet(question, passage);
            assert!(found.as_deref().is_some_and(|found| found.ends_with(expected)), "{question}: {found:?}");
        }
    }

    #[test]
    fn what_is_there_in_any_form_is_met() {
        let cases = [
            ("Who audited the dam in 2021?", "In 2021 an audit was held. ‹Mira Holt led it.›"),
            ("Who was keeper in 1850?", "‹From 1837 to 1901 Mira Holt was keeper.›"),
            ("How many Nepalese schools are there?", "‹Nepal has forty schools.›"),
            ("What does the IPCC decide?", "‹The Intergovernmental Panel on Climate Change decides nothing.›"),
            ("How soon do we answer a P3?", "| Class | Answer |\n|---|---|\n| ‹P2› | 1 hour |\n| P3 | 2 hours |"),
            ("How many days of Leave do I get?", "‹You get 26 days a year.›"),
            ("How often do we report?", "‹We report weekly.›"),
            ("How many steps are there at most?", "‹The steps are:›\n\n- Ask twice.\n- Sign all three forms."),
            ("When is the card due if Friday is a holiday?", "‹It is due on the next workday.›"),
            ("When many people leave, what is done?", "‹The gate is opened.›"),
            ("What is the most common cause?", "‹Rust is the usual cause.›"),
            ("Which is the oldest pump?", "| Pump | Year |\n|---|---|\n| ‹A› | 1931 |\n| B | 1950 |"),
            ("What is the oldest phone we support?", "| Phone | Version |\n|---|---|\n| ‹Android› | 9 or newer |"),
            ("What is the oldest phone we support?", "‹Phones from version 9.1+ are supported.›"),
            ("What is the smallest tank?", "‹Tanks of 20 litres and larger are sold.›"),
            ("Who approves it?", "‹Your supervisor approves it.›"),
            ("Can I get it by Monday?", "‹Yes, if you ask.›"),
        ];
        for (question, passage) in cases {
            assert_eq!(unmet(question, passage), None, "{question}");
        }
    }
}
