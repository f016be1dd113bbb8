//! Golden sets, reports and baselines: what a line expects is looked at, a run is repeatable, and a change for the worse fails.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use serde_json::Value;

use crate::support::{Place, Ran, replies};

const GOLDEN: &str = r#"{"id":"g1","query":"How tall is the mast?","category":"fact","split":"test","gold_ids":["mast"],"gold_answers":["10 metres tall"],"expected":{"abstain":false,"document_ids":["mast"]}}
{"id":"g2","query":"Who paints the boat shed?","category":"fact","split":"test","gold_ids":["shed"],"gold_answers":["painted by the carpenter"]}
{"id":"g3","query":"What does a submarine cost?","category":"miss","split":"test","answerable":false,"expected":{"abstain":true}}
"#;

fn place() -> Place {
    let place = Place::new();
    place.write(
        "documents/mast.md",
        "---\nid: mast\n---\n# The mast\n\nThe mast is 10 metres tall. It stands on the quay.\n",
    );
    place.write(
        "documents/shed.md",
        "---\nid: shed\n---\n# The boat shed\n\nThe boat shed is painted by the carpenter every spring.\n",
    );
    place.write("golden.jsonl", GOLDEN);
    place.write("strict.yaml", "decide: { confidence_at_least: 100 }\n");
    assert_eq!(place.run(&["ingest", "documents"]).code, Some(0));
    place
}

fn run(place: &Place, words: &[&str]) -> Ran {
    place.run(&[&["eval", "run", "--golden", "golden.jsonl"], words].concat())
}

fn report(place: &Place, name: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(place.path(name)).expect("a report")).expect("JSON")
}

