//! What a token says → who its bearer is; believed only once its signature has been checked.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use vouch_domain::{
    Caller, Reader, Role, Scope,
    person::{name_fault, tags_fault},
};

use super::{
    audience,
    rejection::Rejection,
    settings::{OidcSettings, TenantOf},
    token::Token,
};

/// How far two clocks may be apart, in seconds.
const LEEWAY_S: f64 = 60.0;

/// The claims of a token that is ours and of this moment.
pub(super) struct Claims<'a>(&'a Map<String, Value>);

impl<'a> Claims<'a> {
    /// Checks issuer, audience and time.
    pub(super) fn read(token: &'a Token<'_>, settings: &OidcSettings, now_ms: u64) -> Result<Self, Rejection> {
        let claims = &token.claims;
        if claims.get("iss").and_then(Value::as_str) != Some(&settings.issuer) {
            return Err(Rejection::Other("another issuer"));
        }
        audience::check(claims, settings)?;
        #[expect(clippy::cast_precision_loss, reason = "exact for the next 280,000 years")]
        let now_s = now_ms as f64 / 1_000.0;
        let expires = claims.get("exp").and_then(Value::as_f64).ok_or("no end")?;
        if now_s >= expires + LEEWAY_S {
            return Err(Rejection::Other("expired"));
        }
        match claims.get("nbf").map(Value::as_f64) {
            None => {}
            Some(Some(begins)) if begins <= now_s + LEEWAY_S => {}
            Some(_) => return Err(Rejection::Other("not yet valid")),
        }
        Ok(Self(claims))
    }

    /// Who the bearer is.
    pub(super) fn caller(&self, settings: &OidcSettings) -> Result<Caller, &'static str> {
        let name = |value: Option<&Value>| usable(value?.as_str()?);
        let subject = name(self.0.get("sub")).ok_or("no usable subject")?;
        let tenant = match &settings.tenant {
            TenantOf::Everybody(tenant) => tenant.clone(),
            TenantOf::Claim(claim) => name(self.claim(claim)).ok_or("no tenant")?,
        };
        let tags = self.tags(&settings.tags_claim)?;
        let is_admin = settings.admin_tag.as_ref().is_some_and(|tag| tags.contains(tag_of(tag)));
        let (role, scope) = match is_admin {
            true => (Role::Admin, Scope::WholeTenant),
            false => (Role::Reader, Scope::Tags(tags)),
        };
        Ok(Caller {
            id: format!("oidc:{subject}"),
            name: self.name(),
            reader: Reader::of_scope(&tenant, scope),
            person: Some(subject),
            role,
            requests_per_minute: settings.per_minute,
        })
    }

    /// What people call the bearer. Anybody may be called so, so it is shown and decides nothing.
    fn name(&self) -> Option<String> {
        ["name", "preferred_username"].iter().find_map(|claim| usable(self.0.get(*claim)?.as_str()?.trim()))
    }

    /// A claim by its name, or by its path where that begins with a slash.
    fn claim(&self, name: &str) -> Option<&Value> {
        let Some(path) = name.strip_prefix('/') else { return self.0.get(name) };
        let mut steps = path.split('/');
        let first = self.0.get(steps.next()?)?;
        steps.try_fold(first, |value, step| value.get(step))
    }

    /// The bearer's tags: a list, or one text with spaces between; none if the claim is not there.
    fn tags(&self, claim: &str) -> Result<BTreeSet<String>, &'static str> {
        let wrong = "tags that cannot be read";
        let tags: BTreeSet<String> = match self.claim(claim) {
            None | Some(Value::Null) => BTreeSet::new(),
            Some(Value::String(words)) => {
                words.split(' ').filter(|word| !word.is_empty()).map(|word| tag_of(word).to_owned()).collect()
            }
            Some(Value::Array(all)) => all
                .iter()
                .map(|tag| tag.as_str().map(|tag| tag_of(tag).to_owned()))
                .collect::<Option<_>>()
                .ok_or(wrong)?,
            Some(Value::Bool(_) | Value::Number(_) | Value::Object(_)) => return Err(wrong),
        };
        tags_fault(&tags).map_or(Ok(tags), |_| Err(wrong))
    }
}

/// A name that can be kept.
fn usable(name: &str) -> Option<String> {
    name_fault("name", name).is_none().then(|| name.to_owned())
}

