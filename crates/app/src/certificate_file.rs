//! The certificate in a data folder, or in a file, and whether it holds there.

use std::{fs::File, io::Read, path::Path};

use anyhow::Context;
use vouch_domain::ports::Catalogue;
use vouch_evals::bounds::upper_bound;
use vouch_service::certificate::{BYTES_MAX, Certificate, Certified, CertifiedState, FILE, Live, Standing};

use crate::wiring::App;

/// The certificate of a data folder: none where none was issued, and what is wrong with one that cannot be read
/// or does not add up.
pub fn of_folder(folder: &Path) -> Option<Result<Certificate, String>> {
    let path = folder.join(FILE);
    let added_up = |certificate: Certificate| match certificate.faults(upper_bound).into_iter().next() {
        Some(fault) => Err(format!("does not add up: {fault}")),
        None => Ok(certificate),
    };
    path.exists().then(|| read(&path).and_then(added_up))
}

/// A certificate.
pub fn read(path: &Path) -> Result<Certificate, String> {
    let mut text = String::new();
    let file = File::open(path).map_err(|error| format!("cannot be read: {error}"))?;
    file.take(BYTES_MAX + 1).read_to_string(&mut text).map_err(|error| format!("cannot be read: {error}"))?;
    match text.len() as u64 > BYTES_MAX {
        true => Err(format!("has more than {BYTES_MAX} bytes")),
        false => Certificate::read(&text),
    }
}

/// Writes a certificate, whole or not at all.
pub fn write(path: &Path, certificate: &Certificate) -> anyhow::Result<()> {
    let cannot = || format!("cannot write {}", path.display());
    let aside = path.with_extension("json.new");
    std::fs::write(&aside, serde_json::to_string_pretty(certificate)? + "\n").with_context(cannot)?;
    std::fs::rename(&aside, path).with_context(cannot)
}

/// What is certified of a store, and whether it holds, in a sentence; none where nothing is.
pub async fn standing(app: &App) -> anyhow::Result<Option<(Standing, String)>> {
    let state = CertifiedState::from(&app.store.catalogue.state().await?);
    let certified = Certified::new(of_folder(app.folder()), (&app.circumstances, &state), (Live::default(), &[]));
    let reasons: Vec<&str> = certified.withdrawn.iter().map(|one| one.sentence.as_str()).collect();
    let sentence = match (certified.standing, &certified.certificate) {
        (Standing::None, _) => return Ok(None),
        (Standing::Valid, Some(own)) => format!(
            "at most {:.1} % answered wrongly, with {:.0} % confidence, as of {}",
            certified.bound.unwrap_or(own.bound) * 100.0,
            own.confidence * 100.0,
            own.date
        ),
        (Standing::Valid | Standing::Withdrawn, _) => format!("withdrawn: {}", reasons.join(" ")),
    };
    Ok(Some((certified.standing, sentence)))
}
