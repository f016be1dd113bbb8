//! A question beside passages → whether each answers it, how well it fits, and where the answer stands.

use std::time::Duration;

use async_trait::async_trait;

use crate::{error::PortError, passage::CharSpan};

/// A passage as a judge reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgedPassage {
    /// What it is about, such as the nearest heading; empty if there is none.
    pub heading: String,
    /// Its text.
    pub text: String,
}

/// What a judge makes of one passage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reading {
    /// How likely the answer is in it, 0 to 1.
    pub answerable: f32,
    /// How well it fits the question, 0 to 1.
    pub relevant: f32,
    /// Where the answer most likely stands, in characters of the passage's text.
    pub span: Option<CharSpan>,
}

/// Reads passages beside a question; the same pair always gives the same reading, whatever it is read beside.
#[async_trait]
pub trait PassageJudge: Send + Sync {
    /// The judge's name, as shown to people.
    fn name(&self) -> &str;

    /// One reading per passage, in order; none for a passage the time did not suffice for.
    async fn read(
        &self,
        question: &str,
        passages: Vec<JudgedPassage>,
        timeout: Duration,
    ) -> Result<Vec<Option<Reading>>, PortError>;
}
