//! A workbook of Excel → its sheets and rows.
//!
//! Cells are read one by one as they stand in the file: a sheet as a whole grid would take memory for every cell between the
//! first and the last, and a file of 8 kB can have its last in the last row and column there is.

use std::io::Cursor;

use calamine::{DataRef, ExcelDateTime, ExcelDateTimeType, Reader, Sheet, SheetType, SheetVisible, Xlsx, XlsxError};
use vouch_domain::ports::ParseError;

use super::{
    CELLS_MAX, hidden, number_format, too_many_cells,
    values::{day_and_time, number},
    warn_of_hidden,
};
use crate::{
    archive::{Archive, ENCRYPTED},
    fault::whole,
    front_matter::FrontMatter,
    manuscript::Manuscript,
    properties,
    rows::{Cell, Rows},
};

type Workbook = Xlsx<Cursor<Vec<u8>>>;

/// The last day that a sheet knows, the end of the year 9999.
const DAYS_MAX: f64 = 2_958_466.0;
/// Half a second, in days: times are told to the nearest second.
const HALF_SECOND: f64 = 0.5 / 86_400.0;

pub(super) fn read(archive: Archive, manuscript: &mut Manuscript) -> Result<FrontMatter, ParseError> {
    let unseen = hidden::of_sheets(&archive)?;
    let mut workbook: Workbook = Xlsx::new(Cursor::new(archive.into_zip()?)).map_err(|error| not_read(&error))?;
    let own = workbook.workbook_properties().map_err(|error| not_read(&error))?;
    let sheets: Vec<Sheet> =
        workbook.sheets_metadata().iter().filter(|sheet| sheet.typ == SheetType::WorkSheet).cloned().collect();
    let (mut left, mut hidden_sheets, mut lines_left_out) = (CELLS_MAX, Vec::new(), 0);
    for sheet in sheets {
        if sheet.visible != SheetVisible::Visible {
            hidden_sheets.push(sheet.name);
            continue;
        }
        let unseen = unseen.get(&sheet.name);
        lines_left_out += unseen.map_or(0, hidden::Unseen::count);
        rows(&mut workbook, &sheet.name, unseen, &mut left, manuscript)?;
    }
    warn_of_hidden(&hidden_sheets, manuscript);
    if lines_left_out > 0 {
        manuscript.warn(format!("{lines_left_out} hidden rows and columns of it are left out"));
    }
    Ok(properties::front_matter(own.title.as_deref(), own.modified.as_deref()))
}

fn rows(
    workbook: &mut Workbook,
    sheet: &str,
    unseen: Option<&hidden::Unseen>,
    left: &mut usize,
    manuscript: &mut Manuscript,
) -> Result<(), ParseError> {
    let is_1904 = workbook.has_1904_epoch();
    let mut cells = workbook.worksheet_cells_reader(sheet).map_err(|error| not_read(&error))?;
    let formats: Vec<Option<String>> = cells
        .styles()
        .iter()
        .map(|style| style.number_format.as_ref().map(|format| format.format_code.clone()))
        .collect();
    let mut rows = Rows::new(manuscript, sheet);
    let (mut row, mut waiting) = (0, Vec::new());
    while let Some((cell, style)) = cells.next_cell_with_style_id().map_err(|error| not_read(&error))? {
        *left = left.checked_sub(1).ok_or_else(too_many_cells)?;
        let (cell_row, column) = cell.get_position();
        if cell_row != row {
            rows.push(row.saturating_add(1), std::mem::take(&mut waiting))?;
            row = cell_row;
        }
        if unseen.is_some_and(|unseen| unseen.row(row) || unseen.column(column)) {
            continue;
        }
        let format = formats.get(style).and_then(Option::as_deref).unwrap_or("General");
        let (text, is_words) = told(cell.get_value(), format, is_1904);
        waiting.push(Cell { column, text, is_words });
    }
    rows.push(row.saturating_add(1), waiting)?;
    rows.finish()
}

/// What a cell says, and whether that is words; errors say nothing.
fn told(value: &DataRef<'_>, format: &str, is_1904: bool) -> (String, bool) {
    match value {
        DataRef::Int(value) => {
            let written = value.to_string();
            (written.parse().map_or(written, |value| number_format::formatted(value, format)), false)
        }
        DataRef::Float(value) => (number_format::formatted(*value, format), false),
        DataRef::String(text) => (text.clone(), true),
        DataRef::SharedString(text) => ((*text).to_owned(), true),
        DataRef::Bool(value) => (if *value { "TRUE" } else { "FALSE" }.to_owned(), false),
        DataRef::DateTime(time) => (time_told(*time, is_1904), false),
        DataRef::DateTimeIso(text) => (day_and_time(text), false),
        DataRef::DurationIso(text) => (text.clone(), false),
        DataRef::Error(_) | DataRef::Empty => (String::new(), false),
    }
}

fn time_told(time: ExcelDateTime, is_1904: bool) -> String {
    let days = time.as_f64();
    if !(0.0..DAYS_MAX).contains(&days) {
        return number(days);
    }
    let rounded = ExcelDateTime::new(days + HALF_SECOND, ExcelDateTimeType::DateTime, is_1904);
    let (year, month, day, hour, minute, second, _) = rounded.to_ymd_hms_milli();
    let clock =
        if second == 0 { format!("{hour:02}:{minute:02}") } else { format!("{hour:02}:{minute:02}:{second:02}") };
    if time.is_duration() {
        // The days of a duration are hours of it.
        let hours = (days + HALF_SECOND).floor() * 24.0 + f64::from(hour);
        return format!("{hours}:{minute:02}:{second:02}");
    }
    match (days < 1.0, hour, minute, second) {
        (true, ..) => clock,
        (false, 0, 0, 0) => format!("{year:04}-{month:02}-{day:02}"),
        (false, ..) => format!("{year:04}-{month:02}-{day:02} {clock}"),
    }
}

fn not_read(error: &XlsxError) -> ParseError {
    if matches!(error, XlsxError::Password) {
        return whole(ENCRYPTED);
    }
    whole(&format!("its workbook is damaged or incomplete ({error})"))
}
