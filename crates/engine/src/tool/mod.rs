//! A tool's input out of what was said, and what is said of its output: typed on both sides, with no words of a model between.
//!
//! Invariant: who asks is never read off the words; what is said of an output is its own values in the profile's words.

mod consent;
pub mod faithful;
mod money;
mod named;
mod neutral_words;
mod say;
mod slots;
mod summary;

pub use consent::{Consent, is_answer_alone, read_consent};
pub use named::{Named, is_of_asker, names};
pub use say::{Saying, places, said_of_call, said_of_obstacle, said_of_output};
pub use slots::{FilledSlots, Said, fill};
pub use summary::borne_out;
