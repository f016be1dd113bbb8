//! One sound file of every format, each with words of its own.

use super::{
    File,
    packed::{cell, docx, epub, odt, paragraph, pptx, xlsx},
};

/// A file of every ending.
pub(super) fn files() -> Vec<File> {
    let said = |format: &str| format!("The sluice of the {format} is opened at seven in the morning.");
    let row = |number: u32, first: &str, second: &str| {
        format!(
            "<row r=\"{number}\">{}{}</row>",
            cell(&format!("A{number}"), first),
            cell(&format!("B{number}"), second)
        )
    };
    vec![
        File::new("sound.md", format!("# Mill\n\n{}\n", said("manual"))),
        File::new("sound.txt", said("notebook")),
        File::new("sound.html", format!("<html><body><main><h1>Mill</h1><p>{}</p></main></body></html>", said("page"))),
        File::new("sound.csv", format!("gate,rule\nnorth,{}\n", said("table"))),
        File::new("sound.json", format!("{{\"title\":\"Mill\",\"text\":\"{}\"}}", said("object"))),
        File::new("sound.rst", format!("Mill\n====\n\n{}\n", said("reference"))),
        File::new("sound.adoc", format!("= Mill\n\n{}\n", said("handbook"))),
        File::new("sound.srt", format!("1\n00:00:01,000 --> 00:00:04,000\n{}\n", said("talk"))),
        File::new(
            "sound.eml",
            format!(
                "From: a@mill.example\r\nTo: b@mill.example\r\nSubject: Mill\r\nContent-Type: text/plain\r\n\r\n{}\r\n",
                said("letter")
            ),
        ),
        File::new("sound.docx", docx(&paragraph(&said("contract")))),
        File::new("sound.pptx", pptx(&said("slide"))),
        File::new("sound.xlsx", xlsx(&format!("{}{}", row(1, "gate", "rule"), row(2, "north", &said("workbook"))))),
        File::new("sound.odt", odt(&format!("<office:text><text:p>{}</text:p></office:text>", said("minutes")))),
        File::new(
            "sound.epub",
            epub(&format!(
                "<html xmlns=\"http://www.w3.org/1999/xhtml\"><body><h1>Mill</h1><p>{}</p></body></html>",
                said("novel")
            )),
        ),
        File::new("sound.pdf", pdf(&said("print"))),
    ]
}

/// A document of one page, laid out by hand.
pub(super) fn pdf(text: &str) -> Vec<u8> {
    let content = format!("BT /F1 12 Tf 72 700 Td ({text}) Tj ET");
    pdf_of(&[
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>"
            .to_owned(),
        format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
    ])
}

/// Objects from number 1 on → a file with its table.
pub(super) fn pdf_of(objects: &[String]) -> Vec<u8> {
    let (mut file, mut places) = ("%PDF-1.5\n".to_owned(), String::new());
    for (number, object) in (1..).zip(objects) {
        places.push_str(&format!("{:010} 00000 n \n", file.len()));
        file.push_str(&format!("{number} 0 obj\n{object}\nendobj\n"));
    }
    let (start, count) = (file.len(), objects.len() + 1);
    file.push_str(&format!(
        "xref\n0 {count}\n0000000000 65535 f \n{places}trailer\n<< /Size {count} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"
    ));
    file.into_bytes()
}
