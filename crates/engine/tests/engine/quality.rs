//! How certain an answer is while something stands in for a part of the search that is down: the figures to the letter.

use vouch_engine::{
    decide::{Level, RetrievalQuality, TransparencyStatement},
    trace::Fallback::{self, Bm25Only, CircuitOpen},
};

fn check(base: f64, flags: &[Fallback], expected: f64, level: Level) -> RetrievalQuality {
    let quality = RetrievalQuality::from_retrieval(Some(base), flags);
    assert_eq!(quality.confidence_score, Some(expected));
    assert_eq!(quality.confidence_level, Some(level));
    assert_eq!(quality.is_degraded(), !flags.is_empty());
    assert_eq!(quality.fallback_reasons, flags);
    quality
}

#[test]
fn conf_01_normal_operation_changes_nothing() {
    check(0.85, &[], 0.85, Level::High);
}

#[test]
fn conf_02_bm25_fallback_takes_a_fifth() {
    check(0.85, &[Bm25Only], 0.68, Level::Medium);
}

#[test]
fn conf_03_an_open_circuit_takes_a_fifth() {
    check(0.90, &[CircuitOpen], 0.72, Level::Medium);
}

#[test]
fn conf_04_several_fallbacks_take_a_fifth_once() {
    check(0.80, &[Bm25Only, CircuitOpen], 0.64, Level::Medium);
}

#[test]
fn conf_05_a_low_base_under_fallback_is_low() {
    // That it is not shown either is asserted where answers are decided: breaker.rs.
    check(0.50, &[Bm25Only], 0.4, Level::Low);
}

#[test]
fn levels_begin_where_they_are_said_to() {
    for (score, level) in [(0.85, Level::High), (0.849, Level::Medium), (0.6, Level::Medium), (0.599, Level::Low)] {
        assert_eq!(Level::from_score(score), level, "{score}");
    }
}

#[test]
fn the_reader_is_told_what_stood_in_or_that_little_was_found() {
    let told = |base, flags: &[Fallback]| {
        TransparencyStatement::from_quality(&RetrievalQuality::from_retrieval(base, flags)).statement
    };
    assert_eq!(
        told(Some(0.85), &[Bm25Only, CircuitOpen]).as_deref(),
        Some("This response uses simplified search (bm25_only, circuit_open). Results may be less comprehensive.")
    );
    assert_eq!(
        told(Some(0.5), &[]).as_deref(),
        Some("Limited relevant information found. Consider rephrasing your question.")
    );
    assert_eq!(told(Some(0.85), &[]), None);
    assert_eq!(told(None, &[]), None);
}
