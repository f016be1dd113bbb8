//! What begins with two dots: directives, footnotes, and what no reader sees.

use super::{
    body::{Body, block_length},
    line_marks::{dedented, field, is_blank},
    tables,
};

/// Directives whose words nobody reads here, or that stand for what is elsewhere.
const SILENT: &[&str] = &[
    "codeauthor",
    "contents",
    "currentmodule",
    "date",
    "default-domain",
    "default-role",
    "default-intersphinx",
    "footer",
    "header",
    "highlight",
    "highlightlang",
    "image",
    "include",
    "index",
    "literalinclude",
    "meta",
    "module",
    "moduleauthor",
    "py:currentmodule",
    "py:module",
    "program",
    "raw",
    "role",
    "section-numbering",
    "sectionauthor",
    "sectnum",
    "tabularcolumns",
    "target-notes",
    "title",
    "toctree",
    "todolist",
    "unicode",
    "graphviz",
    "digraph",
    "plot",
    "inheritance-diagram",
    "testsetup",
    "testcleanup",
    "bibliography",
    "autosummary",
];
const CODE: &[&str] = &[
    "code",
    "code-block",
    "sourcecode",
    "parsed-literal",
    "math",
    "productionlist",
    "doctest",
    "testcode",
    "testoutput",
    "prompt",
    "ipython",
    "console",
    "command-output",
    "jupyter-execute",
    "ipython3",
    "cli",
    "code-cell",
];
const NOTES: &[&str] =
    &["attention", "caution", "danger", "error", "hint", "important", "note", "tip", "warning", "todo"];
/// Directives with a title of their own.
const TITLED: &[&str] =
    &["admonition", "topic", "sidebar", "rubric", "centered", "dropdown", "tab-item", "tab", "card", "grid-item-card"];
/// Directives that describe a part of a program, besides those whose name has a colon.
const DESCRIBED: &[&str] = &[
    "describe",
    "object",
    "function",
    "class",
    "method",
    "classmethod",
    "staticmethod",
    "attribute",
    "data",
    "exception",
    "property",
    "option",
    "cmdoption",
    "envvar",
    "confval",
    "decorator",
    "decoratormethod",
    "macro",
    "type",
    "member",
    "opcode",
    "pdbcommand",
    "setting",
    "django-admin",
    "templatetag",
    "templatefilter",
    "fieldlookup",
];

struct Directive<'a> {
    name: &'a str,
    arguments: Vec<&'a str>,
    options: Vec<(&'a str, &'a str)>,
    content: Vec<&'a str>,
}

impl Body<'_> {
    /// Reads what begins with two dots; answers how many lines it was.
    pub(super) fn explicit(&mut self, lines: &[&str], line: &str, depth: usize) -> usize {
        let words = line.get(2..).unwrap_or_default().trim_start();
        // Two dots alone are an end: what is indented below them is a quote.
        if words.is_empty() && lines.get(1).is_none_or(|next| is_blank(next)) {
            return 1;
        }
        let taken = 1 + block_length(lines.get(1..).unwrap_or_default(), 0);
        let below = dedented(lines.get(1..taken).unwrap_or_default());
        if words.starts_with('_') || words.starts_with('|') {
            return taken;
        }
        if let Some((label, words)) = words.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            self.footnote(label, words.trim_start(), &below, depth);
        } else if let Some((name, argument)) = directive_name(words) {
            let name = name.to_ascii_lowercase();
            let directive = directive(&name, argument, &below);
            self.directive(&directive, depth);
        }
        taken
    }

    fn footnote(&mut self, label: &str, words: &str, below: &[&str], depth: usize) {
        let shown = match self.names.footnotes.get(label) {
            Some(number) => number.to_string(),
            None if label == "#" => self.names.next_defined().to_string(),
            None => label.to_owned(),
        };
        self.out.lead(&format!("[{shown}]"));
        let mut inner = vec![words];
        inner.extend(below);
        self.read(&inner, depth + 1);
    }

    fn directive(&mut self, directive: &Directive<'_>, depth: usize) {
        let Directive { name, arguments, content, .. } = directive;
        let with_arguments: Vec<&str> = arguments.iter().chain(content).copied().collect();
        match role(name, arguments) {
            Role::Silent => {}
            Role::Code => {
                self.code(name, if content.is_empty() || shows_arguments(name) { &with_arguments } else { content })
            }
            Role::Note(title) => {
                self.out.lead(&title);
                self.read(&with_arguments, depth + 1);
            }
            Role::Version(verb) => {
                let (version, words) = self.version(arguments);
                self.out.lead(&format!("{verb} version {version}"));
                let mut inner = vec![words.as_str(), ""];
                inner.extend(content);
                self.read(&inner, depth + 1);
            }
            Role::Table => self.table_directive(directive, depth),
            Role::DocumentTitle => self.title = arguments.first().map(|title| (*title).to_owned()),
            Role::Titled => {
                let title = self.plain(&arguments.join(" "));
                self.out.words(&title);
                self.read(content, depth + 1);
            }
            Role::Description => {
                let subject = self.plain(&arguments.join(", ").replace('\\', ""));
                self.out.open_term(&subject);
                self.read(content, depth + 1);
                self.out.close_item();
            }
            Role::Frame => {
                self.read(if shows_arguments(name) { &with_arguments } else { content }, depth + 1);
            }
        }
    }

    fn code(&mut self, name: &str, lines: &[&str]) {
        let mut code = dedented(lines).join("\n");
        if name == "parsed-literal" {
            code = self.plain(&code);
        }
        self.out.code(&code);
    }

    /// The version a remark is about, and what it says on the same line.
    fn version(&self, arguments: &[&str]) -> (String, String) {
        let words = arguments.join("\n");
        let (version, rest) = words.split_once(char::is_whitespace).unwrap_or((&words, ""));
        (self.plain(version), rest.to_owned())
    }

    fn table_directive(&mut self, directive: &Directive<'_>, depth: usize) {
        let title = self.plain(&directive.arguments.join(" "));
        self.out.words(&title);
        match directive.name {
            "csv-table" => {
                let header = directive.options.iter().find(|(name, _)| *name == "header").map(|(_, value)| *value);
                let lines: Vec<&str> = header.into_iter().chain(directive.content.iter().copied()).collect();
                let delimiter = directive.options.iter().find(|(name, _)| *name == "delim").map(|(_, value)| *value);
                self.table(tables::csv(&lines.join("\n"), delimiter.unwrap_or(",")));
            }
            "list-table" => self.table(tables::list_table(&directive.content)),
            _ => self.read(&directive.content, depth + 1),
        }
    }
}

