//! What is shown with the sentence that answers, through the binary.

use crate::support::{Place, replies::json};

const SIDE_WORK: &str = "# Side work

Staff may take on work beside their job within these bounds.

## OK

- Teaching one evening a week at a school.
- Writing for a journal in your own time.

## Not OK

- Freelance work for a customer of ours.
- Freelance design work during office hours.
- Selling drawings made with our tools.
";

#[test]
fn a_heading_that_turns_the_meaning_is_shown_and_a_whole_list_is_not_said_to_go_on() {
    let place = Place::new();
    place.write("documents/side-work.md", SIDE_WORK);
    assert_eq!(place.run(&["ingest", "documents"]).code, Some(0));
    let reply = json(&place.run(&["ask", "Can I do freelance work on the side for a customer?", "--json"]));
    let answer = reply["answer"].as_str().unwrap_or_default();
    assert!(answer.starts_with("Not OK [^1]\n") && answer.contains("customer of ours"), "{answer}");
    let heading = &reply["claims"][0];
    assert_eq!((&heading["role"], &heading["checks"][0]), (&"context".into(), &"heading".into()));
    assert!(!reply["notices"].to_string().contains("may continue"), "{}", reply["notices"]);
}

const SET_UP: &str = "# Laptops

## How to set up a laptop

1. Plug in the laptop and wait for the lamp.
2. Log in with the number of your badge, see [the badge page](../people/badge.md).
3. Ask [the desk](https://desk.example/a) for a token.

## Parking

As [the office page](../office/parking.md#cost) says, a parking place costs 12 euros a month.
";

#[test]
fn steps_keep_their_numbers_and_links_to_other_files_are_words() {
    let place = Place::new();
    place.write("documents/laptops.md", SET_UP);
    assert_eq!(place.run(&["ingest", "documents"]).code, Some(0));
    let asked = ["ask", "How do I set up a laptop?"];
    let reply = json(&place.run(&[asked[0], asked[1], "--json"]));
    let answer = reply["answer"].as_str().unwrap_or_default();
    assert!(answer.starts_with("1. Plug in the laptop") && answer.contains("\n2. Log in"), "{answer}");
    let read = place.run(&asked).out;
    assert!(read.starts_with("1. Plug in") && read.contains("see the badge page."), "{read}");
    assert!(read.contains("[the desk](https://desk.example/a)") && !read.contains("badge.md"), "{read}");
    let streamed = place.run(&[asked[0], asked[1], "--stream"]).out;
    assert!(streamed.starts_with("1. Plug in") && !streamed.contains("badge.md"), "{streamed}");
    let parking = place.run(&["ask", "How much does a parking place cost?"]).out;
    assert!(parking.contains("As the office page says, a parking place costs 12 euros"), "{parking}");
}

#[test]
fn a_policy_that_was_replaced_is_not_quoted_beside_the_one_that_holds() {
    let policy = |said: &str, days: u32| {
        format!("---\n{said}\n---\n# Annual leave\n\nStaff have {days} days of paid annual leave a year.\n")
    };
    let old = policy("title: Leave 2023\naddress: HR-3\nsuperseded_by: HR-9", 25);
    let asked = ["ask", "How many days of paid annual leave do staff have?", "--json"];
    let place = Place::new();
    place.write("documents/leave-2023.md", &old);
    assert_eq!(place.run(&["ingest", "documents"]).code, Some(0));
    let alone = json(&place.run(&asked));
    assert!(alone["answer"].to_string().contains("25 days"), "{alone}");
    assert_eq!(alone["notices"], serde_json::json!(["HR-3 is superseded by HR-9; read that first."]));
    place.write("documents/leave-2026.md", policy("title: Leave 2026\naddress: HR-9", 27));
    assert_eq!(place.run(&["ingest", "documents"]).code, Some(0));
    let beside = json(&place.run(&asked));
    let answer = beside["answer"].to_string();
    assert!(answer.contains("27 days") && !answer.contains("25 days"), "{beside}");
    assert!(beside["notices"].to_string().contains("HR-3 also covers this, but is superseded by HR-9"), "{beside}");
}
