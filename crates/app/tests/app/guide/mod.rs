//! README.md and docs/guide: what they tell a reader to type works.
//!
//! Blocks tagged `sh` run from top to bottom, one temporary folder and one shell per page, with the `profiles` folder beside
//! them. A command that fails, fails its page. Blocks tagged `sh no-run` need what a test does not have: a model server,
//! systemd, the network. Of these, and of commands named in the prose, the subcommand and every option must exist in the help
//! text.
#![cfg(unix)]
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

mod page;
mod script;

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use page::{Page, Tag};

use crate::support::Place;

/// The pages, in the order a reader meets them, and one test for each.
macro_rules! pages {
    ($($test:ident: $name:literal),+ $(,)?) => {
        const PAGES: &[&str] = &[$($name),+];
        $(#[test]
        fn $test() {
            script::run($name, &read($name));
        })+
    };
}

pages! {
    the_readme_works: "README.md",
    the_index_works: "docs/guide/README.md",
    the_page_on_ingest_works: "docs/guide/ingest.md",
    the_page_on_terms_works: "docs/guide/terms.md",
    the_page_on_memory_works: "docs/guide/memory.md",
    the_page_on_access_works: "docs/guide/access.md",
    the_page_on_agents_works: "docs/guide/agents.md",
    the_page_on_models_works: "docs/guide/models.md",
    the_page_on_the_api_works: "docs/guide/api.md",
    the_page_on_operations_works: "docs/guide/operations.md",
    the_page_on_several_servers_works: "docs/guide/nodes.md",
    the_page_on_evaluation_works: "docs/guide/evaluation.md",
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(name: &str) -> Page {
    Page::parse(&std::fs::read_to_string(root().join(name)).expect("a readable page"))
}

#[test]
fn the_readme_has_the_two_commands_of_a_fresh_machine() {
    let readme = std::fs::read_to_string(root().join("README.md")).expect("a readme");
    for command in ["cargo run --release -- demo", "cargo test --workspace"] {
        assert!(readme.lines().any(|line| line == command), "no line says: {command}");
    }
}

#[test]
fn every_page_is_tested_and_in_the_index() {
    let index = std::fs::read_to_string(root().join("docs/guide/README.md")).expect("an index");
    let listed: BTreeSet<PathBuf> = PAGES.iter().map(|name| root().join(name)).collect();
    for entry in std::fs::read_dir(root().join("docs/guide")).expect("the guide") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        assert!(listed.contains(&path), "{name} is not tested");
        assert!(name == "README.md" || index.contains(&format!("({name})")), "the index does not name {name}");
    }
}

#[test]
fn every_command_that_is_named_exists() {
    let manual = Manual::new();
    let mut faults = Vec::new();
    let mut checked = 0;
    for name in PAGES {
        let page = read(name);
        let blocks = page.blocks.iter().filter(|block| block.tag != Tag::Other).map(|block| (block.line, &block.text));
        let spans = page.spans.iter().map(|span| (span.line, &span.text));
        for (line, text) in blocks.chain(spans) {
            for words in page::commands(text) {
                checked += 1;
                faults.extend(manual.misuse(&words).map(|fault| format!("{name}:{line}: {fault}")));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(checked > 100, "only {checked} commands were found");
}

#[test]
fn no_command_hides_in_an_untagged_block() {
    for name in PAGES {
        for block in read(name).blocks.iter().filter(|block| block.tag == Tag::Other) {
            let mut lines = block.text.lines().map(|line| line.trim_start_matches("$ "));
            let hidden = lines.find(|line| line.starts_with("vouch ") || line.starts_with("curl "));
            assert_eq!(hidden, None, "{name}:{}", block.line);
        }
    }
}

#[test]
fn every_link_leads_to_a_file() {
    for name in PAGES {
        let text = read(name).prose;
        let folder = root().join(name).parent().expect("a folder").to_path_buf();
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
        for target in targets.filter(|target| !target.contains("://") && !target.is_empty()) {
            assert!(folder.join(target).exists(), "{name} links to {target}, which is not there");
        }
    }
}

#[test]
fn a_command_or_an_option_that_does_not_exist_is_noticed() {
    let manual = Manual::new();
    let fault = |line: &str| page::commands(line).iter().find_map(|words| manual.misuse(words));
    assert_eq!(fault("X=1 vouch ask \"What --is it?\" --explain  # --never\nsystemctl --none"), None);
    assert_eq!(fault("vouch store backup \\\n  backups/monday --json"), None);
    assert!(fault("vouch ask it --explian").is_some());
    assert!(fault("vouch store bakcup there").is_some());
    assert!(fault("cd there && vouch akk it").is_some());
}

/// Help texts, each asked for once.
struct Manual {
    place: Place,
    texts: RefCell<BTreeMap<String, String>>,
}

impl Manual {
    fn new() -> Self {
        Self { place: Place::new(), texts: RefCell::default() }
    }

    fn help(&self, path: &[&str]) -> String {
        let mut texts = self.texts.borrow_mut();
        let text = texts.entry(path.join(" ")).or_insert_with(|| {
            let words: Vec<&str> = path.iter().copied().chain(["--help"]).collect();
            let ran = self.place.run(&words);
            assert_eq!(ran.code, Some(0), "{}", ran.err);
            ran.out
        });
        text.clone()
    }

    /// What is wrong with the words after `vouch`: a subcommand or an option that its help text does not have.
    fn misuse(&self, words: &[String]) -> Option<String> {
        let mut rest = words.iter().map(String::as_str).peekable();
        let mut path: Vec<&str> = Vec::new();
        loop {
            let help = self.help(&path);
            let listed = help.split("\nCommands:\n").nth(1).and_then(|rest| rest.split("\n\n").next());
            let word = listed.and_then(|_| rest.next_if(|word| !word.starts_with('-')));
            let (Some(listed), Some(word)) = (listed, word) else {
                return unknown_option(&help, rest).map(|option| format!("vouch {} has no {option}", path.join(" ")));
            };
            if !listed.lines().any(|line| line.split_whitespace().next() == Some(word)) {
                return Some(format!("vouch {} has no command {word}", path.join(" ")));
            }
            path.push(word);
        }
    }
}

fn unknown_option<'a>(help: &str, words: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let known: BTreeSet<&str> = help.split([' ', ',', '\n']).filter(|word| word.starts_with('-')).collect();
    let mut options = words.filter(|word| word.starts_with('-')).filter_map(|word| word.split('=').next());
    options.find(|option| !known.contains(option))
}