/// What a directive is to a reader.
enum Role {
    Silent,
    Code,
    Note(String),
    /// A remark on a version, with the words before it.
    Version(&'static str),
    Table,
    DocumentTitle,
    Titled,
    /// What is said of a part of a program.
    Description,
    /// It says something about what is in it, and shows nothing of its own.
    Frame,
}

fn role(name: &str, arguments: &[&str]) -> Role {
    let is_style = matches!(name, "class" | "rst-class") && is_class_names(arguments);
    match name {
        "title" => Role::DocumentTitle,
        "seealso" => Role::Note("See also".to_owned()),
        "list-table" | "csv-table" | "table" => Role::Table,
        _ if is_style => Role::Frame,
        _ if CODE.contains(&name) => Role::Code,
        _ if NOTES.contains(&name) => Role::Note(capitalised(name)),
        _ if TITLED.contains(&name) => Role::Titled,
        _ if SILENT.contains(&name) || name.rsplit(':').next().is_some_and(|bare| bare.starts_with("auto")) => {
            Role::Silent
        }
        _ if DESCRIBED.contains(&name) || name.contains(':') => Role::Description,
        _ => version_verb(name).map_or(Role::Frame, Role::Version),
    }
}

/// Whether the words on a directive's first line belong to its content.
fn shows_arguments(name: &str) -> bool {
    matches!(name, "math" | "parsed-literal" | "productionlist" | "compound" | "epigraph" | "highlights" | "pull-quote")
}

/// `.. class:: special` names a style, `.. class:: Boat(mast)` describes one of a program.
fn is_class_names(arguments: &[&str]) -> bool {
    arguments.iter().all(|line| {
        line.split_whitespace()
            .all(|word| word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'))
    })
}

fn version_verb(name: &str) -> Option<&'static str> {
    match name {
        "versionadded" => Some("New in"),
        "versionchanged" => Some("Changed in"),
        "deprecated" | "deprecated-removed" => Some("Deprecated since"),
        "versionremoved" => Some("Removed in"),
        _ => None,
    }
}

fn directive_name(words: &str) -> Option<(&str, &str)> {
    let (name, argument) = words.split_once("::")?;
    let name = name.trim_end();
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "-_.+:".contains(c));
    let is_apart = argument.is_empty() || argument.starts_with(' ');
    (is_name && is_apart).then(|| (name, argument.trim()))
}

fn directive<'a>(name: &'a str, argument: &'a str, below: &[&'a str]) -> Directive<'a> {
    let mut arguments: Vec<&str> = Some(argument).filter(|argument| !argument.is_empty()).into_iter().collect();
    let head = below.iter().take_while(|line| !is_blank(line) && field(line).is_none()).count();
    let is_code = CODE.contains(&name);
    // Without an empty line between, what stands below belongs to the first line.
    let is_argument = !arguments.is_empty() && !is_code;
    if is_argument {
        arguments.extend(below.iter().take(head));
    }
    let rest = below.get(if is_argument { head } else { 0 }..).unwrap_or_default();
    let mut options: Vec<(&str, &str)> = Vec::new();
    let mut at = 0;
    while let Some(line) = rest.get(at).filter(|line| !is_blank(line)) {
        match field(line) {
            Some(option) => options.push(option),
            None if line.starts_with(' ') && !options.is_empty() => {}
            None => break,
        }
        at += 1;
    }
    Directive { name, arguments, options, content: rest.get(at..).unwrap_or_default().to_vec() }
}

fn capitalised(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
