//! People and topics through the command line: kept, listed, taken out, taken in from a file, and asked for by name.

use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json as value};

use crate::support::{
    Place, Ran,
    replies::{ask, json},
    shapes,
};

const SALARY: &str = "---\naddress: HR-1\n---\n# Salary Bands\n\nThe salary band of a senior lighthouse keeper is 5200 crowns a month.\n";
const LAPTOPS: &str = "# Laptops\n\nA lighthouse laptop is replaced every four years by the support desk.\n";
const OPEN: &str =
    "# The Lighthouse\n\nThe lighthouse lamp is lit at dusk. Visitors may climb the lighthouse on Sundays.\n";
const BAND: &str = "What is the salary band of a senior lighthouse keeper?";

const PEOPLE: &str = "\
tenants:
  tarn:
    people:
      - {id: mira, email: mira@tarnside.example, tags: [staff, hr]}
      - {id: kees, email: kees@tarnside.example}
    topics:
      - {tag: hr, owner: mira}
      - {tag: it}
  fell:
    people: [{id: mira, email: mira@fell.example, tags: [it]}]
";

fn done(ran: Ran) -> Ran {
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    ran
}

fn shown(place: &Place, words: &[&str]) -> Value {
    json(&done(place.run(&[words, &["--json"]].concat())))
}

/// Everything a tenant's directory holds.
fn directory(place: &Place, tenant: &str) -> (Value, Value) {
    (shown(place, &["user", "list", "--tenant", tenant]), shown(place, &["tag", "list", "--tenant", tenant]))
}

/// A folder into which the file of people was taken.
fn peopled() -> Place {
    let place = Place::new();
    place.write("people.yaml", PEOPLE);
    let said = shown(&place, &["user", "import", "people.yaml"]);
    assert_eq!(said, value!({"people": {"added": 3, "changed": 0}, "topics": {"added": 2, "changed": 0}}));
    place
}

#[test]
fn a_person_is_added_changed_listed_and_taken_out() {
    let place = Place::new();
    let add = ["user", "add", "mira", "--email", "mira@tarnside.example", "--tags", "staff, hr"];
    assert_eq!(shown(&place, &add), value!({"added": 1, "changed": 0}));
    assert_eq!(done(place.run(&add)).out, "added 0, changed 1\n");
    let listed = shown(&place, &["user", "list"]);
    assert_eq!(listed, value!([{"id": "mira", "email": "mira@tarnside.example", "tags": ["hr", "staff"]}]));
    assert_eq!(done(place.run(&["user", "list"])).out, "mira <mira@tarnside.example>: hr, staff\n");
    assert_eq!(shown(&place, &["user", "list", "--tenant", "tarn"]), value!([]));
    assert_eq!(shown(&place, &["user", "remove", "mira", "nobody"]), value!({"removed": 1}));
    assert!(done(place.run(&["user", "list"])).out.contains("There are no users in tenant 'default'"));
}

#[test]
fn a_topic_is_added_changed_listed_and_taken_out() {
    let place = Place::new();
    done(place.run(&["user", "add", "mira", "--email", "mira@tarnside.example"]));
    assert_eq!(done(place.run(&["tag", "add", "hr"])).out, "added 1, changed 0\n");
    assert_eq!(shown(&place, &["tag", "add", "hr", "--owner", "mira"]), value!({"added": 0, "changed": 1}));
    let listed = shown(&place, &["tag", "list"]);
    assert_eq!(listed, value!([{"tag": "hr", "owner": "mira", "owner_email": "mira@tarnside.example"}]));
    done(place.run(&["user", "remove", "mira"]));
    assert_eq!(done(place.run(&["tag", "list"])).out, "hr: mira, who is not a user of this tenant\n");
    assert_eq!(shown(&place, &["tag", "remove", "hr"]), value!({"removed": 1}));
    assert!(done(place.run(&["tag", "list"])).out.contains("There are no topics"));
}

