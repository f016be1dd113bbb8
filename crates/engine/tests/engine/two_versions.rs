//! Two versions of one document that are both in force are found, and what only looks like two versions is not.

use std::{collections::BTreeSet, sync::Arc};

use vouch_domain::{DocumentCard, DocumentId, Finding, FindingKind};
use vouch_engine::findings::two_versions;

/// Where a document lies, its title and its text.
type Page<'a> = (&'a str, &'a str, &'a str);

fn card((source, title, _): Page<'_>) -> Option<Arc<DocumentCard>> {
    Some(Arc::new(DocumentCard {
        id: DocumentId::parse(source)?,
        tenant: "t".to_owned(),
        source: source.to_owned(),
        title: title.to_owned(),
        kind: String::new(),
        collection: String::new(),
        status: None,
        date: None,
        version: None,
        tags: BTreeSet::new(),
        topics: BTreeSet::new(),
        owner: None,
        address: None,
        url: None,
        superseded_by: None,
    }))
}

fn found(one: Page<'_>, other: Page<'_>) -> Option<Finding> {
    let (left, right) = (card(one)?, card(other)?);
    let found = two_versions([(&left, one.2), (&right, other.2)], 0);
    let turned = two_versions([(&right, other.2), (&left, one.2)], 0);
    assert_eq!(found, turned, "whichever is compared with the other, it is one finding");
    found
}

/// The lines in which the two differ, side by side.
fn differences(finding: &Finding) -> Vec<(String, String)> {
    let [left, right] = &finding.sides;
    left.sentence.lines().map(str::to_owned).zip(right.sentence.lines().map(str::to_owned)).collect()
}

const LONG: &str = "# Annual leave\n\n## How much\n\nFull-time employees receive 27 days of annual leave.\n\n\
    Part-time employees receive a share of that.\n\n## Carrying over\n\nAt most 5 days may be carried over.\n\n\
    They must be taken by 31 March.\n\n## Asking for it\n\nAsk your manager four weeks before.\n\nThe manager answers within a week.\n";

#[test]
fn two_versions_are_found() {
    let new = LONG.replace("27 days", "25 days").replace("31 March", "30 April");
    let cases: &[(&str, Page<'_>, Page<'_>)] = &[
        (
            "the title has the year",
            ("a/leave-2023.md", "Leave policy 2023", "Employees receive 27 days of annual leave.\n"),
            ("b/leave-2026.md", "Leave policy 2026", "Employees receive 25 days of annual leave.\n"),
        ),
        (
            "and the sentence is worded otherwise",
            ("old.md", "Leave policy (2023)", "Every employee has 27 days of paid leave a year.\n"),
            ("new.md", "Leave policy", "Employees are entitled to 25 days of annual leave each year.\n"),
        ),
        (
            "the file has the year",
            ("hr/leave-2023.md", "Leave", "Leave is 27 days.\n\nAsk your manager for annual leave.\n"),
            ("hr/leave-2026.md", "Leave", "Leave is 25 days.\n\nAsk your manager for annual leave.\n"),
        ),
        (
            "the title has a version",
            ("t1.md", "Travel rules v2", "Hotels up to £ 120 a night are paid.\n"),
            ("t2.md", "Travel rules v3", "Hotels up to £ 140 a night are paid.\n"),
        ),
        (
            "a table has the figures",
            (
                "p1.md",
                "Pay bands 2025",
                "| Grade | Salary |\n|---|---|\n| Clerk, junior | 31,000 |\n| Clerk, senior | 36,000 |\n",
            ),
            (
                "p2.md",
                "Pay bands 2026",
                "| Grade | Salary |\n|---|---|\n| Clerk, junior | 32,500 |\n| Clerk, senior | 37,500 |\n",
            ),
        ),
        ("another title and the same text", ("leave.md", "Annual leave", LONG), ("rules.md", "Leave rules", &new)),
    ];
    for (what, one, other) in cases {
        let found = found(*one, *other);
        assert_eq!(found.as_ref().map(|finding| finding.kind), Some(FindingKind::Versions), "{what}: {found:?}");
        let differences = found.as_ref().map(differences).unwrap_or_default();
        assert!(
            !differences.is_empty() && differences.iter().all(|(one, other)| one != other),
            "{what}: {differences:?}"
        );
    }
}

#[test]
fn what_differs_is_shown_on_both_sides_figures_first() {
    let text = |days: u32, year: u32| {
        format!("# Leave\n\nThis holds for {year}.\n\nEmployees receive {days} days of leave.\n\nAsk early.\n")
    };
    let (old, new) = (text(27, 2023), text(25, 2026));
    let found = found(("a.md", "Leave 2023", &old), ("b.md", "Leave 2026", &new));
    let differences = found.as_ref().map(differences).unwrap_or_default();
    let first = ("Employees receive 27 days of leave.".to_owned(), "Employees receive 25 days of leave.".to_owned());
    assert_eq!(differences.first(), Some(&first), "{differences:?}");
}

