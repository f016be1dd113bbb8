//! A page of Markdown → its fenced blocks, the commands named in its prose, and the words of each `vouch` command.

/// What a fenced block is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tag {
    /// `sh`: runs.
    Run,
    /// `sh no-run`: its commands must exist.
    NoRun,
    /// Output, settings, files.
    Other,
}

/// A piece of a page and the line it starts at.
pub struct Block {
    pub line: usize,
    pub tag: Tag,
    pub text: String,
}

pub struct Page {
    pub blocks: Vec<Block>,
    /// Code in the prose that starts with `vouch`.
    pub spans: Vec<Block>,
    /// Everything outside fenced blocks.
    pub prose: String,
}

impl Page {
    pub fn parse(text: &str) -> Self {
        let mut page = Self { blocks: Vec::new(), spans: Vec::new(), prose: String::new() };
        let mut open: Option<Block> = None;
        for (line, content) in (1..).zip(text.lines()) {
            let fence = content.trim_start().strip_prefix("```");
            match (open.take(), fence) {
                (None, Some(info)) => open = Some(Block { line: line + 1, tag: tag(info), text: String::new() }),
                (None, None) => page.push_prose(line, content),
                (Some(block), Some(_)) => page.blocks.push(block),
                (Some(mut block), None) => {
                    block.text.push_str(content);
                    block.text.push('\n');
                    open = Some(block);
                }
            }
        }
        assert!(open.is_none(), "a block is not closed");
        page
    }

    fn push_prose(&mut self, line: usize, content: &str) {
        let codes = content.split('`').skip(1).step_by(2).filter(|code| code.starts_with("vouch "));
        self.spans.extend(codes.map(|code| Block { line, tag: Tag::NoRun, text: code.to_owned() }));
        self.prose.push_str(content);
        self.prose.push('\n');
    }
}

fn tag(info: &str) -> Tag {
    match info.trim() {
        "sh" => Tag::Run,
        "sh no-run" => Tag::NoRun,
        _ => Tag::Other,
    }
}

/// The words after `vouch` of every such command in a shell text; here-documents are left out.
pub fn commands(text: &str) -> Vec<Vec<String>> {
    let found = split(&without_here_documents(text));
    found.into_iter().filter_map(arguments).collect()
}

/// What follows `vouch`, or `cargo run --release --`, behind assignments of variables.
fn arguments(words: Vec<String>) -> Option<Vec<String>> {
    let mut words = words.into_iter().skip_while(|word| word.contains('=')).peekable();
    match words.next()?.as_str() {
        "vouch" => Some(words.collect()),
        "cargo" if words.peek().is_some_and(|word| word == "run") => {
            Some(words.skip_while(|word| word != "--").skip(1).collect())
        }
        _ => None,
    }
}

fn without_here_documents(text: &str) -> String {
    let mut kept = String::new();
    let mut until: Option<String> = None;
    for line in text.lines() {
        match &until {
            Some(end) if line == end => until = None,
            Some(_) => {}
            None => {
                let mark = line.split("<<").nth(1).and_then(|rest| rest.split_whitespace().next());
                until = mark.map(|mark| mark.trim_matches('\'').to_owned());
                kept.push_str(line);
                kept.push('\n');
            }
        }
    }
    kept
}

/// Commands as words: quotes, continued lines, comments and separators as the shell has them, and nothing expanded.
fn split(text: &str) -> Vec<Vec<String>> {
    let mut commands = vec![Vec::new()];
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut signs = text.chars().peekable();
    while let Some(sign) = signs.next() {
        match (quote, sign) {
            (Some(open), _) if sign == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(sign);
                word.get_or_insert_default();
            }
            (None, '\\') => {
                signs.next();
            }
            (None, '#') if word.is_none() => while signs.next_if(|sign| *sign != '\n').is_some() {},
            (None, ' ' | '\n' | ';' | '&' | '|' | '(' | ')') => {
                commands.last_mut().into_iter().for_each(|command| command.extend(word.take()));
                if sign != ' ' {
                    commands.push(Vec::new());
                }
            }
            (_, _) => word.get_or_insert_default().push(sign),
        }
    }
    commands.last_mut().into_iter().for_each(|command| command.extend(word.take()));
    commands
}
