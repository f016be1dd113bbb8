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
    assert!(!reply["notices"].to_string().contains("may go on"), "{}", reply["notices"]);
}
