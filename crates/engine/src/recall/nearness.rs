//! How near an entry of the memory is to a question, for what the entry is good for.

use vouch_domain::MemoryKind;

use crate::policy::MemoryPolicy;

/// Whether a match is near enough, too far, or for the judge to decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nearness {
    /// It is what the entry was prepared for.
    Same,
    /// The judge decides.
    Border,
    /// It is something else.
    Far,
}

impl Nearness {
    /// What a likeness says of an entry.
    #[must_use]
    pub fn of(kind: MemoryKind, likeness: f32, policy: &MemoryPolicy) -> Self {
        let (same, border) = Self::limits(kind, policy);
        match likeness {
            near if near >= same => Self::Same,
            near if near >= border => Self::Border,
            _ => Self::Far,
        }
    }

    /// From which likeness on an entry is the same, and from which on the judge decides.
    #[must_use]
    pub fn limits(kind: MemoryKind, policy: &MemoryPolicy) -> (f32, f32) {
        match kind {
            MemoryKind::Pinned => (policy.pinned_at_least, policy.border_from),
            // As its document has it, a note needs no judge.
            MemoryKind::Note if policy.border_answer_at_least <= 0.0 => (policy.note_at_least, policy.note_at_least),
            MemoryKind::Note => (policy.pinned_at_least, policy.note_at_least),
        }
    }

    /// As one word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Border => "border",
            Self::Far => "far",
        }
    }
}
