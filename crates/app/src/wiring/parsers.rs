//! Settings → who reads files: the site's converters, then workers.

use std::{sync::Arc, time::Duration};

use vouch_domain::ports::Parser;
use vouch_formats::{
    convert::{Converter, ConvertingParser},
    worker::{WorkerLimits, WorkerParser},
};

use crate::settings::IngestSettings;

pub(super) fn parser(settings: &IngestSettings) -> Arc<dyn Parser> {
    let limits = WorkerLimits {
        time: Duration::from_millis(settings.parse_timeout_ms),
        memory_bytes: settings.parse_memory_bytes_max,
    };
    let workers = Arc::new(WorkerParser::of_this_program(limits, settings.access_from.clone()));
    if settings.convert.is_empty() {
        return workers;
    }
    let converter = |one: &crate::settings::ConvertSettings| Converter {
        endings: one.endings.clone(),
        command: one.command.clone(),
        timeout: Duration::from_millis(one.timeout_ms),
        bytes_max: settings.file_bytes_max,
    };
    Arc::new(ConvertingParser::new(settings.convert.iter().map(converter).collect(), workers))
}
