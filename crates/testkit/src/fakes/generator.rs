//! A writer that says what it is told to say, true or not.

use async_trait::async_trait;
use vouch_domain::{
    PortError,
    ports::{Brief, Generator, Manuscript, WrittenSentence},
};

/// Says its lines whatever the brief holds.
#[derive(Debug, Clone, Default)]
pub struct ScriptedGenerator {
    lines: Vec<WrittenSentence>,
}

impl ScriptedGenerator {
    /// A writer with these sentences and the markers each cites.
    #[must_use]
    pub fn saying(lines: &[(&str, &[u32])]) -> Self {
        let line = |(text, markers): &(&str, &[u32])| WrittenSentence::answer(*text, markers.to_vec());
        Self { lines: lines.iter().map(line).collect() }
    }
}

#[async_trait]
impl Generator for ScriptedGenerator {
    fn name(&self) -> &str {
        "scripted"
    }

    async fn write(&self, _brief: Brief) -> Result<Manuscript, PortError> {
        Ok(Manuscript { sentences: self.lines.clone(), model: self.name().to_owned() })
    }
}
