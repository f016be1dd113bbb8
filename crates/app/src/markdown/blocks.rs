//! The events of a Markdown parser → lines: paragraphs, headings, lists, quotes, code and tables.

use pulldown_cmark::{CodeBlockKind, Event, Tag, TagEnd};

use super::{
    screen::{COLUMNS_MIN, Screen, width},
    span::{Span, Style, openable, with_markers, written},
    table,
    wrap::wrap,
};

const BULLET: &str = "• ";
const QUOTE: &str = "│ ";
const CODE: &str = "    ";
/// How deep lists and quotes are set in; deeper ones look like this deep.
const INDENTS_MAX: usize = 8;

/// What a line begins with: in its first line, and in those that follow.
struct Indent {
    first: Option<String>,
    then: String,
}

/// The lines that are done, and what is being read.
pub(super) struct Blocks {
    screen: Screen,
    out: String,
    indents: Vec<Indent>,
    /// The next number of each list that is open; none for bullets.
    lists: Vec<Option<u64>>,
    spans: Vec<Span>,
    style: Style,
    /// The addresses of the links and pictures that are open.
    links: Vec<Option<String>>,
    code: Option<String>,
    /// The block of HTML that is being read.
    html: String,
    rows: Vec<Vec<Vec<Span>>>,
    needs_gap: bool,
}

impl Blocks {
    pub(super) fn new(screen: Screen) -> Self {
        Self {
            screen,
            out: String::new(),
            indents: Vec::new(),
            lists: Vec::new(),
            spans: Vec::new(),
            style: Style::default(),
            links: Vec::new(),
            code: None,
            html: String::new(),
            rows: Vec::new(),
            needs_gap: false,
        }
    }

    /// The words that were read, as they look within a line.
    pub(super) fn into_spans(self) -> Vec<Span> {
        with_markers(self.spans)
    }

    pub(super) fn finish(mut self) -> String {
        self.flush();
        self.out
    }

