//! What looks like a citation is real or it is gone, however the text is cut.

use vouch_engine::{
    compose::markers::{MarkerStyle, MarkerTable},
    trace::Removal,
    verify::gauntlet::{CleanText, DropCounts, Gauntlet, ModelSentence, SentenceCutter},
};

const STREAMS: u64 = 100_000;

fn footnotes() -> MarkerTable {
    MarkerTable::from_names(
        MarkerStyle::Footnote,
        &[("1", 1), ("2", 2), ("12", 12)],
        &["annual-leave:3", "hr/pay bands:0"],
    )
}

fn source_ids() -> MarkerTable {
    MarkerTable::from_names(MarkerStyle::SourceId, &[("annual-leave:3", 1), ("document-2:0", 2)], &["hr/pay bands:0"])
}

struct Run {
    clean: CleanText,
    sentences: Vec<ModelSentence>,
    drops: DropCounts,
    later: DropCounts,
}

/// Everything that comes out, for bytes that come in pieces.
fn run(marker_table: &MarkerTable, pieces: &[&[u8]]) -> Run {
    let mut gauntlet = Gauntlet::new(marker_table.clone());
    let mut cutter = SentenceCutter::new(marker_table.own());
    let (mut clean, mut whole, mut later) = (CleanText::default(), CleanText::default(), DropCounts::default());
    let mut sentences = Vec::new();
    let mut keep = |clean: &mut CleanText| {
        let before = whole.text.len();
        whole.text.push_str(&clean.text);
        whole.marks.extend(
            clean.marks.iter().map(|mark| vouch_engine::verify::gauntlet::Mark { at: before + mark.at, ..*mark }),
        );
    };
    for piece in pieces {
        gauntlet.push(piece, &mut clean);
        keep(&mut clean);
        sentences.extend(cutter.push(&mut clean, &mut later));
    }
    gauntlet.finish(&mut clean);
    keep(&mut clean);
    sentences.extend(cutter.push(&mut clean, &mut later));
    sentences.extend(cutter.finish(&mut later));
    Run { clean: whole, sentences, drops: gauntlet.drops().clone(), later }
}

fn text(marker_table: &MarkerTable, said: &str) -> (String, Vec<u32>) {
    let run = run(marker_table, &[said.as_bytes()]);
    (run.clean.text, run.clean.marks.iter().map(|mark| mark.marker).collect())
}

#[test]
fn a_number_that_was_minted_is_kept_and_every_other_one_is_gone() {
    for (said, shown, cited) in [
        ("Ten days. [^1]", "Ten days. ", vec![1]),
        ("Ten days [^1][^12].", "Ten days .", vec![1, 12]),
        ("Ten days [^3].", "Ten days .", vec![]),
        ("Ten days [^01].", "Ten days .", vec![]),
        ("Ten days [^99999999999999999999].", "Ten days .", vec![]),
        ("Ten days [^ 1].", "Ten days .", vec![]),
        ("Ten days [^1 ].", "Ten days .", vec![]),
        ("Ten days [^-1].", "Ten days .", vec![]),
        ("Ten days [^one].", "Ten days .", vec![]),
        ("Ten days [1].", "Ten days .", vec![]),
        ("Ten days [1, 2].", "Ten days .", vec![]),
        ("Ten days 【4:0†source】.", "Ten days .", vec![]),
        ("Ten days [[^1]].", "Ten days .", vec![]),
        ("Ten days [^1[^2]].", "Ten days .", vec![]),
        ("Ten days [^[^2]].", "Ten days .", vec![]),
        ("Ten days [see [^2]].", "Ten days .", vec![]),
        ("Ten days [^1", "Ten days ", vec![]),
        ("Ten days [^1 and more", "Ten days  and more", vec![]),
        ("Ten days [^1\n[^2]", "Ten days \n", vec![2]),
        ("Ten days [SourceId: annual-leave:3].", "Ten days .", vec![]),
        ("Ten days [SourceId: annual-leave:3", "Ten days ", vec![]),
        ("Ten days [card:BG 2.13], [action: refund].", "Ten days , .", vec![]),
        ("Ten [working] days [sic] [and [nested] ones].", "Ten [working] days [sic] [and [nested] ones].", vec![]),
        ("A list [of things", "A list [of things", vec![]),
        ("[annual-leave:3] says so", " says so", vec![]),
    ] {
        assert_eq!(text(&footnotes(), said), (shown.to_owned(), cited), "{said:?}");
    }
}

