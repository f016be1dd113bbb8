//! What every `SentQuestions` must do.
#![expect(clippy::expect_used, reason = "a test that cannot set its scene has failed")]

use std::{collections::BTreeSet, sync::Arc};

use vouch_domain::{DocumentId, SentQuestion, WrittenAnswer, ports::SentQuestions};

const TENANT: &str = "tarn";

fn question(id: &str, owner: &str, sent_ms: u64) -> SentQuestion {
    SentQuestion {
        id: id.to_owned(),
        tenant: TENANT.to_owned(),
        query: format!("What of {id}?"),
        topic: Some("hr".to_owned()),
        owner: owner.to_owned(),
        sent_by: "key:1".to_owned(),
        sent_ms,
        tags: BTreeSet::from(["hr".to_owned(), "staff".to_owned()]),
        answer: None,
    }
}

fn answer(at_ms: u64) -> WrittenAnswer {
    WrittenAnswer { document: DocumentId::parse("answers/a").expect("an id"), at_ms }
}

/// Runs every clause, each on an empty store.
pub async fn check(make: impl Fn() -> Arc<dyn SentQuestions>) {
    a_question_comes_back_as_it_was_sent(make().as_ref()).await;
    open_ones_come_first_and_then_the_newest(make().as_ref()).await;
    no_tenant_sees_or_changes_what_is_anothers(make().as_ref()).await;
}

async fn a_question_comes_back_as_it_was_sent(questions: &dyn SentQuestions) {
    assert_eq!(questions.question(TENANT, "a").await.expect("read"), None);
    questions.send(question("a", "mira", 1)).await.expect("sent");
    assert_eq!(questions.question(TENANT, "a").await.expect("read"), Some(question("a", "mira", 1)));
    questions.send(question("a", "kees", 2)).await.expect("sent");
    assert_eq!(questions.sent(TENANT, None, 9).await.expect("read"), [question("a", "kees", 2)], "in its place");
    assert!(questions.answered(TENANT, "a", answer(3)).await.expect("noted"));
    let told = questions.question(TENANT, "a").await.expect("read").expect("it is there");
    assert_eq!(told.answer, Some(answer(3)));
    assert!(questions.withdraw(TENANT, "a").await.expect("withdrawn"));
    assert!(!questions.withdraw(TENANT, "a").await.expect("nothing to withdraw"));
    assert!(!questions.answered(TENANT, "a", answer(4)).await.expect("nothing to answer"));
}

async fn open_ones_come_first_and_then_the_newest(questions: &dyn SentQuestions) {
    for (id, owner, sent_ms) in [("a", "mira", 1), ("b", "mira", 3), ("c", "kees", 2)] {
        questions.send(question(id, owner, sent_ms)).await.expect("sent");
    }
    questions.answered(TENANT, "b", answer(4)).await.expect("noted");
    let ids = |owner: Option<&'static str>, limit: usize| async move {
        let found = questions.sent(TENANT, owner, limit).await.expect("read");
        found.into_iter().map(|one| one.id).collect::<Vec<_>>()
    };
    assert_eq!(ids(None, 9).await, ["c", "a", "b"]);
    assert_eq!(ids(Some("mira"), 9).await, ["a", "b"]);
    assert_eq!(ids(None, 1).await, ["c"]);
    assert!(ids(Some("nobody"), 9).await.is_empty());
}

async fn no_tenant_sees_or_changes_what_is_anothers(questions: &dyn SentQuestions) {
    questions.send(question("a", "mira", 1)).await.expect("sent");
    assert!(questions.sent("fell", None, 9).await.expect("read").is_empty());
    assert_eq!(questions.question("fell", "a").await.expect("read"), None);
    assert!(!questions.answered("fell", "a", answer(2)).await.expect("nothing there"));
    assert!(!questions.withdraw("fell", "a").await.expect("nothing there"));
    assert_eq!(questions.question(TENANT, "a").await.expect("read"), Some(question("a", "mira", 1)));
}
