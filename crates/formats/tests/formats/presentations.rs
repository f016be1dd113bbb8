//! Presentations: slides in their order, their notes, and those that are not shown.

use vouch_domain::{PageUnit, SourceFormat};

use crate::office_file::{marked, parse, pptx};

fn shape(role: &str, words: &str) -> String {
    let placeholder = if role.is_empty() { String::new() } else { format!("<p:ph type=\"{role}\"/>") };
    let paragraphs: String = words.lines().map(|line| format!("<a:p><a:r><a:t>{line}</a:t></a:r></a:p>")).collect();
    format!(
        "<p:sp><p:nvSpPr><p:cNvPr id=\"1\" name=\"s\"/><p:cNvSpPr/><p:nvPr>{placeholder}</p:nvPr></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/>{paragraphs}</p:txBody></p:sp>"
    )
}

/// A shape at a place of its own.
fn placed(top: u32, words: &str) -> String {
    let place = format!("<p:spPr><a:xfrm><a:off x=\"0\" y=\"{top}\"/><a:ext cx=\"1\" cy=\"1\"/></a:xfrm></p:spPr>");
    shape("", words).replace("<p:spPr/>", &place)
}

#[test]
fn slides_are_sections_in_the_order_of_the_presentation() {
    let first = [shape("ctrTitle", "The harbour"), shape("subTitle", "A short history")].concat();
    let second =
        [shape("title", "Berths"), shape("body", "Twelve berths."), shape("sldNum", "2"), shape("ftr", "Harbour Ltd")]
            .concat();
    let hidden = [shape("title", "Draft"), shape("body", "Not shown.")].concat();
    let untitled = [placed(900, "Written first."), placed(100, "Written second.")].concat();
    // The part of each slide is numbered against the order in which they are shown.
    let slides = [
        (4, first.as_str(), "", true),
        (3, second.as_str(), "Say hello.\nThen go on.", true),
        (2, hidden.as_str(), "", false),
        (1, untitled.as_str(), "", true),
    ];
    let document = parse(SourceFormat::Pptx, "d/deck.pptx", &pptx(&slides)).expect("a document");
    assert_eq!(
        marked(&document),
        "[1]# The harbour\n\nA short history\n\n[2]## Berths\n\nTwelve berths.\n\nNotes: Say hello. Then go on.\n\n\
         [4]## Slide 4\n\nWritten first.\n\nWritten second.\n"
    );
    assert!(document.pages.iter().all(|mark| mark.unit == PageUnit::Slide));
    assert_eq!(document.card.title, "The harbour");
    assert_eq!(document.warnings, ["its hidden slides are left out: 3"]);
}
