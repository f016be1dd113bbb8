//! A book → an OpenDocument text in one file, which LibreOffice prints and saves in other formats.

use super::{
    book::{Block, Book, Style},
    prose::BOLD,
    web_page::escaped,
};

const NAMES: &str = "xmlns:office=\"urn:oasis:names:tc:opendocument:xmlns:office:1.0\" \
    xmlns:style=\"urn:oasis:names:tc:opendocument:xmlns:style:1.0\" \
    xmlns:text=\"urn:oasis:names:tc:opendocument:xmlns:text:1.0\" \
    xmlns:table=\"urn:oasis:names:tc:opendocument:xmlns:table:1.0\" \
    xmlns:fo=\"urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0\" \
    xmlns:dc=\"http://purl.org/dc/elements/1.1/\"";

/// How far the items of a list stand from the margin, and the marks from the items.
const OUTER: &str = "<style:list-level-properties text:list-level-position-and-space-mode=\"label-alignment\">\
    <style:list-level-label-alignment text:label-followed-by=\"listtab\" fo:text-indent=\"-6mm\" fo:margin-left=\"12mm\"/>\
    </style:list-level-properties>";
const INNER: &str = "<style:list-level-properties text:list-level-position-and-space-mode=\"label-alignment\">\
    <style:list-level-label-alignment text:label-followed-by=\"listtab\" fo:text-indent=\"-6mm\" fo:margin-left=\"18mm\"/>\
    </style:list-level-properties>";

pub(crate) fn flat_text(book: &Book) -> String {
    let mut number = 0;
    let body: String = book.blocks.iter().map(|block| element(block, &mut number)).collect();
    let body = match book.style.columns {
        2 => format!("<text:section text:style-name=\"Two\" text:name=\"two\">{body}</text:section>"),
        _ => body,
    };
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<office:document {NAMES} office:version=\"1.3\" \
         office:mimetype=\"application/vnd.oasis.opendocument.text\"><office:meta><dc:title>{0}</dc:title></office:meta>\
         {1}<office:body><office:text><text:p text:style-name=\"Title\">{0}</text:p>{body}</office:text></office:body>\
         </office:document>\n",
        escaped(&book.title),
        styles(book)
    )
}

fn styles(book: &Book) -> String {
    let Style { font, points, paper: (width, height), .. } = book.style;
    let align = if book.style.is_justified { "justify" } else { "start" };
    let heading = |level: usize| {
        format!(
            "<style:style style:name=\"Heading_20_{level}\" style:display-name=\"Heading {level}\" style:family=\"paragraph\" \
             style:default-outline-level=\"{level}\"><style:paragraph-properties fo:margin-top=\"5mm\" fo:margin-bottom=\"2mm\" \
             fo:keep-with-next=\"always\"/><style:text-properties fo:font-size=\"{}pt\" fo:font-weight=\"bold\"/></style:style>",
            points + 8 - level * 2
        )
    };
    let head = if book.style.has_running_heads {
        format!(
            "<style:header><text:p>{} Vouch</text:p></style:header><style:footer><text:p>Page <text:page-number/></text:p></style:footer>",
            escaped(&book.title)
        )
    } else {
        String::new()
    };
    format!(
        "<office:styles><style:default-style style:family=\"paragraph\"><style:paragraph-properties fo:text-align=\"{align}\" \
         fo:margin-bottom=\"2mm\"/><style:text-properties style:font-name=\"F\" fo:font-family=\"'{font}'\" fo:font-size=\"{points}pt\" \
         fo:hyphenate=\"{}\" fo:language=\"{}\" fo:country=\"{}\"/></style:default-style>\
         <style:style style:name=\"Standard\" style:family=\"paragraph\"/>\
         <style:style style:name=\"Title\" style:family=\"paragraph\"><style:text-properties fo:font-size=\"{}pt\" fo:font-weight=\"bold\"/></style:style>\
         {}{}{}\
         <style:style style:name=\"Preformatted_20_Text\" style:display-name=\"Preformatted Text\" style:family=\"paragraph\">\
         <style:paragraph-properties fo:text-align=\"start\" fo:margin-bottom=\"0mm\"/><style:text-properties fo:font-family=\"'Liberation Mono'\" fo:font-size=\"8pt\"/></style:style>\
         <style:style style:name=\"Quotations\" style:family=\"paragraph\"><style:paragraph-properties fo:margin-left=\"10mm\" fo:margin-right=\"10mm\"/></style:style>\
         <style:style style:name=\"Footnote\" style:family=\"paragraph\"><style:paragraph-properties fo:margin-left=\"6mm\" fo:text-indent=\"-6mm\"/><style:text-properties fo:font-size=\"8pt\"/></style:style>\
         </office:styles><office:automatic-styles>\
         <style:style style:name=\"B\" style:family=\"text\"><style:text-properties fo:font-weight=\"bold\"/></style:style>\
         <style:style style:name=\"Two\" style:family=\"section\"><style:section-properties><style:columns fo:column-count=\"2\" fo:column-gap=\"7mm\"/></style:section-properties></style:style>\
         <style:style style:name=\"C\" style:family=\"table-cell\"><style:table-cell-properties fo:border=\"0.5pt solid #000000\" fo:padding=\"1mm\"/></style:style>\
         <text:list-style style:name=\"N\"><text:list-level-style-number text:level=\"1\" style:num-suffix=\".\" style:num-format=\"1\">{OUTER}</text:list-level-style-number>\
         <text:list-level-style-bullet text:level=\"2\" text:bullet-char=\"•\">{INNER}</text:list-level-style-bullet></text:list-style>\
         <text:list-style style:name=\"U\"><text:list-level-style-bullet text:level=\"1\" text:bullet-char=\"•\">{OUTER}</text:list-level-style-bullet>\
         <text:list-level-style-bullet text:level=\"2\" text:bullet-char=\"–\">{INNER}</text:list-level-style-bullet></text:list-style>\
         <style:page-layout style:name=\"P\"><style:page-layout-properties fo:page-width=\"{width}mm\" fo:page-height=\"{height}mm\" fo:margin=\"20mm\"/>\
         <style:header-style/><style:footer-style/></style:page-layout></office:automatic-styles>\
         <office:master-styles><style:master-page style:name=\"Standard\" style:page-layout-name=\"P\">{head}</style:master-page></office:master-styles>",
        book.style.is_justified,
        book.language.code(),
        book.language.country(),
        points + 10,
        heading(1),
        heading(2),
        heading(3),
    )
}

