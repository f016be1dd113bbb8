//! A figure and its bounds, or the key that is wrong.

use std::{fmt::Display, time::Duration};

/// A key whose value cannot be used.
#[derive(Debug)]
pub(in crate::settings) struct SettingError {
    pub(in crate::settings) key: &'static str,
    pub(in crate::settings) sentence: String,
}

impl SettingError {
    pub(super) fn new(key: &'static str, sentence: &str) -> Self {
        Self { key, sentence: sentence.to_owned() }
    }
}

/// A value that has bounds; a time has them in milliseconds, as the file writes it.
pub(super) trait Figure {
    type Bound: PartialOrd + Display;
    fn figure(self) -> Self::Bound;
}

macro_rules! figures {
    ($($kind:ty),+) => {$(
        impl Figure for $kind {
            type Bound = Self;
            fn figure(self) -> Self {
                self
            }
        }
    )+};
}

figures!(usize, u32, u64, f32);

impl Figure for Duration {
    type Bound = u128;
    fn figure(self) -> u128 {
        self.as_millis()
    }
}

pub(super) fn check_range<T: Figure>(
    key: &'static str,
    value: T,
    low: T::Bound,
    high: T::Bound,
) -> Result<(), SettingError> {
    let value = value.figure();
    if value >= low && value <= high {
        return Ok(());
    }
    Err(SettingError { key, sentence: format!("is {value}; it must be between {low} and {high}") })
}
