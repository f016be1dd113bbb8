//! An ingest killed at any moment: the store stays sound, loses nothing it had, and a later run completes it.

use std::{
    process::Stdio,
    sync::LazyLock,
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::support::{
    Place, finish,
    replies::{ask, json},
};

const ROUNDS: u32 = 20;
const DOCUMENTS: u32 = 40;

/// What the store was found to be after every kill, and what the last runs said.
struct Scene {
    healths: Vec<Value>,
    killed: u32,
    last: Value,
    repeated: Value,
    lost: Vec<String>,
    reply: Value,
}

static SCENE: LazyLock<Scene> = LazyLock::new(|| {
    let place = Place::new();
    let mut whole = time_of_a_whole_run();
    let mut random = Random(0x5eed_1e55);
    let (mut healths, mut killed) = (Vec::new(), 0);
    for round in 0..ROUNDS {
        write_round(&place, round);
        // One kill in every twentieth of the run's time, in mixed order, so that the whole of it is covered.
        let share = (f64::from(round * 7 % ROUNDS) + random.share()) / f64::from(ROUNDS);
        let delay = whole.mul_f64(share);
        let was_killed = kill_after(&place, delay);
        killed += u32::from(was_killed);
        let health = json(&place.run(&["doctor", "--json"]));
        let is_unchanged =
            healths.last().is_some_and(|before: &Value| before.get("generation") == health.get("generation"));
        // A busy machine may have made the measured run longer than others are, or shorter: by half of its time a run keeps something.
        whole = match was_killed {
            true if is_unchanged && share > 0.5 => whole * 2,
            true => whole,
            false => whole.min(delay),
        };
        healths.push(health);
    }
    let last = json(&finish(ingest(&place)));
    let repeated = json(&finish(ingest(&place)));
    let reply = ask(&place, "How many beams has the roof of barn 39?", &[]);
    Scene { healths, killed, last, repeated, lost: lost(&place), reply }
});

/// Half the documents are there from the first round on, two more come in every round, every third changes.
fn write_round(place: &Place, round: u32) {
    for number in 0..DOCUMENTS.min(DOCUMENTS / 2 + 2 * round) {
        place.write(&format!("docs/{number:02}.md"), text(number, edition(number, round)));
    }
}

/// The last round up to this one in which a document changed.
fn edition(number: u32, round: u32) -> u32 {
    (0..=round).rev().find(|past| (past + number).is_multiple_of(3)).unwrap_or(0)
}

fn text(number: u32, edition: u32) -> String {
    let word = unique_word(number, edition);
    format!(
        "# Barn {number}\n\nBarn {number} is marked {word} on every map. It was thatched in the year {}.\n\n\
         ## Roof\n\nThe roof of barn {number} has {} beams and a slate ridge.\n",
        1700 + number * 3 + edition,
        number + 4
    )
}

/// A word that stands in one edition of one document only.
fn unique_word(number: u32, edition: u32) -> String {
    let letter = |digit: u32| char::from_digit(10 + digit % 20, 36).unwrap_or('z');
    format!("qu{}{}x{}{}v", letter(number / 10), letter(number % 10), letter(edition / 10), letter(edition % 10))
}

fn ingest(place: &Place) -> std::process::Command {
    let mut command = place.vouch(&["ingest", "docs", "--json"]);
    command.env("VOUCH_INGEST_BATCH_PASSAGES", "4");
    command
}

/// How long the changes of one round take where nothing is killed.
fn time_of_a_whole_run() -> Duration {
    let place = Place::new();
    write_round(&place, ROUNDS);
    finish(ingest(&place));
    write_round(&place, ROUNDS + 1);
    let start = Instant::now();
    let ran = finish(ingest(&place));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    start.elapsed()
}

/// Starts an ingest and kills it; answers whether it was still running.
fn kill_after(place: &Place, delay: Duration) -> bool {
    let child = ingest(place).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let Ok(mut child) = child else { return false };
    std::thread::sleep(delay);
    let was_killed = child.kill().is_ok();
    let status = child.wait();
    was_killed && status.is_ok_and(|status| !status.success())
}

/// The documents whose unique word no search finds, or finds elsewhere.
fn lost(place: &Place) -> Vec<String> {
    let line = |number| serde_json::json!({"id": number, "query": unique_word(number, edition(number, ROUNDS - 1))});
    place.write("words.jsonl", (0..DOCUMENTS).map(|number| format!("{}\n", line(number))).collect::<String>());
    let ran = place.run(&["search", "--batch", "words.jsonl", "--json", "--lane", "lexical", "-k", "2"]);
    let found = ran.out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap_or_default());
    let is_lost = |(number, hits): &(u32, Value)| {
        let is_own = hits.pointer("/hits/0/document_id").is_some_and(|id| *id == format!("docs/{number:02}.md"));
        !is_own || hits.pointer("/hits/1").is_some()
    };
    let lost: Vec<(u32, Value)> =
        (0..DOCUMENTS).zip(found.chain(std::iter::repeat(Value::Null))).filter(is_lost).collect();
    lost.into_iter().map(|(number, hits)| format!("{number}: {hits}")).collect()
}

/// The same figures in every run of the test.
struct Random(u64);

impl Random {
    fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        f64::from(u32::try_from(self.0 >> 32).unwrap_or(0)) / f64::from(u32::MAX)
    }
}

#[test]
fn most_rounds_really_kill_a_running_ingest() {
    assert!(SCENE.killed >= ROUNDS / 2, "only {} of {ROUNDS} were killed", SCENE.killed);
}

#[test]
fn the_kills_find_the_store_at_different_ages() {
    let mut ages: Vec<Option<u64>> = SCENE.healths.iter().map(|health| health["generation"].as_u64()).collect();
    ages.dedup();
    assert!(ages.len() > 5, "{ages:?}");
}

#[test]
fn after_every_kill_the_store_is_sound() {
    for (round, health) in SCENE.healths.iter().enumerate() {
        assert_eq!(health["sound"], true, "round {round}: {health}");
    }
}

#[test]
fn no_kill_loses_a_document() {
    let counts: Vec<Option<u64>> = SCENE.healths.iter().map(|health| health["documents"].as_u64()).collect();
    assert!(counts.is_sorted() && counts.iter().all(Option::is_some), "{counts:?}");
}

#[test]
fn a_last_run_adds_exactly_what_is_missing() {
    let known = SCENE.healths.last().and_then(|health| health["documents"].as_u64());
    let added = SCENE.last["added"].as_u64();
    assert_eq!(added.zip(known).map(|(added, known)| added + known), Some(u64::from(DOCUMENTS)), "{}", SCENE.last);
}

#[test]
fn a_last_run_finds_every_document_it_had_updated_or_unchanged() {
    let known = SCENE.healths.last().and_then(|health| health["documents"].as_u64());
    let (updated, unchanged) = (SCENE.last["updated"].as_u64(), SCENE.last["unchanged"].as_u64());
    assert_eq!(updated.zip(unchanged).map(|(updated, unchanged)| updated + unchanged), known, "{}", SCENE.last);
}

#[test]
fn after_the_last_run_everything_is_unchanged() {
    assert_eq!(SCENE.repeated["unchanged"], DOCUMENTS, "{}", SCENE.repeated);
}

#[test]
fn a_word_of_every_document_finds_that_document_alone() {
    assert_eq!(SCENE.lost, Vec::<String>::new());
}

#[test]
fn a_document_of_the_last_rounds_is_answered_from() {
    assert_eq!(SCENE.reply["outcome"], "answered", "{}", SCENE.reply);
}
