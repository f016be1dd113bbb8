//! A statement as a profile writes it, with inputs as `:name` → the same with numbers, as PostgreSQL takes them.
//!
//! Invariant: what stands in quotes and comments is no input. One text is one statement, and it looks rows up or changes rows:
//! nothing that ends a transaction, changes a setting or a table begins with these words. Linear in the text.

use vouch_domain::tool::Effect;

/// What a statement that looks something up begins with.
const READING: [&str; 3] = ["SELECT", "WITH", "VALUES"];
/// What one that changes something may begin with, too.
const CHANGING: [&str; 4] = ["INSERT", "UPDATE", "DELETE", "REPLACE"];

/// A statement with numbers in the places of its inputs.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NumberedStatement {
    /// The statement.
    pub(super) text: String,
    /// The input of each number, from one on; an input that occurs twice has two numbers, so that each has the type of its place.
    pub(super) inputs: Vec<String>,
}

/// Whether a statement begins as a tool's may.
pub(super) fn check_opening(sql: &str, effect: Effect) -> Result<(), String> {
    let mut rest = sql.trim_start();
    while let Some(comment) = comment(rest)? {
        rest = rest.get(comment..).unwrap_or_default().trim_start();
    }
    let word: String = rest.chars().take_while(char::is_ascii_alphabetic).collect::<String>().to_ascii_uppercase();
    let is_change = CHANGING.contains(&word.as_str()) && effect == Effect::Changes;
    if is_change || READING.contains(&word.as_str()) {
        return Ok(());
    }
    Err("only SELECT is allowed, and INSERT, UPDATE and DELETE where the tool says `changes: true`".to_owned())
}

/// Numbers the inputs of a statement.
pub(super) fn number(sql: &str) -> Result<NumberedStatement, String> {
    let (mut text, mut inputs) = (String::with_capacity(sql.len()), Vec::<String>::new());
    let mut rest = sql;
    while let Some(letter) = rest.chars().next() {
        let before = text.chars().next_back();
        let is_in_word = before.is_some_and(is_word);
        let taken = if let Some(length) = comment(rest)? {
            text.push(' ');
            length
        } else if letter == '\'' || letter == '"' {
            let has_escapes = letter == '\'' && is_escaping(&text);
            let length = quoted(rest, letter, has_escapes)?;
            text.push_str(rest.get(..length).unwrap_or_default());
            length
        } else if letter == '$' && !is_in_word {
            let length = dollar_quoted(rest)?;
            text.push_str(rest.get(..length).unwrap_or_default());
            length
        } else if let Some(name) = input(rest).filter(|_| before != Some(':')) {
            inputs.push(name.to_owned());
            text.push_str(&format!("${}", inputs.len()));
            name.len() + 1
        } else if letter == ';' {
            check_end(rest)?;
            break;
        } else {
            text.push(letter);
            letter.len_utf8()
        };
        rest = rest.get(taken..).unwrap_or_default();
    }
    Ok(NumberedStatement { text, inputs })
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '$'
}

/// Whether a quote that begins now has escapes: `E'…'`.
fn is_escaping(before: &str) -> bool {
    let mut letters = before.chars().rev();
    matches!(letters.next(), Some('e' | 'E')) && !letters.next().is_some_and(is_word)
}

/// The name of an input that begins here.
fn input(rest: &str) -> Option<&str> {
    let name = rest.strip_prefix(':')?;
    let length = name.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
    let is_name = name.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    name.get(..length).filter(|_| is_name)
}

/// The length of a comment that begins here.
fn comment(rest: &str) -> Result<Option<usize>, String> {
    if rest.starts_with("--") {
        return Ok(Some(rest.find('\n').unwrap_or(rest.len())));
    }
    if !rest.starts_with("/*") {
        return Ok(None);
    }
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(tail) = rest.get(at..).filter(|tail| !tail.is_empty()) {
        if tail.starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if tail.starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return Ok(Some(at));
            }
        } else {
            at += tail.chars().next().map_or(1, char::len_utf8);
        }
    }
    Err("a comment has no end".to_owned())
}

/// The length of a text in quotes that begins here; a doubled quote does not end it.
fn quoted(rest: &str, quote: char, has_escapes: bool) -> Result<usize, String> {
    let mut letters = rest.char_indices().skip(1).peekable();
    while let Some((at, letter)) = letters.next() {
        if letter == '\\' && has_escapes {
            letters.next();
        } else if letter == quote {
            if letters.peek().is_some_and(|(_, next)| *next == quote) {
                letters.next();
            } else {
                return Ok(at + 1);
            }
        }
    }
    Err("a quote has no end".to_owned())
}