#[test]
fn source_ids_resolve_to_what_this_turn_holds_and_to_nothing_else() {
    for (said, shown, cited) in [
        ("Ten days [SourceId: annual-leave:3].", "Ten days .", vec![1]),
        ("Ten days [SourceId:document-2:0].", "Ten days .", vec![2]),
        ("Ten days [SourceId: annual-leave:4].", "Ten days .", vec![]),
        ("Ten days [sourceid: annual-leave:3].", "Ten days .", vec![]),
        ("Ten days [SourceId: hr/pay bands:0].", "Ten days .", vec![]),
        ("Ten days [Source: handbook.pdf, page 3].", "Ten days .", vec![]),
        ("Ten days [^1].", "Ten days .", vec![]),
    ] {
        assert_eq!(text(&source_ids(), said), (shown.to_owned(), cited), "{said:?}");
    }
}

#[test]
fn thoughts_tokens_and_fences_are_taken_out() {
    for (said, shown) in [
        ("<think>The notes say [^1] nothing.</think>Ten days.", "Ten days."),
        ("<think>it never ends", ""),
        ("Ten days.<|im_end|>", "Ten days."),
        ("Ten </note> days <notes>.", "Ten  days ."),
        ("5 < 6 and 7 > 6, <b>bold</b>", "5 < 6 and 7 > 6, <b>bold</b>"),
    ] {
        assert_eq!(text(&footnotes(), said).0, shown, "{said:?}");
    }
}

#[test]
fn every_drop_is_counted_by_its_kind() {
    let said =
        "A [^9]. B [SourceId: x:1]. C [tool: pay]. D [^x]. E [^1][^1]. F annual-leave:3. <think>x</think> \u{202e}G.";
    let run = run(&footnotes(), &[said.as_bytes(), &[0xff, 0xfe]]);
    let mut all: Vec<(&str, usize)> =
        run.drops.iter().chain(run.later.iter()).map(|(drop, count)| (drop.as_str(), count)).collect();
    all.sort_unstable();
    let expected = [
        ("action_not_done", 1),
        ("leaked", 1),
        ("malformed", 1),
        ("never_minted", 1),
        ("not_text", 1),
        ("not_text", 2),
        ("repeated", 1),
        ("thinking", 1),
        ("unknown_source", 1),
    ];
    assert_eq!(all, expected);
    assert_eq!(run.later.get(Removal::Repeated), 1);
}

#[test]
fn a_citation_belongs_to_the_sentence_before_it_on_its_line() {
    let said = "Leave is ten days. [^1] Ask Dr. Hale [^2]. It is paid!\n- Bring form 7.[^12]\n[^1] Sign it.";
    let run = run(&footnotes(), &[said.as_bytes()]);
    let told: Vec<(&str, &[u32], bool)> = run
        .sentences
        .iter()
        .map(|one| (one.sentence.text.as_str(), one.sentence.markers.as_slice(), one.begins_line))
        .collect();
    let expected: Vec<(&str, &[u32], bool)> = vec![
        ("Leave is ten days.", &[1], true),
        ("Ask Dr. Hale.", &[2], false),
        ("It is paid!", &[], false),
        ("Bring form 7.", &[12], true),
        ("Sign it.", &[1], true),
    ];
    assert_eq!(told, expected);
}

#[test]
fn what_is_taken_out_never_joins_its_neighbours_to_a_citation() {
    for said in [
        "Ten days [<note>^1] here.",
        "Ten days [<|x|>1] here.",
        "Ten days [<think>a</think>^2] here.",
        "Ten days [\u{200b}SourceId: other:3] here.",
        "Ten days ［1］ here.",
        "Ten days [^\u{200b}1] here.",
    ] {
        let run = run(&footnotes(), &[said.as_bytes()]);
        let told: Vec<(&str, &[u32])> =
            run.sentences.iter().map(|one| (one.sentence.text.as_str(), one.sentence.markers.as_slice())).collect();
        assert_eq!(told, [("Ten days here.", &[][..])], "{said:?}");
    }
    let run = run(&footnotes(), &["F annual\u{200b}-leave:3 here.".as_bytes()]);
    assert_eq!(run.sentences.first().map(|one| one.sentence.text.as_str()), Some("F here."));
}

#[test]
fn what_is_not_seen_hides_neither_half_a_citation_nor_a_thought() {
    let told = |marker_table: &MarkerTable, said: &[u8]| -> String {
        let sentences = run(marker_table, &[said]).sentences.into_iter();
        sentences.map(|one| one.sentence.text).collect::<Vec<_>>().join(" ")
    };
    let long = [b"Ten days. <th".as_slice(), &[0xfa; 300], b"ink>no"].concat();
    let cases: [&[u8]; 7] = [
        b"Ten days [Sour\x0cceId: leave",
        b"Ten days [^\xe2\x80\x8b4",
        b"Ten days [\x01^4 and more [^1]",
        b"Ten days. <th\xfa\xfaink>no",
        b"Ten days. <th\xe2\x80\x8bink>no</think>",
        b"Ten days. <|im\x02_end|>",
        &long,
    ];
    for marker_table in [footnotes(), source_ids()] {
        for said in cases {
            let told = told(&marker_table, said);
            let looks = ["[^", "SourceId", "<think", "</think", "<|"].into_iter().find(|trace| told.contains(trace));
            assert_eq!(looks, None, "{:?} is told as {told:?}", String::from_utf8_lossy(said));
            assert!(told.starts_with("Ten days"), "{told:?}");
        }
    }
}

