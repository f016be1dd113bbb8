//! No file uses another that, directly or through others, uses it: whoever reads a file can read what it needs first.
//!
//! A name that a module passes on (`pub use`) counts for the file that defines it; passing a name on is not using it.
//! A module that calls its own child by path while the child uses the module's types is one idea in two files, as `mod.rs` is
//! meant to be used; such calls count where they would close a circle through any file outside that module.
#![expect(clippy::expect_used, reason = "a source that cannot be read is a broken test")]

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

/// A path of modules from a crate's root.
type Module = Vec<String>;

/// One crate: the file of every module, and the names it passes on with the paths they come from.
struct Crate {
    texts: BTreeMap<Module, (String, String)>,
    passed_on: BTreeMap<Module, Vec<(String, Module)>>,
}

impl Crate {
    fn read(folder: &Path) -> Self {
        let mut texts = BTreeMap::new();
        read_modules(folder, &mut Vec::new(), &mut texts);
        let mut this = Self { texts, passed_on: BTreeMap::new() };
        for (module, (_, text)) in &this.texts {
            let imported = split_imports(text).0.into_iter().flat_map(|import| import.names);
            let names = imported.filter_map(|(name, path)| Some((name, absolute(module, &path)?)));
            this.passed_on.insert(module.clone(), names.collect());
        }
        this
    }

    /// The module whose file a path leads to, through whatever passes the name on.
    fn target(&self, path: &[String], depth: usize) -> Option<Module> {
        let length =
            (0..=path.len()).rev().find(|length| self.texts.contains_key(path.get(..*length).unwrap_or(&[])))?;
        let (module, rest) = path.split_at(length);
        let Some(name) = rest.first() else { return Some(module.to_vec()) };
        let from = self.passed_on.get(module)?.iter().find(|(passed, _)| passed == name);
        match from {
            Some((_, origin)) if depth < 8 && origin.as_slice() != path => {
                let origin: Vec<String> = origin.iter().chain(rest.iter().skip(1)).cloned().collect();
                self.target(&origin, depth + 1)
            }
            _ => Some(module.to_vec()),
        }
    }

    /// Which modules each one uses, with or without its own children that it calls by their paths.
    fn uses(&self, calls: Calls) -> BTreeMap<Module, BTreeSet<Module>> {
        let mut uses: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
        for (module, (_, text)) in &self.texts {
            let (imported, code) = split_imports(text);
            let private = imported.into_iter().filter(|import| !import.is_passed_on).flat_map(|import| import.names);
            let all = private.map(|(_, path)| path).chain(inline_paths(&code, calls));
            let targets = all.filter_map(|path| self.target(&absolute(module, &path)?, 0));
            uses.entry(module.clone()).or_default().extend(targets.filter(|target| target != module));
        }
        uses
    }
}

fn read_modules(folder: &Path, at: &mut Module, texts: &mut BTreeMap<Module, (String, String)>) {
    for entry in std::fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        let stem = path.file_stem().expect("a name").to_string_lossy().into_owned();
        if path.is_dir() {
            at.push(stem);
            read_modules(&path, at, texts);
            at.pop();
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let mut module = at.clone();
            if !["lib", "main", "mod"].contains(&stem.as_str()) {
                module.push(stem);
            }
            let text = std::fs::read_to_string(&path).expect("a source");
            let shipped = text.split("#[cfg(test)]").next().unwrap_or_default();
            let code = shipped.lines().map(|line| line.split("//").next().unwrap_or_default());
            texts.insert(module, (path.display().to_string(), code.collect::<Vec<_>>().join("\n")));
        }
    }
}

struct Import {
    is_passed_on: bool,
    /// Each name, and the path it stands for.
    names: Vec<(String, Module)>,
}

/// The `use` items of a text, and the text without them.
fn split_imports(text: &str) -> (Vec<Import>, String) {
    let (mut imports, mut rest, mut open) = (Vec::new(), String::new(), None::<(bool, String)>);
    for line in text.lines() {
        let trimmed = line.trim_start();
        let start = trimmed.find("use ").filter(|at| {
            let before = trimmed.get(..*at).unwrap_or_default();
            before.is_empty() || (before.starts_with("pub") && !before.contains('='))
        });
        match (&mut open, start) {
            (Some((_, body)), _) => body.push_str(line),
            (None, Some(at)) => open = Some((at > 0, trimmed.get(at + 4..).unwrap_or_default().to_owned())),
            (None, None) => {
                rest.push_str(line);
                rest.push('\n');
            }
        }
        if let Some((is_passed_on, body)) = open.take_if(|(_, body)| body.contains(';')) {
            let body: String = body.chars().filter(|letter| *letter != ';').collect();
            imports.push(Import { is_passed_on, names: flattened(&body) });
        }
    }
    (imports, rest)
}

