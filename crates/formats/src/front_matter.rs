//! What a document says of itself, in YAML between two lines of dashes or in the fields of a JSON line.

use std::collections::{BTreeMap, BTreeSet};

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, IgnoredAny},
};
use serde_saphyr::{DuplicateKeyPolicy, Error};
use vouch_domain::ports::ParseError;

use crate::fault::{shortened, whole};

/// The fields Vouch reads; others are ignored.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct FrontMatter {
    #[serde(deserialize_with = "text")]
    pub(super) id: Option<String>,
    #[serde(deserialize_with = "text")]
    pub(super) title: Option<String>,
    #[serde(deserialize_with = "text")]
    pub(super) kind: Option<String>,
    #[serde(deserialize_with = "text")]
    pub(super) collection: Option<String>,
    #[serde(deserialize_with = "text")]
    pub(super) status: Option<String>,
    #[serde(deserialize_with = "text")]
    pub(super) date: Option<String>,
    #[serde(deserialize_with = "text")]
    pub(super) updated: Option<String>,
    #[serde(deserialize_with = "text")]
    pub(super) version: Option<String>,
    /// What it is about; in a JSON line, who may see it.
    #[serde(deserialize_with = "list")]
    pub(super) tags: Option<BTreeSet<String>>,
    /// Who may see it.
    #[serde(deserialize_with = "list")]
    pub(super) access: Option<BTreeSet<String>>,
    /// What it is about, where `tags` says who may see it.
    #[serde(deserialize_with = "list")]
    pub(super) topics: Option<BTreeSet<String>>,
    #[serde(deserialize_with = "text")]
    pub(super) owner: Option<String>,
    #[serde(deserialize_with = "text")]
    pub(super) address: Option<String>,
    /// How the numbered sections of a long work are called, as in `CV {}`.
    #[serde(deserialize_with = "text")]
    pub(super) addresses: Option<String>,
    #[serde(deserialize_with = "text")]
    pub(super) url: Option<String>,
    #[serde(deserialize_with = "text")]
    pub(super) superseded_by: Option<String>,
    /// Who may see it, by the other keys that the settings name for that.
    #[serde(skip)]
    pub(super) access_elsewhere: Option<BTreeSet<String>>,
    /// What its author should mend although it could be read.
    #[serde(skip)]
    pub(super) warnings: Vec<String>,
}

/// The longest front matter, in bytes.
const BYTES_MAX: usize = 65_536;
/// How many values a front matter may hold, what its names stand for included.
const VALUES_MAX: usize = 10_000;
/// How many lines below an opening line of dashes are looked at where no other one closes it.
const LINES_LOOKED_AT: usize = 100;
/// How much of a key is shown.
const KEY_CHARS_SHOWN: usize = 100;

/// The key that always says who may see a document, and the one that does where the settings name it.
const ACCESS_KEY: &str = "access";
const TAGS_KEY: &str = "tags";

impl FrontMatter {
    /// Who may see the document, if anything says so, and what it is about. A key that says who may see it is no topic:
    /// its names are not for everyone who may.
    pub(super) fn take_access(&mut self, access_from: &[String]) -> (Option<BTreeSet<String>>, BTreeSet<String>) {
        let (mut access, mut topics) = (self.access.take(), self.topics.take().unwrap_or_default());
        if access_from.iter().any(|key| key == TAGS_KEY) {
            access = either(access, self.tags.take());
        } else {
            topics.extend(self.tags.take().unwrap_or_default());
        }
        (either(access, self.access_elsewhere.take()), topics)
    }

    /// The same with the day and the version that the text below states, where it states none itself.
    pub(super) fn or(mut self, stated: Self) -> Self {
        self.date = self.date.or(stated.date);
        self.version = self.version.or(stated.version);
        self
    }

    /// The same as the fields of a JSON line, which was written for Vouch: its tags say who may see it.
    pub(super) fn into_line(mut self) -> Self {
        self.access = either(self.access.take(), self.tags.take());
        self
    }
}

/// The names of both, where there are any.
fn either(one: Option<BTreeSet<String>>, other: Option<BTreeSet<String>>) -> Option<BTreeSet<String>> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.into_iter().chain(other).collect()),
        (one, other) => one.or(other),
    }
}