#[test]
fn a_sentence_in_small_letters_is_one_of_its_own() {
    let run = run(&footnotes(), &["Leave is paid. contractors get none. e.g. monday is fine.".as_bytes()]);
    let told: Vec<&str> = run.sentences.iter().map(|one| one.sentence.text.as_str()).collect();
    assert_eq!(told, ["Leave is paid.", "contractors get none.", "e.g. monday is fine."]);
}

/// A small generator of its own (xorshift), so that every run sees the same streams.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap_or_default() % limit.max(1)
    }
}

const PARTS: &[&str] = &[
    "Leave is ten days. ",
    "Ask Dr. Hale",
    "e.g. Monday",
    "[^1]",
    "[^2].",
    "[^12",
    "[^",
    "[",
    "]",
    "[[",
    "]]",
    "\n",
    "- ",
    "[SourceId: annual-leave:3]",
    "[SourceId: ",
    "annual-leave:3",
    "<think>",
    "</think>",
    "<",
    ">",
    "<|im_end|>",
    "é",
    "漢字",
    "【4:0†source】",
    "【",
    "】",
    "😀",
    "naïve – “quoted.” Then",
    "3.5 % of 20. ",
    "[sic]",
    "[action: pay]",
    "\u{202e}",
    "! ",
    "? A",
    "\u{e3}\u{e4}",
    " ",
    "  ",
    "| a | b |",
    "1. ",
    "\r\n",
    "[^1][^1]",
    "[1]",
    "the end.",
    "[<note>",
    "^1]",
    "[\u{200b}^2]",
    "SourceId: x:1]",
    " small again.",
];

fn stream(dice: &mut Dice) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..=dice.below(14) {
        match dice.below(40) {
            0 => bytes.push(u8::try_from(dice.below(256)).unwrap_or_default()),
            1 => bytes.extend("x".repeat(dice.below(400)).bytes()),
            _ => bytes.extend(PARTS.get(dice.below(PARTS.len())).copied().unwrap_or_default().bytes()),
        }
    }
    bytes
}

fn cut<'a>(bytes: &'a [u8], dice: &mut Dice) -> Vec<&'a [u8]> {
    let mut pieces = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let longest = 1 + dice.below(24);
        let length = (1 + dice.below(longest)).min(rest.len());
        let (piece, later) = rest.split_at(length);
        pieces.push(piece);
        rest = later;
    }
    pieces
}

#[test]
fn a_hundred_thousand_streams_cut_anywhere_give_the_same_text() {
    let mut cited = 0;
    for seed in 1..=STREAMS {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let marker_table = if dice.below(2) == 0 { footnotes() } else { source_ids() };
        let bytes = stream(&mut dice);
        let pieces = cut(&bytes, &mut dice);
        let (whole, parts) = (run(&marker_table, &[&bytes]), run(&marker_table, &pieces));
        let case = || format!("seed {seed}: {:?} cut as {pieces:?}", String::from_utf8_lossy(&bytes));
        assert_eq!(whole.clean, parts.clean, "{}", case());
        assert_eq!(whole.sentences, parts.sentences, "{}", case());
        assert_eq!((whole.drops, whole.later), (parts.drops, parts.later), "{}", case());
        cited += whole.clean.marks.len();
        // Nothing that looks like one of ours is left in the words.
        for sentence in &whole.sentences {
            for trace in ["[^1]", "[^12]", "[SourceId:", "<think>", "hr/pay bands:0"] {
                assert!(!sentence.sentence.text.contains(trace), "{trace} in {}", case());
            }
        }
    }
    assert!(cited > 10_000, "{cited} citations");
}

#[test]
fn what_was_claimed_is_kept_with_the_largest_number_given_out() {
    let dropped = run(&footnotes(), &[b"Leave is long [^", b"9]. It ends [^1] in May [^77]."]).drops;
    let claimed: Vec<(&str, u32)> = dropped.claimed().iter().map(|one| (one.claimed.as_str(), one.known_max)).collect();
    assert_eq!(claimed, [("[^9]", 12), ("[^77]", 12)]);
    let many = "[^9]".repeat(200);
    assert_eq!(run(&footnotes(), &[many.as_bytes()]).drops.claimed().len(), 64, "the first of them are enough");
}