#[test]
fn what_cannot_be_kept_is_told_and_not_kept() {
    let place = Place::new();
    for (words, said) in [
        (&["user", "add", "mira", "--email", "mira"][..], "name@domain"),
        (&["user", "add", "", "--email", "m@t"], "the id is empty"),
        (&["user", "add", "mira"], "--email"),
        (&["user", "add", "mira", "--email", "m@t", "--tags", "hr,,it"], "the tag is empty"),
        (&["tag", "add", "h\tr"], "control character"),
        (
            &["tag", "add", "hr", "--owner", "nobody"],
            "topic 'hr': its owner 'nobody' is not a user of tenant 'default'",
        ),
    ] {
        let ran = place.run(words);
        assert_eq!(ran.code, Some(2), "{words:?}: {}", ran.err);
        assert!(ran.err.contains(said), "{words:?}: {}", ran.err);
    }
    assert_eq!(directory(&place, "default"), (value!([]), value!([])));
}

#[test]
fn an_owner_of_another_tenant_is_nobody_here() {
    let place = peopled();
    assert_eq!(place.run(&["tag", "add", "hr", "--owner", "kees", "--tenant", "fell"]).code, Some(2));
    assert_eq!(place.run(&["tag", "add", "hr", "--owner", "kees", "--tenant", "tarn"]).code, Some(0));
}

#[test]
fn a_file_brings_people_and_topics_of_several_tenants() {
    let place = peopled();
    let (people, topics) = directory(&place, "tarn");
    assert_eq!(
        people,
        value!([
            {"id": "kees", "email": "kees@tarnside.example", "tags": []},
            {"id": "mira", "email": "mira@tarnside.example", "tags": ["hr", "staff"]},
        ])
    );
    assert_eq!(
        topics,
        value!([
            {"tag": "hr", "owner": "mira", "owner_email": "mira@tarnside.example"},
            {"tag": "it", "owner": null, "owner_email": null},
        ])
    );
    let (people, topics) = directory(&place, "fell");
    assert_eq!(people, value!([{"id": "mira", "email": "mira@fell.example", "tags": ["it"]}]));
    assert_eq!((topics, shown(&place, &["user", "list"])), (value!([]), value!([])));
}

#[test]
fn a_file_may_name_an_owner_who_is_already_there() {
    let place = peopled();
    place.write("more.yaml", "tenants: {tarn: {topics: [{tag: it, owner: kees}]}}");
    let said = done(place.run(&["user", "import", "more.yaml"])).out;
    assert_eq!(said, "people: added 0, changed 0\ntopics: added 0, changed 1\n");
}

#[test]
fn a_bad_file_leaves_everything_as_it_was_and_its_line_is_named() {
    let place = peopled();
    let before = (directory(&place, "tarn"), directory(&place, "fell"));
    let head = "tenants:\n  tarn:\n    people:\n      - {id: mira, email: changed@tarnside.example}\n";
    let cases = [
        ("      - {id: anna, email: nowhere}\n", "line 5: person 'anna': the email 'nowhere'"),
        ("      - {id: anna, e-mail: anna@tarnside.example}\n", "line 5: unknown field `e-mail`"),
        ("      - {id: mira, email: twice@tarnside.example}\n", "line 5: person 'mira' appears twice"),
        ("    topics:\n      - {tag: hr, owner: anna}\n", "line 6: topic 'hr': its owner 'anna' is not a user"),
        (
            "  fell:\n    topics:\n      - {tag: hr, owner: kees}\n",
            "line 7: topic 'hr': its owner 'kees' is not a user",
        ),
        ("  fell: [\n", "line "),
    ];
    for (rest, said) in cases {
        place.write("bad.yaml", format!("{head}{rest}"));
        let ran = place.run(&["user", "import", "bad.yaml"]);
        assert_eq!(ran.code, Some(2), "{rest}: {}", ran.err);
        assert!(ran.err.contains("nothing was imported") && ran.err.contains(said), "{rest}: {}", ran.err);
        assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
    }
    assert_eq!(before, (directory(&place, "tarn"), directory(&place, "fell")));
}

