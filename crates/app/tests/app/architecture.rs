//! The code is laid out as `ARCHITECTURE.md` says: which crate may use which, the order of the stages, the size of files.
#![expect(clippy::expect_used, reason = "sources that cannot be read are a broken test")]

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

const LINES_MAX: usize = 400;
const FUNCTION_LINES_MAX: usize = 70;

/// What each crate may depend on among ours.
const ARROWS: &[(&str, &[&str])] = &[
    ("domain", &[]),
    ("engine", &["domain"]),
    ("models", &["domain"]),
    ("adapters", &["domain"]),
    ("formats", &["domain"]),
    ("testkit", &["domain"]),
    ("evals", &["domain", "engine"]),
    ("service", &["domain", "engine"]),
    ("server", &["domain", "engine", "service"]),
    ("app", &["domain", "engine", "models", "adapters", "formats", "evals", "service", "server"]),
    ("bench", &["domain", "engine", "models", "adapters", "formats", "evals", "service", "testkit"]),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).expect("a readable file")
}

/// Every Rust file below a folder, with its path from the workspace.
fn sources(folder: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut open = vec![root().join(folder)];
    while let Some(path) = open.pop() {
        for entry in std::fs::read_dir(&path).expect("a readable folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() && path.file_name().is_some_and(|name| name != "target") {
                open.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let name = path.strip_prefix(root()).expect("below the workspace").display().to_string();
                found.insert(name, read(&path));
            }
        }
    }
    found
}

/// The part of a file before its tests.
fn shipped(text: &str) -> &str {
    text.split("#[cfg(test)]").next().unwrap_or(text)
}

#[test]
fn crates_depend_one_way() {
    for (name, allowed) in ARROWS {
        let manifest = read(&root().join("crates").join(name).join("Cargo.toml"));
        let dependencies = manifest.split("[dependencies]").nth(1).unwrap_or_default();
        let dependencies = dependencies.split("\n[").next().unwrap_or_default();
        let ours = dependencies.lines().filter_map(|line| line.strip_prefix("vouch-")?.split(['.', ' ']).next());
        for other in ours {
            assert!(allowed.contains(&other), "{name} must not depend on {other}");
        }
    }
    let folders = std::fs::read_dir(root().join("crates")).expect("crates").count();
    assert_eq!(folders, ARROWS.len(), "a crate without arrows");
}

#[test]
fn no_stage_names_a_later_one() {
    let order: Vec<String> = read(&root().join("crates/engine/src/lib.rs"))
        .lines()
        .filter_map(|line| Some(line.strip_prefix("pub mod ")?.trim_end_matches(';').to_owned()))
        .collect();
    assert!(order.len() > 5, "{order:?}");
    for (at, stage) in order.iter().enumerate() {
        let own = |name: &String| {
            name.contains(&format!("engine/src/{stage}/")) || name.ends_with(&format!("engine/src/{stage}.rs"))
        };
        for (name, text) in sources("crates/engine/src").iter().filter(|(name, _)| own(name)) {
            for later in order.iter().skip(at + 1) {
                // A stage may be named alone or inside a braced list of imports.
                let alone = format!("crate::{later}");
                let listed = format!("    {later}::");
                assert!(!text.contains(&alone) && !text.contains(&listed), "{name} names {later}");
            }
        }
    }
}

#[test]
fn inner_rooms_name_nothing_outside() {
    let rules: &[(&str, &[&str])] = &[
        (
            "crates/domain/src",
            &["std::fs", "std::net", "std::env", "tokio", "serde", "SystemTime::now", "Instant::now"],
        ),
        (
            "crates/engine/src",
            &[
                "sqlite",
                "tantivy",
                "rten",
                "ollama",
                "openai",
                "postgres",
                "std::fs",
                "std::env",
                "serde_json",
                "serde_saphyr",
            ],
        ),
        ("crates/engine/src", &["SystemTime", "Instant::now", "HashMap", "HashSet", "rand::"]),
        ("crates/adapters/src", &["vouch_engine", "vouch_service", "vouch_server"]),
        ("crates/models/src", &["vouch_engine", "vouch_service", "vouch_server"]),
        ("crates/service/src", &["vouch_adapters", "vouch_models", "vouch_server", "axum", "hyper", "rmcp"]),
        ("crates/server/src", &["vouch_adapters", "vouch_models"]),
    ];
    for (folder, forbidden) in rules {
        for (name, text) in sources(folder) {
            let code: Vec<&str> = shipped(&text).lines().filter(|line| !line.trim_start().starts_with("//")).collect();
            let code = code.join("\n").to_lowercase();
            for word in *forbidden {
                assert!(!code.contains(&word.to_lowercase()), "{name} names {word}");
            }
        }
    }
}

