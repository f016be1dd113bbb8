//! What in a document says who may see it, and what only says what it is about.

use vouch_domain::{Document, RawDocument, SourceFormat, document::Labels, ports::Parser};
use vouch_formats::FileParser;

/// Who may see it, what it is about, and whether the former is said at all.
type Said = (Vec<String>, Vec<String>, bool);

fn read(access_from: &[&str], format: SourceFormat, text: &str, labels: Labels) -> Result<Said, String> {
    let parser = FileParser { access_from: access_from.iter().map(|key| (*key).to_owned()).collect() };
    let raw = RawDocument {
        source: "/d/x".to_owned(),
        fallback_id: "x".to_owned(),
        url: None,
        format,
        bytes: text.as_bytes().to_vec(),
        labels,
    };
    let said = |document: Document| {
        (document.card.tags.into_iter().collect(), document.card.topics.into_iter().collect(), document.states_access)
    };
    parser.parse(raw).pop().map_or(Err("nothing".to_owned()), |one| one.map(said).map_err(|fault| fault.sentence))
}

fn page(access_from: &[&str], front_matter: &str) -> Result<Said, String> {
    read(access_from, SourceFormat::Markdown, &format!("---\n{front_matter}\n---\nText.\n"), Labels::default())
}

fn said(access: &[&str], topics: &[&str], is_stated: bool) -> Result<Said, String> {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    Ok((owned(access), owned(topics), is_stated))
}

#[test]
fn tags_are_topics_and_access_says_who_may_see_a_page() {
    assert_eq!(page(&[], "tags: [sailing, lake]"), said(&[], &["lake", "sailing"], false));
    assert_eq!(page(&[], "tags: [lake]\naccess: hr, board"), said(&["board", "hr"], &["lake"], true));
    assert_eq!(page(&[], "access: []"), said(&[], &[], true));
    assert!(page(&[], "access:").is_err_and(|fault| fault.contains("write [] for everyone")));
    assert!(page(&[], "Access: [hr]").is_err_and(|fault| fault.contains("must be written 'access'")));
    assert!(page(&[], "access: {a: b}").is_err());
}

#[test]
fn a_setting_lets_other_keys_say_it_and_they_are_no_topics_then() {
    assert_eq!(page(&["tags"], "tags: [hr]\ntopics: [pay]"), said(&["hr"], &["pay"], true));
    assert_eq!(page(&["tags"], "tags: [hr]\naccess: [board]"), said(&["board", "hr"], &[], true));
    assert_eq!(
        page(&["groups", "roles"], "groups: [it]\nroles: 7, ops\ntags: [a]"),
        said(&["7", "it", "ops"], &["a"], true)
    );
    assert_eq!(page(&["groups"], "tags: [a]"), said(&[], &["a"], false));
    assert_eq!(page(&["groups"], "groups:\nother: {a: [1]}"), said(&[], &[], false));
    assert_eq!(page(&["groups"], "groups: [it]\nid: a\nid: b"), said(&["it"], &[], true));
}

#[test]
fn a_key_that_should_say_it_and_cannot_be_read_is_a_fault() {
    let fault = Err("'groups' in its front matter, which says who may see it, is not a list of names".to_owned());
    assert_eq!(page(&["groups"], "groups: {a: b}"), fault);
    assert_eq!(page(&["groups"], "groups: [[a], b]"), fault);
}

#[test]
fn the_tags_of_a_json_line_say_it_for_it_was_written_for_vouch() {
    let line = |text: &str| read(&[], SourceFormat::JsonLines, text, Labels::default());
    assert_eq!(line(r#"{"id":"a","text":"T.","tags":["hr"],"topics":["pay"]}"#), said(&["hr"], &["pay"], true));
    assert_eq!(line(r#"{"id":"a","text":"T.","tags":[],"access":["it"]}"#), said(&["it"], &[], true));
    assert_eq!(line(r#"{"id":"a","text":"T."}"#), said(&[], &[], false));
}

#[test]
fn whoever_takes_documents_in_may_say_it_for_all() {
    let with = |tags: &[&str], opens: bool| Labels {
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        opens,
        ..Labels::default()
    };
    let plain = |labels: Labels| read(&[], SourceFormat::PlainText, "Text.", labels);
    assert_eq!(plain(with(&[], false)), said(&[], &[], false));
    assert_eq!(plain(with(&["hr"], false)), said(&["hr"], &[], true));
    assert_eq!(plain(with(&[], true)), said(&[], &[], true));
}