/// `a::{b, c::{d as e}}` as `b` for `a::b` and `e` for `a::c::d`.
fn flattened(tree: &str) -> Vec<(String, Module)> {
    let parts_of = |path: &str| -> Module {
        let parts = path.split("::").map(|part| part.trim().to_owned());
        parts.filter(|part| !["", "self"].contains(&part.as_str())).collect()
    };
    let tree = tree.trim();
    let Some((before, inside)) = tree.split_once('{') else {
        let (path, alias) = tree.split_once(" as ").map_or((tree, None), |(path, alias)| (path, Some(alias)));
        let path = parts_of(path);
        let name = alias.map(|alias| alias.trim().to_owned()).or_else(|| path.last().cloned());
        return name.map(|name| (name, path)).into_iter().collect();
    };
    let (mut depth, mut parts, mut part) = (0, Vec::new(), String::new());
    for letter in inside.trim_end().strip_suffix('}').unwrap_or(inside).chars().chain(",".chars()) {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if letter == ',' && depth == 0 {
            parts.extend(flattened(&std::mem::take(&mut part)));
        } else {
            part.push(letter);
        }
    }
    let prefix = parts_of(before);
    parts.into_iter().map(|(name, path)| (name, prefix.iter().cloned().chain(path).collect())).collect()
}

/// Which paths in the middle of code are looked at.
#[derive(Clone, Copy)]
enum Calls {
    /// Those from `crate` or `super`.
    Upward,
    /// All of them.
    All,
}

/// Paths in the middle of code.
fn inline_paths(code: &str, calls: Calls) -> Vec<Module> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == ':';
    // `pub(in crate::a)` says who may see a name, not what is used.
    let code = code.replace("(in crate::", "(");
    let words = code.split(|letter: char| !is_part(letter));
    let paths = words.filter(|word| match calls {
        Calls::Upward => word.starts_with("crate::") || word.starts_with("super::"),
        Calls::All => word.contains("::") && !word.starts_with(':'),
    });
    paths.map(|path| path.split("::").filter(|part| !part.is_empty()).map(str::to_owned).collect()).collect()
}

/// A path as seen from a module, from the crate's root; nothing where it leads to another crate.
fn absolute(module: &[String], path: &[String]) -> Option<Module> {
    match path.first()?.as_str() {
        "crate" => Some(path.get(1..)?.to_vec()),
        "super" => {
            let ups = path.iter().take_while(|part| *part == "super").count();
            let base = module.get(..module.len().checked_sub(ups)?)?;
            Some(base.iter().chain(path.get(ups..)?).cloned().collect())
        }
        // Since edition 2018 a bare path names another crate or a child of the module.
        _ => Some(module.iter().chain(path).cloned().collect()),
    }
}

/// Groups of modules that use one another in a circle.
fn circles(uses: &BTreeMap<Module, BTreeSet<Module>>) -> BTreeSet<BTreeSet<Module>> {
    let reach = |from: &Module| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from.clone()]);
        while let Some(module) = open.pop() {
            for next in uses.get(&module).into_iter().flatten() {
                if seen.insert(next.clone()) {
                    open.push(next.clone());
                }
            }
        }
        seen
    };
    let reached: BTreeMap<&Module, BTreeSet<Module>> = uses.keys().map(|module| (module, reach(module))).collect();
    let group = |module: &Module| -> BTreeSet<Module> {
        let own = reached.get(module).into_iter().flatten();
        own.filter(|other| reached.get(other).is_some_and(|back| back.contains(module))).cloned().collect()
    };
    uses.keys().map(group).filter(|group| group.len() > 1).collect()
}

/// Whether a group is a module and what lies below it.
fn is_one_module(group: &BTreeSet<Module>) -> bool {
    group.first().is_some_and(|top| !top.is_empty() && group.iter().all(|module| module.starts_with(top)))
}

#[test]
fn no_files_use_one_another_in_a_circle() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Vec::new();
    for entry in std::fs::read_dir(&crates).expect("crates") {
        let path = entry.expect("an entry").path();
        let read = Crate::read(&path.join("src"));
        assert!(!read.texts.is_empty(), "{} has no sources", path.display());
        let (upward, all) = (read.uses(Calls::Upward), read.uses(Calls::All));
        let alone = circles(&upward).into_iter().map(|group| (&upward, group));
        let beyond = circles(&all).into_iter().filter(|group| !is_one_module(group)).map(|group| (&all, group));
        for (uses, group) in alone.chain(beyond) {
            let name = |module: &Module| module.join("::");
            let arrows = group.iter().map(|module| {
                let to = uses.get(module).into_iter().flatten().filter(|other| group.contains(*other));
                format!("\n    {} -> {}", name(module), to.map(name).collect::<Vec<_>>().join(", "))
            });
            found.push(format!("  {}:{}", path.display(), arrows.collect::<String>()));
        }
    }
    assert!(found.is_empty(), "{} circles:\n{}", found.len(), found.join("\n"));
}

#[test]
fn a_circle_is_noticed() {
    let modules = |names: &[&str]| names.iter().map(|name| vec![(*name).to_owned()]).collect::<BTreeSet<Module>>();
    let uses = |pairs: &[(&str, &[&str])]| {
        pairs.iter().map(|(from, to)| (vec![(*from).to_owned()], modules(to))).collect::<BTreeMap<_, _>>()
    };
    assert_eq!(circles(&uses(&[("a", &["b"]), ("b", &["c"]), ("c", &[])])), BTreeSet::new());
    let round = circles(&uses(&[("a", &["b"]), ("b", &["c"]), ("c", &["b"])]));
    assert_eq!(round, BTreeSet::from([modules(&["b", "c"])]));
    let nested = "super::f, crate::{d::E, a::{B, C}}";
    let found = flattened(&format!("{{{nested}}}"));
    let paths: Vec<String> = found.iter().map(|(_, path)| path.join("::")).collect();
    assert_eq!(paths, ["super::f", "crate::d::E", "crate::a::B", "crate::a::C"]);
}
