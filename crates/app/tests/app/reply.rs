//! The reply of `vouch ask` and the hits of `vouch search`: every key of the contract, spans that hold, honest
//! refusals, and batches that come back in order and the same every time.

use serde_json::Value;

use crate::support::{
    Place,
    replies::{ask, json},
    shapes,
};

const MAST: &str = "# The Harbour Mast\n\nÇa s’élève — Überblick über den Hafen 🚢🚢. The harbour mast at Port Ellery is \
    14 metres tall. It was painted red in 2019 by the harbour crew.\n\n## Upkeep\n\nThe mast is inspected every spring \
    by two climbers. Grease for the mast pulleys is kept in the blue shed.\n";
const BAKERY: &str = "The bakery in Mill Lane opens at six in the morning. Its rye bread is baked in a wood oven.\n";
const FERRY: &str = "---\ntitle: Ferry\n---\nTickets for the Ellery ferry cost 4 crowns. Dogs travel free of charge.\n";

const TALL: &str = "How tall is the harbour mast?";
const OPENS: &str = "When does the bakery in Mill Lane open?";
const UNKNOWN: &str = "Who won the football cup in Brazil?";
/// On something the documents are about, and not in them.
const UNSAID: &str = "Who designed the harbour mast?";

fn filled() -> Place {
    let place = Place::new();
    place.write("docs/mast.md", MAST);
    place.write("docs/bakery.txt", BAKERY);
    place.write("docs/ferry.md", FERRY);
    let ran = place.run(&["ingest", "docs"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    place
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().map(|object| object.keys().map(String::as_str).collect()).unwrap_or_default()
}

/// Compares key sets whatever their order.
fn check_keys(value: &Value, expected: &str) {
    let mut expected: Vec<&str> = expected.split_whitespace().collect();
    expected.sort_unstable();
    let mut found = keys(value);
    found.sort_unstable();
    assert_eq!(found, expected);
}

fn cut(text: &str, quote: &Value) -> String {
    let at = |key: &str| quote.get(key).and_then(Value::as_u64).and_then(|at| usize::try_from(at).ok());
    let (start, end) = (at("start").unwrap_or(usize::MAX), at("end").unwrap_or(0));
    text.chars().skip(start).take(end.saturating_sub(start)).collect()
}

#[test]
fn a_reply_has_every_key_of_the_contract_and_no_other() {
    check_keys(
        &ask(&filled(), TALL, &[]),
        "request_id session_id generation outcome answer refused refusal_reason abstain_reason action route intent agent citations sources \
         claims confidence retrieval_quality transparency fallback_mode warnings notices route_to nearest \
         suggestions tool_calls pending no_context model_used context_chunks_used context_tokens_used generation_time_ms grounded trace",
    );
}

#[test]
fn a_refusal_has_the_same_keys_as_an_answer() {
    let place = filled();
    assert_eq!(keys(&ask(&place, UNKNOWN, &[])), keys(&ask(&place, TALL, &[])));
}

#[test]
fn a_citation_has_every_key_of_the_contract_and_no_other() {
    let reply = ask(&filled(), TALL, &[]);
    check_keys(
        &reply["citations"][0],
        "marker source_id document_id document_name kind collection chunk_index page_number section url locator \
         version updated relevance_score snippet snippet_full snippet_start quote highlight",
    );
}

#[test]
fn the_objects_inside_a_reply_have_the_keys_of_the_contract() {
    let reply = ask(&filled(), TALL, &["--explain"]);
    check_keys(&reply["citations"][0]["quote"], "start end");
    check_keys(&reply["sources"][0], "title section file version score");
    check_keys(&reply["claims"][0], "text role markers supported score checks");
    check_keys(&reply["confidence"], "overall retrieval_score coverage_score llm_score");
    check_keys(
        &reply["retrieval_quality"],
        "confidence_score confidence_level fallback_active fallback_reasons degraded",
    );
    check_keys(&reply["transparency"], "statement show_to_user");
}

#[test]
fn a_suggestion_has_the_keys_of_the_contract() {
    check_keys(&ask(&filled(), UNSAID, &[])["suggestions"][0], "label query kind");
}

#[test]
fn a_reply_without_explain_has_no_trace() {
    assert_eq!(ask(&filled(), TALL, &[])["trace"], Value::Null);
}

#[test]
fn a_reply_with_explain_shows_every_gate_with_its_figures() {
    let reply = ask(&filled(), TALL, &["--explain"]);
    let gates = reply["trace"]["gates"].as_array().expect("a list of gates");
    assert!(!gates.is_empty());
    for gate in gates {
        assert!(gate["name"].is_string() && gate["passed"].is_boolean(), "{gate}");
        assert!(gate["reading"].is_number() && gate["threshold"].is_number(), "{gate}");
    }
}

#[test]
fn an_answer_marks_its_sentence_with_the_number_of_the_citation() {
    let reply = ask(&filled(), TALL, &[]);
    let marker = format!("[^{}]", reply["citations"][0]["marker"]);
    let answer = format!("The harbour mast at Port Ellery is 14 metres tall. {marker}");
    assert!(reply["answer"].as_str().is_some_and(|text| text.contains(&answer)), "{reply}");
    let roles: Vec<&Value> = reply["claims"].as_array().expect("claims").iter().map(|claim| &claim["role"]).collect();
    assert_eq!(roles, ["context", "answer", "context"]);
}

#[test]
fn a_quote_cut_from_the_file_by_characters_is_the_quoted_sentence() {
    let reply = ask(&filled(), TALL, &[]);
    assert_eq!(cut(MAST, &reply["citations"][0]["quote"]), "The harbour mast at Port Ellery is 14 metres tall.");
}

#[test]
fn a_quote_of_a_file_with_front_matter_counts_from_the_text_after_it() {
    let reply = ask(&filled(), "What do tickets for the Ellery ferry cost?", &[]);
    let body = FERRY.rsplit_once("---\n").expect("front matter ends").1;
    assert_eq!(cut(body, &reply["citations"][0]["quote"]), "Tickets for the Ellery ferry cost 4 crowns.");
}

#[test]
fn a_quote_of_a_json_line_counts_from_its_text() {
    let place = Place::new();
    let text = "Grüße 🐝🐝 aus dem Garten. The beehives of the abbey number 37 in all.";
    place.write("a.jsonl", format!("{}\n", serde_json::json!({"id": "bees", "text": text})));
    place.run(&["ingest", "a.jsonl"]);
    let reply = ask(&place, "How many beehives does the abbey number?", &[]);
    assert_eq!(cut(text, &reply["citations"][0]["quote"]), "The beehives of the abbey number 37 in all.");
}

#[test]
fn a_refusal_says_so_and_leaves_with_code_zero() {
    let ran = filled().run(&["ask", UNKNOWN, "--json"]);
    assert_eq!((json(&ran)["refused"].as_bool(), ran.code), (Some(true), Some(0)));
}

#[test]
fn a_refusal_names_the_gate_and_its_figure() {
    let reply = ask(&filled(), UNKNOWN, &["--explain"]);
    let reason = reply["refusal_reason"].as_str().expect("a reason");
    let gates = reply["trace"]["gates"].as_array().expect("a list of gates");
    let stopped = gates.iter().find(|gate| gate["passed"] == false).expect("a gate stopped it");
    let figure = format!("{:.2}", stopped["reading"].as_f64().expect("a figure"));
    let name = stopped["name"].as_str().expect("a name");
    assert!(reason.contains(name) && reason.contains(&figure), "{reason}");
}

#[test]
fn a_refusal_suggests_up_to_three_things_that_are_near() {
    assert_eq!(ask(&filled(), UNKNOWN, &[])["suggestions"], serde_json::json!([]));
    let reply = ask(&filled(), UNSAID, &[]);
    let count = reply["suggestions"].as_array().map_or(0, Vec::len);
    assert!((1..=3).contains(&count), "{count} suggestions");
}

#[test]
fn a_refusal_cites_nothing() {
    let reply = ask(&filled(), UNKNOWN, &[]);
    assert_eq!((&reply["citations"], &reply["sources"]), (&serde_json::json!([]), &serde_json::json!([])));
}

#[test]
fn an_empty_store_refuses_and_leaves_with_code_zero() {
    let place = Place::new();
    std::fs::create_dir(place.path("docs")).expect("a folder");
    assert_eq!(place.run(&["ingest", "docs"]).code, Some(0));
    let ran = place.run(&["ask", TALL, "--json"]);
    assert_eq!((json(&ran)["refused"].as_bool(), ran.code), (Some(true), Some(0)));
}

#[test]
fn an_empty_question_is_a_usage_error() {
    assert_eq!(filled().run(&["ask", "  "]).code, Some(2));
}

#[test]
fn an_over_long_question_is_a_usage_error() {
    assert_eq!(filled().run(&["ask", &"why ".repeat(2_000)]).code, Some(2));
}

#[test]
fn an_empty_search_is_a_usage_error() {
    assert_eq!(filled().run(&["search", "  "]).code, Some(2));
}

#[test]
fn a_model_that_is_not_allowed_is_a_usage_error() {
    assert_eq!(filled().run(&["ask", TALL, "--model", "gpt"]).code, Some(2));
}

fn batch(place: &Place) {
    let lines = [("third", OPENS), ("first", TALL), ("second", UNKNOWN), ("ä ö", TALL), ("5", OPENS)];
    let text: String =
        lines.iter().map(|(id, query)| format!("{}\n", serde_json::json!({"id": id, "query": query}))).collect();
    place.write("batch.jsonl", text);
}

fn ids(text: &str) -> Vec<String> {
    let line = |line: &str| {
        serde_json::from_str::<Value>(line).map(|reply| reply.get("id").map(Value::to_string).unwrap_or_default())
    };
    text.lines().map(line).collect::<Result<_, _>>().unwrap_or_default()
}

#[test]
fn a_batch_answers_in_the_order_asked() {
    let place = filled();
    batch(&place);
    let ran = place.run(&["ask", "--batch", "batch.jsonl", "--json"]);
    assert_eq!(ids(&ran.out), ["\"third\"", "\"first\"", "\"second\"", "\"ä ö\"", "\"5\""]);
    let first: Value = serde_json::from_str(ran.out.lines().next().unwrap_or_default()).expect("JSON");
    assert_eq!(first["query"], OPENS, "each says what was asked");
}

#[test]
fn a_batch_asked_twice_says_the_same_byte_for_byte() {
    let place = filled();
    batch(&place);
    let words = ["ask", "--batch", "batch.jsonl", "--json", "--explain"];
    let (first, second) = (place.run(&words).out, place.run(&words).out);
    assert_eq!(shapes::without_times(&first), shapes::without_times(&second));
}

#[test]
fn a_bad_question_in_a_batch_fails_alone() {
    let place = filled();
    place.write("batch.jsonl", "{\"id\":1,\"query\":\"\"}\n{\"id\":2,\"query\":\"How tall is the harbour mast?\"}\n");
    let ran = place.run(&["ask", "--batch", "batch.jsonl", "--json"]);
    let outcomes: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!((outcomes[0]["error"].is_string(), outcomes[1]["outcome"].as_str()), (true, Some("answered")));
}

#[test]
fn a_batch_line_that_is_no_json_is_a_usage_error_with_its_line() {
    let place = filled();
    place.write("batch.jsonl", "{\"id\":1,\"query\":\"x\"}\nnonsense\n");
    let ran = place.run(&["ask", "--batch", "batch.jsonl", "--json"]);
    assert_eq!((ran.code, ran.err.contains("line 2")), (Some(2), true), "{}", ran.err);
}

#[test]
fn a_search_lists_the_passage_with_the_words_first() {
    let hits = json(&filled().run(&["search", "rye bread oven", "--json"]));
    assert_eq!(hits[0]["document_id"], "docs/bakery.txt");
}

#[test]
fn a_search_gives_no_more_than_asked_for() {
    let hits = json(&filled().run(&["search", "harbour mast", "--json", "-k", "2"]));
    assert_eq!(hits.as_array().map(Vec::len), Some(2));
}

#[test]
fn a_search_batch_answers_in_order_with_the_keys_of_the_contract() {
    let place = filled();
    batch(&place);
    let ran = place.run(&["search", "--batch", "batch.jsonl", "--json"]);
    assert_eq!(ids(&ran.out), ["\"third\"", "\"first\"", "\"second\"", "\"ä ö\"", "\"5\""]);
    let first: Value = serde_json::from_str(ran.out.lines().next().expect("a line")).expect("JSON");
    check_keys(&first, "id hits");
    check_keys(&first["hits"][0], "document_id chunk_index score");
}

#[test]
fn a_bad_query_in_a_search_batch_fails_alone() {
    let place = filled();
    place.write("batch.jsonl", "{\"id\":1,\"query\":\"\"}\n{\"id\":2,\"query\":\"harbour mast\"}\n");
    let ran = place.run(&["search", "--batch", "batch.jsonl", "--json"]);
    assert_eq!(ids(&ran.out), ["1", "2"], "{}", ran.err);
}

#[test]
fn a_refusal_shows_what_comes_nearest_beside_the_answer_and_keeps_it_in_the_trail() {
    let place = filled();
    place.write("vouch.yaml", "judge: { gates: [ { gate: top1, above: 0.999 } ] }\n");
    let reply = ask(&place, TALL, &[]);
    assert_eq!(reply["refused"], true, "{reply}");
    check_keys(&reply["nearest"][0], "text citation");
    let text = reply["nearest"][0]["text"].as_str().expect("words");
    assert!(text.contains("The harbour mast at Port Ellery is 14 metres tall.") && MAST.contains(text), "{text}");
    assert!(!reply["answer"].as_str().expect("words").contains("14 metres"), "{reply}");
    assert_eq!((&reply["claims"], &reply["citations"]), (&serde_json::json!([]), &serde_json::json!([])));
    let id = reply["request_id"].as_str().expect("an id");
    let shown = place.run(&["audit", "show", id, "--json"]);
    assert!(shown.out.contains("nearest") && shown.out.contains("docs/mast.md:0"), "{}", shown.out);
}
