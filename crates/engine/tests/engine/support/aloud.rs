//! A writer that reads its brief aloud: every piece of evidence becomes a sentence that cites it.

use async_trait::async_trait;
use vouch_domain::{
    PortError,
    ports::{Brief, BriefPiece, Generator, Manuscript, WrittenSentence},
};

pub struct Aloud;

#[async_trait]
impl Generator for Aloud {
    fn name(&self) -> &str {
        "aloud"
    }

    async fn write(&self, brief: Brief) -> Result<Manuscript, PortError> {
        let say = |piece: BriefPiece| WrittenSentence::answer(piece.text, vec![piece.marker]);
        Ok(Manuscript { sentences: brief.pieces.into_iter().map(say).collect(), model: "aloud".to_owned() })
    }
}
