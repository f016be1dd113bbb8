//! Texts of `OpenDocument`: what is read of them, and what is left out.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use vouch_domain::{Document, SourceFormat};

use crate::office_file::{fault, marked, open_document, parse, zipped};

fn read(styles: &str, body: &str, meta: &str) -> Document {
    parse(SourceFormat::Odt, "d/plan.odt", &open_document("text", styles, body, meta)).expect("a document")
}

#[test]
fn blocks_are_read_in_order() {
    let styles = "<text:list-style style:name=\"L1\"><text:list-level-style-number text:level=\"1\" style:num-format=\"1\" text:start-value=\"4\"/>\
                  <text:list-level-style-bullet text:level=\"2\"/></text:list-style>";
    let body = "<text:p text:style-name=\"Title\">The plan</text:p><text:h text:outline-level=\"1\">Berths</text:h>\
        <text:p>Two<text:s text:c=\"3\"/>words<text:tab/>and<text:line-break/>a line.<text:note><text:note-citation>1</text:note-citation>\
        <text:note-body><text:p>Below.</text:p></text:note-body></text:note></text:p>\
        <text:list text:style-name=\"L1\"><text:list-item><text:p>four</text:p><text:list><text:list-item><text:p>inside</text:p></text:list-item></text:list></text:list-item>\
        <text:list-item><text:p>five</text:p></text:list-item></text:list>\
        <text:p>Between.</text:p><text:list text:style-name=\"L1\" text:continue-numbering=\"true\"><text:list-item><text:p>six</text:p></text:list-item></text:list>\
        <text:p>At a frame.<draw:frame><draw:text-box><text:p>In a box.</text:p></draw:text-box></draw:frame></text:p>";
    let document = read(styles, body, "<dc:title>Untitled</dc:title>");
    assert_eq!(
        document.text,
        "# The plan\n\n# Berths\n\nTwo words and\na line.\n\nNote: Below.\n\n4. four\n   - inside\n5. five\n\nBetween.\n\n\
         6. six\n\nAt a frame.\n\nIn a box.\n"
    );
    assert_eq!(document.card.title, "The plan");
}

#[test]
fn what_was_deleted_hidden_or_remarked_is_left_out() {
    let styles = "<style:style style:name=\"T1\" style:family=\"text\"><style:text-properties text:display=\"none\"/></style:style>\
                  <style:style style:name=\"T2\" style:family=\"text\" style:parent-style-name=\"T1\"/>";
    let body = "<text:tracked-changes><text:changed-region><text:deletion><text:p>deleted</text:p></text:deletion></text:changed-region></text:tracked-changes>\
        <text:table-of-content><text:index-body><text:p>Berths 1</text:p></text:index-body></text:table-of-content>\
        <text:p>Kept<text:change text:change-id=\"c\"/> <text:span text:style-name=\"T2\">hidden</text:span>\
        <office:annotation><text:p>a remark</text:p></office:annotation>words</text:p>\
        <text:section text:display=\"none\"><text:p>hidden too</text:p></text:section>";
    assert_eq!(read(styles, body, "").text, "Kept words\n");
}

#[test]
fn cells_stay_in_their_columns_and_repeat_within_bounds() {
    let cell = |attributes: &str, words: &str| {
        format!("<table:table-cell {attributes}><text:p>{words}</text:p></table:table-cell>")
    };
    let body = format!(
        "<table:table><table:table-header-rows><table:table-row>{}{}{}</table:table-row></table:table-header-rows>\
         <table:table-row>{}<table:covered-table-cell/>{}</table:table-row>\
         <table:table-row>{}<table:table-cell table:number-columns-repeated=\"4000000000\"/></table:table-row></table:table>",
        cell("", "Ship"),
        cell("", "From"),
        cell("", "To"),
        cell("table:number-columns-spanned=\"2\"", "wide"),
        cell("", "end"),
        cell("table:number-columns-repeated=\"2\"", "twice"),
    );
    let document = read("", &body, "");
    let rows: Vec<&str> = document.text.lines().collect();
    assert_eq!(rows, ["| Ship | From | To |", "| --- | --- | --- |", "| wide |  | end |", "| twice | twice |"]);
    let many = body.replace("\"2\">", "\"4000000000\">");
    let bytes = open_document("text", "", &many, "");
    assert_eq!(fault(SourceFormat::Odt, "x.odt", &bytes), "a table in it has more than 200000 cells; split it");
}

#[test]
fn pages_are_told_where_soft_and_hard_breaks_make_up_the_stated_number() {
    let styles = "<style:style style:name=\"P1\" style:family=\"paragraph\"><style:paragraph-properties fo:break-before=\"page\"/></style:style>";
    let body = "<text:p>One goes on<text:soft-page-break/> over the page.</text:p><text:p text:style-name=\"P1\">Three.</text:p>";
    let told =
        |pages: u32| marked(&read(styles, body, &format!("<meta:document-statistic meta:page-count=\"{pages}\"/>")));
    assert_eq!(told(3), "[1]One goes on [2]over the page.\n\n[3]Three.\n");
    assert_eq!(told(2), "One goes on over the page.\n\nThree.\n");
}

#[test]
fn rows_of_a_table_stand_on_their_pages() {
    let row = |words: &str| {
        format!("<table:table-row><table:table-cell><text:p>{words}</text:p></table:table-cell></table:table-row>")
    };
    let turn = "<text:soft-page-break/>";
    let body = [
        "<text:p>Before.</text:p><table:table>".to_owned(),
        turn.to_owned(),
        row("Ship"),
        row("Tug"),
        turn.to_owned(),
        row("Ferry"),
        "</table:table><text:p>After.</text:p>".to_owned(),
    ];
    let document = read("", &body.concat(), "<meta:document-statistic meta:page-count=\"3\"/>");
    assert_eq!(marked(&document), "[1]Before.\n\n[2]| Ship |\n| --- |\n| Tug |\n[3]| Ferry |\n\nAfter.\n");
}

#[test]
fn what_cannot_be_read_is_said() {
    let said = |content: &str| fault(SourceFormat::Odt, "x.odt", &zipped(&[("content.xml", content)]));
    assert_eq!(said("<a><b></a>").split(':').next(), Some("its part content.xml is damaged"));
    assert_eq!(said("<a>"), "its part content.xml is damaged: it ends too early");
    assert!(said("<!DOCTYPE a [<!ENTITY b \"bb\">]><a>&b;</a>").ends_with("it has a document type of its own"));
    assert!(said("<a>&b;</a>").ends_with("it refers to an entity that XML does not have"));
    let deep = format!("{}{}", "<a>".repeat(300), "</a>".repeat(300));
    assert_eq!(said(&deep), "its part content.xml has more than 200 elements inside each other");
    let manifest = "<m:manifest xmlns:m=\"urn:m\"><m:file-entry><m:encryption-data/></m:file-entry></m:manifest>";
    let encrypted = zipped(&[("META-INF/manifest.xml", manifest), ("content.xml", "noise")]);
    assert_eq!(fault(SourceFormat::Odt, "x.odt", &encrypted), "it is encrypted; save it without a password");
    assert_eq!(fault(SourceFormat::Odt, "x.odt", &zipped(&[("a.txt", "b")])), "its part content.xml is missing");
}
