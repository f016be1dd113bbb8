//! The growth table of the engine's text functions: `cargo run --release -p vouch-engine --example growth`.
//!
//! With the names of a function and of a text, and a size, it does that work once and prints nothing, so that a tool that
//! counts instructions can watch it; `benches/growth.sh` does so.
#![expect(clippy::expect_used, reason = "a table that cannot be made should say where it stopped")]
#![expect(clippy::print_stdout, reason = "the table is what it is for")]

#[path = "../tests/engine/support/ports.rs"]
mod ports;
#[path = "../tests/engine/growth/subjects.rs"]
mod subjects;

use subjects::{ANSWERS, CLAIMS, LANGUAGE, QUESTIONS};
use vouch_testkit::growth::{CATALOGUE, heading, measure};

fn main() {
    let all = || [LANGUAGE, QUESTIONS, ANSWERS, CLAIMS].into_iter().flatten();
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [function, text, bytes] = words.as_slice() {
        let subject = all().find(|subject| subject.name == *function).expect("a function of the table");
        let nasty = CATALOGUE.iter().find(|nasty| nasty.name == *text).expect("a text of the catalogue");
        (subject.work)(&(nasty.make)(bytes.parse().expect("a size in bytes")));
        return;
    }
    println!("{}", heading());
    for subject in all() {
        let measured = measure(subject);
        let worst = measured.iter().max_by_key(|growth| growth.work[2]).expect("a catalogue");
        println!("{worst}");
    }
}
