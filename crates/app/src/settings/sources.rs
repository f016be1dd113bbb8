//! Where documents come from by themselves, and how background jobs are tried.

use std::{path::PathBuf, time::Duration};

use serde::{Deserialize, Serialize};
use vouch_adapters::sources::Addressing;

/// A place that documents come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceSettings {
    pub name: String,
    #[serde(default = "default_tenant")]
    pub tenant: String,
    #[serde(default)]
    pub collection: Option<String>,
    #[serde(default)]
    pub kind: Option<String>,
    #[serde(default)]
    pub tags: Vec<String>,
    #[serde(default)]
    pub every: Option<String>,
    #[serde(default)]
    pub watch: bool,
    #[serde(default = "yes")]
    pub prune: bool,
    #[serde(default)]
    pub folder: Option<PathBuf>,
    #[serde(default)]
    pub git: Option<String>,
    #[serde(default)]
    pub branch: Option<String>,
    #[serde(default)]
    pub path: Option<String>,
    #[serde(default)]
    pub url: Option<String>,
    #[serde(default)]
    pub site: Option<String>,
    #[serde(default)]
    pub bucket: Option<String>,
    #[serde(default)]
    pub endpoint: Option<String>,
    #[serde(default)]
    pub prefix: Option<String>,
    #[serde(default)]
    pub region: Option<String>,
    #[serde(default)]
    pub addressing: Option<AddressingSetting>,
    #[serde(default)]
    pub key_variable: Option<String>,
    #[serde(default)]
    pub secret_variable: Option<String>,
    #[serde(default)]
    pub objects_max: Option<usize>,
    #[serde(default)]
    pub hosts: Vec<String>,
    #[serde(default)]
    pub delay_ms: Option<u64>,
    #[serde(default)]
    pub pages_max: Option<usize>,
    #[serde(default)]
    pub bytes_max: Option<u64>,
    #[serde(default)]
    pub timeout_s: Option<u64>,
}

/// Where a bucket's name stands in the addresses of its objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AddressingSetting {
    Path,
    Host,
}

/// What a source is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceKind {
    Folder,
    Git,
    Site,
    Bucket,
}

impl SourceKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Folder => "folder",
            Self::Git => "git",
            Self::Site => "site",
            Self::Bucket => "bucket",
        }
    }
}

impl SourceSettings {
    /// What it is; none unless it says so exactly once.
    pub fn source_kind(&self) -> Option<SourceKind> {
        let said = [
            self.folder.as_ref().map(|_| SourceKind::Folder),
            self.git.as_ref().map(|_| SourceKind::Git),
            self.site.as_ref().map(|_| SourceKind::Site),
            self.bucket.as_ref().map(|_| SourceKind::Bucket),
        ];
        let mut said = said.into_iter().flatten();
        said.next().filter(|_| said.next().is_none())
    }

    /// Where its bucket's name stands.
    pub fn addressing(&self) -> Addressing {
        match self.addressing {
            Some(AddressingSetting::Path) | None => Addressing::Path,
            Some(AddressingSetting::Host) => Addressing::Host,
        }
    }

    /// How often it is looked at; an error is a text that says no time.
    pub fn interval(&self) -> Option<Result<Duration, String>> {
        self.every.as_deref().map(|text| duration(text).ok_or_else(|| text.to_owned()))
    }
}

fn default_tenant() -> String {
    vouch_domain::Reader::DEFAULT_TENANT.to_owned()
}

fn yes() -> bool {
    true
}

/// A number of seconds, minutes, hours or days, such as `90s`, `15m`, `6h` and `1d`.
fn duration(text: &str) -> Option<Duration> {
    let text = text.trim();
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let seconds: u64 = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        _ => return None,
    };
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let number: u64 = if is_number { number.parse().ok()? } else { return None };
    Some(Duration::from_secs(number.checked_mul(seconds)?))
}

/// How background jobs are tried, and how many are remembered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BackgroundSettings {
    pub attempts_max: u32,
    pub retry_first_s: u64,
    pub retry_longest_s: u64,
    pub kept_max: usize,
}

impl Default for BackgroundSettings {
    fn default() -> Self {
        Self { attempts_max: 5, retry_first_s: 30, retry_longest_s: 3_600, kept_max: 200 }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::duration;

    #[test]
    fn a_time_is_a_number_and_a_unit() {
        for (text, seconds) in [("90s", 90), ("15m", 900), ("6h", 21_600), (" 1d ", 86_400)] {
            assert_eq!(duration(text), Some(Duration::from_secs(seconds)), "{text}");
        }
        for text in
            ["", "s", "15", "-1s", "+1s", "1.5h", "1 h", "1w", "99999999999999999999s", "999999999999999999d", "1é"]
        {
            assert_eq!(duration(text), None, "{text}");
        }
    }
}
