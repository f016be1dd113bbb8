//! A book → a web page that is printed on its paper.

use super::{
    book::{Block, Book},
    prose::BOLD,
};

/// The page; it has no notes.
pub(crate) fn web_page(book: &Book) -> String {
    let style = &book.style;
    let (width, height) = style.paper;
    let looks = format!(
        "@page {{ size: {width}mm {height}mm; margin: 18mm }} body {{ font: {}pt '{}'; text-align: {} }} \
         main {{ columns: {}; hyphens: {} }} td, th {{ border: 1px solid }} pre {{ font-size: 80%; white-space: pre-wrap }}",
        style.points,
        style.font,
        if style.is_justified { "justify" } else { "left" },
        style.columns,
        if style.is_justified { "auto" } else { "manual" },
    );
    let mut page = format!(
        "<!doctype html><html lang={}><head><meta charset=utf-8><title>{}</title><style>{looks}</style></head>\
         <body><main><h1>{}</h1>\n",
        book.language.code(),
        escaped(&book.title),
        escaped(&book.title)
    );
    for block in &book.blocks {
        page.push_str(&element(block));
        page.push('\n');
    }
    page + "</main></body></html>\n"
}

fn element(block: &Block) -> String {
    match block {
        Block::Heading { level, title } => format!("<h{0}>{1}</h{0}>", level + 1, escaped(title)),
        Block::Paragraph { sentences, .. } => format!("<p>{}</p>", escaped(&sentences.join(" "))),
        Block::Items { is_numbered, items } => list(*is_numbered, items),
        Block::Table { rows } => {
            let row = |cell: &str, row: &Vec<String>| {
                let cells = row.iter().map(|words| format!("<{cell}>{}</{cell}>", escaped(words)));
                format!("<tr>{}</tr>\n", cells.collect::<String>())
            };
            let (header, rest) =
                rows.split_first().map_or((String::new(), rows.as_slice()), |(header, rest)| (row("th", header), rest));
            format!("<table>{header}{}</table>", rest.iter().map(|cells| row("td", cells)).collect::<String>())
        }
        Block::Code { lines } => format!("<pre><code>{}</code></pre>", escaped(&lines.join("\n"))),
        Block::Quote { words } => format!("<blockquote><p>{}</p></blockquote>", escaped(words)),
    }
}

fn list(is_numbered: bool, items: &[(usize, String)]) -> String {
    let kind = if is_numbered { "ol" } else { "ul" };
    let mut text = format!("<{kind}>");
    let (mut is_open, mut is_nested) = (false, false);
    for (depth, words) in items {
        match (*depth, is_nested) {
            (0, true) => text.push_str("</ul></li>"),
            (0, false) if is_open => text.push_str("</li>"),
            (0, false) | (_, true) => {}
            (_, false) => text.push_str("<ul>"),
        }
        is_nested = *depth > 0;
        is_open = true;
        text.push_str(&format!("<li>{}", escaped(words)));
        if is_nested {
            text.push_str("</li>");
        }
    }
    let end = if is_nested { "</ul></li>" } else { "</li>" };
    format!("{text}{end}</{kind}>")
}

/// Words as they stand in XML and HTML.
pub(crate) fn escaped(words: &str) -> String {
    let [begin, end] = BOLD;
    let words = words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    words.replace(begin, "<b>").replace(end, "</b>")
}
