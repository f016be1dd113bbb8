//! A writer's bytes through the gauntlet: however they are cut they give the same, and no citation is shown that was not
//! minted.
#![no_main]

use libfuzzer_sys::fuzz_target;
use vouch_engine::{
    compose::markers::{MarkerStyle, MarkerTable},
    verify::gauntlet::{CleanText, DropCounts, Gauntlet, ModelSentence, SentenceCutter},
};

const OWN: [&str; 2] = ["annual-leave:3", "hr/pay bands:0"];

/// The markers, the sentences, and what was taken out by the one and the other.
type Run = (Vec<u32>, Vec<ModelSentence>, DropCounts, DropCounts);

fn run<'a>(marker_table: &MarkerTable, pieces: impl IntoIterator<Item = &'a [u8]>) -> Run {
    let mut gauntlet = Gauntlet::new(marker_table.clone());
    let mut cutter = SentenceCutter::new(marker_table.own());
    let (mut clean, mut later) = (CleanText::default(), DropCounts::default());
    let (mut markers, mut sentences) = (Vec::new(), Vec::new());
    for piece in pieces {
        gauntlet.push(piece, &mut clean);
        markers.extend(clean.marks.iter().map(|mark| mark.marker));
        sentences.extend(cutter.push(&mut clean, &mut later));
    }
    gauntlet.finish(&mut clean);
    markers.extend(clean.marks.iter().map(|mark| mark.marker));
    sentences.extend(cutter.push(&mut clean, &mut later));
    sentences.extend(cutter.finish(&mut later));
    (markers, sentences, gauntlet.drops().clone(), later)
}

/// Whether an identifier stands there by itself; as part of another word it is no identifier.
fn stands_apart(text: &str, own: &str) -> bool {
    let is_word = |sign: char| sign.is_alphanumeric() || sign == '-' || sign == ':';
    text.match_indices(own)
        .any(|(at, _)| !text[..at].ends_with(is_word) && !text[at + own.len()..].starts_with(is_word))
}

fuzz_target!(|bytes: &[u8]| {
    let Some((first, said)) = bytes.split_first() else { return };
    let marker_table = if first & 1 == 0 {
        MarkerTable::from_names(MarkerStyle::Footnote, &[("1", 1), ("2", 2), ("12", 12)], &OWN)
    } else {
        MarkerTable::from_names(MarkerStyle::SourceId, &[("leave:3", 1), ("pay-2:0", 2)], &OWN)
    };
    let whole = run(&marker_table, [said]);
    let length = 1 + usize::from(first >> 1);
    assert_eq!(whole, run(&marker_table, said.chunks(length)), "cut after every {length} bytes");
    let (markers, sentences, ..) = whole;
    let is_minted = |marker: &u32| matches!((marker, first & 1), (1 | 2, _) | (12, 0));
    assert!(markers.iter().all(is_minted), "{markers:?}");
    for ModelSentence { sentence, .. } in sentences {
        assert!(sentence.markers.iter().all(is_minted), "{sentence:?}");
        for trace in ["[^", "[SourceId:", "<think>"] {
            assert!(!sentence.text.contains(trace), "{trace} is left in {sentence:?}");
        }
        for own in OWN {
            assert!(!stands_apart(&sentence.text, own), "{own} is left in {sentence:?}");
        }
    }
});