/// Whoever asks at the command line needs no HTTP.
#[test]
fn only_what_serves_names_the_server() {
    let serving = ["crates/app/src/commands/serve.rs", "crates/app/src/commands/mcp.rs", "crates/app/src/logs/line.rs"];
    for (name, text) in sources("crates/app/src") {
        let is_named = shipped(&text).contains("vouch_server") || text.contains("axum");
        assert!(!is_named || serving.contains(&name.as_str()), "{name} names the server");
    }
}

#[test]
fn unsafe_code_lies_in_one_room() {
    for (name, text) in sources("crates") {
        // The allocator that counts for one test is not shipped.
        let is_kernel =
            name.starts_with("crates/models/src/kernels/") || name == "crates/app/tests/app/support/counting.rs";
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        let has_some = code.clone().any(|line| line.contains("unsafe {") || line.contains("unsafe fn"));
        assert!(is_kernel || !has_some || name.ends_with("architecture.rs"), "{name} has unsafe code");
    }
}

#[test]
fn every_file_says_what_it_is_and_stays_small() {
    for (name, text) in sources("crates") {
        assert!(text.starts_with("//!"), "{name} has no header");
        let lines = text.lines().count();
        assert!(lines <= LINES_MAX, "{name} has {lines} lines");
    }
}

#[test]
fn functions_end_by_line_seventy() {
    for (name, text) in sources("crates") {
        let mut open: Option<(usize, String, usize)> = None;
        for (number, line) in (1usize..).zip(text.lines()) {
            let indent = line.len() - line.trim_start().len();
            let is_function = line.trim_start().split(" fn ").next().is_some_and(|before| {
                (line.contains(" fn ") || line.trim_start().starts_with("fn "))
                    && before.split_whitespace().all(|word| {
                        word.starts_with("pub")
                            || word.ends_with(')')
                            || ["async", "const", "fn", "unsafe"].contains(&word)
                            || before.starts_with("fn ")
                    })
            });
            if open.is_none() && is_function && !line.trim_end().ends_with(';') {
                open = Some((number, line.trim().to_owned(), indent));
            }
            if let Some((start, what, depth)) = &open
                && indent == *depth
                && line.trim_start().starts_with('}')
            {
                assert!(number - start < FUNCTION_LINES_MAX, "{name}:{start} {what} has {} lines", number - start + 1);
                open = None;
            }
        }
    }
}

/// A line of the log is filed under the part of the program it comes from, by the name of its module.
#[test]
fn every_module_that_the_log_knows_exists() {
    let text = read(&root().join("crates/app/src/logs/line.rs"));
    let table = text.split("const COMPONENTS").nth(1).and_then(|rest| rest.split("];").next()).expect("a table");
    let modules: Vec<&str> = table.split('"').filter(|word| word.starts_with("vouch_")).collect();
    assert!(modules.len() > 10, "{modules:?}");
    for module in modules {
        let mut names = module.split("::");
        let own = names.next().and_then(|name| name.strip_prefix("vouch_")).expect("one of our crates");
        let path = names.fold(root().join("crates").join(own).join("src"), |path, name| path.join(name));
        assert!(path.is_dir() || path.with_extension("rs").is_file(), "{module} does not exist");
    }
}

#[test]
fn every_path_on_the_map_exists() {
    let map = read(&root().join("ARCHITECTURE.md"));
    let is_path = |word: &&str| word.contains('/') && !word.contains([' ', '<', '*', ':']) && !word.starts_with('/');
    let paths: Vec<&str> = map.split('`').skip(1).step_by(2).filter(is_path).collect();
    assert!(paths.len() > 20, "the map names only {} places", paths.len());
    for path in paths {
        assert!(root().join(path).exists(), "{path} is named in ARCHITECTURE.md and does not exist");
    }
}

#[test]
fn every_folder_of_the_engine_and_the_adapters_is_on_the_map() {
    let map = read(&root().join("ARCHITECTURE.md"));
    for parent in ["crates", "crates/engine/src", "crates/adapters/src", "crates/domain/src"] {
        for entry in std::fs::read_dir(root().join(parent)).expect("a readable folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            assert!(!path.is_dir() || map.contains(&name), "{parent}/{name} is not on the map");
        }
    }
}

#[test]
fn the_projects_files_name_no_machine() {
    for file in ["README.md", "ARCHITECTURE.md", "CONVENTIONS.md", "CHANGELOG.md", ".ci/run"] {
        let text = read(&root().join(file));
        for word in ["/work/", "/root/", "../shared"] {
            assert!(!text.contains(word), "{file} names {word}");
        }
    }
}
