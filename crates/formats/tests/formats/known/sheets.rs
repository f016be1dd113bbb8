//! Workbooks and files of values that LibreOffice saved: each value with the name of its column, in its row and sheet.

use std::{error::Error, fs, path::PathBuf};

use vouch_domain::PageUnit;
use vouch_testkit::producers::Producer::LibreOffice;

use super::{
    SEEDS,
    count::{Place, Table, Truth},
    document,
    prose::{Language, Writer},
    skipped,
    web_page::escaped,
};

const NAMES: &str = "xmlns:office=\"urn:oasis:names:tc:opendocument:xmlns:office:1.0\" \
    xmlns:text=\"urn:oasis:names:tc:opendocument:xmlns:text:1.0\" \
    xmlns:table=\"urn:oasis:names:tc:opendocument:xmlns:table:1.0\"";

/// A sheet of a workbook: its name, and rows by their numbers, the first of them the names of the columns.
struct Sheet {
    name: String,
    rows: Vec<(u32, Vec<String>)>,
}

fn workbook(seed: u64) -> Vec<Sheet> {
    let mut writer = Writer::new(seed, if seed.is_multiple_of(2) { Language::German } else { Language::English });
    let mut sheets = Vec::new();
    for _ in 0..2 {
        let name = writer.made_word();
        let columns = 3 + writer.below(3);
        let mut rows = vec![(1, (0..columns).map(|_| format!("{} name", writer.made_word())).collect())];
        let mut number = 1;
        for _ in 0..30 + writer.below(60) {
            number += if writer.once_in(9) { 2 } else { 1 };
            let mut row = vec![writer.made_word()];
            for column in 1..columns {
                row.push(match (column + writer.below(2)) % 3 {
                    0 => (writer.below(9_000) + 1).to_string(),
                    1 => writer.phrase(),
                    _ if writer.once_in(3) => String::new(),
                    _ => format!("{}.5", writer.below(900) + 1),
                });
            }
            rows.push((number, row));
        }
        sheets.push(Sheet { name, rows });
    }
    sheets
}

fn source(sheets: &[Sheet]) -> String {
    let cell = |value: &String| match value.parse::<f64>() {
        Ok(_) => format!(
            "<table:table-cell office:value-type=\"float\" office:value=\"{value}\"><text:p>{value}</text:p></table:table-cell>"
        ),
        Err(_) if value.is_empty() => "<table:table-cell/>".to_owned(),
        Err(_) => format!(
            "<table:table-cell office:value-type=\"string\"><text:p>{}</text:p></table:table-cell>",
            escaped(value)
        ),
    };
    let mut tables = String::new();
    for sheet in sheets {
        tables.push_str(&format!("<table:table table:name=\"{}\">", sheet.name));
        let mut last = 0;
        for (number, row) in &sheet.rows {
            let empty = "<table:table-row><table:table-cell/></table:table-row>";
            (last + 1..*number).for_each(|_| tables.push_str(empty));
            last = *number;
            let cells: String = row.iter().map(cell).collect();
            tables.push_str(&format!("<table:table-row>{cells}</table:table-row>"));
        }
        tables.push_str("</table:table>");
    }
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<office:document {NAMES} office:version=\"1.3\" \
         office:mimetype=\"application/vnd.oasis.opendocument.spreadsheet\"><office:body><office:spreadsheet>{tables}\
         </office:spreadsheet></office:body></office:document>\n"
    )
}

/// What is known of some sheets, each under its name if it has one in the file.
fn truth(sheets: &[Sheet], is_named: bool) -> Truth {
    let mut truth = Truth { unit: PageUnit::Row, ..Truth::default() };
    for sheet in sheets {
        let path = if is_named { vec![sheet.name.clone()] } else { Vec::new() };
        truth.text.push_str(&path.join(""));
        let names = sheet.rows.first().map(|(_, names)| names.as_slice()).unwrap_or_default();
        for (number, row) in sheet.rows.iter().skip(1) {
            for (name, value) in names.iter().zip(row).filter(|(_, value)| !value.is_empty()) {
                truth.text.push_str(&format!(" {name}: {value};"));
            }
            truth.text.push('\n');
            let word = row.first().cloned().unwrap_or_default();
            truth.places.push(Place { word, path: Some(path.clone()), mark: Some(*number) });
        }
    }
    truth
}

#[test]
fn sheets_are_read_row_by_row() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let books: Vec<Vec<Sheet>> = SEEDS.into_iter().map(workbook).collect();
    let mut sources: Vec<PathBuf> = Vec::new();
    for (seed, sheets) in SEEDS.iter().zip(&books) {
        let file = folder.path().join(format!("sheets{seed}.fods"));
        fs::write(&file, source(sheets))?;
        sources.push(file);
    }
    let mut table = Table::default();
    // A file of values holds the first sheet alone; its numbers are separator, quote and encoding.
    let ways = [
        ("XLSX, LibreOffice", "xlsx", 2),
        ("ODS, LibreOffice", "ods", 2),
        ("CSV, LibreOffice, UTF-8", "csv:Text - txt - csv (StarCalc):44,34,76", 1),
        ("CSV, LibreOffice, Windows-1252", "csv:Text - txt - csv (StarCalc):59,34,1", 1),
        ("TSV, LibreOffice", "tsv:Text - txt - csv (StarCalc):9,34,76", 1),
    ];
    for (at, (kind, ending, sheets)) in ways.into_iter().enumerate() {
        let place = folder.path().join(at.to_string());
        fs::create_dir(&place)?;
        let made = match LibreOffice.convert_all(&sources, ending, &place) {
            Ok(made) => made,
            Err(reason) => return skipped(kind, &reason),
        };
        for (file, book) in made.iter().zip(&books) {
            let truth = truth(book.get(..sheets).unwrap_or_default(), sheets > 1);
            table.add(kind, &file.file_name().unwrap_or_default().to_string_lossy(), &document(file)?, &truth);
        }
    }
    println!("{}", table.shown());
    assert_eq!(table.shortfalls(), "");
    Ok(())
}