    pub(super) fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some(code) => code.push_str(&text),
                None => self.say(&text),
            },
            Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                let style = Style { code: true, ..self.style.clone() };
                self.spans.push(Span { text: text.into_string(), style });
            }
            Event::SoftBreak => self.say(" "),
            Event::HardBreak => self.say("\n"),
            Event::InlineHtml(tag) if is_line_break(&tag) => self.say("\n"),
            Event::Rule => {
                self.flush();
                self.line("───");
                self.needs_gap = true;
            }
            // Tags and comments show nothing by themselves. Between those of a block stand words that are no texts of their own.
            Event::Html(text) => self.html.push_str(&text),
            Event::InlineHtml(_) => {}
            Event::FootnoteReference(name) => self.say(&format!("[^{name}]")),
            Event::TaskListMarker(is_done) => self.say(if is_done { "[x] " } else { "[ ] " }),
        }
    }

    fn say(&mut self, text: &str) {
        self.spans.push(Span { text: text.to_owned(), style: self.style.clone() });
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph => self.flush(),
            Tag::Heading { .. } => {
                self.flush();
                self.style.bold = true;
            }
            Tag::BlockQuote(_) => {
                self.flush();
                self.indent(QUOTE.to_owned(), QUOTE.to_owned());
            }
            Tag::CodeBlock(kind) => {
                self.flush();
                if let CodeBlockKind::Fenced(name) = kind
                    && !name.trim().is_empty()
                {
                    self.spans = vec![Span {
                        text: format!("{CODE}{}", name.trim()),
                        style: Style { dim: true, ..Style::default() },
                    }];
                    self.flush_label();
                }
                self.code = Some(String::new());
            }
            Tag::List(first) => {
                self.flush();
                // A list within an item stands close to it.
                self.needs_gap = self.lists.is_empty() && !self.out.is_empty();
                self.lists.push(first);
            }
            Tag::Item => {
                self.flush();
                let first = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        let first = format!("{number}. ");
                        *number += 1;
                        first
                    }
                    Some(None) | None => BULLET.to_owned(),
                };
                let then = " ".repeat(width(&first));
                self.indent(first, then);
            }
            Tag::Emphasis => self.style.italic = true,
            Tag::Strong => self.style.bold = true,
            Tag::Strikethrough => self.style.struck = true,
            Tag::Link { dest_url, .. } => self.open_link(openable(&dest_url)),
            Tag::Image { .. } => self.open_link(None),
            Tag::Table(_) => self.flush(),
            Tag::TableHead | Tag::TableRow => self.rows.push(Vec::new()),
            Tag::TableCell
            | Tag::HtmlBlock
            | Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Superscript
            | Tag::Subscript
            | Tag::MetadataBlock(_) => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph => {
                self.flush();
                self.needs_gap = true;
            }
            TagEnd::Heading(_) => {
                self.flush();
                self.style.bold = false;
                self.needs_gap = true;
            }
            TagEnd::BlockQuote(_) => {
                self.flush();
                self.indents.pop();
                self.needs_gap = true;
            }
            TagEnd::CodeBlock => self.end_code(),
            TagEnd::List(_) => {
                self.flush();
                self.lists.pop();
                self.needs_gap = self.lists.is_empty();
            }
            TagEnd::Item => {
                self.flush();
                self.indents.pop();
                self.needs_gap = false;
            }
            TagEnd::Emphasis => self.style.italic = false,
            TagEnd::Strong => self.style.bold = false,
            TagEnd::Strikethrough => self.style.struck = false,
            TagEnd::Link | TagEnd::Image => self.close_link(),
            TagEnd::TableCell => {
                let spans = with_markers(std::mem::take(&mut self.spans));
                if let Some(row) = self.rows.last_mut() {
                    row.push(spans);
                }
            }
            TagEnd::Table => self.end_table(),
            TagEnd::HtmlBlock => {
                let words = words_of_html(&std::mem::take(&mut self.html));
                self.say(&words);
                self.flush();
                self.needs_gap = true;
            }
            TagEnd::TableHead
            | TagEnd::TableRow
            | TagEnd::FootnoteDefinition
            | TagEnd::DefinitionList
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::MetadataBlock(_) => {}
        }
    }

    fn open_link(&mut self, address: Option<String>) {
        self.links.push(address);
        self.style.link = self.links.iter().flatten().last().cloned();
    }

    /// Where links cannot be opened their address is told behind their words.
    fn close_link(&mut self) {
        let closed = self.links.pop().flatten();
        self.style.link = self.links.iter().flatten().last().cloned();
        if let Some(address) = closed.filter(|_| !self.screen.has_styles) {
            let is_told = self.spans.last().is_some_and(|span| span.text == address);
            if !is_told {
                self.say(&format!(" <{address}>"));
            }
        }
    }

    fn indent(&mut self, first: String, then: String) {
        let first = Some(first);
        let is_deep = self.indents.len() >= INDENTS_MAX;
        self.indents.push(Indent { first, then: if is_deep { String::new() } else { then } });
    }

    /// The columns that are left beside what lines begin with.
    fn room(&self) -> usize {
        let taken: usize = self.indents.iter().map(|indent| width(&indent.then)).sum();
        self.screen.columns.saturating_sub(taken).max(COLUMNS_MIN / 2)
    }

    /// Writes what was read as a paragraph.
    fn flush(&mut self) {
        let spans = with_markers(std::mem::take(&mut self.spans));
        if spans.iter().all(|span| span.text.trim().is_empty()) {
            return;
        }
        for line in wrap(&spans, self.room()) {
            if !line.is_empty() {
                self.line(&written(&line, self.screen));
            }
        }
    }

    /// Writes what stands above code; the code follows it without a gap.
    fn flush_label(&mut self) {
        let spans = with_markers(std::mem::take(&mut self.spans));
        self.line(&written(&spans, self.screen));
    }

    fn end_code(&mut self) {
        let code = self.code.take().unwrap_or_default();
        for line in code.trim_end().lines() {
            let style = Style { code: true, ..Style::default() };
            let line = written(&[Span { text: line.replace('\t', CODE), style }], self.screen);
            self.line(&format!("{CODE}{line}"));
        }
        self.needs_gap = true;
    }

    fn end_table(&mut self) {
        let rows = std::mem::take(&mut self.rows);
        for line in table::lines(&rows, self.room(), self.screen) {
            self.line(&line);
        }
        self.needs_gap = true;
    }

    fn line(&mut self, line: &str) {
        if std::mem::take(&mut self.needs_gap) && !self.out.is_empty() {
            let quotes: String = self.indents.iter().filter(|one| one.then == QUOTE).map(|_| QUOTE).collect();
            self.out.push_str(quotes.trim_end());
            self.out.push('\n');
        }
        for indent in &mut self.indents {
            let begin = indent.first.take();
            self.out.push_str(begin.as_deref().unwrap_or(&indent.then));
        }
        self.out.push_str(line.trim_end());
        self.out.push('\n');
    }
}

/// The words of a piece of HTML: without its tags and comments. A sign that opens nothing stays.
fn words_of_html(html: &str) -> String {
    let mut words = String::with_capacity(html.len());
    let mut rest = html;
    let mut closes = true;
    while let Some(at) = rest.find('<') {
        let (before, from) = rest.split_at(at);
        words.push_str(before);
        let is_tag = from.chars().nth(1).is_some_and(|c| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?'));
        let end = if from.starts_with("<!--") { "-->" } else { ">" };
        let after = (is_tag && closes).then(|| from.split_once(end)).flatten();
        // What nothing closes is not looked for again.
        closes &= !is_tag || after.is_some();
        match after {
            Some((_, after)) => {
                words.push(' ');
                rest = after;
            }
            None => {
                words.push('<');
                rest = from.get(1..).unwrap_or_default();
            }
        }
    }
    words.push_str(rest);
    words
}

fn is_line_break(tag: &str) -> bool {
    tag.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("<br"))
}
