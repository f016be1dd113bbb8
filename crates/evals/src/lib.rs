//! How good the answers, the refusals and the search are, against questions whose answers are known.

pub mod alter;
pub mod auroc;
pub mod containment;
pub mod golden;
pub mod hostile;
pub mod ranking;
pub mod score;
