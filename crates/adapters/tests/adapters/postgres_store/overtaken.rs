//! Copies into a database that others use meanwhile: of two only one begins, and what was overtaken changes nothing any more.

use std::thread;

use vouch_adapters::{
    embedded::{EmbedderCheck, Unfinished},
    postgres::PostgresSettings,
};
use vouch_domain::{Fault, ports::Embedder};
use vouch_testkit::fakes::FakeEmbedder;

use super::{
    Server,
    between::{Between, Fate, wait_until},
    copies::{break_table, filled, mend_table},
    database, name_of, server,
};

/// What ends a transaction, as a node says it.
const COMMIT: &[u8] = b"COMMIT\0";

/// Holds back what a node says after so many of its transactions.
fn after(transactions: usize) -> impl FnMut(&[u8]) -> Fate + Send + 'static {
    let mut ended = 0;
    move |said: &[u8]| {
        ended += usize::from(said.ends_with(COMMIT));
        if ended == transactions && said.ends_with(COMMIT) { Fate::Last } else { Fate::Passed }
    }
}

/// How many wait for a lock in a database.
fn waiting(server: &Server, settings: &PostgresSettings) -> usize {
    let name = name_of(settings);
    let sql = format!("SELECT 1 FROM pg_stat_activity WHERE datname = '{name}' AND wait_event_type = 'Lock'");
    server.execute("postgres", &sql).len()
}

#[test]
fn a_copy_that_was_overtaken_writes_nothing_into_the_one_that_took_its_place() {
    let Some(server) = server() else { return };
    let (settings, one, other) = (server.database(), filled(), filled());
    let target = database(&settings);
    // It has looked, begun, and written twice.
    let between = Between::new(server, after(4));
    let slow = database(&between.settings(server, &settings));
    let overtaken = thread::scope(|scope| {
        let copying = scope.spawn(|| slow.copy_from(one.path(), Unfinished::Keep));
        between.wait_until_closed();
        break_table(server, &settings, "passages");
        target.copy_from(other.path(), Unfinished::Discard).expect_err("it is broken off");
        between.open();
        copying.join().expect("a thread")
    });
    let error = overtaken.expect_err("another has taken its place");
    assert!(error.fault == Fault::Invalid && error.sentence.contains("was started in the meantime"), "{error}");
    mend_table(server, &settings, "passages");
    let report = target.copy_from(other.path(), Unfinished::Keep).expect("copied");
    assert!(report.was_resumed);
    assert_eq!(target.copy_to(&other.path().join("back")).expect("copied").digest, report.digest);
}

#[test]
fn whoever_removes_an_unfinished_copy_removes_nothing_of_a_store_that_was_copied_meanwhile() {
    let Some(server) = server() else { return };
    let (settings, one, other, third) = (server.database(), filled(), filled(), filled());
    let target = database(&settings);
    break_table(server, &settings, "passages");
    target.copy_from(one.path(), Unfinished::Keep).expect_err("it is broken off");
    mend_table(server, &settings, "passages");
    // It has looked, and begun to remove.
    let between = Between::new(server, after(2));
    let slow = database(&between.settings(server, &settings));
    let (overtaken, report) = thread::scope(|scope| {
        let copying = scope.spawn(|| slow.copy_from(other.path(), Unfinished::Discard));
        between.wait_until_closed();
        let report = target.copy_from(third.path(), Unfinished::Discard).expect("copied");
        between.open();
        (copying.join().expect("a thread"), report)
    });
    let error = overtaken.expect_err("another has taken its place");
    assert!(error.sentence.contains("was started in the meantime"), "{error}");
    assert_eq!(target.copy_to(&third.path().join("back")).expect("copied").digest, report.digest);
}

#[test]
fn a_copy_that_is_overtaken_while_it_writes_leaves_nothing_among_the_rows_of_the_other() {
    let Some(server) = server() else { return };
    let (settings, one, other) = (server.database(), filled(), filled());
    let target = database(&settings);
    break_table(server, &settings, "vocabularies");
    // One has begun, and the other is removing what there is.
    let (first, second) = (Between::new(server, after(2)), Between::new(server, after(8)));
    let (slow, later) = (database(&first.settings(server, &settings)), database(&second.settings(server, &settings)));
    thread::scope(|scope| {
        let overtaken = scope.spawn(|| slow.copy_from(one.path(), Unfinished::Keep));
        first.wait_until_closed();
        let copying = scope.spawn(|| later.copy_from(other.path(), Unfinished::Discard));
        second.wait_until_closed();
        first.open();
        overtaken.join().expect("a thread").expect_err("another has taken its place");
        mend_table(server, &settings, "vocabularies");
        second.open();
        copying.join().expect("a thread").expect("it is what was copied");
    });
    target.copy_to(&other.path().join("back")).expect("copied");
}

