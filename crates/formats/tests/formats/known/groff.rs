//! A book → a source of groff's macros `-ms`.

use super::{
    book::{Block, Book},
    prose::{BOLD, plain},
};

pub(crate) fn groff(book: &Book) -> String {
    let style = &book.style;
    let (width, height) = style.paper;
    let centimetres = |millimetres: usize| format!("{}.{}c", millimetres / 10, millimetres % 10);
    let mut text = format!(
        ".nr PS {}p\n.nr VS {}p\n.nr LL {}\n.nr HM 2c\n.nr FM 2c\n.pl {}\n.fam {}\n{}",
        style.points,
        style.points * 6 / 5,
        centimetres(width - 50),
        centimetres(height),
        style.family,
        // Without numbers only their size tells the levels of headings.
        if style.has_numbers { "" } else { ".nr GROWPS 3\n.nr PSINCR 1p\n" },
    );
    if book.language.code() != "en" {
        text.push_str(&format!(".mso {}.tmac\n", book.language.code()));
    }
    if style.has_running_heads {
        text.push_str(&format!(".ds LH {}\n.ds CH\n.ds RH Vouch\n.ds CF \\\\n%\n", book.title));
    }
    text.push_str(&format!(".TL\n\\s+3{}\\s-3\n", book.title));
    if style.columns == 2 {
        text.push_str(".2C\n");
    }
    for block in &book.blocks {
        text.push_str(&request(block, style.has_numbers));
    }
    text
}

fn request(block: &Block, has_numbers: bool) -> String {
    match block {
        Block::Heading { level, title } => {
            format!(".{} {level}\n{title}\n", if has_numbers { "NH" } else { "SH" })
        }
        Block::Paragraph { sentences, note } => {
            let lines = bold(&sentences.join("\n"));
            match note {
                Some(note) => format!(".LP\n{lines}\\**\n.FS\n{note}\n.FE\n"),
                None => format!(".LP\n{lines}\n"),
            }
        }
        Block::Items { is_numbered, items } => {
            let (mut text, mut number, mut is_nested) = (String::new(), 0, false);
            for (depth, words) in items {
                match (*depth > 0, is_nested) {
                    (true, false) => text.push_str(".RS\n"),
                    (false, true) => text.push_str(".RE\n"),
                    (true, true) | (false, false) => {}
                }
                is_nested = *depth > 0;
                number += usize::from(!is_nested);
                let mark = if *is_numbered && !is_nested { format!("{number}.") } else { "\\(bu".to_owned() };
                text.push_str(&format!(".IP {mark} 3\n{}\n", bold(words)));
            }
            text + if is_nested { ".RE\n" } else { "" }
        }
        Block::Table { rows } => {
            let row = |cells: &Vec<String>| match cells.as_slice() {
                [first, second, third] => format!("{first}\t{second}\tT{{\n{third}\nT}}\n"),
                cells => cells.join("\t") + "\n",
            };
            format!(".TS\nl r lx.\n{}.TE\n", rows.iter().map(row).collect::<String>())
        }
        Block::Code { lines } => format!(".DS L\n.ft C\n.ps -2\n{}\n.ps\n.ft\n.DE\n", lines.join("\n")),
        Block::Quote { words } => format!(".QP\n{}\n", plain(words)),
    }
}

fn bold(words: &str) -> String {
    let [begin, end] = BOLD;
    words.replace(begin, "\\fB").replace(end, "\\fP")
}