fn element(block: &Block, notes: &mut usize) -> String {
    match block {
        Block::Heading { level, title } => format!(
            "<text:h text:style-name=\"Heading_20_{level}\" text:outline-level=\"{level}\">{}</text:h>",
            escaped(title)
        ),
        Block::Paragraph { sentences, note } => {
            let note = note.as_ref().map(|note| {
                *notes += 1;
                format!(
                    "<text:note text:id=\"n{notes}\" text:note-class=\"footnote\"><text:note-citation>{notes}</text:note-citation>\
                     <text:note-body><text:p text:style-name=\"Footnote\">{note}</text:p></text:note-body></text:note>"
                )
            });
            format!("<text:p>{}{}</text:p>", bold(&sentences.join(" ")), note.unwrap_or_default())
        }
        Block::Items { is_numbered, items } => list(*is_numbered, items),
        Block::Table { rows } => {
            let cell = |words: &String| {
                format!("<table:table-cell table:style-name=\"C\"><text:p>{}</text:p></table:table-cell>", bold(words))
            };
            let row = |row: &Vec<String>| {
                format!("<table:table-row>{}</table:table-row>", row.iter().map(cell).collect::<String>())
            };
            let rows: String = rows.iter().map(row).collect();
            format!("<table:table><table:table-column table:number-columns-repeated=\"3\"/>{rows}</table:table>")
        }
        Block::Code { lines } => lines
            .iter()
            .map(|line| {
                let words = escaped(line.trim_start());
                let blanks = line.len() - line.trim_start().len();
                format!(
                    "<text:p text:style-name=\"Preformatted_20_Text\"><text:s text:c=\"{blanks}\"/>{words}</text:p>"
                )
            })
            .collect(),
        Block::Quote { words } => format!("<text:p text:style-name=\"Quotations\">{}</text:p>", escaped(words)),
    }
}

fn list(is_numbered: bool, items: &[(usize, String)]) -> String {
    let mut text = String::new();
    let (mut is_open, mut is_nested) = (false, false);
    for (depth, words) in items {
        if *depth == 0 {
            text.push_str(if is_nested { "</text:list></text:list-item>" } else { "" });
            text.push_str(if is_open && !is_nested { "</text:list-item>" } else { "" });
            text.push_str(&format!("<text:list-item><text:p>{}</text:p>", bold(words)));
        } else {
            text.push_str(if is_nested { "" } else { "<text:list>" });
            text.push_str(&format!("<text:list-item><text:p>{}</text:p></text:list-item>", bold(words)));
        }
        (is_open, is_nested) = (true, *depth > 0);
    }
    text.push_str(if is_nested { "</text:list></text:list-item>" } else { "</text:list-item>" });
    format!("<text:list text:style-name=\"{}\">{text}</text:list>", if is_numbered { "N" } else { "U" })
}

fn bold(words: &str) -> String {
    let [begin, end] = BOLD;
    let marked = words.replace(begin, "\u{e010}").replace(end, "\u{e011}");
    escaped(&marked).replace('\u{e010}', "<text:span text:style-name=\"B\">").replace('\u{e011}', "</text:span>")
}
