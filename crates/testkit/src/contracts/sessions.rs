//! The contract of `Sessions`.

use std::sync::Arc;

use vouch_domain::{
    Fault,
    ports::Sessions,
    session::{PendingCall, SessionOwner, SessionState},
    tool::{ToolRecord, ToolValue},
};

const NOW_MS: u64 = 1_800_000_000_000;
const DAY_MS: u64 = 24 * 60 * 60 * 1_000;

/// Somebody of a tenant.
#[must_use]
pub fn owner(tenant: &str, asker: &str) -> SessionOwner {
    SessionOwner { tenant: tenant.to_owned(), asker: asker.to_owned() }
}

/// A conversation in which a call waits for a yes.
#[must_use]
pub fn waiting(token: &str) -> SessionState {
    let nested = ToolRecord::from([("pieces".to_owned(), ToolValue::List(vec![ToolValue::Nothing, "ü\"\n".into()]))]);
    let args = ToolRecord::from([
        ("amount_pln".to_owned(), ToolValue::Number(49.99)),
        ("cases".to_owned(), ToolValue::Number(-3.0)),
        ("is_urgent".to_owned(), ToolValue::Flag(true)),
        ("more".to_owned(), ToolValue::Record(nested)),
        ("note".to_owned(), ToolValue::Nothing),
        ("user_id".to_owned(), "u-1001".into()),
    ]);
    let pending = PendingCall {
        tool: "open_refund_case".to_owned(),
        args,
        missing: Vec::new(),
        token: Some(token.to_owned()),
        until_ms: Some(NOW_MS + 1_000),
        is_aside: true,
    };
    SessionState {
        agent: Some("billing".to_owned()),
        pending: Some(pending),
        open_question: Some("which?".to_owned()),
        turns: 3,
    }
}

/// Runs every clause on sessions that are empty.
pub async fn check(sessions: Arc<dyn Sessions>) {
    each_state_is_its_owners_alone(sessions.as_ref()).await;
    a_state_takes_the_place_of_the_one_before(sessions.as_ref()).await;
    what_was_not_touched_for_a_day_is_forgotten(sessions.as_ref()).await;
    one_of_many_who_claim_a_call_gets_it(&sessions).await;
    what_was_taken_away_waits_no_more(sessions.as_ref()).await;
    what_is_no_id_is_refused(sessions.as_ref()).await;
}

async fn each_state_is_its_owners_alone(sessions: &dyn Sessions) {
    let mira = owner("acme", "user:mira");
    assert_eq!(sessions.load(&mira, "a", NOW_MS).await.expect("an answer"), None);
    sessions.save(&mira, "a", &waiting("t1"), NOW_MS).await.expect("kept");
    assert_eq!(sessions.load(&mira, "a", NOW_MS + 1).await.expect("an answer"), Some(waiting("t1")));
    for (other, id) in [
        (owner("acme", "user:otto"), "a"),
        (owner("other", "user:mira"), "a"),
        (owner("acmeuser:mira", ""), "a"),
        (owner("acme", "user:mira' OR 1=1 --"), "a"),
        (mira, "b"),
    ] {
        assert_eq!(sessions.load(&other, id, NOW_MS).await.expect("an answer"), None, "{other:?} {id}");
        assert!(!sessions.claim(&other, id, "t1", NOW_MS).await.expect("an answer"), "{other:?} {id}");
    }
}

async fn a_state_takes_the_place_of_the_one_before(sessions: &dyn Sessions) {
    let nora = owner("acme", "user:nora");
    sessions.save(&nora, "A.z:0_1-", &waiting("t"), NOW_MS).await.expect("kept");
    sessions.save(&nora, "a", &waiting("t"), NOW_MS).await.expect("kept");
    sessions.save(&nora, "a", &SessionState::default(), NOW_MS).await.expect("kept");
    assert_eq!(sessions.load(&nora, "a", NOW_MS).await.expect("an answer"), Some(SessionState::default()));
    assert!(!sessions.claim(&nora, "a", "t", NOW_MS).await.expect("an answer"), "the call went with its state");
}

