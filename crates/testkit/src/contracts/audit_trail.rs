//! The contract of `AuditTrail`.

use std::sync::Arc;

use vouch_domain::{
    AuditEntry, AuditScope, Fault, Feedback, FeedbackOutcome, Opinion, Rating,
    ports::{AuditPlace, AuditTrail, Generation},
};

use crate::corpus::TENANT;

/// An entry of the tiny corpus's tenant, asked by Mira.
#[must_use]
pub fn entry(id: &str) -> AuditEntry {
    AuditEntry {
        id: id.to_owned(),
        tenant: TENANT.to_owned(),
        asker: "mira".to_owned(),
        at_ms: 1_761_993_045_123,
        outcome: "answered".to_owned(),
        reason: None,
        generation: Generation(7),
        elapsed_ms: 12.5,
        record: format!("{{\"request_id\":\"{id}\"}}"),
    }
}

fn everybody() -> AuditScope {
    AuditScope::for_tenant(TENANT)
}

fn only(asker: &str) -> AuditScope {
    AuditScope { asker: Some(asker.to_owned()), ..everybody() }
}

fn word(asker: &str, at_ms: u64, is_helpful: bool) -> Feedback {
    Feedback { asker: asker.to_owned(), at_ms, opinion: Opinion::thumb(is_helpful), comment: None }
}

fn rating(stars: u8) -> Opinion {
    Opinion { is_helpful: None, rating: Rating::new(stars) }
}

/// Runs every clause, each on an empty trail.
pub async fn check(make: impl Fn() -> Arc<dyn AuditTrail>) {
    an_entry_comes_back_as_it_was_written(make().as_ref()).await;
    an_entry_that_began_is_finished_in_its_place(make().as_ref()).await;
    of_two_with_one_name_the_newer_is_found(make().as_ref()).await;
    tenants_and_askers_see_their_own_alone(make().as_ref()).await;
    the_newest_come_first_and_no_more_than_wanted(make().as_ref()).await;
    what_is_said_stays_with_its_entry(make().as_ref()).await;
    ratings_stay_beside_thumbs_and_without_them(make().as_ref()).await;
    what_is_said_has_bounds(make().as_ref()).await;
}

async fn an_entry_comes_back_as_it_was_written(trail: &dyn AuditTrail) {
    assert_eq!(trail.entry(&everybody(), "a").await.expect("an answer"), None);
    let refused = AuditEntry { outcome: "refused".to_owned(), reason: Some("top1".to_owned()), ..entry("a") };
    trail.write(refused.clone()).await.expect("written");
    let found = trail.entry(&everybody(), "a").await.expect("an answer").expect("it is there");
    assert_eq!((found.entry, found.feedback), (refused, Vec::new()));
    assert_eq!(trail.entry(&everybody(), "A").await.expect("an answer"), None);
    assert_eq!(trail.entry(&everybody(), "%").await.expect("an answer"), None);
}

async fn an_entry_that_began_is_finished_in_its_place(trail: &dyn AuditTrail) {
    let begun = AuditEntry { outcome: "begun".to_owned(), elapsed_ms: 0.0, ..entry("a") };
    let place = trail.write(begun).await.expect("written");
    // Another request of the same name comes in between.
    trail.write(entry("a")).await.expect("written");
    let finished = AuditEntry { outcome: "clarify".to_owned(), record: "{}".to_owned(), ..entry("a") };
    trail.rewrite(place, finished.clone()).await.expect("finished");
    assert_eq!(trail.newest(&everybody(), 10).await.expect("entries"), [entry("a"), finished]);
    let nowhere = AuditPlace(place.0 + 1_000);
    assert!(trail.rewrite(nowhere, entry("b")).await.is_err(), "what never began cannot be finished");
}

async fn of_two_with_one_name_the_newer_is_found(trail: &dyn AuditTrail) {
    trail.write(entry("a")).await.expect("written");
    // Clocks may stand still or go back; what was written later is newer.
    let second = AuditEntry { outcome: "refused".to_owned(), at_ms: 5, ..entry("a") };
    trail.write(second.clone()).await.expect("written");
    assert!(trail.comment(&everybody(), "a", word("mira", 1, true)).await.expect("said").is_kept());
    let found = trail.entry(&everybody(), "a").await.expect("an answer").expect("it is there");
    assert_eq!((found.entry, found.feedback), (second, vec![word("mira", 1, true)]));
}

async fn tenants_and_askers_see_their_own_alone(trail: &dyn AuditTrail) {
    trail.write(entry("a")).await.expect("written");
    let foreign = AuditEntry { tenant: "another".to_owned(), ..entry("a") };
    trail.write(foreign.clone()).await.expect("written");
    let kees = AuditEntry { asker: "kees".to_owned(), ..entry("a") };
    trail.write(kees.clone()).await.expect("written");
    let seen = |scope: AuditScope| async move {
        trail.entry(&scope, "a").await.expect("an answer").map(|audited| audited.entry)
    };
    assert_eq!(seen(everybody()).await, Some(kees.clone()));
    assert_eq!(seen(only("mira")).await, Some(entry("a")), "another's newer one of the same name hides nothing");
    assert_eq!(seen(only("anna")).await, None);
    assert_eq!(seen(AuditScope::for_tenant("another")).await, Some(foreign));
    assert_eq!(seen(AuditScope::for_tenant("a third")).await, None);
    assert_eq!(trail.newest(&only("mira"), 10).await.expect("entries"), [entry("a")]);
    assert_eq!(trail.newest(&everybody(), 10).await.expect("entries"), [kees, entry("a")]);
    assert!(trail.comment(&only("mira"), "a", word("mira", 1, false)).await.expect("said").is_kept());
    assert!(!trail.comment(&only("anna"), "a", word("anna", 2, true)).await.expect("said").is_kept());
    let told = trail.entry(&everybody(), "a").await.expect("an answer").expect("it is there");
    assert!(told.feedback.is_empty(), "Mira spoke of her own");
}

