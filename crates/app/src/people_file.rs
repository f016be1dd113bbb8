//! A YAML file of people and topics → both, of every tenant in it, or which line is wrong and why.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::bail;
use serde::Deserialize;
use serde_saphyr::{Options, Spanned};
use vouch_domain::{Person, Topic};

/// Most entries, keys and lists of one file: enough for a full tenant.
const NODES_MAX: usize = 4_000_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    tenants: BTreeMap<String, OfTenant>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfTenant {
    #[serde(default)]
    people: Vec<Spanned<OnePerson>>,
    #[serde(default)]
    topics: Vec<Spanned<OneTopic>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OnePerson {
    id: String,
    email: String,
    #[serde(default)]
    tags: BTreeSet<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OneTopic {
    tag: String,
    #[serde(default)]
    owner: Option<String>,
}

/// What a file holds: people in its order, topics each with its line.
#[derive(Debug, Default)]
pub struct PeopleFile {
    pub people: Vec<Person>,
    pub topics: Vec<(u64, Topic)>,
}

/// Reads a file's people and topics.
pub fn parse(text: &str) -> anyhow::Result<PeopleFile> {
    let file: File = serde_saphyr::from_str_with_options(text, options()).map_err(|error| {
        let line = error.location().map(|location| format!("line {}: ", location.line())).unwrap_or_default();
        let told = error.without_snippet().to_string();
        let first_line = told.lines().next().unwrap_or_default();
        // The line is already named in front, and the library's advice to programmers is of no use to an editor.
        let what = first_line.split(" at line ").next().and_then(|what| what.split("; use ").next());
        anyhow::anyhow!("{line}{}", what.unwrap_or_default())
    })?;
    let mut read = PeopleFile::default();
    for (tenant, own) in file.tenants {
        let mut seen = BTreeSet::new();
        for one in own.people {
            let (line, OnePerson { id, email, tags }) = (one.referenced.line(), one.value);
            let person = Person { id, tenant: tenant.clone(), email, tags };
            if let Some(fault) = person.fault() {
                bail!("line {line}: {fault}");
            }
            if !seen.insert(person.id.clone()) {
                bail!("line {line}: person '{}' appears twice in tenant '{tenant}'", person.id);
            }
            read.people.push(person);
        }
        let mut seen = BTreeSet::new();
        for one in own.topics {
            let (line, OneTopic { tag, owner }) = (one.referenced.line(), one.value);
            let topic = Topic { tag, tenant: tenant.clone(), owner };
            if let Some(fault) = topic.fault() {
                bail!("line {line}: {fault}");
            }
            if !seen.insert(topic.tag.clone()) {
                bail!("line {line}: topic '{}' appears twice in tenant '{tenant}'", topic.tag);
            }
            read.topics.push((line, topic));
        }
    }
    Ok(read)
}

fn options() -> Options {
    serde_saphyr::options! { budget: serde_saphyr::budget! { max_nodes: NODES_MAX, max_events: 2 * NODES_MAX } }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn people_and_topics_of_several_tenants() {
        let text = "tenants:\n  tarn:\n    people:\n      - {id: mira, email: mira@tarnside.example, tags: [staff, hr]}\n      \
                    - {id: '7', email: seven@tarnside.example}\n    topics: [{tag: hr, owner: mira}, {tag: it}]\n  \
                    fell:\n    people: [{id: mira, email: mira@fell.example, tags: []}]\n";
        let read = parse(text).expect("people");
        let people: Vec<_> =
            read.people.iter().map(|one| (one.tenant.as_str(), one.id.as_str(), one.tags.len())).collect();
        assert_eq!(people, [("fell", "mira", 0), ("tarn", "mira", 2), ("tarn", "7", 0)]);
        let topics: Vec<_> =
            read.topics.iter().map(|(line, one)| (*line, one.tag.as_str(), one.owner.as_deref())).collect();
        assert_eq!(topics, [(6, "hr", Some("mira")), (6, "it", None)]);
    }

    #[test]
    fn a_full_tenant_fits_in_one_file() {
        let mut text = "tenants:\n  tarn:\n    people:\n".to_owned();
        for number in 0..100_000 {
            text.push_str(&format!("    - {{id: p{number}, email: p{number}@t.example, tags: [staff, hr, it]}}\n"));
        }
        assert_eq!(parse(&text).expect("people").people.len(), 100_000);
    }

    #[test]
    fn a_wrong_line_is_named_with_what_is_wrong() {
        let head = "tenants:\n  tarn:\n    people:\n";
        for (text, said) in [
            (
                format!("{head}    - {{id: a, email: a@t}}\n    - {{id: b, email: nowhere}}\n"),
                "line 5: person 'b': the email",
            ),
            (
                format!("{head}    - {{id: a, email: a@t}}\n    - {{id: a, email: b@t}}\n"),
                "line 5: person 'a' appears twice",
            ),
            (format!("{head}    - {{id: a, mail: a@t}}\n"), "line 4: unknown field `mail`"),
            (format!("{head}    - {{id: a}}\n"), "line 4: missing field `email`"),
            (format!("{head}    - {{id: a, email: a@t, tags: hr}}\n"), "line 4: "),
            (format!("{head}    - {{id: a, email: a@t\n"), "line "),
            ("tenants:\n  tarn:\n    persons: []\n".to_owned(), "line 3: unknown field `persons`"),
            ("people: []\n".to_owned(), "line 1: unknown field `people`"),
            ("tenants:\n  tarn: {}\n  tarn: {}\n".to_owned(), "line 3: "),
            (
                "tenants:\n  tarn:\n    topics:\n    - {tag: hr}\n    - {tag: hr}\n".to_owned(),
                "line 5: topic 'hr' appears twice",
            ),
            ("tenants:\n  '':\n    topics:\n    - {tag: hr}\n".to_owned(), "line 4: topic 'hr': the tenant is empty"),
            ("tenants: {}\n---\ntenants: {}\n".to_owned(), "line 3: multiple YAML documents detected"),
            (String::new(), ""),
        ] {
            let error = parse(&text).expect_err("refused").to_string();
            assert!(error.starts_with(said) && error.lines().count() == 1, "{text}{error}");
        }
    }
}