/// The length of a text between two `$tag$` that begins here.
fn dollar_quoted(rest: &str) -> Result<usize, String> {
    let after = rest.get(1..).unwrap_or_default();
    let length =
        after.chars().take_while(|letter| *letter != '$' && is_word(*letter)).map(char::len_utf8).sum::<usize>();
    let tag = rest.get(..length + 2).filter(|tag| tag.ends_with('$'));
    let is_number = after.starts_with(|letter: char| letter.is_ascii_digit());
    let tag = tag.filter(|_| !is_number).ok_or("inputs are written `:name`, not `$1`")?;
    let text = rest.get(tag.len()..).unwrap_or_default();
    text.find(tag).map(|end| end + 2 * tag.len()).ok_or_else(|| "a quote has no end".to_owned())
}

/// After the end of a statement there is nothing but white space and comments.
fn check_end(rest: &str) -> Result<(), String> {
    let mut rest = rest.trim_start_matches(|letter: char| letter == ';' || letter.is_whitespace());
    while let Some(length) = comment(rest)? {
        let after = rest.get(length..).unwrap_or_default();
        rest = after.trim_start_matches(|letter: char| letter == ';' || letter.is_whitespace());
    }
    if rest.is_empty() {
        return Ok(());
    }
    Err("several statements in one text; write each as one of the list".to_owned())
}

#[cfg(test)]
mod tests {
    use vouch_domain::tool::Effect;

    use super::{check_opening, number};

    #[test]
    fn inputs_become_numbers_and_nothing_else_does() {
        for (sql, text, inputs) in [
            ("SELECT :a, :b_2, :a", "SELECT $1, $2, $3", vec!["a", "b_2", "a"]),
            ("SELECT :a::date, x::text", "SELECT $1::date, x::text", vec!["a"]),
            ("SELECT ':a', \":a\", ':a'':b' || :c;", "SELECT ':a', \":a\", ':a'':b' || $1", vec!["c"]),
            (r"SELECT E'\':a', :b", r"SELECT E'\':a', $1", vec!["b"]),
            (r"SELECT '\', :b", r"SELECT '\', $1", vec!["b"]),
            ("SELECT $$:a$$, $t$ :a $$ $t$, :b", "SELECT $$:a$$, $t$ :a $$ $t$, $1", vec!["b"]),
            ("SELECT 1 -- :a ; '\n, :b", "SELECT 1  \n, $1", vec!["b"]),
            ("SELECT /* :a /* ; */ ' */ :b ; -- end", "SELECT   $1 ", vec!["b"]),
            ("SELECT a$b, :ü, x := 1", "SELECT a$b, :ü, x := 1", vec![]),
        ] {
            let numbered = number(sql).expect(sql);
            assert_eq!(
                (numbered.text.as_str(), numbered.inputs),
                (text, inputs.into_iter().map(str::to_owned).collect())
            );
        }
    }

    #[test]
    fn what_is_no_single_statement_is_refused() {
        for sql in [
            "SELECT 1; SELECT 2",
            "SELECT 1; /**/ DROP TABLE a",
            "SELECT '",
            "SELECT \"a",
            "SELECT /* /* */",
            "SELECT $1",
            "SELECT $a$",
            "SELECT $a",
        ] {
            number(sql).expect_err(sql);
        }
    }

    #[test]
    fn a_statement_begins_as_its_tool_may() {
        check_opening("-- why\n /* how */ select 1", Effect::Reads).expect("a lookup");
        check_opening("INSERT INTO a VALUES (1)", Effect::Changes).expect("a change");
        for sql in
            ["INSERT INTO a VALUES (1)", "", "COMMIT", "SET ROLE x", "VACUUM", "selects", "(SELECT 1)", "/* SELECT"]
        {
            check_opening(sql, Effect::Reads).expect_err(sql);
        }
        for sql in ["COMMIT", "CALL a()", "DO $$ $$", "COPY a TO PROGRAM 'x'", "PRAGMA x", "EXPLAIN SELECT 1"] {
            check_opening(sql, Effect::Changes).expect_err(sql);
        }
    }
}
