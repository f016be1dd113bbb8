//! The recorder's text → families in a fixed order, as Prometheus text or as JSON.
//!
//! Invariant: both come from the same families, so they always agree.

use std::{collections::BTreeMap, fmt::Write};

use serde_json::{Map, Value, json};

/// Everything counted, at one moment.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Snapshot {
    families: BTreeMap<String, Family>,
}

#[derive(Debug, Clone, PartialEq, Default)]
struct Family {
    kind: String,
    help: String,
    samples: Vec<Sample>,
}

/// One line: a name, its labels in order, a figure as it was written.
#[derive(Debug, Clone, PartialEq)]
struct Sample {
    name: String,
    labels: Vec<(String, String)>,
    value: String,
}

/// The parts a histogram's lines are named by.
const PARTS: &[&str] = &["_bucket", "_sum", "_count"];

impl Snapshot {
    /// Reads Prometheus text; what makes no sense is left out.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let mut families: BTreeMap<String, Family> = BTreeMap::new();
        for line in text.lines() {
            if let Some((name, help)) = line.strip_prefix("# HELP ").and_then(|rest| rest.split_once(' ')) {
                help.clone_into(&mut families.entry(name.to_owned()).or_default().help);
            } else if let Some((name, kind)) = line.strip_prefix("# TYPE ").and_then(|rest| rest.split_once(' ')) {
                kind.clone_into(&mut families.entry(name.to_owned()).or_default().kind);
            } else if let Some(sample) = sample(line) {
                let is_family = |name: &&str| families.contains_key(*name);
                let part = PARTS.iter().filter_map(|part| sample.name.strip_suffix(part)).find(is_family);
                let family = part.unwrap_or(&sample.name).to_owned();
                families.entry(family).or_default().samples.push(sample);
            }
        }
        for family in families.values_mut() {
            // Buckets keep the order they came in.
            family.samples.sort_by_cached_key(|sample| labels_without_bucket(&sample.labels));
        }
        Self { families }
    }

    /// Prometheus text, each family with its help and its type.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (name, family) in &self.families {
            let _ = writeln!(text, "# HELP {name} {}\n# TYPE {name} {}", family.help, family.kind);
            for sample in &family.samples {
                let labels: Vec<String> =
                    sample.labels.iter().map(|(label, value)| format!("{label}=\"{}\"", escaped(value))).collect();
                let braced = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
                let _ = writeln!(text, "{}{braced} {}", sample.name, sample.value);
            }
        }
        text
    }

    /// The same as JSON: a list of families, each with its type, its help and its samples.
    #[must_use]
    pub fn json(&self) -> Value {
        let family = |(name, family): (&String, &Family)| {
            let samples: Vec<Value> = family.samples.iter().map(|sample| sample.json()).collect();
            json!({ "name": name, "type": family.kind, "help": family.help, "samples": samples })
        };
        json!({ "metrics": self.families.iter().map(family).collect::<Vec<_>>() })
    }
}

impl Sample {
    fn json(&self) -> Value {
        let labels: Map<String, Value> =
            self.labels.iter().map(|(name, value)| (name.clone(), value.clone().into())).collect();
        let value = self.value.parse::<f64>().ok().filter(|value| value.is_finite());
        json!({ "name": self.name, "labels": labels, "value": value })
    }
}

fn labels_without_bucket(labels: &[(String, String)]) -> Vec<(String, String)> {
    labels.iter().filter(|(name, _)| name != "le").cloned().collect()
}

fn sample(line: &str) -> Option<Sample> {
    let (named, value) = line.rsplit_once(' ')?;
    let (name, labels) = match named.split_once('{') {
        Some((name, labels)) => (name, labels_of(labels.strip_suffix('}')?)?),
        None => (named, Vec::new()),
    };
    let is_name = !name.is_empty() && !name.starts_with('#');
    is_name.then(|| Sample { name: name.to_owned(), labels, value: value.to_owned() })
}

/// `a="1",b="2"`, with escapes.
fn labels_of(text: &str) -> Option<Vec<(String, String)>> {
    let mut labels = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (name, after) = rest.split_once("=\"")?;
        let mut value = String::new();
        let mut chars = after.char_indices();
        let end = loop {
            match chars.next()? {
                (at, '"') => break at,
                (_, '\\') => match chars.next()?.1 {
                    'n' => value.push('\n'),
                    other => value.push(other),
                },
                (_, other) => value.push(other),
            }
        };
        labels.push((name.to_owned(), value));
        rest = after.get(end + 1..)?;
        rest = rest.strip_prefix(',').unwrap_or(rest);
    }
    Some(labels)
}

fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::Snapshot;

    const TEXT: &str = "# HELP a_total All of \"a\".\n# TYPE a_total counter\na_total{k=\"x\\\"y, z=\\\\\"} 3\na_total{k=\"b\"} 1\n\n\
                        # HELP h H.\n# TYPE h histogram\nh_bucket{c=\"q\",le=\"5\"} 1\nh_bucket{c=\"q\",le=\"+Inf\"} 2\nh_sum{c=\"q\"} 9.5\nh_count{c=\"q\"} 2\n";

    #[test]
    fn text_is_read_and_written_the_same_in_a_fixed_order() {
        let snapshot = Snapshot::read(TEXT);
        let text = snapshot.text();
        assert!(
            text.starts_with("# HELP a_total All of \"a\".\n# TYPE a_total counter\na_total{k=\"b\"} 1\n"),
            "{text}"
        );
        assert!(text.contains("h_bucket{c=\"q\",le=\"5\"} 1\nh_bucket{c=\"q\",le=\"+Inf\"} 2\nh_sum"), "{text}");
        assert_eq!(Snapshot::read(&text), snapshot);
    }

    #[test]
    fn json_says_what_the_text_says() {
        let json = Snapshot::read(TEXT).json();
        assert_eq!(json["metrics"][0]["samples"][1]["labels"]["k"], "x\"y, z=\\");
        assert_eq!(json["metrics"][0]["samples"][1]["value"], 3.0);
        assert_eq!((&json["metrics"][1]["type"], &json["metrics"][1]["help"]), (&"histogram".into(), &"H.".into()));
        assert_eq!(json["metrics"][1]["samples"].as_array().map(Vec::len), Some(4));
    }
}
