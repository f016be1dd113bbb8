//! SKOS files in every syntax → concepts, or a place and a sentence that say what is wrong with them.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::path::Path;

use vouch_adapters::skos_file::{self, SkosError};
use vouch_domain::{Concept, ConceptLink, Label, LabelKind, Wording};

const TURTLE: &str = r#"
@base <http://v.example/> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix dct: <http://purl.org/dc/terms/> .
<s> a skos:ConceptScheme ; dct:title "Netzbegriffe"@de, "Grid terms"@en .
<a> a skos:Concept ; skos:topConceptOf <s> ; skos:notation "V1" ;
    skos:prefLabel "Voltage"@en, "Spannung"@de ; skos:altLabel "Tension" ; skos:hiddenLabel "voltge"@en ;
    skos:definition "The \"push\" of a circuit & more."@en .
<b> a skos:Concept ; skos:inScheme <s> ; skos:broader <a> ; skos:prefLabel "Low voltage"@en-GB ;
    skos:definition [ rdf:value "Below 1 kV"@en ] ; skos:scopeNote "Alternating current only."@en .
"#;

const N_TRIPLES: &str = r#"
<http://v.example/b> <http://www.w3.org/2004/02/skos/core#definition> _:d .
_:d <http://www.w3.org/1999/02/22-rdf-syntax-ns#value> "Below 1 kV"@en .
<http://v.example/b> <http://www.w3.org/2004/02/skos/core#scopeNote> "Alternating current only."@en .
<http://v.example/b> <http://www.w3.org/2004/02/skos/core#prefLabel> "Low voltage"@en-GB .
<http://v.example/b> <http://www.w3.org/2004/02/skos/core#broader> <http://v.example/a> .
<http://v.example/b> <http://www.w3.org/2004/02/skos/core#inScheme> <http://v.example/s> .
<http://v.example/b> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/2004/02/skos/core#Concept> .
<http://v.example/a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/2004/02/skos/core#Concept> .
<http://v.example/a> <http://www.w3.org/2004/02/skos/core#topConceptOf> <http://v.example/s> .
<http://v.example/a> <http://www.w3.org/2004/02/skos/core#notation> "V1" .
<http://v.example/a> <http://www.w3.org/2004/02/skos/core#prefLabel> "Voltage"@en .
<http://v.example/a> <http://www.w3.org/2004/02/skos/core#prefLabel> "Spannung"@de .
<http://v.example/a> <http://www.w3.org/2004/02/skos/core#altLabel> "Tension" .
<http://v.example/a> <http://www.w3.org/2004/02/skos/core#hiddenLabel> "voltge"@en .
<http://v.example/a> <http://www.w3.org/2004/02/skos/core#definition> "The \"push\" of a circuit & more."@en .
<http://v.example/s> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/2004/02/skos/core#ConceptScheme> .
<http://v.example/s> <http://purl.org/dc/terms/title> "Grid terms"@en .
<http://v.example/s> <http://purl.org/dc/terms/title> "Netzbegriffe"@de .
"#;

const RDF_XML: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE rdf:RDF [<!ENTITY v "http://v.example/">]>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:skos="http://www.w3.org/2004/02/skos/core#"
    xmlns:dct="http://purl.org/dc/terms/" xml:base="http://v.example/">
  <!-- a scheme > and two concepts -->
  <skos:ConceptScheme rdf:about="s">
    <dct:title xml:lang="de">Netzbegriffe</dct:title><dct:title xml:lang="en">Grid terms</dct:title>
    <skos:hasTopConcept rdf:resource="&v;a"/>
  </skos:ConceptScheme>
  <skos:Concept rdf:about="&v;a" skos:notation="V1">
    <skos:prefLabel xml:lang="en">Voltage</skos:prefLabel><skos:prefLabel xml:lang="de">Spannung</skos:prefLabel>
    <skos:altLabel>
      Tension
    </skos:altLabel>
    <skos:hiddenLabel xml:lang="en">voltge</skos:hiddenLabel>
    <skos:definition xml:lang="en"><![CDATA[The "push" of a circuit & more.]]></skos:definition>
    <skos:narrower><skos:Concept rdf:about="b" xml:lang="en">
      <skos:inScheme rdf:resource="s"/>
      <skos:prefLabel xml:lang="en-GB">Low voltage</skos:prefLabel>
      <skos:definition rdf:parseType="Resource"><rdf:value>Below 1 kV</rdf:value></skos:definition>
      <skos:scopeNote>Alternating current only.</skos:scopeNote>
    </skos:Concept></skos:narrower>
  </skos:Concept>