#[test]
fn a_copy_that_was_broken_off_while_it_removed_another_removes_the_rest_when_it_is_run_again() {
    let Some(server) = server() else { return };
    let (settings, one, other) = (server.database(), filled(), filled());
    let target = database(&settings);
    break_table(server, &settings, "vocabularies");
    target.copy_from(one.path(), Unfinished::Keep).expect_err("it is broken off");
    mend_table(server, &settings, "vocabularies");
    let mut ended = 0;
    let between = Between::new(server, move |said: &[u8]| {
        ended += usize::from(said.ends_with(COMMIT));
        if ended == 4 { Fate::Unanswered } else { Fate::Passed }
    });
    let cut = database(&between.settings(server, &settings));
    cut.copy_from(other.path(), Unfinished::Discard).expect_err("the way is lost");
    let report = target.copy_from(other.path(), Unfinished::Keep).expect("it is what was copied");
    assert_eq!(target.copy_to(&other.path().join("back")).expect("copied").digest, report.digest);
}

#[test]
fn a_first_node_and_a_copy_do_not_both_begin_on_an_empty_database() {
    let Some(server) = server() else { return };
    let (settings, own, nodes) = (server.database(), filled(), tempfile::tempdir().expect("a folder"));
    // Both are there before anybody waits, since nobody waits for ever.
    let (target, second) = (database(&settings), database(&settings));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    // Whether a copy has begun can be seen, and none can begin.
    let held = runtime.block_on(server.hold(&name_of(&settings), "LOCK TABLE vouch.copying IN EXCLUSIVE MODE"));
    let (copied, opened) = thread::scope(|scope| {
        let copying = scope.spawn(|| target.copy_from(own.path(), Unfinished::Keep));
        wait_until("the copy is to begin", || waiting(server, &settings) == 1);
        let opening = scope.spawn(|| {
            let embedder = FakeEmbedder::named("fake");
            second.open_store(nodes.path(), embedder.identity(), EmbedderCheck::Enforce).map(drop)
        });
        wait_until("the node is to begin", || opening.is_finished() || waiting(server, &settings) == 2);
        runtime.block_on(held.batch_execute("COMMIT")).expect("let go");
        (copying.join().expect("a thread"), opening.join().expect("a thread"))
    });
    copied.expect("the copy was first");
    let refused = opened.expect_err("a copy has begun");
    assert!(refused.fault == Fault::Invalid && refused.sentence.contains("is not finished"), "{refused}");
}

#[test]
fn a_copy_does_not_take_the_place_of_a_store_that_began_while_it_was_written() {
    let Some(server) = server() else { return };
    let (settings, own) = (server.database(), filled());
    let target = database(&settings);
    let begins = "CREATE FUNCTION vouch.begin_store() RETURNS trigger LANGUAGE plpgsql AS $$
                  BEGIN UPDATE vouch.head SET changed_at = 1; RETURN NULL; END $$;
                  CREATE TRIGGER begins AFTER INSERT ON vouch.passages FOR EACH STATEMENT EXECUTE FUNCTION vouch.begin_store()";
    server.execute(&name_of(&settings), begins);
    let error = target.copy_from(own.path(), Unfinished::Keep).expect_err("there is a store");
    assert!(error.fault == Fault::Invalid && error.sentence.contains("a store was started"), "{error}");
    let head = server.execute(&name_of(&settings), "SELECT changed_at::text FROM vouch.head");
    assert_eq!(head[0][0].as_deref(), Some("1"), "it is as it was");
}

#[test]
fn a_copy_whose_last_answer_is_lost_says_that_it_may_be_there_and_finds_it_when_asked_again() {
    let Some(server) = server() else { return };
    let (settings, own) = (server.database(), filled());
    let target = database(&settings);
    let mut is_last = false;
    let between = Between::new(server, move |said: &[u8]| {
        is_last |= said.windows(b"vouch_changed".len()).any(|some| some == b"vouch_changed");
        if is_last && said.ends_with(COMMIT) { Fate::Unanswered } else { Fate::Passed }
    });
    let cut = database(&between.settings(server, &settings));
    let error = cut.copy_from(own.path(), Unfinished::Keep).expect_err("the answer is lost");
    assert!(error.fault == Fault::Unavailable && error.sentence.contains("may or may not be there"), "{error}");
    let error = target.copy_from(own.path(), Unfinished::Keep).expect_err("it is there");
    assert!(error.sentence.contains("it is this one"), "{error}");
    target.copy_to(&own.path().join("back")).expect("it is whole");
    let another = target.copy_from(filled().path(), Unfinished::Keep).expect_err("a store is there");
    assert!(!another.sentence.contains("it is this one"), "{another}");
}
