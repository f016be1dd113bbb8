//! A page of the file → its lines, in the order of reading.

use pdfboss_core::{Document, Immediate, OcState, Page, StructureTree, block_on};
use pdfboss_output::{
    Block, FontCache, LayoutOptions, Line as Drawn, ListItem, Marker, ReadingOrder, Role, Ruling, TextSpan,
    page_layout_opts, retain_rulings_on_page, retain_spans_on_page, structure_for,
};
use pdfboss_text::extract_spans_and_rulings_reporting_cached_with;

use super::{
    columns, grid,
    line::{Kind, Line, PageLines, Tie},
    notes, words,
};

/// The longest list of drawing commands of one page, in bytes, and the most pieces of text in it: no page that a person
/// could read has as many.
const CONTENT_BYTES_MAX: usize = 12 << 20;
const SPANS_MAX: usize = 300_000;
/// The longest rule above footnotes, as a share of the page's width.
const RULE_SHARE_MAX: f32 = 0.45;
const RULES_MAX: usize = 50;
/// How wide the blank between two letters is that is drawn as spacing, measured by their size.
const PAIR_BLANK_MIN: f32 = 0.12;
const PAIR_BLANK_MAX: f32 = 2.5;
/// Words in the names of fonts whose letters have one width. TeX does not say so otherwise.
const MONO_NAMES: [&str; 9] =
    ["mono", "courier", "cmtt", "consol", "typewriter", "menlo", "cmsltt", "sftt", "lucidacons"];

/// What is read once for all pages of a file.
pub(super) struct PageReader<'a> {
    document: &'a Document,
    fonts: FontCache,
    layers: Option<OcState>,
    tags: Option<StructureTree>,
}

/// Why the text of a page was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unread {
    TooLarge,
    Damaged,
}

/// What was read of a page, and how many of its letters nobody can tell the meaning of.
pub(super) struct Reading {
    pub(super) page: PageLines,
    pub(super) unknown_letters: usize,
}

impl<'a> PageReader<'a> {
    pub(super) fn new(document: &'a Document) -> Self {
        let tags = structure_for(document, ReadingOrder::StructureTree);
        Self { document, fonts: FontCache::default(), layers: document.oc_state(), tags }
    }

    pub(super) fn read(&self, index: usize, number: u32) -> Result<Reading, Unread> {
        let page = self.document.page(index).map_err(|_| Unread::Damaged)?;
        let content = page.content(self.document).map_err(|_| Unread::Damaged)?;
        if content.len() > CONTENT_BYTES_MAX {
            return Err(Unread::TooLarge);
        }
        let order = if self.tags.is_some() { ReadingOrder::StructureTree } else { ReadingOrder::Content };
        let found = extract_spans_and_rulings_reporting_cached_with(
            Immediate(self.document),
            &page,
            &self.fonts,
            self.layers.as_ref(),
            self.tags.as_ref(),
            order,
        );
        let (mut spans, mut rulings, report) = block_on(found).map_err(|_| Unread::Damaged)?;
        if spans.len() > SPANS_MAX {
            return Err(Unread::TooLarge);
        }
        retain_spans_on_page(&mut spans, &page);
        retain_rulings_on_page(&mut rulings, &page);
        spans.retain(is_placed);
        let unknown_letters = spans.iter().flat_map(|span| span.text.chars()).filter(|c| is_unknown(*c)).count();
        for span in &mut spans {
            // Nothing here is done with slanted letters, and the layout hands this mark on.
            span.italic = span.monospace || has_mono_name(&span.font_name);
        }
        part_pairs(&mut spans);
        notes::bracket(&mut spans);
        let rules = rules(&rulings, &page);
        let lines = lines(spans, &rulings, report.order);
        Ok(Reading { page: PageLines { number, lines, rules }, unknown_letters })
    }

    /// Whether something is drawn on a page where no text was found.
    pub(super) fn is_drawn(&self, index: usize) -> bool {
        let Ok(page) = self.document.page(index) else { return true };
        let has_picture = pdfboss_text::placed_images(self.document, &page).is_ok_and(|found| !found.is_empty());
        // A short list of commands can only fill the background.
        has_picture || page.content(self.document).is_ok_and(|content| content.len() > 2_000)
    }
}

/// Puts the blank between two letters that Ghostscript draws as wide spacing after each of them. The spacing after the
/// second one reaches into the words that follow, and letters that are only spaced out are more than two.
fn part_pairs(spans: &mut [TextSpan]) {
    for at in 1..spans.len() {
        let Some([pair, next]) = spans.get_mut(at - 1..=at) else { continue };
        let mut letters = pair.text.chars();
        let (Some(first), Some(second), None) = (letters.next(), letters.next(), letters.next()) else { continue };
        let overlap = pair.end_x - next.x;
        let is_spacing = (pair.size * PAIR_BLANK_MIN..pair.size * PAIR_BLANK_MAX).contains(&overlap)
            && (pair.y - next.y).abs() < pair.size * PAIR_BLANK_MIN
            && pair.x + overlap < next.x;
        if is_spacing && !first.is_whitespace() && !second.is_whitespace() {
            pair.text = format!("{first} {second}");
            pair.end_x = next.x;
            pair.glyph_x = Box::default();
        }
    }
}