/// The tag of a group. Keycloak writes groups as paths: `/hr` is the tag `hr`. A group within another is a tag of its own,
/// `/hr/payroll` is `hr/payroll` and neither `hr` nor `payroll`: whoever should see what the outer group sees is in it too, and
/// groups of one name in different places stay apart.
fn tag_of(group: &str) -> &str {
    group.strip_prefix('/').unwrap_or(group)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Claims, OidcSettings, Role, Scope, TenantOf};

    fn settings() -> OidcSettings {
        OidcSettings {
            issuer: "https://login.example".to_owned(),
            audience: "vouch".to_owned(),
            client_id: None,
            tenant: TenantOf::Claim("/org/name".to_owned()),
            tags_claim: "groups".to_owned(),
            admin_tag: Some("keepers".to_owned()),
            per_minute: Some(7),
            timeout: std::time::Duration::from_secs(1),
            keys_ttl: std::time::Duration::from_secs(1),
        }
    }

    fn caller(claims: Value) -> Result<vouch_domain::Caller, &'static str> {
        let Value::Object(claims) = claims else { return Err("no object") };
        Claims(&claims).caller(&settings())
    }

    #[test]
    fn tags_are_a_list_or_words_and_one_of_them_makes_an_admin() {
        let tags = |words: &[&str]| Scope::Tags(words.iter().map(|word| (*word).to_owned()).collect());
        for (groups, role, scope) in [
            (json!(["hr", "it"]), Role::Reader, tags(&["hr", "it"])),
            (json!("hr  it"), Role::Reader, tags(&["hr", "it"])),
            (json!(["two words"]), Role::Reader, tags(&["two words"])),
            (json!(null), Role::Reader, tags(&[])),
            (json!([]), Role::Reader, tags(&[])),
            (json!(["hr", "keepers"]), Role::Admin, Scope::WholeTenant),
            (json!(["/hr", "/it"]), Role::Reader, tags(&["hr", "it"])),
            (json!("/hr it"), Role::Reader, tags(&["hr", "it"])),
            (json!(["/hr/payroll"]), Role::Reader, tags(&["hr/payroll"])),
            (json!(["/hr", "/hr/payroll", "hr"]), Role::Reader, tags(&["hr", "hr/payroll"])),
            (json!(["//hr"]), Role::Reader, tags(&["/hr"])),
            (json!(["/guests/keepers"]), Role::Reader, tags(&["guests/keepers"])),
            (json!(["/keepers"]), Role::Admin, Scope::WholeTenant),
        ] {
            let caller = caller(json!({"sub": "m", "org": {"name": "tarn"}, "groups": groups})).expect("somebody");
            assert_eq!((caller.role, caller.reader.scope), (role, scope));
            assert_eq!((caller.id.as_str(), caller.reader.tenant.as_str()), ("oidc:m", "tarn"));
            assert_eq!(caller.requests_per_minute, Some(7));
        }
    }

    #[test]
    fn a_bearer_is_called_by_their_name_and_else_by_the_name_they_log_in_with() {
        for (names, called) in [
            (json!({"name": "Mira Tarn", "preferred_username": "mira"}), Some("Mira Tarn")),
            (json!({"name": " Mira ", "preferred_username": "mira"}), Some("Mira")),
            (json!({"name": "", "preferred_username": "mira"}), Some("mira")),
            (json!({"name": 7, "preferred_username": "mira"}), Some("mira")),
            (json!({"name": "Mi\nra"}), None),
            (json!({"name": "x".repeat(201)}), None),
            (json!({}), None),
        ] {
            let mut claims = json!({"sub": "m-1", "org": {"name": "tarn"}});
            claims.as_object_mut().expect("claims").extend(names.as_object().expect("names").clone());
            let caller = caller(claims).expect("somebody");
            assert_eq!((caller.name.as_deref(), caller.id.as_str()), (called, "oidc:m-1"), "{names}");
        }
    }

    #[test]
    fn who_cannot_be_written_down_is_nobody() {
        let many: Vec<String> = (0..1_001).map(|number| number.to_string()).collect();
        for wrong in [
            json!({"org": {"name": "tarn"}}),
            json!({"sub": "", "org": {"name": "tarn"}}),
            json!({"sub": "a\nb", "org": {"name": "tarn"}}),
            json!({"sub": 7, "org": {"name": "tarn"}}),
            json!({"sub": "m"}),
            json!({"sub": "m", "org": "tarn"}),
            json!({"sub": "m", "/org/name": "tarn"}),
            json!({"sub": "m", "org": {"name": " tarn"}}),
            json!({"sub": "m", "org": {"name": "tarn"}, "groups": [7]}),
            json!({"sub": "m", "org": {"name": "tarn"}, "groups": {"hr": true}}),
            json!({"sub": "m", "org": {"name": "tarn"}, "groups": [""]}),
            json!({"sub": "m", "org": {"name": "tarn"}, "groups": ["/"]}),
            json!({"sub": "m", "org": {"name": "tarn"}, "groups": many}),
        ] {
            assert!(caller(wrong.clone()).is_err(), "{wrong}");
        }
    }
}
