//! Replies to a proposal, each with what a person takes it for: a half to build with, and a half that was kept back.

use vouch_engine::tool::{Consent, is_answer_alone, read_consent};

/// Half, expected, proposal and reply, one case a line.
const CASES: &str = include_str!("../cases/confirmations.tsv");
/// Of a hundred replies so many may be read wrongly, and none of them as a yes.
const WRONG_MAX_OF_100: usize = 2;
/// The half that was kept back was read once, after the rest was done, and nothing was changed for it: of its 120, 18 are asked again
/// although they are plain, 3 are taken for a no and none for a yes. That is more than should be; it may not become more.
const HELD_WRONG_MAX: usize = 21;

struct Case {
    half: &'static str,
    expected: &'static str,
    proposal: &'static str,
    reply: &'static str,
}

fn cases() -> Vec<Case> {
    let read = |line: &'static str| {
        let mut fields = line.split('\t').map(str::trim);
        let mut next = || fields.next().unwrap_or_default();
        Case { half: next(), expected: next(), proposal: next(), reply: next() }
    };
    CASES.lines().map(read).collect()
}

fn word(consent: Consent) -> &'static str {
    match consent {
        Consent::Yes | Consent::Nod => "yes",
        Consent::Later | Consent::No => "no",
        Consent::Unclear | Consent::Other => "neither",
    }
}