#[test]
fn thresh_01_a_run_with_the_current_settings_captures_baseline_metrics() {
    let place = place();
    let ran = run(&place, &["--output", "report.json", "--write-baseline", "baseline.json", "--html", "report.html"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let report = report(&place, "report.json");
    let figure = |place: &str| report.pointer(place).cloned().unwrap_or_default();
    assert_eq!((figure("/meta/total_queries"), figure("/meta/fail_count")), (3.into(), 0.into()), "{}", ran.err);
    assert_eq!(figure("/metrics/overall/precision"), 1.0);
    assert_eq!(figure("/metrics/overall/recall"), 1.0);
    assert!(
        figure("/metrics/overall/hallucination/high").as_f64().is_some_and(|high| high > 0.5),
        "three prove little"
    );
    assert_eq!(figure("/meta/golden_set_hash").as_str().map(str::len), Some(40));
    for place in
        ["/metrics/latency/p95_ms", "/metrics/abstention/by_reason", "/metrics/by_category/fact/f1", "/meta/corpus"]
    {
        assert!(!figure(place).is_null(), "{place}");
    }
    let page = std::fs::read_to_string(place.path("report.html")).expect("a page");
    assert!(page.contains("<svg") && page.contains("95 % interval") && !page.contains("<script"));
    let goal = &report["goals"][0];
    assert_eq!((&goal["name"], &goal["is_met"]), (&"precision".into(), &true.into()), "{goal}");
    assert!(page.contains("over 85 %") && ran.out.contains("reached: precision: 100.0 % (over 85 %)"), "{}", ran.out);
}

#[test]
fn thresh_02_a_changed_threshold_gives_a_diff_that_names_the_questions() {
    let place = place();
    assert_eq!(run(&place, &["--write-baseline", "baseline.json"]).code, Some(0));
    let ran = run(&place, &["--config", "strict.yaml", "--baseline", "baseline.json"]);
    assert_eq!(ran.code, Some(0), "a diff is no failure by itself");
    assert!(ran.out.contains("-100.0"), "{}", ran.out);
    assert!(ran.out.contains("worse: g2: right -> false refusal: Who paints the boat shed?"), "{}", ran.out);
    assert!(ran.out.contains("note: other settings"), "{}", ran.out);
}

#[test]
fn thresh_03_a_drop_above_the_threshold_fails_and_passes_when_put_back() {
    let place = place();
    run(&place, &["--write-baseline", "baseline.json"]);
    run(&place, &["--config", "strict.yaml", "--output", "strict.json"]);
    run(&place, &["--output", "back.json"]);
    let check = |current: &str| place.run(&["eval", "check", "--current", current, "--baseline", "baseline.json"]);
    let strict = check("strict.json");
    assert_eq!(strict.code, Some(1));
    assert!(strict.err.contains("recall fell from 100.0 % to 0.0 %"), "{}", strict.err);
    assert!(strict.out.contains("g1") && strict.out.contains("g2") && !strict.out.contains("g3"), "{}", strict.out);
    assert_eq!(check("back.json").code, Some(0));
    let lenient = ["eval", "check", "--current", "strict.json", "--baseline", "baseline.json"];
    let lenient = place.run(&[&lenient[..], &["--precision-threshold", "1", "--recall-threshold", "1"]].concat());
    assert_eq!(lenient.code, Some(0));
}

#[test]
fn what_a_line_expects_and_is_not_so_is_a_failure() {
    let place = place();
    let wrong =
        GOLDEN.replace(r#""document_ids":["mast"]"#, r#""document_ids":["shed"],"must_not_contain":["metres"]"#);
    place.write("golden.jsonl", wrong);
    let ran = run(&place, &["--output", "report.json"]);
    let report = report(&place, "report.json");
    assert_eq!(report.pointer("/meta/fail_count"), Some(&1.into()), "{}", ran.err);
    assert!(ran.err.contains("g1: beside"), "what must not be said makes an answer wrong: {}", ran.err);
    let unmet = report.pointer("/failures/0/unmet").and_then(Value::as_array).expect("a list");
    assert_eq!(unmet.len(), 2, "{unmet:?}");
    place.write("golden.jsonl", GOLDEN.replace("abstain", "abstains"));
    assert_eq!(run(&place, &[]).code, Some(2), "a key that is not known is an error");
}

#[test]
fn two_runs_differ_in_their_times_alone_and_a_run_can_be_gone_on_with() {
    let place = place();
    let text = |name: &str| std::fs::read_to_string(place.path(name)).expect("a file");
    // Both ask every question.
    for name in ["one.json", "two.json"] {
        run(&place, &["--write-baseline", name, "--traces", "traces.jsonl"]);
        assert_eq!(text("traces.jsonl").lines().count(), 3);
    }
    assert_eq!(text("one.json"), text("two.json"));
    for _ in 0..2 {
        run(&place, &["--write-baseline", "three.json", "--resume", "asked.jsonl", "--traces", "traces.jsonl"]);
    }
    assert_eq!(text("one.json"), text("three.json"));
    assert_eq!(text("asked.jsonl").lines().count(), 4, "a heading and three questions");
    assert_eq!(text("traces.jsonl"), "", "nothing was asked again");
    // What was asked of other settings counts as nothing.
    run(&place, &["--config", "strict.yaml", "--resume", "asked.jsonl", "--traces", "traces.jsonl"]);
    assert_eq!(text("traces.jsonl").lines().count(), 3);
}

#[test]
fn a_linter_tells_what_is_wrong_with_a_set() {
    let place = place();
    let lint = || place.run(&["eval", "lint", "--golden", "golden.jsonl"]);
    assert_eq!(lint().code, Some(0), "{}", lint().err);
    place.write("golden.jsonl", GOLDEN.replace("10 metres tall", "12 metres tall").replace("\"shed\"", "\"barn\""));
    let ran = lint();
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("g1: none of its gold documents contains \"12 metres tall\""), "{}", ran.err);
    assert!(ran.err.contains("g2: there is no document 'barn'"), "{}", ran.err);
    assert_eq!(
        replies::json(&place.run(&["eval", "lint", "--golden", "golden.jsonl", "--json"])).as_array().map(Vec::len),
        Some(2)
    );
}

#[test]
fn a_calibration_proves_what_its_size_allows_and_says_where_it_cannot() {
    let place = place();
    // The half to choose on asks otherwise than the half to test on.
    let tune = GOLDEN.replace("\"g", "\"t").replace("\"test\"", "\"tune\"").replace("?", ", please?");
    place.write("golden.jsonl", GOLDEN.to_owned() + &tune);
    assert_eq!(run(&place, &["--resume", "asked.jsonl"]).code, Some(0));
    let calibrate = |most: &str| {
        let words =
            ["eval", "calibrate", "--asked", "asked.jsonl", "--max-hallucination", most, "--max-false-refusal", "0.5"];
        place.run(&words)
    };
    let little = calibrate("0.05");
    assert_eq!(little.code, Some(1));
    assert!(little.out.contains("No thresholds are proved to keep wrong answers at 5.0 % or less"), "{}", little.out);
    // Without an error among three a rate of 64 % is ruled out.
    let enough = calibrate("0.64");
    assert_eq!(enough.code, Some(0), "{}", enough.out);
    assert!(enough.out.contains("wrong 0 of 3 (0.0 %), which rules out a rate above 64.0 %"), "{}", enough.out);
    let twice = place.run(&["eval", "calibrate", "--asked", "asked.jsonl", "asked.jsonl"]);
    assert_eq!(twice.code, Some(2), "a question counts once");
    let kept = std::fs::read_to_string(place.path("asked.jsonl")).expect("what was asked");
    let cut: Vec<&str> = kept.lines().take(5).collect();
    place.write("cut.jsonl", cut.join("\n"));
    let cut = place.run(&["eval", "calibrate", "--asked", "cut.jsonl"]);
    assert!(cut.code == Some(2) && cut.err.contains("each of its 6 questions exactly once"), "{}", cut.err);
    run(&place, &["--split", "test", "--resume", "half.jsonl"]);
    assert_eq!(place.run(&["eval", "calibrate", "--asked", "half.jsonl"]).code, Some(2), "one half proves nothing");
}

#[test]
fn sets_that_call_things_otherwise_are_read_alike() {
    let place = place();
    place.write(
        "golden.jsonl",
        r#"{"id":"g1","query":"How tall is the mast?","gold_files":["mast"],"kind":"fact","split":"test","must_contain":["10","tall"]}
{"id":"g2","query":"Who paints the boat shed?","split":"test","history":[{"role":"user","content":"Hello."}],"expected":{"doc_ids":["shed"],"doc_types":["plan"]},"gold_answers":["the carpenter"]}
{"id":"g3","query":"What does a submarine cost?","split":"test","answerable":false,"expected":{"abstain":true,"reason":"a_reason_that_there_is_not"}}
"#,
    );
    let linted = place.run(&["eval", "lint", "--golden", "golden.jsonl"]);
    assert!(!linted.err.contains("g1:"), "such a set says what must be there: {}", linted.err);
    let ran = run(&place, &["--output", "report.json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let report = report(&place, "report.json");
    assert_eq!(report.pointer("/metrics/overall/recall"), Some(&1.0.into()), "{}", ran.err);
    assert_eq!(report.pointer("/metrics/by_category/fact/count"), Some(&1.into()));
    let part = |key: &str| report.pointer(&format!("/metrics/expectations/{key}/part")).cloned();
    assert_eq!((part("document_ids"), part("kinds")), (Some(1.into()), Some(0.into())), "{report}");
    assert_eq!(part("abstain_reason"), Some(0.into()), "a wrong reason is a failure");
    assert_eq!(part("must_contain"), Some(1.into()));
}

/// Lines as architects write them: where a question should go and whether it should be refused, and no words to look for.
const ROUTED: &str = r#"// Each object is a question.
{
  "id": "r1",
  "query": "What is a spindle valve?",
  "category": "hit",
  "expected": {"route": "skosmos", "abstain": false, "doc_types": ["Vocabulary"], "doc_ids": ["vocab-spindle"], "source": "SKOSMOS"}
}
{"id": "r2", "query": "What is a frobnicator?", "category": "miss", "expected": {"route": "skosmos", "abstain": true, "reason": "terminology_not_found"}}
{"id": "r3", "query": "Define __TEST_SKOSMOS_TIMEOUT__", "category": "timeout", "expected": {"route": "skosmos", "abstain": true, "reason": "terminology_timeout"}}
{"id": "r4", "query": "List all ADRs about pumps", "category": "list", "expected": {"route": "adr", "abstain": false, "doc_types": ["ADR"]}}
{"id": "r5", "query": "List ADRs about pumps", "category": "list", "expected": {"route": "policy", "abstain": false}}
"#;

#[test]
fn lines_that_say_where_a_question_goes_and_not_what_is_answered_have_their_figures() {
    let place = Place::new();
    place.write("vouch.yaml", "terminology: { unknown: abstain }\n");
    place.write("docs/12.md", "---\nkind: ADR\naddress: ADR-0012\n---\n# Pumps\n\nAll pumps are electric.\n");
    place.write(
        "terms.ttl",
        "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n<https://t.example/spindle> a skos:Concept ;\n  \
         skos:prefLabel \"spindle valve\"@en ; skos:definition \"A valve that turns.\"@en .\n",
    );
    place.write("golden.jsonl", ROUTED);
    for words in [&["ingest", "docs"][..], &["vocab", "import", "terms.ttl"]] {
        assert_eq!(place.run(words).code, Some(0));
    }
    let ran = run(&place, &["--output", "report.json"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let report = report(&place, "report.json");
    let rate = |key: &str| {
        (report["metrics"]["expectations"][key]["part"].clone(), report["metrics"]["expectations"][key]["of"].clone())
    };
    assert_eq!(rate("route"), (4.into(), 5.into()), "{report:#}");
    assert_eq!(rate("abstain"), (5.into(), 5.into()), "{report:#}");
    assert_eq!(rate("document_ids"), (1.into(), 1.into()), "{report:#}");
    let overall = &report["metrics"]["overall"];
    assert_eq!(
        (&overall["right_of_answerable"]["part"], &overall["right_of_answerable"]["of"]),
        (&2.into(), &3.into())
    );
    assert_eq!(overall["refusal_recall"]["share"], 1.0, "what should be refused is not answerable");
}

#[test]
fn reports_are_compared_by_the_questions_both_have_and_nothing_of_nothing_is_none() {
    let place = place();
    let first = GOLDEN.lines().next().expect("a line");
    place.write(
        "one.jsonl",
        format!(
            "{first}\n{}\n",
            r#"{"id":"g9","query":"How deep is the well?","category":"miss","split":"test","answerable":false}"#
        ),
    );
    place.write(
        "other.jsonl",
        "{\"id\":\"g1\",\"query\":\"How deep is the well?\",\"category\":\"miss\",\"answerable\":false}\n",
    );
    let run = |golden: &str, output: &str| {
        let ran = place.run(&["eval", "run", "--golden", golden, "--output", output]);
        assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
        ran.out
    };
    run("golden.jsonl", "all.json");
    run("one.jsonl", "one.json");
    let told = run("other.jsonl", "other.json");
    assert!(told.contains("answerable and answered correctly: none\n") && !told.contains("0 of 0"), "{told}");
    let check =
        |baseline: &str, current: &str| place.run(&["eval", "check", "--baseline", baseline, "--current", current]);
    let shared = check("all.json", "one.json");
    assert_eq!(shared.code, Some(0), "{}{}", shared.out, shared.err);
    assert!(
        shared.out.contains("note: compared: the 1 questions in both reports, of 3 before and 2 now"),
        "{}",
        shared.out
    );
    let precision = shared.out.lines().find(|line| line.starts_with("precision")).expect("a figure");
    assert_eq!(precision.matches("100.0 %").count(), 2, "{precision}");
    let apart = check("all.json", "other.json");
    assert_eq!(apart.code, Some(1), "{}{}", apart.out, apart.err);
    assert!(apart.err.contains("no question in common"), "{}", apart.err);
}