async fn what_was_not_touched_for_a_day_is_forgotten(sessions: &dyn Sessions) {
    let paul = owner("acme", "user:paul");
    sessions.save(&paul, "a", &waiting("t"), NOW_MS).await.expect("kept");
    assert_eq!(sessions.load(&paul, "a", NOW_MS + DAY_MS).await.expect("an answer"), None);
    assert!(!sessions.claim(&paul, "a", "t", NOW_MS + DAY_MS).await.expect("an answer"));
    assert!(sessions.claim(&paul, "a", "t", NOW_MS + 1).await.expect("an answer"), "a moment later it was there");
}

async fn one_of_many_who_claim_a_call_gets_it(sessions: &Arc<dyn Sessions>) {
    let rosa = owner("acme", "user:rosa");
    sessions.save(&rosa, "a", &waiting("t9"), NOW_MS).await.expect("kept");
    assert!(!sessions.claim(&rosa, "a", "t8", NOW_MS).await.expect("an answer"), "another token");
    assert!(!sessions.claim(&rosa, "a", "", NOW_MS).await.expect("an answer"), "no token");
    let tries: Vec<_> = (0..16)
        .map(|_| {
            let (sessions, rosa) = (Arc::clone(sessions), rosa.clone());
            tokio::spawn(async move { sessions.claim(&rosa, "a", "t9", NOW_MS).await.expect("an answer") })
        })
        .collect();
    let mut claimed = 0;
    for one in tries {
        claimed += usize::from(one.await.expect("a task"));
    }
    assert_eq!(claimed, 1);
    let left = SessionState { pending: None, ..waiting("t9") };
    assert_eq!(sessions.load(&rosa, "a", NOW_MS).await.expect("an answer"), Some(left), "the rest stays");
}

/// A question that was asked before a yes and ends after it carries the call on in vain.
async fn what_was_taken_away_waits_no_more(sessions: &dyn Sessions) {
    let dora = owner("acme", "user:dora");
    let later = SessionState { turns: 4, ..waiting("t1") };
    assert!(!sessions.carry(&dora, "a", &later, NOW_MS).await.expect("an answer"), "nothing waited there");
    assert_eq!(sessions.load(&dora, "a", NOW_MS).await.expect("an answer"), None);
    sessions.save(&dora, "a", &waiting("t1"), NOW_MS).await.expect("kept");
    assert!(sessions.carry(&dora, "a", &later, NOW_MS).await.expect("an answer"));
    assert_eq!(sessions.load(&dora, "a", NOW_MS).await.expect("an answer"), Some(later.clone()));
    assert!(sessions.claim(&dora, "a", "t1", NOW_MS).await.expect("an answer"));
    assert!(!sessions.carry(&dora, "a", &later, NOW_MS).await.expect("an answer"), "it was taken away");
    let left = sessions.load(&dora, "a", NOW_MS).await.expect("an answer").expect("a conversation");
    assert_eq!(left.pending, None);
    sessions.save(&dora, "a", &waiting("t2"), NOW_MS).await.expect("kept");
    assert!(!sessions.carry(&dora, "a", &later, NOW_MS).await.expect("an answer"), "another waits now");
    assert!(sessions.claim(&dora, "a", "t2", NOW_MS).await.expect("an answer"));
    assert!(!sessions.carry(&dora, "a", &SessionState::default(), NOW_MS).await.expect("an answer"), "without a call");
}

async fn what_is_no_id_is_refused(sessions: &dyn Sessions) {
    let mira = owner("acme", "user:mira");
    let long = "x".repeat(129);
    for id in ["", "a b", "a/b", "a'b", "ä", "a\0", "a\n", "~", long.as_str()] {
        let loaded = sessions.load(&mira, id, NOW_MS).await.expect_err("no id");
        let saved = sessions.save(&mira, id, &SessionState::default(), NOW_MS).await.expect_err("no id");
        let claimed = sessions.claim(&mira, id, "t", NOW_MS).await.expect_err("no id");
        for error in [loaded, saved, claimed] {
            assert_eq!(error.fault, Fault::Invalid, "{id:?}: {error}");
        }
    }
    sessions.save(&mira, &"x".repeat(128), &SessionState::default(), NOW_MS).await.expect("kept");
}