/// Documents of three tags, and people who may see different parts of them.
static LIGHTHOUSE: LazyLock<Mutex<Place>> = LazyLock::new(|| {
    let place = Place::new();
    place.write("hr/salary.md", SALARY);
    place.write("it/laptops.md", LAPTOPS);
    place.write("open/lighthouse.md", OPEN);
    for (folder, tags) in [("hr", "hr"), ("it", "it"), ("open", "")] {
        let words = ["ingest", folder, "--kind", "note", "--tags", tags];
        done(place.run(if tags.is_empty() { &words[..4] } else { &words }));
    }
    for (id, tags) in [("mira", "staff,hr"), ("kees", "it")] {
        done(place.run(&["user", "add", id, "--email", "x@lighthouse.example", "--tags", tags]));
    }
    done(place.run(&["user", "add", "guest", "--email", "x@lighthouse.example"]));
    Mutex::new(place)
});

/// The lighthouse for one test at a time, since one process holds a data folder.
fn lighthouse() -> MutexGuard<'static, Place> {
    LIGHTHOUSE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn a_user_is_answered_what_their_tags_open() {
    let place = lighthouse();
    let outcomes = ["mira", "kees", "guest"].map(|id| ask(&place, BAND, &["--user", id])["outcome"].clone());
    assert_eq!(outcomes, ["answered", "refused", "refused"]);
}

#[test]
fn a_user_sees_exactly_what_their_tags_see_in_every_command() {
    let place = lighthouse();
    let commands = [
        &["ask", BAND, "--explain"][..],
        &["search", "salary band lighthouse laptop lamp"],
        &["list", "note"],
        &["show", "HR-1"],
        &["memory", "list"],
    ];
    for command in commands {
        for (id, tags) in [("mira", "hr,staff"), ("kees", "it")] {
            let said = |who: &[&str]| {
                let ran = done(place.run(&[command, who, &["--json"]].concat()));
                shapes::without_times(&ran.out)
            };
            assert_eq!(said(&["--user", id]), said(&["--tags", tags]), "{command:?} {id}");
        }
    }
}

#[test]
fn a_line_of_a_batch_cannot_widen_what_a_user_may_see() {
    let place = lighthouse();
    place.write("batch.jsonl", format!("{}\n", value!({"id": 1, "query": BAND, "tags": ["hr"]})));
    let outcome = |id| {
        let ran = done(place.run(&["ask", "--batch", "batch.jsonl", "--json", "--user", id]));
        json(&ran)["outcome"].clone()
    };
    assert_eq!((outcome("kees"), outcome("mira")), (value!("refused"), value!("answered")));
}

#[test]
fn an_unknown_user_is_told_and_nothing_is_read() {
    let place = lighthouse();
    for command in [
        &["ask", BAND][..],
        &["chat"],
        &["search", "lamp"],
        &["list", "note"],
        &["show", "HR-1"],
        &["term", "lamp"],
        &["memory", "list"],
    ] {
        let ran = place.run(&[command, &["--user", "stranger"]].concat());
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{command:?}: {}", ran.err);
        assert!(ran.err.contains("no user 'stranger' in tenant 'default'"), "{command:?}: {}", ran.err);
    }
    let ran = place.run(&["ask", BAND, "--user", "mira", "--tenant", "fell"]);
    assert_eq!(ran.code, Some(2), "a person belongs to one tenant: {}", ran.out);
}

#[test]
fn a_user_and_tags_together_are_a_usage_error() {
    let ran = lighthouse().run(&["ask", BAND, "--user", "kees", "--tags", "hr"]);
    assert!(ran.code == Some(2) && ran.err.contains("cannot be used with"), "{:?} {}", ran.code, ran.err);
}

#[test]
fn every_command_has_help_with_an_example() {
    let place = Place::new();
    for words in
        ["user", "user add", "user list", "user remove", "user import", "tag", "tag add", "tag list", "tag remove"]
    {
        let words: Vec<&str> = words.split(' ').chain(["--help"]).collect();
        let help = done(place.run(&words)).out;
        assert!(help.contains("Example") && help.contains("vouch user") | help.contains("vouch tag"), "{words:?}");
    }
}
