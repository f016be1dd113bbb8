//! A settings file: read as settings that, written down and read again, are the same, or refused in one line.
//!
//! The binary has no library, so its module is taken in by its path; `wiring` stands for the one function that it asks of
//! the rest of the binary.
#![no_main]
#![allow(dead_code, unused_imports, reason = "the binary uses more of its settings")]

#[path = "../../crates/app/src/settings/mod.rs"]
mod settings;

mod wiring {
    use std::time::Duration;

    use vouch_adapters::oidc::{OidcSettings, TenantOf};

    use crate::settings;

    pub(crate) fn oidc_settings(settings: &settings::OidcSettings) -> OidcSettings {
        let everybody = || TenantOf::Everybody(settings.tenant.clone().unwrap_or_default());
        OidcSettings {
            issuer: settings.issuer.clone(),
            audience: settings.audience.clone(),
            tenant: settings.tenant_claim.clone().map_or_else(everybody, TenantOf::Claim),
            tags_claim: settings.tags_claim.clone(),
            admin_tag: settings.admin_tag.clone(),
            per_minute: settings.per_minute,
            timeout: Duration::from_millis(settings.timeout_ms),
            keys_ttl: Duration::from_secs(settings.keys_ttl_s),
        }
    }
}

use libfuzzer_sys::fuzz_target;
use settings::{Settings, ThresholdSettings, parse_text};

fuzz_target!(|text: &str| {
    // Thresholds may stand in a file of their own; no file is opened because an input names it.
    let names_a_file = |read: Settings| matches!(read.judge.thresholds, Some(ThresholdSettings::File(_)));
    if serde_saphyr::from_str::<Settings>(text).is_ok_and(names_a_file) {
        return;
    }
    match parse_text("vouch.yaml", text) {
        Ok(loaded) => {
            // JSON is YAML.
            let written = serde_json::to_string(&loaded.settings).expect("settings can be written");
            let again = parse_text("vouch.yaml", &written).expect("what was written can be read");
            assert_eq!(again.settings, loaded.settings, "settings that change when they are read again");
        }
        Err(error) => {
            let sentence = error.to_string();
            assert!(!sentence.is_empty() && !sentence.contains('\n'), "{sentence:?}");
        }
    }
});