fn is_placed(span: &TextSpan) -> bool {
    [span.x, span.y, span.end_x, span.size].iter().all(|value| value.is_finite()) && span.size > 0.0
}

fn is_unknown(c: char) -> bool {
    matches!(c, '\u{fffd}')
}

fn has_mono_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    MONO_NAMES.iter().any(|word| name.contains(word))
}

fn rules(rulings: &[Ruling], page: &Page) -> Vec<[f32; 3]> {
    let width_max = (page.crop_box.x1 - page.crop_box.x0).abs() * RULE_SHARE_MAX;
    let is_short = |ruling: &&Ruling| ruling.start.y == ruling.end.y && ruling.end.x - ruling.start.x < width_max;
    let found = rulings.iter().filter(is_short).map(|ruling| [ruling.start.x, ruling.end.x, ruling.start.y]);
    found.take(RULES_MAX).collect()
}

/// The lines of the page, those that stand as most do first: what is written up the side of a page is not in the middle
/// of its text.
fn lines(spans: Vec<TextSpan>, rulings: &[Ruling], order: ReadingOrder) -> Vec<Line> {
    let weight = |turn: i32| spans.iter().filter(|span| span.rotate == turn).map(|span| span.text.len()).sum::<usize>();
    let upright = [0, 90, 180, 270].into_iter().rev().max_by_key(|turn| weight(*turn)).unwrap_or(0);
    let (straight, turned): (Vec<TextSpan>, Vec<TextSpan>) = spans.into_iter().partition(|span| span.rotate == upright);
    let mut lines = if order == ReadingOrder::StructureTree {
        laid_out(&straight, rulings, order)
    } else {
        let parts = columns::parts(straight, rulings);
        parts.iter().flat_map(|part| laid_out(&part.spans, &part.rulings, order)).collect()
    };
    if order != ReadingOrder::StructureTree {
        grid::mark_spaced(&mut lines);
    }
    if !turned.is_empty() {
        let start = lines.len();
        lines.extend(laid_out(&turned, &[], ReadingOrder::Content));
        if let Some(line) = lines.get_mut(start) {
            line.tie = Tie::Begins;
        }
    }
    lines.retain(|line| !line.text.trim().is_empty());
    lines
}

fn laid_out(spans: &[TextSpan], rulings: &[Ruling], order: ReadingOrder) -> Vec<Line> {
    let layout = page_layout_opts(spans, rulings, order, &LayoutOptions::default());
    let is_tagged = order == ReadingOrder::StructureTree;
    let mut lines = Vec::new();
    for block in &layout.blocks {
        match block {
            Block::Heading { level, lines: drawn, .. } => {
                let kind = if is_tagged { Kind::Heading(usize::from(*level)) } else { Kind::Text };
                lines.extend(tied(drawn, &kind, is_tagged));
            }
            Block::Paragraph { lines: drawn, role, .. } => {
                let kind = match role {
                    Role::Body => Kind::Text,
                    Role::Quote => Kind::Quote,
                    Role::PageHeader | Role::PageFooter => Kind::Margin,
                };
                lines.extend(tied(drawn, &kind, is_tagged));
            }
            Block::List { items, .. } => lines.extend(items.iter().flat_map(|item| listed(item, is_tagged))),
            Block::Table { rows, .. } => lines.extend(grid::lines(rows, is_tagged)),
        }
    }
    lines
}

fn tied(drawn: &[Drawn], kind: &Kind, is_tagged: bool) -> Vec<Line> {
    let tie = |at: usize| match (is_tagged, at) {
        (false, _) => Tie::Unknown,
        (true, 0) => Tie::Begins,
        (true, _) => Tie::Continues,
    };
    drawn.iter().enumerate().map(|(at, drawn)| line(drawn, kind.clone(), tie(at))).collect()
}

fn line(drawn: &Drawn, kind: Kind, tie: Tie) -> Line {
    let raw: String = drawn.inlines.iter().map(|inline| inline.text.as_str()).collect();
    let mut shown = drawn.inlines.iter().filter(|inline| !inline.text.trim().is_empty()).peekable();
    let has_words = shown.peek().is_some();
    Line {
        text: words::typed(&raw),
        x: drawn.x,
        end_x: drawn.end_x,
        y: drawn.y,
        size: drawn.size,
        is_bold: has_words && shown.clone().all(|inline| inline.bold),
        is_mono: has_words && shown.all(|inline| inline.italic || inline.code),
        kind,
        tie,
    }
}

/// The lines of an item. Without tags its mark stays in the text, for it may be none.
fn listed(item: &ListItem, is_tagged: bool) -> Vec<Line> {
    if !is_tagged {
        return tied(&item.lines, &Kind::Listed, false);
    }
    let number = match item.marker {
        Marker::Bullet => None,
        Marker::Number(number) => Some(number),
    };
    let mut lines = tied(&item.lines, &Kind::Text, true);
    let Some(first) = lines.first_mut() else { return lines };
    first.kind = Kind::Item(number);
    first.text = first.text.chars().skip(item.marker_len).collect();
    let (x, size) = (first.x, first.size);
    if item.marker_len == 0 {
        // Items of a list inside the list come as further lines of the item around them.
        for inner in lines.iter_mut().filter(|line| line.x > x + size * 0.6) {
            (inner.kind, inner.tie) = (Kind::Item(None), Tie::Begins);
        }
    }
    lines
}