</rdf:RDF>
"#;

const JSON_LD: &str = r#"{
  "@context": {
    "@base": "http://v.example/", "skos": "http://www.w3.org/2004/02/skos/core#", "uri": "@id", "type": "@type",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#", "title": "http://purl.org/dc/terms/title",
    "prefLabel": {"@id": "skos:prefLabel", "@container": "@language"},
    "broader": {"@id": "skos:broader", "@type": "@id"}, "inScheme": {"@id": "skos:inScheme", "@type": "@id"}
  },
  "@graph": [
    {"uri": "b", "type": "skos:Concept", "inScheme": "s", "prefLabel": {"en-GB": "Low voltage"},
     "skos:scopeNote": {"@value": "Alternating current only.", "@language": "en"},
     "skos:definition": {"rdf:value": {"@value": "Below 1 kV", "@language": "en"}},
     "broader": {"uri": "a", "type": "skos:Concept", "prefLabel": {"en": "Voltage", "de": "Spannung"},
       "skos:altLabel": "Tension", "skos:hiddenLabel": {"@value": "voltge", "@language": "en"}, "skos:notation": "V1",
       "skos:definition": {"@value": "The \"push\" of a circuit & more.", "@language": "en"},
       "skos:topConceptOf": {"uri": "s", "type": "skos:ConceptScheme", "title": [
         {"@value": "Netzbegriffe", "@language": "de"}, {"@value": "Grid terms", "@language": "en"}]}}}
  ]
}"#;

const PREFIXES: &str = "@prefix : <http://v.example/> . @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix xl: <http://www.w3.org/2008/05/skos-xl#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix dct: <http://purl.org/dc/terms/> . @prefix dc: <http://purl.org/dc/elements/1.1/> .
@prefix iso: <http://purl.org/iso25964/skos-thes#> .\n";

const RDF_ROOT: &str = "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" \
                        xmlns:skos=\"http://www.w3.org/2004/02/skos/core#\">";

fn read(ending: &str, text: &str) -> Result<Vec<Concept>, SkosError> {
    skos_file::read(Path::new(&format!("terms.{ending}")), text.as_bytes())
}

fn turtle(body: &str) -> Vec<Concept> {
    read("ttl", &format!("{PREFIXES}{body}")).expect("a vocabulary")
}

/// The last parts of the concepts' addresses.
fn found(body: &str) -> Vec<String> {
    turtle(body).iter().map(|concept| short(&concept.uri)).collect()
}

fn one(body: &str) -> Concept {
    let mut concepts = turtle(body);
    assert_eq!(concepts.len(), 1, "one concept in {body}");
    concepts.pop().expect("one concept")
}

fn short(uri: &str) -> String {
    uri.trim_start_matches("http://v.example/").to_owned()
}

fn say(text: &str, language: &str) -> Wording {
    Wording { text: text.to_owned(), language: Some(language.to_owned()).filter(|tag| !tag.is_empty()) }
}

fn link(uri: &str, label: Option<&str>) -> ConceptLink {
    ConceptLink { uri: uri.to_owned(), label: label.map(str::to_owned) }
}

fn links(concept: &Concept) -> [Vec<String>; 3] {
    [&concept.broader, &concept.narrower, &concept.related].map(|list| {
        list.iter().map(|link| format!("{}={}", short(&link.uri), link.label.as_deref().unwrap_or("?"))).collect()
    })
}

fn check_fault(ending: &str, text: &str, place: &str, sentence: &str) {
    let fault = read(ending, text).expect_err("a fault");
    assert_eq!(fault.place, place, "{ending}: {fault}");
    assert!(fault.sentence.contains(sentence), "{ending}: {fault}");
}

