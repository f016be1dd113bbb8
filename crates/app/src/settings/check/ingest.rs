//! The converters of a site: each has endings and a command.

use super::{
    super::ingest::IngestSettings,
    range::{SettingError, check_range},
};

const KEY: &str = "ingest.convert";
const CONVERTERS_MAX: usize = 100;

pub(super) fn check(settings: &IngestSettings) -> Result<(), SettingError> {
    if settings.convert.len() > CONVERTERS_MAX {
        return Err(SettingError::new(KEY, "has more than 100 programs"));
    }
    for one in &settings.convert {
        if one.command.first().is_none_or(|program| program.trim().is_empty()) {
            return Err(SettingError::new(KEY, "has a program without a command"));
        }
        let is_ending = |ending: &String| {
            !ending.is_empty() && ending.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
        };
        if one.endings.is_empty() || !one.endings.iter().all(is_ending) {
            let sentence = "has a program whose endings are not words of small letters and digits, such as [png, tiff]";
            return Err(SettingError::new(KEY, sentence));
        }
        check_range("ingest.convert.timeout_ms", one.timeout_ms, 1, 3_600_000)?;
    }
    Ok(())
}
