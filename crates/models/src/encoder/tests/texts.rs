//! Whole texts through a whole model.

use super::{
    super::{Encoder, Scratch, Tokens},
    Dice,
    tiny::{HIDDEN, POSITIONS, Tiny, VOCABULARY},
};
use crate::kernels::Path;

fn text(dice: &mut Dice, length: usize) -> Vec<u32> {
    (0..length).map(|_| dice.below(VOCABULARY) as u32).collect()
}

fn rows(encoder: &Encoder, texts: &[&[u32]], scratch: &mut Scratch) -> Vec<Vec<f32>> {
    let tokens: Vec<Tokens> = texts.iter().map(|ids| Tokens { ids, second_at: ids.len() / 2 }).collect();
    let rows = encoder.run(&tokens, scratch).expect("the texts are read");
    rows.into_iter().map(|rows| rows.iter().flat_map(|line| line.0).collect()).collect()
}

fn lengths() -> &'static [usize] {
    if cfg!(miri) { &[1, 3, 17] } else { &[1, 2, 3, 5, 15, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64, 65, POSITIONS] }
}

#[test]
fn a_model_is_read_as_the_textbook_reads_it() {
    let (tiny, mut dice) = (Tiny::roll(), Dice::new(8));
    let encoder = Encoder::read(tiny.file(), Path::best()).expect("the model is read");
    for length in lengths() {
        let ids = text(&mut dice, *length);
        let found = rows(&encoder, &[&ids], &mut Scratch::default()).concat();
        let truth = tiny.plain(&ids, length / 2).concat();
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(a * b)).sum::<f64>();
        let cosine = dot(&found, &truth) / (dot(&found, &found) * dot(&truth, &truth)).sqrt();
        assert!(found.len() == length * HIDDEN && cosine > 0.999, "{length} tokens: {cosine}");
    }
}

#[test]
fn every_path_reads_every_length_alike() {
    let (file, mut dice) = (Tiny::roll().file(), Dice::new(9));
    let encoders: Vec<Encoder> =
        Path::available().into_iter().rev().filter_map(|path| Encoder::read(file, path)).collect();
    for length in lengths() {
        let ids = text(&mut dice, *length);
        let found: Vec<_> = encoders.iter().map(|encoder| rows(encoder, &[&ids], &mut Scratch::default())).collect();
        for (encoder, other) in encoders.iter().zip(&found) {
            assert!(found.first() == Some(other), "{} tokens on {}", length, encoder.path.name());
        }
    }
}

#[test]
fn neighbours_and_earlier_texts_change_nothing() {
    let (file, mut dice) = (Tiny::roll().file(), Dice::new(10));
    for path in Path::available() {
        let encoder = Encoder::read(file, path).expect("the model is read");
        let texts: Vec<Vec<u32>> = lengths().iter().map(|length| text(&mut dice, *length)).collect();
        let texts: Vec<&[u32]> = texts.iter().map(Vec::as_slice).collect();
        let mut used = Scratch::default();
        let together = rows(&encoder, &texts, &mut used);
        for (ids, found) in texts.into_iter().zip(together) {
            assert!(rows(&encoder, &[ids], &mut used) == vec![found], "{} tokens on {}", ids.len(), path.name());
        }
    }
}

#[test]
fn what_the_model_cannot_read_is_refused() {
    let encoder = Encoder::read(Tiny::roll().file(), Path::best()).expect("the model is read");
    let mut scratch = Scratch::default();
    let mut is_read = |ids: &[u32]| encoder.run(&[Tokens { ids, second_at: 0 }], &mut scratch).is_some();
    assert!(is_read(&[1; POSITIONS]) && is_read(&[]));
    assert!(!is_read(&[1; POSITIONS + 1]), "too long");
    assert!(!is_read(&[1, VOCABULARY as u32]) && !is_read(&[u32::MAX]), "no such token");
    assert!(encoder.run(&[], &mut scratch).is_some_and(|rows| rows.is_empty()));
}
