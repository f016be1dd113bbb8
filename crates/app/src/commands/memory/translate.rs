//! `vouch memory translate`: the configured model writes entries in other languages, beside what editors wrote.

use std::process::ExitCode;

use vouch_domain::{MemoryEntry, Reader, ports::Memory};
use vouch_engine::recall::{TranslateError, translate, wants_translation};

use super::{keep, open, print, print_json};
use crate::{
    cli::{Common, TranslateArgs},
    exit::Usage,
};

/// Most translations of one run; a further run goes on.
const TRANSLATIONS_MAX: usize = 1_000;

pub(super) async fn run(common: &Common, args: &TranslateArgs) -> anyhow::Result<ExitCode> {
    let app = open(common)?;
    let Some(job_model) = app.engine.model_registry.writer(args.model.as_deref()).await? else {
        let sentence = "no model is configured to translate; set `models.answer`, or name one with --model";
        return Err(Usage(sentence.to_owned()).into());
    };
    let default = app.engine.policies.memory.language.clone();
    let reader = Reader::of_tenant(&args.tenant);
    let entries = app.store.memory.entries(&reader).await?;
    if let Some(unknown) = args.ids.iter().find(|id| entries.iter().all(|entry| entry.id != **id)) {
        return Err(Usage(format!("there is no entry '{unknown}'")).into());
    }
    let wanted = entries.into_iter().filter(|entry| args.ids.is_empty() || args.ids.contains(&entry.id));
    let (mut made, mut failed, mut there) = (0, Vec::new(), 0);
    for entry in wanted {
        let mut current: MemoryEntry = entry;
        for language in &args.to {
            if made == TRANSLATIONS_MAX || !wants_translation(&current, language, args.again) {
                there += usize::from(made < TRANSLATIONS_MAX);
                continue;
            }
            match translate(&current, (&default, language), &job_model).await {
                Ok(translated) => {
                    // A model takes its time, and beside a server others change entries meanwhile.
                    let _turn = app.turn_for_small_change(&args.tenant).await?;
                    if !app.store.memory.entries(&reader).await?.contains(&current) {
                        failed.push(format!("{} was changed in the meantime ({language})", current.id));
                        break;
                    }
                    // Each is kept at once: what was translated before a failure is not lost with it.
                    keep(&app, vec![translated.clone()], &args.tenant).await?;
                    current = translated;
                    made += 1;
                }
                Err(TranslateError::Model(error)) => return Err(error.into()),
                Err(
                    error @ (TranslateError::NotWhole(_)
                    | TranslateError::NothingWritten(_)
                    | TranslateError::TooMany(_)),
                ) => {
                    failed.push(format!("{error} ({language})"));
                }
            }
        }
    }
    if common.json {
        print_json(&serde_json::json!({ "translated": made, "unchanged": there, "failed": failed }))?;
    } else {
        let lines: String = failed.iter().map(|sentence| format!("{sentence}\n")).collect();
        print(&format!("{lines}translated {made}, unchanged {there}, failed {}\n", failed.len()))?;
    }
    Ok(if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