/// The cases of a half that are read wrongly: as what, and in words.
fn wrong(half: &str) -> (usize, Vec<(&'static str, String)>) {
    let own: Vec<Case> = cases().into_iter().filter(|case| case.half == half).collect();
    let read = |case: &Case| word(read_consent(case.reply, case.proposal));
    let wrong = own.iter().map(|case| (case, read(case))).filter(|(case, read)| case.expected != *read);
    let told =
        |(case, read): (&Case, &'static str)| (read, format!("{}: {:?} is read as {read}", case.expected, case.reply));
    (own.len(), wrong.map(told).collect())
}

#[test]
fn of_a_hundred_replies_two_at_most_are_read_wrongly_and_none_as_a_yes() {
    let (count, wrong) = wrong("tune");
    assert!(count >= 50 && wrong.len() * 100 <= count * WRONG_MAX_OF_100, "{wrong:#?}");
    assert!(wrong.iter().all(|(read, _)| *read != "yes"), "{wrong:#?}");
}

#[test]
fn replies_that_were_kept_back_are_read_no_worse_than_they_were() {
    let (count, wrong) = wrong("held");
    assert!(count >= 50 && wrong.len() <= HELD_WRONG_MAX, "{wrong:#?}");
    assert!(wrong.iter().all(|(read, _)| *read != "yes"), "{wrong:#?}");
}

const REFUND: &str = "I will open a refund case for invoice INV-26101007 over PLN 150.00 (reason: overcharge). A person then reviews it; nothing is \
     granted by opening it. Shall I open it? Please answer yes or no.";
const MOVE: &str = "I'd move you from plan S to plan L from 1 March. Shall I make the change?";
const MIND: &str = "Would you mind if I forwarded this conversation to our billing team?";
const END: &str = "I'd cancel your Sports TV add-on at the end of this month. Do you confirm?";

#[test]
fn what_is_no_plain_yes_is_none() {
    for (proposal, reply) in [
        (REFUND, "yes but make it 20"),
        (REFUND, "wait, no"),
        (REFUND, "yes?"),
        (REFUND, "!yes"),
        (REFUND, "~~yes~~"),
        (REFUND, "[ ] yes"),
        (REFUND, "yesterday"),
        (REFUND, "is that a yes?"),
        (REFUND, "yes yes yes I hate this"),
        (REFUND, "hmm"),
        (REFUND, "thanks"),
        (REFUND, "yes I know"),
        (REFUND, "open it for INV-26101008"),
        (REFUND, "open it tomorrow"),
        (REFUND, "yes if it's free"),
        (REFUND, "yes or no, I can't decide"),
        (REFUND, ""),
        (REFUND, "do you open it on weekends"),
        (REFUND, "yes my wife opened it already"),
        (MOVE, "yes, to plan S"),
        (MOVE, "yes, move me from L to S"),
        (END, "yes, cancel it now"),
        (END, "I don't need it anymore"),
        (REFUND, "yeah right"),
        (REFUND, "sure, sure"),
        (REFUND, "yes, the amount is wrong"),
        (REFUND, "yes, I opened it"),
        (REFUND, "yes, it was INV-26101008, so open it"),
        (REFUND, "open it, my address has changed"),
        (REFUND, "open it but don't open it today"),
        (REFUND, "I'm not saying no"),
        (REFUND, "No, I mean, what does it cost?"),
        (MOVE, "let me check with my wife first, then make the change"),
        (MOVE, "I want plan M, so yes"),
        (END, "yes, keep it"),
        (END, "cancel it, another date though"),
        (MIND, "yes"),
        (MIND, "yes I do mind"),
    ] {
        assert_ne!(word(read_consent(reply, proposal)), "yes", "{reply:?}");
    }
    let long = "yes ".repeat(400);
    assert_eq!(read_consent(&long, REFUND), Consent::Other, "nobody answers at such length");
}

#[test]
fn a_yes_in_other_words_is_one() {
    for (proposal, reply) in [
        (REFUND, "yes please go ahead"),
        (REFUND, "ok do it"),
        (REFUND, "Yes, open it"),
        (REFUND, "yes thanks"),
        (REFUND, "Yes, for INV-26101007, PLN 150"),
        (REFUND, " YES, please. "),
        (REFUND, "Tak"),
        (MOVE, "yes, move me from S to L"),
        (MOVE, "please make the change"),
        (END, "cancel it"),
        (END, "yes, I don't need it anymore"),
        (END, "yep cancel it, found it cheaper elsewhere"),
        (END, "we never use it, so please cancel it"),
        (END, "cancle it plaese"),
        (REFUND, "no no, you're right, open it"),
        (REFUND, "I wouldn't say no to that"),
        (REFUND, "no need to ask twice, open it"),
        (REFUND, "open it I'm tired of waiting"),
        (MIND, "not at all"),
        (MIND, "no, go ahead"),
    ] {
        assert!(read_consent(reply, proposal).is_yes(), "{reply:?}: {:?}", read_consent(reply, proposal));
    }
}

#[test]
fn a_no_takes_back_what_waits_and_another_request_does_not() {
    for reply in
        ["No.", "never mind", "cancel", "no way", "no, do not open it", "No. Why is the router lamp red?", "👎"]
    {
        assert_eq!(read_consent(reply, REFUND), Consent::No, "{reply:?}");
    }
    for reply in ["no internet since Monday", "I want to cancel an order I placed yesterday", "show me my invoices"] {
        assert_eq!(read_consent(reply, REFUND), Consent::Other, "{reply:?}");
    }
    assert_eq!(read_consent("hold on", REFUND), Consent::Later);
    for (proposal, reply) in [(END, "keep the add-on"), (END, "no leave it on"), (MOVE, "I'll stay on plan S")] {
        assert_eq!(read_consent(reply, proposal), Consent::No, "{reply:?}");
    }
}

#[test]
fn an_answer_by_itself_is_told_from_a_question() {
    for words in ["yes", "ok do it", "Yes, open it", "no thanks", "wait, no", "cancel it"] {
        assert!(is_answer_alone(words, REFUND), "{words:?}");
    }
    for words in [
        "open a refund case for me",
        "cancel my contract",
        "no internet",
        "ok and the router?",
        "yes my lamp is red",
        "stop direct debit",
        "",
    ] {
        assert!(!is_answer_alone(words, REFUND), "{words:?}");
    }
}