/// The front matter of a text and what follows it; a text without one follows whole. `access_from` are the keys, besides
/// `access`, that say who may see a document.
pub(super) fn split<'a>(text: &'a str, access_from: &[String]) -> Result<(FrontMatter, &'a str), ParseError> {
    let Some(after_opening) =
        text.strip_prefix("---").and_then(|rest| rest.trim_start_matches([' ', '\r']).strip_prefix('\n'))
    else {
        return without(text, access_from);
    };
    let mut at = 0;
    for line in after_opening.split_inclusive('\n') {
        if matches!(line.trim_end(), "---" | "...") {
            let yaml = after_opening.get(..at).unwrap_or_default();
            let body = after_opening.get(at + line.len()..).unwrap_or_default();
            let own = parse(yaml, access_from)?;
            check_access_keys(yaml, access_from)?;
            return Ok((own, body));
        }
        at += line.len();
    }
    // A rule at the top of a text that never closes is a rule, not front matter.
    without(text, access_from)
}

/// A text without front matter, unless what looks like one says who may see it: the document must not be shown to everyone
/// because of a line of dashes that is missing or is somewhere else.
fn without<'a>(text: &'a str, access_from: &[String]) -> Result<(FrontMatter, &'a str), ParseError> {
    let mut lines = text.lines().skip_while(|line| line.trim().is_empty());
    let is_opened = lines.next().is_some_and(|line| {
        let dashes = line.trim_end();
        dashes.len() >= 3 && dashes.bytes().all(|byte| byte == b'-')
    });
    let mut own = lines.take(LINES_LOOKED_AT).take_while(|line| !line.trim().is_empty());
    match own.find_map(|line| access_key(line, access_from)).filter(|_| is_opened) {
        Some(key) => Err(whole(&format!(
            "it says who may see it ('{key}'), but not in a front matter that can be read: that begins on the first line \
             with --- and ends with a line of ---"
        ))),
        None => Ok((FrontMatter::default(), text)),
    }
}

/// The key of a line that says who may see the document, however it is written.
fn access_key<'a>(line: &'a str, access_from: &[String]) -> Option<&'a str> {
    let (key, _) = line.split_once(':')?;
    let key = key.trim_end();
    let says = |own: &str| key.eq_ignore_ascii_case(own);
    (says(ACCESS_KEY) || access_from.iter().any(|own| says(own))).then_some(key)
}

/// Refuses a key that would say who may see the document and is not written so that it does.
fn check_access_keys(yaml: &str, access_from: &[String]) -> Result<(), ParseError> {
    let mut lines = yaml.lines().enumerate().peekable();
    while let Some((at, line)) = lines.next() {
        let Some(key) = access_key(line, access_from) else { continue };
        let fault = |sentence: String| ParseError { place: format!("line {}", at + 2), sentence };
        if key != ACCESS_KEY && !access_from.iter().any(|own| own == key) {
            return Err(fault(format!("'{key}' in its front matter must be written '{}'", key.to_ascii_lowercase())));
        }
        let is_empty = line.split_once(':').is_some_and(|(_, value)| {
            let value = value.trim();
            value.is_empty() || value.starts_with('#') || matches!(value, "~" | "null")
        });
        let goes_on = lines.peek().is_some_and(|(_, next)| next.starts_with([' ', '\t', '-']));
        if key == ACCESS_KEY && is_empty && !goes_on {
            return Err(fault(
                "'access' in its front matter has no value: name who may see it, or write [] for everyone".to_owned(),
            ));
        }
    }
    Ok(())
}

/// Who may see a document, by the keys that the settings name; a key whose value is no list of names is a fault, for the
/// document must not be shown to everyone because of it.
fn access_elsewhere(yaml: &str, access_from: &[String]) -> Result<Option<BTreeSet<String>>, ParseError> {
    let mut others = access_from.iter().filter(|key| ![ACCESS_KEY, TAGS_KEY].contains(&key.as_str())).peekable();
    if others.peek().is_none() {
        return Ok(None);
    }
    let mut values: BTreeMap<String, AnyValue> =
        parse_with(yaml, DuplicateKeyPolicy::FirstWins).map_err(|error| not_valid(&error))?;
    let mut access = None;
    for key in others {
        let names = match values.remove(key) {
            None | Some(AnyValue::Nothing(())) => None,
            Some(AnyValue::Names(names)) => Some(names.into_names()),
            Some(AnyValue::Other(_)) => {
                return Err(whole(&format!(
                    "'{key}' in its front matter, which says who may see it, is not a list of names"
                )));
            }
        };
        access = either(access, names);
    }
    Ok(access)
}

