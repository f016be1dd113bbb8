//! A book → Markdown as pandoc reads it.

use super::{
    book::{Block, Book},
    prose::BOLD,
};

pub(crate) fn markdown(book: &Book) -> String {
    let mut text = format!("---\ntitle: \"{}\"\nlang: {}\n---\n\n", book.title, book.language.code());
    for block in &book.blocks {
        text.push_str(&written(block));
        text.push_str("\n\n");
    }
    text
}

/// A block, without the blank line after it.
pub(crate) fn written(block: &Block) -> String {
    match block {
        Block::Heading { level, title } => format!("{} {title}", "#".repeat(*level)),
        Block::Paragraph { sentences, note } => {
            let note = note.as_ref().map(|note| format!("^[{note}]")).unwrap_or_default();
            format!("{}{note}", bold(&sentences.join("\n")))
        }
        Block::Items { is_numbered, items } => {
            let mark = if *is_numbered { "1. " } else { "-  " };
            let line = |(depth, words): &(usize, String)| match depth {
                0 => format!("{mark} {}", bold(words)),
                _ => format!("    -   {}", bold(words)),
            };
            items.iter().map(line).collect::<Vec<_>>().join("\n")
        }
        Block::Table { rows } => {
            let row = |cells: &Vec<String>| format!("| {} |", cells.join(" | "));
            let mut lines: Vec<String> = rows.iter().map(row).collect();
            lines.insert(1, "|---|---:|---|".to_owned());
            lines.join("\n")
        }
        Block::Code { lines } => format!("```\n{}\n```", lines.join("\n")),
        Block::Quote { words } => format!("> {words}"),
    }
}

fn bold(text: &str) -> String {
    text.replace(BOLD, "**")
}
