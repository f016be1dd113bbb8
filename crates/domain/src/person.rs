//! Who may ask, and who answers for a topic; how long and how many they may be.

use std::collections::BTreeSet;

/// Most people of one tenant.
pub const PEOPLE_MAX: usize = 100_000;
/// Most topics of one tenant.
pub const TOPICS_MAX: usize = 10_000;
/// Most characters of an id, an email, a tag or a tenant's name.
const CHARS_MAX: usize = 200;
/// Most tags of one person.
const TAGS_MAX: usize = 1_000;
/// How much of a name that cannot be kept is shown.
const SHOWN_CHARS: usize = 60;

/// Somebody known to a tenant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// What they are called by.
    pub id: String,
    /// Where they belong.
    pub tenant: String,
    /// Their e-mail address.
    pub email: String,
    /// What they may see.
    pub tags: BTreeSet<String>,
}

/// A topic and who answers for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topic {
    /// The tag of its documents.
    pub tag: String,
    /// Where it belongs.
    pub tenant: String,
    /// The person's id; none if nobody does.
    pub owner: Option<String>,
}

impl Person {
    /// Why they cannot be kept; nothing if they can.
    #[must_use]
    pub fn fault(&self) -> Option<String> {
        let whose = format!("person '{}'", shown(&self.id));
        name_fault("id", &self.id)
            .or_else(|| name_fault("tenant", &self.tenant))
            .or_else(|| name_fault("email", &self.email))
            .or_else(|| email_fault(&self.email))
            .or_else(|| tags_fault(&self.tags))
            .map(|fault| format!("{whose}: {fault}"))
    }
}

impl Topic {
    /// Why it cannot be kept; nothing if it can.
    #[must_use]
    pub fn fault(&self) -> Option<String> {
        name_fault("tag", &self.tag)
            .or_else(|| name_fault("tenant", &self.tenant))
            .or_else(|| name_fault("owner", self.owner.as_ref()?))
            .map(|fault| format!("topic '{}': {fault}", shown(&self.tag)))
    }
}

/// Why tags cannot be kept; nothing if they can.
#[must_use]
pub fn tags_fault(tags: &BTreeSet<String>) -> Option<String> {
    let count = tags.len();
    (count > TAGS_MAX)
        .then(|| format!("there are {count} tags, the limit is {TAGS_MAX}"))
        .or_else(|| tags.iter().find_map(|tag| name_fault("tag", tag)))
}

/// Why a name cannot be kept; nothing if it can.
#[must_use]
pub fn name_fault(what: &str, text: &str) -> Option<String> {
    let chars = text.chars().count();
    if text.is_empty() {
        Some(format!("the {what} is empty"))
    } else if chars > CHARS_MAX {
        Some(format!("the {what} has {chars} characters, the limit is {CHARS_MAX}"))
    } else if text.chars().any(char::is_control) {
        Some(format!("the {what} '{}' has a control character", shown(text)))
    } else if text.trim() != text {
        Some(format!("the {what} '{}' begins or ends with a space", shown(text)))
    } else {
        None
    }
}

fn email_fault(email: &str) -> Option<String> {
    let parts = email.split_once('@').filter(|(name, place)| {
        !name.is_empty() && !place.is_empty() && !place.contains('@') && !email.contains(char::is_whitespace)
    });
    parts.is_none().then(|| format!("the email '{}' does not have the form name@domain", shown(email)))
}

/// A name that may hold anything, fit for one line.
fn shown(text: &str) -> String {
    let start: String = text.chars().take(SHOWN_CHARS).collect();
    start.escape_debug().to_string()
}

#[cfg(test)]
mod tests {
    use super::{Person, Topic};

    fn person(id: &str, email: &str, tags: &[&str]) -> Person {
        Person {
            id: id.to_owned(),
            tenant: "tarn".to_owned(),
            email: email.to_owned(),
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        }
    }

    #[test]
    fn a_person_with_everything_in_bounds_can_be_kept() {
        assert_eq!(person("mira", "mira@tarnside.example", &["hr", "two words"]).fault(), None);
        assert_eq!(person(&"é".repeat(200), "m@t", &[]).fault(), None);
    }

    #[test]
    fn what_is_wrong_with_a_person_is_named() {
        let long = "x".repeat(201);
        for (person, said) in [
            (person("", "m@t", &[]), "the id is empty"),
            (person(&long, "m@t", &[]), "the id has 201 characters, the limit is 200"),
            (person("mi\u{7}ra", "m@t", &[]), "control character"),
            (person("mira", "mira", &[]), "name@domain"),
            (person("mira", "a@b@c", &[]), "name@domain"),
            (person("mira", "@t", &[]), "name@domain"),
            (person("mira", "m m@t", &[]), "name@domain"),
            (person("mira", "m@t", &[" hr"]), "begins or ends with a space"),
            (person("mira", "m@t", &[""]), "the tag is empty"),
            (Person { tenant: String::new(), ..person("mira", "m@t", &[]) }, "the tenant is empty"),
        ] {
            let fault = person.fault().unwrap_or_default();
            assert!(fault.contains(said) && !fault.contains('\u{7}'), "{fault}");
        }
    }

    #[test]
    fn a_person_has_a_thousand_tags_and_no_more() {
        let tags: Vec<String> = (0..=1_000).map(|number| format!("t{number}")).collect();
        let tags: Vec<&str> = tags.iter().map(String::as_str).collect();
        assert_eq!(person("mira", "m@t", &tags[1..]).fault(), None);
        assert!(person("mira", "m@t", &tags).fault().is_some_and(|fault| fault.contains("1001 tags")));
    }

    #[test]
    fn a_topic_needs_no_owner_but_not_an_empty_one() {
        let mut topic = Topic { tag: "hr".to_owned(), tenant: "tarn".to_owned(), owner: None };
        assert_eq!(topic.fault(), None);
        topic.owner = Some(String::new());
        assert_eq!(topic.fault().as_deref(), Some("topic 'hr': the owner is empty"));
    }
}
