//! Workbooks: what their sheets, rows and cells say.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use vouch_domain::{Document, PageUnit, SourceFormat};

use crate::office_file::{fault, marked, open_document, parse, xlsx};

fn read(file: &str, bytes: &[u8]) -> Document {
    parse(SourceFormat::Spreadsheet, file, bytes).expect("a document")
}

/// A row of Excel: cells by column with their type, style and value.
fn row(number: u32, cells: &[(&str, &str, usize, &str)]) -> String {
    let cell = |(column, kind, style, value): &(&str, &str, usize, &str)| match *kind {
        "inlineStr" => format!("<c r=\"{column}{number}\" t=\"inlineStr\"><is><t>{value}</t></is></c>"),
        kind => format!("<c r=\"{column}{number}\" s=\"{style}\" t=\"{kind}\"><v>{value}</v></c>"),
    };
    format!("<row r=\"{number}\">{}</row>", cells.iter().map(cell).collect::<String>())
}

fn words(number: u32, words: &[&str]) -> String {
    let cells: Vec<(String, &str)> = ('A'..).map(String::from).zip(words.iter().copied()).collect();
    let cells: Vec<_> = cells.iter().map(|(column, word)| (column.as_str(), "inlineStr", 0, *word)).collect();
    row(number, &cells)
}

#[test]
fn cells_are_told_as_they_are_shown() {
    let formats = ["0.0%", "#,##0.00\\ \"€\"", "yyyy-mm-dd", "[h]:mm:ss", "yyyy-mm-dd hh:mm", "hh:mm"];
    let header = words(1, &["Share", "Fee", "Day", "Length", "At", "Hour", "Open", "Broken", "Count"]);
    let values = row(
        2,
        &[
            ("A", "n", 1, "0.125"),
            ("B", "n", 2, "1234.5"),
            ("C", "n", 3, "46085"),
            ("D", "n", 4, "1.5"),
            ("E", "n", 5, "46085.3958333333"),
            ("F", "n", 6, "0.75"),
            ("G", "b", 0, "1"),
            ("H", "e", 0, "#REF!"),
            ("I", "n", 0, "0.30000000000000004"),
        ],
    );
    let bytes = xlsx(&[("Sheet1", "visible", &format!("<sheetData>{header}{values}</sheetData>"))], &formats);
    let document = read("d/book.xlsx", &bytes);
    assert_eq!(document.card.title, "book");
    assert!(document.pages.iter().all(|mark| mark.unit == PageUnit::Row));
    assert_eq!(
        marked(&document),
        "# Sheet1\n\n[2]Share: 12.5 %; Fee: 1,234.50 €; Day: 2026-03-04; Length: 36:00:00; At: 2026-03-04 09:30; \
         Hour: 18:00; Open: TRUE; Count: 0.3\n"
    );
}

#[test]
fn sheets_are_sections_and_what_is_hidden_is_left_out() {
    let rows = [words(3, &["Ship", "Fee", "Secret"]), words(5, &["Tug", "ten", "x"])].concat();
    let seen = format!(
        "<cols><col min=\"3\" max=\"3\" hidden=\"1\"/></cols><sheetData>{}{rows}<row r=\"6\" hidden=\"1\">\
         <c r=\"A6\" t=\"inlineStr\"><is><t>Unseen</t></is></c></row></sheetData>",
        words(1, &["Tariffs 2026"])
    );
    let unseen = format!("<sheetData>{}</sheetData>", words(1, &["Nobody", "sees"]));
    let sheets = [("Tariffs", "visible", seen.as_str()), ("Drafts", "hidden", &unseen), ("Old", "veryHidden", &unseen)];
    let document = read("book.xlsx", &xlsx(&sheets, &[]));
    assert_eq!(marked(&document), "# Tariffs\n\n[1]Tariffs 2026\n\n[5]Ship: Tug; Fee: ten\n");
    assert_eq!(
        document.warnings,
        ["its hidden sheets are left out: 'Drafts', 'Old'", "2 hidden rows and columns of it are left out"]
    );
    assert_eq!(document.sections.iter().filter(|section| section.path.join("/") == "Tariffs").count(), 1);
}

#[test]
fn a_cell_in_the_last_row_and_column_takes_no_more_than_its_own_memory() {
    let rows = [words(1, &["Far"]), row(1_048_576, &[("XFD", "inlineStr", 0, "away")])].concat();
    let document = read("far.xlsx", &xlsx(&[("S", "visible", &format!("<sheetData>{rows}</sheetData>"))], &[]));
    assert_eq!(marked(&document), "# S\n\n[1]Far\n\n[1048576]away\n");
}

