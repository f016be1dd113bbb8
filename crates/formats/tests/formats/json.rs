//! JSON: documents as lines hold them, or one document with a line for every value.

use vouch_domain::SourceFormat::Json;

use crate::outcome::{document, fault, outcomes, paths};

#[test]
fn an_object_or_a_list_of_documents_is_read_as_lines_are() {
    let one = document(Json, br#"{ "id": "a", "title": "Own", "tags": ["hr"], "text": "One." }"#);
    assert_eq!((one.card.id.as_str(), one.card.title.as_str(), one.text.as_str()), ("a", "Own", "One."));
    assert!(one.card.tags.contains("hr"), "tags of a document say who may see it");
    let many = outcomes(Json, br##"[{"id":"a","text":"# A\nOne."},{"id":"b"},7,{"id":"c","text":"Two."}]"##);
    let told: Vec<String> = many
        .into_iter()
        .map(|one| {
            one.map_or_else(|fault| format!("{}: {}", fault.place, fault.sentence), |one| one.card.id.to_string())
        })
        .collect();
    assert_eq!(
        told,
        ["a", "document 2: it has no text", "document 3: it is not a document: it has no id and no text", "c"]
    );
}

#[test]
fn any_other_json_is_a_line_for_each_value() {
    let boat = document(
        Json,
        br#"{"zeta":"last first","size":{"length":12.5,"mast":{"wood":"oak","old":true}},"none":null,"year":1920,
            "crew":[{"name":"Ada","age":36},{"name":"Bo","age":41}],"ports":["Ems","Elbe"],"mixed":[1,{"a":{"b":"c"}}]}"#,
    );
    assert_eq!(
        boat.text,
        "- zeta: last first\n- year: 1920\n\n## size\n\n- length: 12.5\n- mast › wood: oak\n- mast › old: true\n\n\
         ## crew\n\n- name: Ada; age: 36\n- name: Bo; age: 41\n\n## ports\n\n- Ems, Elbe\n\n## mixed\n\n- 1\n- 2 › a › b: c\n"
    );
    assert_eq!(boat.card.title, "own name");
    assert_eq!(paths(&boat), ["", "size", "crew", "ports", "mixed"]);
    assert_eq!(document(Json, br#"[{"a":1,"b":"x"},{"a":2,"b":null}]"#).text, "- a: 1; b: x\n- a: 2\n");
    assert_eq!(document(Json, br#"{"title":"Boat","a":{"b":"c"}}"#).card.title, "Boat");
}

#[test]
fn what_is_not_json_or_out_of_proportion_is_said() {
    assert_eq!(fault(Json, b"{\"a\": [1,\n"), "it is not valid JSON: EOF while parsing a value at column 0");
    assert_eq!(fault(Json, b"{}"), "it contains no text");
    let deep = |levels: usize| format!("{}\"x\"{}", "[".repeat(levels), "]".repeat(levels));
    assert_eq!(fault(Json, deep(120).as_bytes()), "");
    assert_eq!(fault(Json, deep(200).as_bytes()), "its values are nested more than 127 levels deep");
    let key = "k".repeat(10_000);
    let wide = format!(
        "{{\"a\":{{\"{key}\":{{{}\"z\":1}}}}}}",
        (0..3_000).map(|at| format!("\"{at}\":1,")).collect::<String>()
    );
    assert!(fault(Json, wide.as_bytes()).contains("repeated for each of its values"));
}
