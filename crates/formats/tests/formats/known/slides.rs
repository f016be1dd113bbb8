//! Presentations of pandoc and LibreOffice: each passage on its slide.

use std::{error::Error, fs};

use vouch_domain::PageUnit;
use vouch_testkit::producers::Producer::{LibreOffice, Pandoc};

use super::{
    SEEDS,
    count::{Place, Table, Truth},
    document,
    prose::{Language, Writer, plain},
    skipped,
};

/// Markdown of a presentation and what is known of it; pandoc puts its title on a slide of its own.
fn presentation(seed: u64) -> (String, Truth) {
    let mut writer = Writer::new(seed, if seed.is_multiple_of(2) { Language::German } else { Language::French });
    let title = writer.title();
    let mut source = format!("---\ntitle: \"{title}\"\n---\n\n");
    let mut truth = Truth { title: Some(title), unit: PageUnit::Slide, ..Truth::default() };
    for slide in 2..12 + u32::try_from(seed % 3).unwrap_or(0) {
        let heading = writer.title();
        source.push_str(&format!("# {heading}\n\n"));
        truth.text.push_str(&format!("{heading}\n"));
        let mut passage = |writer: &mut Writer| {
            let (sentence, word) = writer.sentence();
            let sentence = plain(&sentence);
            truth.text.push_str(&format!("{sentence}\n"));
            truth.places.push(Place { word, path: Some(vec![heading.clone()]), mark: Some(slide) });
            sentence
        };
        match writer.below(4) {
            0 => {
                for _ in 0..3 {
                    source.push_str(&format!("- {}\n    - {}\n", passage(&mut writer), passage(&mut writer)));
                }
            }
            1 => {
                let rows: Vec<String> = (0..4).map(|_| passage(&mut writer)).collect();
                let cells = rows.chunks(2).map(|row| format!("| {} |\n", row.join(" | ")));
                let mut cells: Vec<String> = cells.collect();
                cells.insert(1, "|---|---|\n".to_owned());
                source.push_str(&cells.concat());
            }
            2 => source.push_str(&format!("{}\n\n{}\n", passage(&mut writer), passage(&mut writer))),
            _ => source.push_str(&format!("1. {}\n2. {}\n", passage(&mut writer), passage(&mut writer))),
        }
        if writer.once_in(2) {
            source.push_str(&format!("\n::: notes\n{}\n:::\n", passage(&mut writer)));
        }
        source.push('\n');
    }
    (source, truth)
}

#[test]
fn presentations_are_read_slide_by_slide() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let (mut sources, mut truths) = (Vec::new(), Vec::new());
    for seed in SEEDS {
        let (source, truth) = presentation(seed);
        let file = folder.path().join(format!("slides{seed}.md"));
        fs::write(&file, source)?;
        sources.push(file);
        truths.push(truth);
    }
    let made = match Pandoc.convert_all(&sources, "pptx", folder.path()) {
        Ok(made) => made,
        Err(reason) => return skipped("presentations of pandoc", &reason),
    };
    let again = folder.path().join("again");
    fs::create_dir(&again)?;
    let saved = match LibreOffice.convert_all(&made, "pptx", &again) {
        Ok(saved) => saved,
        Err(reason) => return skipped("presentations of LibreOffice", &reason),
    };
    let mut table = Table::default();
    for (kind, files) in [("PPTX, pandoc", made), ("PPTX, LibreOffice", saved)] {
        for (file, truth) in files.iter().zip(&truths) {
            table.add(kind, &file.file_name().unwrap_or_default().to_string_lossy(), &document(file)?, truth);
        }
    }
    println!("{}", table.shown());
    assert_eq!(table.shortfalls(), "");
    Ok(())
}