async fn the_newest_come_first_and_no_more_than_wanted(trail: &dyn AuditTrail) {
    assert!(trail.newest(&everybody(), 10).await.expect("entries").is_empty());
    for id in ["a", "b", "c"] {
        trail.write(entry(id)).await.expect("written");
    }
    let ids = |limit| async move {
        let found = trail.newest(&everybody(), limit).await.expect("entries");
        found.into_iter().map(|entry| entry.id).collect::<Vec<_>>()
    };
    assert_eq!(ids(2).await, ["c", "b"]);
    assert_eq!(ids(10).await, ["c", "b", "a"]);
    // Page by page, each from where the last one ended.
    let first = trail.before(&everybody(), None, 2).await.expect("entries");
    let last = first.last().map(|(place, _)| *place);
    let rest = trail.before(&everybody(), last, 2).await.expect("entries");
    assert_eq!(rest.iter().map(|(_, entry)| entry.id.as_str()).collect::<Vec<_>>(), ["a"]);
    let end = rest.last().map(|(place, _)| *place);
    assert!(trail.before(&everybody(), end, 2).await.expect("entries").is_empty());
    assert!(trail.before(&only("anna"), None, 2).await.expect("entries").is_empty(), "only what is in sight");
}

async fn what_is_said_stays_with_its_entry(trail: &dyn AuditTrail) {
    assert!(!trail.comment(&everybody(), "a", word("mira", 1, true)).await.expect("said").is_kept());
    trail.write(entry("a")).await.expect("written");
    trail.write(entry("b")).await.expect("written");
    let wrong = Feedback { comment: Some("That is last year's figure.".to_owned()), ..word("kees", 3, false) };
    for (feedback, outcome) in [
        (word("mira", 5, true), FeedbackOutcome::New),
        (wrong.clone(), FeedbackOutcome::New),
        (word("mira", 9, false), FeedbackOutcome::Replaced { before: Opinion::thumb(true) }),
    ] {
        assert_eq!(trail.comment(&everybody(), "a", feedback).await.expect("said"), outcome);
    }
    let told = trail.entry(&everybody(), "a").await.expect("an answer").expect("it is there");
    assert_eq!(told.feedback, [wrong, word("mira", 9, false)], "who speaks again replaces what they said");
    let other = trail.entry(&everybody(), "b").await.expect("an answer").expect("it is there");
    assert!(other.feedback.is_empty());
    // What was spoken on is found without looking through the rest, and by whoever may see it.
    let spoken_on = async |scope: AuditScope| trail.commented(&scope, 10).await.expect("entries");
    assert_eq!(spoken_on(everybody()).await, [told]);
    assert!(spoken_on(AuditScope::for_tenant("another")).await.is_empty() && spoken_on(only("anna")).await.is_empty());
    assert!(trail.commented(&everybody(), 0).await.expect("entries").is_empty());
}

async fn ratings_stay_beside_thumbs_and_without_them(trail: &dyn AuditTrail) {
    trail.write(entry("a")).await.expect("written");
    let both = Opinion { is_helpful: Some(true), ..rating(4) };
    for (at_ms, opinion, outcome) in [
        (1, rating(1), FeedbackOutcome::New),
        (2, both, FeedbackOutcome::Replaced { before: rating(1) }),
        (3, rating(5), FeedbackOutcome::Replaced { before: both }),
    ] {
        let said = Feedback { opinion, ..word("mira", at_ms, false) };
        assert_eq!(trail.comment(&everybody(), "a", said).await.expect("said"), outcome);
        let told = trail.entry(&everybody(), "a").await.expect("an answer").expect("it is there");
        assert_eq!(told.feedback.first().map(|said| said.opinion), Some(opinion), "all of it is replaced");
    }
    let mute = Feedback { opinion: Opinion::default(), ..word("kees", 4, true) };
    let error = trail.comment(&everybody(), "a", mute).await.expect_err("it says nothing");
    assert_eq!(error.fault, Fault::Invalid);
}

async fn what_is_said_has_bounds(trail: &dyn AuditTrail) {
    trail.write(entry("a")).await.expect("written");
    let said = |chars: usize| Feedback { comment: Some("é".repeat(chars)), ..word("mira", 1, true) };
    let error = trail.comment(&everybody(), "a", said(Feedback::COMMENT_CHARS_MAX + 1)).await.expect_err("too long");
    assert_eq!(error.fault, Fault::Invalid);
    assert!(trail.comment(&everybody(), "a", said(Feedback::COMMENT_CHARS_MAX)).await.expect("said").is_kept());
    for number in 1..Feedback::PER_ENTRY_MAX {
        assert!(trail.comment(&everybody(), "a", word(&format!("p{number}"), 2, true)).await.expect("said").is_kept());
    }
    let error = trail.comment(&everybody(), "a", word("one more", 3, true)).await.expect_err("too many");
    assert_eq!(error.fault, Fault::Invalid);
    assert!(
        trail
            .comment(&everybody(), "a", word("mira", 4, false))
            .await
            .expect("who has spoken may speak again")
            .is_kept()
    );
}