fn parse(yaml: &str, access_from: &[String]) -> Result<FrontMatter, ParseError> {
    let access_elsewhere =
        |own: FrontMatter| Ok(FrontMatter { access_elsewhere: access_elsewhere(yaml, access_from)?, ..own });
    if yaml.trim().is_empty() {
        return Ok(FrontMatter::default());
    }
    if yaml.len() > BYTES_MAX {
        return Err(whole(&format!("its front matter has {} bytes, the limit is {BYTES_MAX}", yaml.len())));
    }
    let error = match parse_with(yaml, DuplicateKeyPolicy::Error) {
        Ok(own) => return access_elsewhere(own),
        Err(error) => error,
    };
    let Error::DuplicateMappingKey { key, location } = error.without_snippet() else { return Err(not_valid(&error)) };
    // The first one counts: who may read a document must not depend on a line that was added below and overlooked.
    let mut own: FrontMatter = parse_with(yaml, DuplicateKeyPolicy::FirstWins).map_err(|error| not_valid(&error))?;
    let key: String = key.as_deref().unwrap_or("a key").chars().take(KEY_CHARS_SHOWN).collect();
    let line = location.line() + 1;
    own.warnings = vec![format!("its front matter has '{key}' more than once (line {line}); the first one counts")];
    access_elsewhere(own)
}

fn parse_with<T: DeserializeOwned>(yaml: &str, duplicate_keys: DuplicateKeyPolicy) -> Result<T, Error> {
    let options = serde_saphyr::options! {
        duplicate_keys: duplicate_keys,
        budget: serde_saphyr::budget! {
            max_nodes: VALUES_MAX,
            max_events: 4 * VALUES_MAX,
            max_recorded_anchor_events: VALUES_MAX,
            max_recorded_anchor_bytes: 4 * BYTES_MAX,
            max_total_scalar_bytes: 4 * BYTES_MAX,
        },
    };
    serde_saphyr::from_str_with_options(yaml, options)
}

fn not_valid(error: &Error) -> ParseError {
    let place = error.location().map(|location| format!("line {}", location.line() + 1)).unwrap_or_default();
    let told = error.without_snippet().to_string();
    let first_line = told.lines().next().unwrap_or_default();
    // The place is told apart, counted from the top of the file and not of the YAML.
    let what = first_line.split(" at line ").next().unwrap_or_default();
    if what.contains("untagged enum") {
        let sentence = "its front matter has something else where a list of names is expected".to_owned();
        return ParseError { place, sentence };
    }
    ParseError { place, sentence: shortened(&format!("its front matter is not valid YAML: {what}")) }
}

/// Text, or a number or truth value as it was written.
#[derive(Deserialize)]
#[serde(untagged)]
enum Scalar {
    Text(String),
    Whole(i64),
    Fraction(f64),
    Truth(bool),
}

impl Scalar {
    fn into_text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Whole(number) => number.to_string(),
            Self::Fraction(number) => number.to_string(),
            Self::Truth(truth) => truth.to_string(),
        }
    }
}

/// A value as it was written: YAML's `version: 1.10` is a text here, not a number.
fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let value = Option::<String>::deserialize(deserializer)?;
    Ok(value.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()))
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    Many(Vec<Scalar>),
    One(Scalar),
}

/// The value of a key that means nothing to Vouch unless the settings say so.
#[derive(Deserialize)]
#[serde(untagged)]
enum AnyValue {
    Nothing(()),
    Names(OneOrMany),
    Other(IgnoredAny),
}

impl OneOrMany {
    fn into_names(self) -> BTreeSet<String> {
        let names: Vec<String> = match self {
            Self::Many(values) => values.into_iter().map(Scalar::into_text).collect(),
            Self::One(value) => value.into_text().split(',').map(str::to_owned).collect(),
        };
        names.iter().map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
    }
}

/// A list of names, or names with commas between; nothing where the key is not there or has no value.
fn list<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<BTreeSet<String>>, D::Error> {
    Ok(Option::<OneOrMany>::deserialize(deserializer)?.map(OneOrMany::into_names))
}