fn expected() -> Vec<Concept> {
    let label = |kind, text, language| Label { kind, wording: say(text, language) };
    let voltage = Concept {
        uri: "http://v.example/a".to_owned(),
        schemes: vec!["Grid terms".to_owned()],
        labels: vec![
            label(LabelKind::Preferred, "Spannung", "de"),
            label(LabelKind::Preferred, "Voltage", "en"),
            label(LabelKind::Alternative, "Tension", ""),
            label(LabelKind::Hidden, "voltge", "en"),
        ],
        definitions: vec![say("The \"push\" of a circuit & more.", "en")],
        notations: vec!["V1".to_owned()],
        narrower: vec![link("http://v.example/b", Some("Low voltage"))],
        ..Concept::default()
    };
    let low = Concept {
        uri: "http://v.example/b".to_owned(),
        schemes: vec!["Grid terms".to_owned()],
        labels: vec![label(LabelKind::Preferred, "Low voltage", "en-gb")],
        definitions: vec![say("Below 1 kV", "en")],
        scope_notes: vec![say("Alternating current only.", "en")],
        broader: vec![link("http://v.example/a", Some("Voltage"))],
        ..Concept::default()
    };
    vec![voltage, low]
}

#[test]
fn the_same_vocabulary_reads_the_same_in_every_syntax() {
    let graph = format!("<http://v.example/g> {{ {} }}", TURTLE.split_once("<s>").expect("a scheme").1);
    let trig = TURTLE.split_once("<s>").expect("a scheme").0.to_owned() + &graph.replacen("{  ", "{ <s> ", 1);
    let files = [("ttl", TURTLE), ("nt", N_TRIPLES), ("rdf", RDF_XML), ("owl", RDF_XML), ("xml", RDF_XML)];
    let others = [("jsonld", JSON_LD), ("JSON", JSON_LD), ("nq", N_TRIPLES), ("trig", trig.as_str())];
    for (ending, text) in files.into_iter().chain(others) {
        assert_eq!(read(ending, text), Ok(expected()), "{ending}");
        assert_eq!(read(ending, &format!("\u{feff}{text}")), Ok(expected()), "{ending} with a mark at its start");
    }
}

#[test]
fn a_file_is_known_by_its_ending() {
    for name in ["a.ttl", "a.trig", "a.nt", "a.nq", "a.rdf", "a.owl", "a.xml", "a.jsonld", "a.json", "b/A.TTL"] {
        assert!(skos_file::is_skos(Path::new(name)), "{name}");
    }
    for name in ["a.md", "ttl", "a.jsonl", "a"] {
        assert!(!skos_file::is_skos(Path::new(name)), "{name}");
    }
    check_fault("md", "x", "", "not a supported format");
}

#[test]
fn a_label_that_is_a_node_reads_like_a_plain_one() {
    let concept = one(":c a skos:Concept ; xl:prefLabel :l ; skos:prefLabel \"Arc\"@en ; xl:altLabel [ xl:literalForm \"Flash\"@en ] ;
         xl:hiddenLabel :nowhere . :l a xl:Label ; xl:literalForm \"Arc\"@en .");
    let labels: Vec<(LabelKind, &str)> =
        concept.labels.iter().map(|one| (one.kind, one.wording.text.as_str())).collect();
    assert_eq!(labels, [(LabelKind::Preferred, "Arc"), (LabelKind::Alternative, "Flash")]);
}

