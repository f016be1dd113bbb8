//! Vouch as a library: takes a folder of documents in and asks two questions, without any model server.
//!
//! `cargo run --example ask`, or `cargo run --example ask -- FOLDER QUESTION…` for documents and questions of your own.
#![expect(clippy::print_stdout, reason = "what it prints is what it is for")]

mod parts;

use std::path::{Path, PathBuf};

use vouch_domain::{Question, Reader};

/// The first is answered by the documents, the second by none of them.
const QUESTIONS: [&str; 2] = ["When do the locks open?", "How deep is the Tarn at the weir?"];

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let mut words = std::env::args().skip(1);
    let documents =
        words.next().map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/documents"), PathBuf::from);
    let own: Vec<String> = words.collect();
    let questions = if own.is_empty() { QUESTIONS.map(str::to_owned).to_vec() } else { own };
    let (engine, _folder) = parts::engine_over(documents).await?;
    for question in questions {
        let response = engine.ask(&Question::new(&question, Reader::of_tenant(Reader::DEFAULT_TENANT))).await?;
        println!("{question}\n{}", parts::told(&response.decision));
    }
    Ok(())
}
