//! Cells between delimiters, in quotes where they hold one → rows.

pub(crate) fn rows(text: &str, delimiter: char) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut cell) = (Vec::new(), Vec::new(), String::new());
    let mut is_quoted = false;
    let mut characters = text.chars().chain(['\n']).peekable();
    while let Some(c) = characters.next() {
        if is_quoted {
            match c {
                '"' if characters.next_if_eq(&'"').is_some() => cell.push('"'),
                '"' => is_quoted = false,
                _ => cell.push(c),
            }
        } else if c == '"' && cell.trim().is_empty() {
            cell.clear();
            is_quoted = true;
        } else if c == delimiter || c == '\n' {
            row.push(std::mem::take(&mut cell));
            if c == '\n' {
                rows.push(std::mem::take(&mut row));
            }
        } else {
            cell.push(c);
        }
    }
    rows
}
