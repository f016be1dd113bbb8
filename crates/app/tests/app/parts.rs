//! Questions of several parts: what the documents answer is told, and what they do not is named.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use serde_json::Value;

use crate::support::Place;

fn place() -> Place {
    let place = Place::new();
    place.write(
        "docs/notice.md",
        "# Notice\n\nFull-time staff give three months of notice. Part-time staff give six weeks of notice. Notice is given in \
         writing to the head of the office.\n",
    );
    place.write(
        "docs/leave.md",
        "# Leave\n\nStaff have 26 days of paid annual leave a year. Requests are signed by the line manager. Unused leave is \
         carried over until March.\n",
    );
    place.write(
        "docs/interns.md",
        "# Interns\n\nInterns are hired each spring and stay for five months. They are paid monthly.\n",
    );
    place.write(
        "docs/tank.md",
        "# The tank\n\nThe tank is 3 m high and 2 m wide. It was built in 1931 by Oren Pell. Its lid is kept locked.\n",
    );
    assert_eq!(place.run(&["ingest", "docs"]).code, Some(0));
    place
}

/// The answer to a question, and the parts it calls unanswered.
fn asked(place: &Place, question: &str) -> (String, Vec<String>) {
    let ran = place.run(&["ask", question, "--json"]);
    let reply: Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(reply.get("outcome").and_then(Value::as_str), Some("answered"), "{question}: {reply}");
    let notices = reply.get("notices").and_then(Value::as_array).expect("notices").iter().filter_map(Value::as_str);
    let missing = notices.filter_map(|notice| notice.strip_prefix("No answer was found to: ")).map(str::to_owned);
    let answer = reply.get("answer").and_then(Value::as_str).expect("an answer");
    (answer.to_owned(), missing.collect())
}

#[test]
fn a_part_that_a_passage_of_another_part_answers_is_told_and_not_called_missing() {
    let place = place();
    for (question, told) in [
        ("How many days of annual leave are there and who signs requests?", ["26 days", "line manager"]),
        ("Who built the tank and how high is it?", ["Oren Pell", "3 m high"]),
        ("How many days of annual leave are there and until when is unused leave carried over?", ["26 days", "March"]),
    ] {
        let (answer, missing) = asked(&place, question);
        assert!(missing.is_empty(), "{question}: {missing:?}: {answer}");
        assert!(told.iter().all(|words| answer.contains(words)), "{question}: {answer}");
    }
}

#[test]
fn a_part_without_an_answer_is_named() {
    let place = place();
    for (question, part) in [
        ("When was the tank built and who holds the key of the lid?", "who holds the key of the lid?"),
        ("How long is unused leave carried over and who feeds the cat?", "who feeds the cat?"),
    ] {
        let (answer, missing) = asked(&place, question);
        assert_eq!(missing, [part], "{question}: {answer}");
    }
}

#[test]
fn an_item_of_an_enumeration_without_an_answer_is_named() {
    let place = place();
    let (answer, missing) = asked(&place, "What are the notice periods for full-time, part-time and interns?");
    assert_eq!(missing, ["What are the notice periods for interns?"], "{answer}");
    assert!(answer.contains("three months") && answer.contains("six weeks"), "{answer}");
    let (answer, missing) = asked(&place, "How long do interns, clerks and porters stay?");
    assert_eq!(missing, ["How long do clerks stay?", "How long do porters stay?"], "{answer}");
    let (answer, missing) = asked(&place, "What are the notice periods for full-time and part-time staff?");
    assert!(missing.is_empty(), "{missing:?}: {answer}");
    let (answer, missing) = asked(&place, "What is the difference between full-time and part-time staff?");
    assert!(missing.is_empty(), "{missing:?}: {answer}");
    let (answer, missing) = asked(&place, "What are the height and width of the tank?");
    assert!(missing.is_empty(), "{missing:?}: {answer}");
}
