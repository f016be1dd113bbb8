//! A port of your own: a writer behind `Generator`, which says one sentence of the first passage and one that it made up.
//!
//! The engine believes no writer. What stands in a passage is answered with its citation and the invention is left out; a
//! writer that only invents is refused, with what it said and why that was not shown. `cargo run --example own_writer`
#![expect(clippy::print_stdout, reason = "what it prints is what it is for")]

mod parts;

use std::{path::Path, sync::Arc};

use async_trait::async_trait;
use vouch_domain::{
    PortError, Question, Reader,
    ports::{Brief, Generator, Manuscript, WrittenSentence},
};
use vouch_engine::decide::{Decision, Refusal, RefusalReason};

const QUESTION: &str = "How long does a crossing with the ferry take?";
const INVENTION: &str = "A crossing takes three hours and is free of charge.";

/// Writes what it was built to write.
struct Storyteller {
    quotes: bool,
}

#[async_trait]
impl Generator for Storyteller {
    fn name(&self) -> &str {
        "storyteller"
    }

    async fn write(&self, brief: Brief) -> Result<Manuscript, PortError> {
        // A writer knows passages by the numbers of its brief, and cites by them.
        let Some(piece) = brief.pieces.first() else {
            return Ok(Manuscript { sentences: Vec::new(), model: self.name().to_owned() });
        };
        let say = |text: &str| WrittenSentence::answer(text, vec![piece.marker]);
        let quoted = piece.text.split_inclusive(". ").find(|sentence| sentence.contains("crossing"));
        let quoted = quoted.filter(|_| self.quotes).map(|sentence| say(sentence.trim()));
        let sentences = quoted.into_iter().chain([say(INVENTION)]).collect();
        Ok(Manuscript { sentences, model: self.name().to_owned() })
    }
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let documents = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/documents");
    let (mut engine, _folder) = parts::engine_over(documents).await?;
    for quotes in [true, false] {
        engine.writer = Arc::new(Storyteller { quotes });
        let response = engine.ask(&Question::new(QUESTION, Reader::of_tenant(Reader::DEFAULT_TENANT))).await?;
        println!("{}", if quotes { "A writer that quotes and invents" } else { "A writer that only invents" });
        print!("{}", parts::told(&response.decision));
        if let Decision::Refuse(Refusal { reason: RefusalReason::NothingVerified(claims), .. }) = &response.decision {
            for claim in claims {
                println!("not shown: {}\n    because {}", claim.text, claim.reason);
            }
        }
        println!();
    }
    Ok(())
}
