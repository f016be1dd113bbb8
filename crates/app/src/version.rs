//! What `vouch --version` says: the version, how it was built, and the models that are part of it.

use std::sync::LazyLock;

use vouch_models::{EMBEDDER_NAME, JUDGE_NAME};

static TEXT: LazyLock<String> = LazyLock::new(|| {
    let build = if cfg!(debug_assertions) { "debug" } else { "release" };
    let (version, arch, system) = (env!("CARGO_PKG_VERSION"), std::env::consts::ARCH, std::env::consts::OS);
    format!("{version} ({build} build for {arch} {system}; embedder {EMBEDDER_NAME}, judge {JUDGE_NAME})")
});

pub(crate) fn text() -> &'static str {
    TEXT.as_str()
}