#[test]
fn more_cells_than_are_read_are_said() {
    let line = format!("<row>{}</row>", "<c><v>1</v></c>".repeat(1_000));
    let rows = line.repeat(2_001);
    let bytes = xlsx(&[("S", "visible", &format!("<sheetData>{rows}</sheetData>"))], &[]);
    assert_eq!(fault(SourceFormat::Spreadsheet, "x.xlsx", &bytes), "it has more than 2000000 cells; split it");
    let repeated = "<table:table table:name=\"S\"><table:table-row table:number-rows-repeated=\"1048576\">\
                    <table:table-cell table:number-columns-repeated=\"1000\"><text:p>x</text:p></table:table-cell>\
                    </table:table-row></table:table>";
    let bytes = open_document("spreadsheet", "", repeated, "");
    assert_eq!(fault(SourceFormat::Spreadsheet, "x.ods", &bytes), "it has more than 2000000 cells; split it");
}

#[test]
fn sheets_of_open_document_are_read_alike() {
    let styles = "<style:style style:name=\"ta2\" style:family=\"table\"><style:table-properties table:display=\"false\"/></style:style>";
    let cell =
        |kind: &str, shown: &str| format!("<table:table-cell {kind}><text:p>{shown}</text:p></table:table-cell>");
    let text = "office:value-type=\"string\"";
    let header: String = ["Ship", "Fee", "Share", "Since", "Open", "Broken"].map(|name| cell(text, name)).concat();
    let values = [
        cell(text, "Tug<office:annotation><text:p>a comment</text:p></office:annotation>"),
        cell("office:value-type=\"currency\" office:value=\"1234.5\"", "1.234,50 €"),
        cell("office:value-type=\"percentage\" office:value=\"0.125\"", "13%"),
        cell("office:value-type=\"date\" office:date-value=\"2026-03-04T09:30:00\"", "04.03.26"),
        cell("office:value-type=\"boolean\" office:boolean-value=\"false\"", "FALSCH"),
        cell("office:value-type=\"string\" calcext:value-type=\"error\"", "#REF!"),
    ]
    .concat();
    let body = format!(
        "<table:table table:name=\"Tariffs\"><table:table-column table:number-columns-repeated=\"6\"/>\
         <table:table-header-rows><table:table-row>{header}</table:table-row></table:table-header-rows>\
         <table:table-row table:number-rows-repeated=\"3\"><table:table-cell table:number-columns-repeated=\"1024\"/></table:table-row>\
         <table:table-row table:number-rows-repeated=\"2\">{values}</table:table-row>\
         <table:table-row table:visibility=\"filter\">{values}</table:table-row></table:table>\
         <table:table table:name=\"Drafts\" table:style-name=\"ta2\"><table:table-row>{header}</table:table-row></table:table>"
    );
    let meta = "<dc:title>Tariff book</dc:title><dc:date>2026-04-05T10:00:00.5</dc:date>";
    let document = read("book.ods", &open_document("spreadsheet", styles, &body, meta));
    let line = "Ship: Tug; Fee: 1.234,50 €; Share: 12.5 %; Since: 2026-03-04 09:30; Open: FALSE";
    assert_eq!(marked(&document), format!("# Tariffs\n\n[5]{line}\n\n[6]{line}\n"));
    assert_eq!((document.card.title.as_str(), document.card.date.as_deref()), ("Tariff book", Some("2026-04-05")));
    assert_eq!(
        document.warnings,
        ["its hidden sheets are left out: 'Drafts'", "1 hidden rows and columns of it are left out"]
    );
}

#[test]
fn a_place_that_no_sheet_has_is_told() {
    for place in ["A99999999999", "AAAAAA1", "A0", "A1048577", "1A"] {
        let rows = format!("<sheetData><row><c r=\"{place}\"><v>1</v></c></row></sheetData>");
        let said = fault(SourceFormat::Spreadsheet, "x.xlsx", &xlsx(&[("S", "visible", &rows)], &[]));
        assert_eq!(said, format!("its part xl/worksheets/sheet1.xml is damaged: '{place}' is not a place in a sheet"));
    }
    for range in ["B2:A1", "A1:B2:C99999999999"] {
        let rows = format!("<dimension ref=\"{range}\"/><sheetData/>");
        let said = fault(SourceFormat::Spreadsheet, "x.xlsx", &xlsx(&[("S", "visible", &rows)], &[]));
        assert_eq!(said, format!("its part xl/worksheets/sheet1.xml is damaged: '{range}' is not a place in a sheet"));
    }
}
