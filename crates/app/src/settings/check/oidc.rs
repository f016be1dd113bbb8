//! Settings of an issuer: one way to the tenant, every figure within its bounds; the address is checked by who uses it.

use super::{
    super::OidcSettings,
    range::{SettingError, check_range},
};

const KEY: &str = "serve.oidc";

pub(super) fn bounds(settings: Option<&OidcSettings>) -> Result<(), SettingError> {
    let Some(settings) = settings else { return Ok(()) };
    if settings.tenant.is_some() == settings.tenant_claim.is_some() {
        let sentence = "must have either tenant or tenant_claim".to_owned();
        return Err(SettingError { key: KEY, sentence });
    }
    check_range(KEY, settings.timeout_ms, 1, 60_000)?;
    check_range(KEY, settings.keys_ttl_s, 1, 604_800)?;
    check_range(KEY, settings.per_minute.unwrap_or(1), 1, 1_000_000)?;
    let unfit = |error: vouch_domain::PortError| SettingError {
        key: KEY,
        sentence: format!("cannot be used: {}", error.sentence),
    };
    if let Some(variable) = &settings.client_secret_variable {
        let is_name = !variable.is_empty() && !variable.contains(['=', '\0']);
        let sentence = match (is_name, &settings.client_id) {
            (true, Some(_)) => None,
            (true, None) => Some("has a client_secret_variable but no client_id"),
            (false, _) => Some("has a client_secret_variable that is not the name of an environment variable"),
        };
        if let Some(sentence) = sentence {
            return Err(SettingError { key: KEY, sentence: sentence.to_owned() });
        }
    }
    settings.for_adapter().check().map_err(unfit)?;
    settings.client(None).map_or(Ok(()), |client| client.check()).map_err(unfit)
}

#[cfg(test)]
mod tests {
    use super::{OidcSettings, bounds};

    fn read(text: &str) -> OidcSettings {
        serde_saphyr::from_str(text).expect("settings")
    }

    #[test]
    fn an_issuer_with_one_way_to_the_tenant_is_taken() {
        for tenant in ["tenant: tarn", "tenant_claim: org"] {
            let text = format!("{{issuer: 'https://login.example', audience: vouch, {tenant}, tags_claim: groups}}");
            assert!(bounds(Some(&read(&text))).is_ok(), "{text}");
        }
        assert!(bounds(None).is_ok());
        let with_client = read(
            "{issuer: 'https://login.example', audience: vouch, tenant: a, tags_claim: g, client_id: page, \
             client_secret_variable: PAGE_SECRET}",
        );
        assert!(bounds(Some(&with_client)).is_ok());
        assert_eq!(with_client.scope, "openid profile");
    }

    #[test]
    fn what_makes_no_sense_is_named() {
        for (rest, said) in [
            ("tags_claim: groups", "either tenant or tenant_claim"),
            ("tags_claim: groups, tenant: a, tenant_claim: b", "either tenant or tenant_claim"),
            ("tags_claim: '', tenant: a", "the tags claim is empty"),
            ("tags_claim: groups, tenant: a, timeout_ms: 0", "between 1 and"),
            ("tags_claim: groups, tenant: a, per_minute: 0", "between 1 and"),
            ("tags_claim: groups, tenant: a, client_id: ''", "the client id is empty"),
            ("tags_claim: groups, tenant: a, client_id: b, scope: ''", "the scope must be"),
            ("tags_claim: groups, tenant: a, client_secret_variable: B", "no client_id"),
            (
                "tags_claim: groups, tenant: a, client_id: b, client_secret_variable: 'A=b'",
                "not the name of an environment",
            ),
        ] {
            let text = format!("{{issuer: 'https://login.example', audience: vouch, {rest}}}");
            let wrong = bounds(Some(&read(&text))).expect_err(rest);
            assert!(wrong.key == "serve.oidc" && wrong.sentence.contains(said), "{}", wrong.sentence);
        }
        let plain = read("{issuer: 'http://login.example', audience: vouch, tenant: a, tags_claim: g}");
        assert!(bounds(Some(&plain)).is_err_and(|wrong| wrong.sentence.contains("https")));
    }
}
