//! The slides of a presentation → sections, each on its own slide, with the speaker's notes at its end.

use office_oxide::{
    ir::{Element, Section},
    pptx::{PptxDocument, Shape},
};
use vouch_domain::{PageUnit, ports::ParseError};

use super::contents::Contents;
use crate::{
    blocks::{self, Pages},
    manuscript::{Manuscript, joined},
};

/// What stands on every slide alike, by its role: the date, the number of the slide, header and footer.
const REPEATED: &[&str] = &["dt", "sldNum", "ftr", "hdr"];

/// Writes the slides that are shown; answers the title of the presentation if its first slide has one.
pub(super) fn write(
    sections: &[Section],
    pptx: &PptxDocument,
    manuscript: &mut Manuscript,
) -> Result<Option<String>, ParseError> {
    let mut hidden = Vec::new();
    let mut title = None;
    // After the slides comes what their masters say, which is on all of them or on none.
    for ((number, section), slide) in (1..).zip(sections).zip(&pptx.slides) {
        if section.hidden {
            hidden.push(number.to_string());
            continue;
        }
        manuscript.page(number, PageUnit::Slide);
        let own = section.title.as_deref().map(joined).filter(|words| !words.is_empty());
        let level = if number == 1 && has_deck_title(&slide.shapes) { 1 } else { 2 };
        if number == 1 {
            title.clone_from(&own);
        }
        let mut contents = Contents::default();
        contents.elements(&body(section, own.is_some()), 0);
        if let Some(notes) = &section.speaker_notes {
            let notes = contents.cell(notes);
            contents.notes(&notes);
        }
        // A slide without a title must not stand under the title of the one before.
        if contents.has_words() || own.is_some() {
            manuscript.heading(level, own.as_deref().unwrap_or(&format!("Slide {number}")));
        }
        contents.check()?;
        blocks::write(&contents.blocks, &Pages::Unknown, manuscript);
    }
    if !hidden.is_empty() {
        manuscript.warn(format!("its hidden slides are left out: {}", hidden.join(", ")));
    }
    Ok(title)
}

/// What stands on a slide besides its title, which the library puts first.
fn body(section: &Section, has_title: bool) -> Vec<Element> {
    let is_repeated = |element: &Element| {
        let Element::Paragraph(paragraph) = element else { return false };
        paragraph.placeholder_role.as_deref().is_some_and(|role| REPEATED.contains(&role))
    };
    let is_all_repeated = |element: &Element| {
        let Element::TextBox(text_box) = element else { return is_repeated(element) };
        !text_box.content.is_empty() && text_box.content.iter().all(is_repeated)
    };
    let shown = section.elements.iter().skip(usize::from(has_title));
    shown.filter(|element| !is_all_repeated(element)).cloned().collect()
}

/// Whether a slide has the title of a whole presentation.
fn has_deck_title(shapes: &[Shape]) -> bool {
    shapes.iter().any(|shape| {
        let Shape::AutoShape(auto) = shape else { return false };
        auto.placeholder.as_ref().is_some_and(|placeholder| placeholder.ph_type.as_deref() == Some("ctrTitle"))
    })
}