#[test]
fn what_only_looks_like_two_versions_is_none() {
    let paternity = LONG.replace("annual", "paternity").replace("Annual", "Paternity").replace("27 days", "10 days");
    let berlin = LONG.replace("employees", "employees in Berlin");
    let madrid = berlin.replace("Berlin", "Madrid").replace("27 days", "23 days");
    let cases: &[(&str, Page<'_>, Page<'_>)] = &[
        ("the same text", ("a.md", "Leave 2023", LONG), ("b.md", "Leave 2026", LONG)),
        ("pages of one mould", ("a.md", "Annual leave", LONG), ("b.md", "Paternity leave", &paternity)),
        ("pages of two places", ("a.md", "Leave in Berlin", &berlin), ("b.md", "Leave in Madrid", &madrid)),
        ("two folders", ("berlin/leave.md", "Leave", &berlin), ("madrid/leave.md", "Leave", &madrid)),
        (
            "a page for all and one for a place",
            ("leave.md", "Leave", LONG),
            ("berlin/leave.md", "Leave", &berlin.replace("27 days", "30 days")),
        ),
        (
            "levels are no versions",
            ("a.md", "Level 1 support", "Tickets of level 1 are answered within 4 hours.\n"),
            ("b.md", "Level 2 support", "Tickets of level 2 are answered within 8 hours.\n"),
        ),
        (
            "minutes of two days",
            (
                "m1.md",
                "Crew meeting 3 May 2026",
                "Present: Ada, Ben and 4 others.\n\nThe pier needs paint. Ada asks for offers.",
            ),
            (
                "m2.md",
                "Crew meeting 10 May 2026",
                "Present: Ada, Ben and 6 others.\n\nThe offers are in. The first is taken.",
            ),
        ),
        (
            "reports of two years",
            (
                "r1.md",
                "Annual report 2024",
                "Traffic grew by 4 % as the new pier opened.\n\nTwo ferries were sold to Norway.\n\nThe board met 6 times.",
            ),
            (
                "r2.md",
                "Annual report 2025",
                "A storm closed the harbour for 9 days.\n\nFares rose by 2 %.\n\nThe crew grew to 40 people.",
            ),
        ),
    ];
    for (what, one, other) in cases {
        assert_eq!(found(*one, *other), None, "{what}");
    }
}

#[test]
fn a_version_that_does_not_hold_is_no_matter() {
    let (old, new) = (("a.md", "Leave 2023", LONG), LONG.replace("27", "25"));
    let new = ("b.md", "Leave 2026", new.as_str());
    assert!(found(old, new).is_some());
    let (Some(left), Some(right)) = (card(old), card(new)) else { panic!("two cards") };
    for status in ["superseded", "draft", "withdrawn"] {
        let left = Arc::new(DocumentCard { status: Some(status.to_owned()), ..DocumentCard::clone(&left) });
        assert_eq!(two_versions([(&left, old.2), (&right, new.2)], 0), None, "{status}");
    }
}

/// Whether documents with these titles, whose sentences differ in a figure alone, are two versions of one.
fn are_versions(one: &str, other: &str) -> bool {
    let text = |days: u32| format!("Whoever works on the pier receives {days} days of leave.\n");
    found(("a.md", one, &text(27)), ("b.md", other, &text(25))).is_some()
}

#[test]
fn a_year_and_a_version_are_no_part_of_the_name() {
    let same = [
        ("Leave policy 2023", "Leave policy 2026"),
        ("Leave policy", "Leave Policy (2026)"),
        ("2023 price list", "Price list 2024"),
        ("Travel rules, version 2", "Travel rules, version 3"),
        ("Travel rules v2", "Travel rules v3.1"),
        ("Travel rules, 2nd edition", "Travel rules, 3rd edition"),
        ("Price list Q3 2025", "Price list Q1 2026"),
        ("Handbook 1.2", "Handbook 1.4"),
        ("Price list of March 2025", "Price list of May 2026"),
    ];
    for (one, other) in same {
        assert!(are_versions(one, other), "{one}, {other}");
    }
}

#[test]
fn another_number_is_part_of_the_name() {
    let other = [
        ("Level 1 support", "Level 2 support"),
        ("12. Security groups", "31. Security groups"),
        ("Storage in S3", "Storage in EC2"),
        ("Leave policy 2023", "Sick leave policy 2026"),
        ("2023", "2026"),
    ];
    for (one, other) in other {
        assert!(!are_versions(one, other), "{one}, {other}");
    }
}