#[test]
fn definitions_and_notes_may_be_nodes() {
    let concept = one(":c a skos:Concept ; skos:definition :d, [ rdfs:label \"By label\" ], [ dct:created \"2020\" ] ;
         skos:scopeNote [ rdf:value \"Note\"@en ] .
         :d rdf:value \"Wert\"@de, \"Value\"@en ; rdfs:label \"Not this\" .");
    assert_eq!(concept.definitions, [say("By label", ""), say("Value", "en"), say("Wert", "de")]);
    assert_eq!(concept.scope_notes, [say("Note", "en")]);
}

#[test]
fn a_concept_names_all_its_schemes_by_title() {
    let body =
        ":c a skos:Concept ; skos:inScheme :s1, :s2, :s5 ; skos:topConceptOf :s1, :s3 . :s4 skos:hasTopConcept :c .
         :s1 dct:title \"Un\"@fr ; dc:title \"One\"@en . :s2 rdfs:label \"Two\" ; skos:prefLabel \"Zwei\"@de .
         :s3 a skos:ConceptScheme ; skos:prefLabel \"Drei\"@de, \"Three\"@en-GB . :s4 dct:title \"One\"@en .";
    assert_eq!(one(body).schemes, ["One", "Three", "Two", "http://v.example/s5"]);
}

#[test]
fn links_are_named_in_english_then_in_no_language_then_in_the_first() {
    let body = ":c a skos:Concept ; skos:prefLabel \"C\" ; skos:related :en, :none, :first, :far . :en skos:prefLabel \"A\", \"Z\"@en .
         :none skos:prefLabel \"A\"@de, \"Z\" . :first skos:prefLabel \"Z\"@de, \"A\"@fr .";
    let concepts = turtle(body);
    let concept = concepts.first().expect("the first concept");
    assert_eq!(links(concept)[2], ["en=Z", "far=?", "first=A", "none=Z"]);
}

#[test]
fn links_hold_from_both_sides() {
    let body = ":a a skos:Concept ; skos:narrower :b . :b a skos:Concept ; skos:related :c, :b, _:blank, \"words\" .
         :c a skos:Concept ; skos:broader :a, :a . :d a skos:Concept .";
    let told: Vec<[Vec<String>; 3]> = turtle(body).iter().map(links).collect();
    let list = |names: &[&str]| names.iter().map(|name| format!("{name}=?")).collect::<Vec<_>>();
    assert_eq!(told[0], [list(&[]), list(&["b", "c"]), list(&[])]);
    assert_eq!(told[1], [list(&["a"]), list(&[]), list(&["c"])]);
    assert_eq!(told[2], [list(&["a"]), list(&[]), list(&["b"])]);
    assert_eq!(told[3], [list(&[]), list(&[]), list(&[])]);
}

#[test]
fn a_hierarchy_may_run_in_circles() {
    let body = ":a skos:prefLabel \"A\" ; skos:broader :b . :b skos:prefLabel \"B\" ; skos:broader :c . :c skos:prefLabel \"C\" ; skos:broader :a .";
    let told: Vec<[Vec<String>; 3]> = turtle(body).iter().map(links).collect();
    assert_eq!(told[0], [vec!["b=B".to_owned()], vec!["c=C".to_owned()], vec![]]);
}

#[test]
fn what_is_a_concept_and_what_is_not() {
    let cases: &[(&str, &[&str])] = &[
        (":c a skos:Concept .", &["c"]),
        ("[] a skos:Concept ; skos:prefLabel \"blank\" .", &[]),
        (":c skos:prefLabel \"x\" ; skos:inScheme :s . :s skos:prefLabel \"s\" .", &["c"]),
        (":c skos:prefLabel \"x\" . :s skos:hasTopConcept :c ; skos:prefLabel \"s\" .", &["c"]),
        (":c xl:prefLabel :l ; skos:broader :d .", &["c"]),
        (":c skos:prefLabel \"x\" .", &[]),
        (":c skos:altLabel \"x\" ; skos:inScheme :s .", &[]),
        (":K rdfs:subClassOf :J . :J rdfs:subClassOf skos:Concept, :K . :c a :K ; skos:prefLabel \"x\" .", &["c"]),
        (":c a :DescriptorConcept ; skos:prefLabel \"x\" ; skos:broader :d . :d a :DescriptorConcept .", &["c"]),
        (":c a :K ; skos:prefLabel \"x\" .", &[]),
        (":c a skos:Collection ; skos:prefLabel \"x\" ; skos:inScheme :s .", &[]),
        (":c a skos:OrderedCollection ; skos:memberList ( :a :b ) ; skos:prefLabel \"x\" ; skos:inScheme :s .", &[]),
        (":c a iso:ConceptGroup, skos:Concept ; skos:prefLabel \"x\" .", &[]),
        (":K rdfs:subClassOf skos:Collection . :c a :K ; skos:prefLabel \"x\" ; skos:inScheme :s .", &[]),
        (":c skos:member :d ; skos:prefLabel \"x\" ; skos:inScheme :s . :d a skos:Concept .", &["d"]),
        (":c a skos:ConceptScheme ; skos:prefLabel \"x\" ; skos:related :d .", &[]),
    ];
    for (body, expected) in cases {
        assert_eq!(found(body), *expected, "{body}");
    }
}

#[test]
fn a_withdrawn_concept_is_left_out_with_the_links_to_it() {
    let body = ":a a skos:Concept ; skos:narrower :b, :c . :b a skos:Concept ; owl:deprecated true .
         :c a skos:Concept ; owl:deprecated false .";
    assert_eq!(found(body), ["a", "c"]);
    assert_eq!(links(turtle(body).first().expect("the first concept"))[1], ["c=?"]);
}

#[test]
fn lists_are_sorted_and_say_nothing_twice() {
    let concept =
        one(":c a skos:Concept ; skos:notation \"2\", \"1\", \"2\"@en ; skos:altLabel \"b\", \" a \", \"a\", \"\" .");
    assert_eq!(concept.notations, ["1", "2"]);
    let labels: Vec<&str> = concept.labels.iter().map(|label| label.wording.text.as_str()).collect();
    assert_eq!(labels, ["a", "b"]);
}

#[test]
fn a_sound_file_without_concepts_has_none() {
    for (ending, text) in
        [("ttl", "# nothing\n"), ("nt", "\n"), ("rdf", &format!("{RDF_ROOT}</rdf:RDF>")), ("json", "{}")]
    {
        assert_eq!(read(ending, text), Ok(vec![]), "{ending}");
    }
}

#[test]
fn a_malformed_file_is_a_place_and_a_sentence_and_nothing_else() {
    let start = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n@prefix : <http://v.example/> .\n";
    let turtle = |body: &str| format!("{start}:a a skos:Concept .\n{body}");
    let xml = |body: &str| format!("{RDF_ROOT}\n<skos:Concept rdf:about=\"http://v.example/a\"/>\n{body}");
    let cases = [
        ("ttl", String::new(), "", "the file is empty"),
        ("ttl", turtle(":b skos:prefLabel \"open ."), "line 4, column 19", "it is not valid Turtle: "),
        ("ttl", turtle("\n:b missing:word 1 ."), "line 5, column 4", "the prefix missing: has not been declared"),
        ("ttl", turtle("<relative> a skos:Concept ."), "line 4, column 1", "it is not valid Turtle: "),
        ("ttl", turtle(":b skos:broader ( :a"), "line 4, column 21", "it is not valid Turtle: "),
        ("trig", turtle(":g { :b"), "line 4, column 8", "it is not valid TriG: "),
        ("nt", "<http://v.example/a> <x:p> .\n".to_owned(), "line 1, column 28", "it is not valid N-Triples: "),
        ("rdf", xml("<skos:Concept></skos:concept></rdf:RDF>"), "line 3, column 30", "it is not valid RDF/XML: "),
        ("rdf", xml("<skos:Concept rdf:about=\"r\"/></rdf:RDF>"), "line 3, column 30", "it is not valid RDF/XML: "),
        ("rdf", xml("<skos:Concept>\n"), "line 3, column 1", "it is not valid RDF/XML: <skos:Concept> is never closed"),
        ("rdf", xml("<skos:Concept"), "line 3, column 1", "a tag is never closed by >"),
        ("rdf", xml("</rdf:RDF></rdf:RDF>"), "line 3, column 11", "a tag is closed but was never opened"),
        ("rdf", "just words".to_owned(), "", "it holds no element"),
        ("json", "{\n \"@id\": \"http://v.example/a\",\n}".to_owned(), "line 3, column 1", "it is not valid JSON-LD: "),
        ("json", "[{\"@id\": \"http://v.example/a\"}".to_owned(), "line 1, column 30", "it is not valid JSON-LD: "),
        ("json", "{\"@id\": 7}".to_owned(), "", "it is not valid JSON-LD: "),
    ];
    for (ending, text, place, sentence) in &cases {
        check_fault(ending, text, place, sentence);
    }
    let fault = skos_file::read(Path::new("a.ttl"), b"# one\n# \xff").expect_err("a fault");
    assert_eq!(fault.to_string(), "line 2, column 3: it is not valid UTF-8");
}

#[test]
fn json_without_what_it_leans_on_is_refused() {
    let class = "http://www.w3.org/2004/02/skos/core#Concept";
    let concept =
        |context: &str, id: &str| format!("{{\"@context\": {context}, \"@id\": {id:?}, \"@type\": {class:?}}}");
    let remote = concept("\"http://far.example/c\"", "x:a");
    check_fault("json", &remote, "line 1, column 35", "is at http://far.example/c, and nothing is fetched");
    check_fault("json", &concept("{}", "a"), "", "the address \"a\" is relative and no @base is given");
    let sound = read("json", &concept("{\"@base\": \"http://v.example/\"}", "a")).expect("a vocabulary");
    assert_eq!(sound.len(), 1);
}

#[test]
fn text_is_read_up_to_a_limit_and_never_cut() {
    let body =
        |chars| format!("{PREFIXES}:c a skos:Concept ; skos:definition [ rdf:value \"{}\" ] .", "é".repeat(chars));
    let read_whole = read("ttl", &body(20_000)).expect("a vocabulary");
    assert_eq!(read_whole.first().map(|concept| concept.definitions.len()), Some(1));
    let sentence = "a definition of http://v.example/c has 20001 characters, the limit is 20000";
    check_fault("ttl", &body(20_001), "", sentence);
    let elsewhere = format!("{PREFIXES}:c a skos:Concept ; skos:example \"{}\" .", "x".repeat(20_001));
    assert!(read("ttl", &elsewhere).is_ok());
}

#[test]
fn a_small_file_cannot_become_a_large_one() {
    let grows = "what it repeats and nests would grow beyond the size limit";
    let laughs: String =
        (1..10).map(|at| format!("<!ENTITY l{at} \"{}\">", format!("&l{};", at - 1).repeat(10))).collect();
    let laughs =
        format!("<!DOCTYPE r [<!ENTITY l0 \"lol\">{laughs}]>\n{RDF_ROOT}<skos:Concept>&l9;</skos:Concept></rdf:RDF>");
    check_fault("rdf", &laughs, "line 1, column 1", "an entity is built from other entities, which is not supported");
    let long =
        format!("<!DOCTYPE r [<!ENTITY a \"{}\">]>{RDF_ROOT}{}</rdf:RDF>", "x".repeat(100_000), "&a;".repeat(1_000));
    check_fault("rdf", &long, "", grows);
    let prefix = format!("@prefix p: <http://{}/> .\np:a p:b p:c .", "x".repeat(17_000));
    check_fault("ttl", &prefix, "", "the limit is 16384");
    let (long, uses) = ("x".repeat(100_000), "\"p:a\",".repeat(1_000));
    let prefix = format!("{{\"@context\": {{\"p\": \"http://{long}/\"}}, \"@graph\": [{uses}1]}}");
    check_fault("json", &prefix, "", grows);
    let shared: String = (0..400).map(|at| format!(":c{at} a skos:Concept ; skos:definition :d .\n")).collect();
    let said: String = (0..4_000).map(|at| format!("\"{at}\",")).collect();
    check_fault("ttl", &format!("{PREFIXES}:d rdf:value {said}\"x\" .\n{shared}"), "", grows);
}

#[test]
fn nesting_is_refused_before_it_overflows() {
    let json = |depth: usize| format!("{}{{}}{}", "{\"http://v.example/p\":".repeat(depth), "}".repeat(depth));
    assert_eq!(read("json", &json(100)), Ok(vec![]));
    check_fault("json", &json(100_000), "line 1, column 2221", "it is nested more than 100 levels deep");
    let lists = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    check_fault("json", &lists, "line 1, column 101", "it is nested more than 100 levels deep");
    let (start, end) = ("<skos:Concept><skos:broader>", "</skos:broader></skos:Concept>");
    let xml = |depth: usize| format!("{RDF_ROOT}{}{}</rdf:RDF>", start.repeat(depth), end.repeat(depth));
    assert_eq!(read("rdf", &xml(60)), Ok(vec![]));
    let too_deep = "elements are nested more than 128 levels deep";
    check_fault("rdf", &xml(100_000), "line 1, column 1894", too_deep);
    let turtle = format!("{PREFIXES}:c a skos:Concept ; skos:broader {}{} .", "(".repeat(100_000), ")".repeat(100_000));
    assert_eq!(read("ttl", &turtle).map(|concepts| concepts.len()), Ok(1));
}
