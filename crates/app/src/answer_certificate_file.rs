//! The file of an answer's certificate: its place is taken before anything is asked, and it is written whole or not at all.

use std::{
    fs::File,
    io::{Read, Write},
    path::{Path, PathBuf},
};

use anyhow::Context;
use tempfile::NamedTempFile;
use vouch_engine::model_registry::EXTRACTIVE;
use vouch_service::{
    answer_certificate::{AnswerCertificate, BYTES_MAX, CertifiedCircumstances, SourcePorts, issue},
    question::{AskOutcome, AskRequest},
};

use crate::{exit::Usage, wiring::App};

/// A place where a certificate can be written.
pub struct CertificatePlace {
    path: PathBuf,
    aside: NamedTempFile,
}

impl CertificatePlace {
    /// Makes sure that a file can be written there.
    pub fn take(path: &Path) -> anyhow::Result<Self> {
        let shown = path.display();
        // What is renamed onto a device or a link takes its place instead of being written to it.
        if path.symlink_metadata().is_ok_and(|there| !there.is_file()) {
            return Err(Usage(format!("cannot write {shown}: it exists and is not a regular file")).into());
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let aside = tempfile::Builder::new().prefix(".certificate-").tempfile_in(folder);
        let aside = aside.map_err(|error| Usage(format!("cannot write {shown}: {}", error.kind())))?;
        Ok(Self { path: path.to_owned(), aside })
    }

    /// Writes the certificate of an answer.
    pub async fn write(self, app: &App, ask_request: &AskRequest, outcome: &AskOutcome) -> anyhow::Result<()> {
        let shown = self.path.display().to_string();
        let cannot = || format!("there is no certificate of this answer: cannot write {shown}");
        let circumstances = circumstances(app, ask_request.question.model.as_deref());
        let now_ms = app.engine.clock.now_ms();
        let issued = issue(ask_request, outcome, &ports(app), circumstances, now_ms).await;
        let text = issued.context("there is no certificate of this answer")?.sealed(digest).with_context(cannot)?;
        // What could not be read again proves nothing.
        AnswerCertificate::read(&text).map_err(|fault| anyhow::anyhow!("it {fault}")).with_context(cannot)?;
        let mut aside = self.aside;
        aside.write_all(text.as_bytes()).and_then(|()| aside.as_file().sync_all()).with_context(cannot)?;
        aside.persist(&self.path).with_context(cannot)?;
        Ok(())
    }
}

/// A certificate with the text of its file, or what is wrong with it.
pub fn read(path: &Path) -> Result<(AnswerCertificate, String), String> {
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|error| format!("cannot be read: {error}"))?;
    file.take(BYTES_MAX + 1).read_to_end(&mut bytes).map_err(|error| format!("cannot be read: {error}"))?;
    if bytes.len() as u64 > BYTES_MAX {
        return Err(format!("has more than {BYTES_MAX} bytes"));
    }
    let text = String::from_utf8(bytes).map_err(|_| "is not text".to_owned())?;
    Ok((AnswerCertificate::read(&text)?, text))
}

/// Where the sources of an answer are read: in the store, and nowhere else.
pub fn ports(app: &App) -> SourcePorts<'_> {
    SourcePorts {
        catalogue: app.store.catalogue.as_ref(),
        register: app.store.register.as_ref(),
        memory: app.store.memory.as_ref(),
        vocabulary: app.store.vocabulary.as_ref(),
        language: &app.engine.policies.terminology.language,
        digest,
    }
}

/// What answers depend on now, where a model was asked for by name or none was.
pub fn circumstances(app: &App, asked: Option<&str>) -> CertifiedCircumstances {
    let registry = &app.engine.model_registry;
    let writer = match asked {
        Some(EXTRACTIVE) => None,
        Some(name) => registry.allowed.contains_key(name).then(|| name.to_owned()),
        None => registry.answer.as_ref().map(|job_model| job_model.model.clone()),
    };
    CertifiedCircumstances::new(&app.circumstances, writer)
}

/// The digest of certificates.
pub fn digest(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}
