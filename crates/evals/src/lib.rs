//! How good the answers, the refusals and the search are, against questions whose answers are known.

pub mod alter;
pub mod auroc;
pub mod bounds;
pub mod calibration;
pub mod comparison;
pub mod containment;
pub mod expectation;
pub mod goals;
pub mod golden;
pub mod graded;
pub mod hostile;
pub mod lint;
pub mod metrics;
pub mod page;
pub mod pairwise;
pub mod ranking;
pub mod report;
pub mod score;
pub mod self_exam;
