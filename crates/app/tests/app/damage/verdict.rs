//! What a damaged folder showed, beside what the whole one shows → harmless, repaired, refused or wrong.

use std::collections::BTreeSet;

use super::probes::{Shown, Sight};

/// What became of a damage, the worst last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Nothing differs.
    Harmless,
    /// Nothing differs, and somebody said what was repaired or is broken.
    Repaired,
    /// Something was not given, with a sentence, and the doctor names it.
    Refused,
    /// Something was not given, and why is no sentence for people.
    Unclear,
    /// Content has changed although everything that was asked for is the same, and the doctor calls it sound.
    Overlooked,
    /// Something was refused and the doctor calls the folder sound.
    Unnamed,
    /// Another answer, a lost document, wider access, a panic, a hang.
    Wrong,
}

impl Verdict {
    pub fn is_bad(self) -> bool {
        match self {
            Self::Harmless | Self::Repaired | Self::Refused => false,
            Self::Unclear | Self::Overlooked | Self::Unnamed | Self::Wrong => true,
        }
    }
}

/// The verdict and what it rests on. `changed` are the tables whose rows differ.
pub fn judge(whole: &Sight, damaged: &Sight, changed: &[String]) -> (Verdict, String) {
    if let Some(why) = crash(damaged) {
        return (Verdict::Wrong, why);
    }
    let (mut refused, is_sound) = (Vec::new(), damaged.is_called_sound());
    if let Some(ended) = &damaged.not_started {
        refused.push(format!("no server: {}", ended.said));
    }
    for (name, before) in &whole.shown {
        match (before, damaged.shown.get(name)) {
            (before, Some(after)) if before == after => {}
            (_, Some(Shown::Refused(why))) => refused.push(format!("{name}: {why}")),
            (_, Some(Shown::Silence)) => return (Verdict::Wrong, format!("no reply: {name}")),
            (Shown::Is(before), Some(Shown::Is(after))) => {
                // An answer may be withheld, as long as the doctor says why.
                let is_withheld = name.starts_with("reply to") && after[0] == "refused" && !is_sound;
                if !is_withheld {
                    return (Verdict::Wrong, format!("{name} is {after}, was {before}"));
                }
                refused.push(format!("{name}: withheld"));
            }
            (Shown::Refused(_) | Shown::Silence, Some(Shown::Is(after))) => {
                return (Verdict::Wrong, format!("wider access: {name} is {after}"));
            }
            // What a server does not tell that refuses the list it stands in, or does not run.
            (_, None) if !refused.is_empty() => {}
            (_, None) => return (Verdict::Wrong, format!("{name} is missing")),
        }
    }
    let why = refused.join("; ");
    match (refused.is_empty(), is_sound) {
        (false, true) => (Verdict::Unnamed, why),
        (false, false) => match refused.iter().chain(doctor_word(damaged).iter()).find(|why| !is_sentence(why)) {
            Some(unclear) => (Verdict::Unclear, unclear.clone()),
            None => (Verdict::Refused, why),
        },
        (true, true) if !changed.is_empty() => (Verdict::Overlooked, format!("changed: {}", changed.join(", "))),
        (true, true) if news(whole, damaged).is_empty() => (Verdict::Harmless, String::new()),
        (true, _) => (Verdict::Repaired, news(whole, damaged).join(" | ")),
    }
}

/// A panic, a signal or a hang.
fn crash(damaged: &Sight) -> Option<String> {
    let panicked = damaged.said.iter().find(|line| line.contains("panicked at") || line.contains("RUST_BACKTRACE"));
    if let Some(line) = panicked {
        return Some(format!("panic: {line}"));
    }
    if !matches!(damaged.doctor.code, Some(0..=3)) {
        return Some(format!("the doctor ended with {:?}: {}", damaged.doctor.code, damaged.doctor.err));
    }
    if damaged.doctor.code != Some(0) && damaged.doctor.out.trim().is_empty() && damaged.doctor.err.trim().is_empty() {
        return Some("the doctor failed without a word".to_owned());
    }
    let ended = damaged.not_started.as_ref()?;
    let is_plain = !ended.is_hung && matches!(ended.code, Some(1..=3)) && !ended.said.trim().is_empty();
    (!is_plain).then(|| format!("the server did not start: {ended:?}"))
}

/// What the doctor says where it fails without a report.
fn doctor_word(damaged: &Sight) -> Option<String> {
    let is_report = damaged.doctor.json().is_object();
    (!is_report && damaged.doctor.code != Some(0)).then(|| damaged.doctor.err.trim().to_owned())
}

/// Whether a message is for people: short, and no value of the program printed as such.
fn is_sentence(text: &str) -> bool {
    let insides = ["Error(", "Err(", "Some(", "Error {", "Os {", "(\"", "source:", "***", "()"];
    !text.trim().is_empty() && text.lines().count() <= 4 && !insides.iter().any(|inside| text.contains(inside))
}

/// Lines that the whole folder's processes do not write.
fn news(whole: &Sight, damaged: &Sight) -> Vec<String> {
    let bare = |line: &String| line.chars().filter(|sign| !sign.is_ascii_digit()).collect::<String>();
    let usual: BTreeSet<String> = whole.said.iter().map(bare).collect();
    damaged.said.iter().filter(|line| !usual.contains(&bare(line)) && !line.trim().is_empty()).cloned().collect()
}
