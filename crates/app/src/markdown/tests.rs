//! How answers look, without styles so that they can be read here.

use super::{Flow, Screen, render};

const PLAIN: Screen = Screen { columns: 40, has_styles: false };
const STYLED: Screen = Screen { columns: 40, has_styles: true };

fn plain(text: &str) -> String {
    render(text, PLAIN).0
}

#[test]
fn steps_are_numbered_and_what_does_not_fit_is_set_in() {
    let text = "Do this: [^1]\n\n1. Open the `valve`\n1. Wait until the gauge shows less than four bars [^1]\n   - twice\n1. Close it";
    let expected = "Do this: [1]\n\n1. Open the valve\n2. Wait until the gauge shows less than\n   four bars [1]\n   • twice\n3. Close it\n";
    assert_eq!(plain(text), expected);
}

#[test]
fn code_keeps_its_lines_and_its_language_and_a_marker_does_not_keep_it_open() {
    let text = "Run this:\n\n```sh\ngit config --global commit.gpgsign true --and-a-long-line\n\n  x\n``` [^2]\nThen go on. [^3]";
    let expected = "Run this:\n\n    sh [2]\n    git config --global commit.gpgsign true --and-a-long-line\n\n      x\n\nThen go on. [3]\n";
    assert_eq!(plain(text), expected);
}

#[test]
fn a_table_is_one_with_and_without_its_head() {
    let text = "| Days | Hours |\n| --- | --- |\n| five | 32 |\n| four | 25 | [^1]\nMore. [^2]";
    assert_eq!(plain(text), "Days │ Hours\n─────┼───────\nfive │ 32\nfour │ 25 [1]\n\nMore. [2]\n");
    assert_eq!(plain("| March 3 | Awards are paid | [^1]"), "March 3 │ Awards are paid [1]\n");
    assert_eq!(plain("a | b\n--|--\nc | d [^1]"), "a │ b\n──┼──────\nc │ d [1]\n");
}

#[test]
fn a_table_too_wide_for_the_window_wraps_its_cells_or_lists_them() {
    let wide = "| Name | What it does for the people who use it |\n|--|--|\n| left | nothing at all |";
    let expected = "Name │ What it does for the people who\n     │ use it\n─────┼──────────────────────────────────\nleft │ nothing at all\n";
    assert_eq!(plain(wide), expected);
    let head: String = (0..6).map(|at| format!("column {at} | ")).collect();
    let row: String = (0..6).map(|at| format!("value {at} | ")).collect();
    let many = plain(&format!("| {head}\n|{}\n| {row}", "--|".repeat(6)));
    assert!(many.starts_with("column 0: value 0\ncolumn 1: value 1\n"), "{many}");
}

#[test]
fn pieces_of_two_documents_do_not_run_into_each_other() {
    assert_eq!(plain("One. [^1] Two\nlines. [^1]\nThree. [^2]"), "One. [1] Two lines. [1]\n\nThree. [2]\n");
}

#[test]
fn what_a_site_would_fill_in_or_hide_is_not_shown() {
    let text = "Ask {% slack_channel \"boats\" %} <!-- not --> for <b>help</b>{:.big}. Type `{% raw %}`.";
    assert_eq!(plain(text), "Ask boats for help. Type {% raw %}.\n");
    assert_eq!(plain("<%= warning('Do not go.') %> [^1]"), "Do not go. [1]\n");
    assert_eq!(plain("See [the guide]({% page \"/x\" %})."), "See the guide.\n");
    assert_eq!(plain("An open {% tag stays, as {{ name }} does."), "An open {% tag stays, as {{ name }}\ndoes.\n");
}

#[test]
fn links_open_where_they_can_and_are_told_where_they_cannot() {
    assert_eq!(plain("[the desk](https://desk.example/a) is open"), "the desk <https://desk.example/a> is\nopen\n");
    let styled = render("[the desk](https://desk.example/a) and [there](#here)", STYLED).0;
    let link = "\u{1b}]8;;https://desk.example/a\u{1b}\\\u{1b}[4mthe desk\u{1b}[0m\u{1b}]8;;\u{1b}\\ and there\n";
    assert_eq!(styled, link);
    for hostile in ["javascript:alert(1)", "file:///etc/passwd", "https://a.example/é"] {
        let styled = render(&format!("[x](<{hostile}>)"), STYLED).0;
        assert_eq!(styled, "x\n", "{hostile}");
    }
}

#[test]
fn no_command_of_a_document_reaches_the_terminal() {
    let hostile = "**a\u{1b}[2Jb** `c\u{1b}]0;t\u{7}d` [e\u{9b}31m](https://x.example) \u{202e}f";
    let styled = render(hostile, STYLED).0;
    let commands: Vec<&str> = styled.split('\u{1b}').skip(1).map(|rest| rest.get(..3).unwrap_or(rest)).collect();
    assert!(
        commands.iter().all(|found| ["[1m", "[0m", "[36", "[4m", "]8;", "\\ ", "\\\u{1b}", "\\"]
            .iter()
            .any(|own| found.starts_with(own))),
        "{styled:?}"
    );
    assert!(
        !styled.contains("\u{1b}[2J")
            && !styled.contains("\u{1b}]0")
            && !styled.contains(['\u{7}', '\u{9b}', '\u{202e}'])
    );
}

#[test]
fn words_in_a_block_of_html_are_shown_and_its_tags_are_not() {
    let text = "<div class=\"note\">\nNever open the <b>upper</b> gate.\n<!-- not\nthis --></div>\n\nThen go. [^1]";
    assert_eq!(plain(text), "Never open the upper gate.\n\nThen go. [1]\n");
    assert_eq!(plain("<p>Less < more. [^1]</p>"), "Less < more. [1]\n");
}

#[test]
fn the_number_of_a_step_is_kept_where_steps_come_one_by_one() {
    let mut flow = Flow::new(PLAIN);
    assert_eq!(flow.push("", "Do this: [^1]").0, "Do this: [1]");
    assert_eq!(flow.push("\n\n1. ", "Open it. [^1]").0, "\n\n");
    assert_eq!(flow.push("\n2. ", "Close it. [^1]").0, "");
    assert_eq!(flow.finish().0, "1. Open it. [1]\n2. Close it. [1]\n\n");
}

#[test]
fn prose_is_written_as_it_passes_and_a_list_when_it_is_whole() {
    let mut flow = Flow::new(PLAIN);
    assert_eq!(flow.push("", "The **boat** is nine metres long. [^1]").0, "The boat is nine metres long. [1]");
    assert_eq!(flow.push(" ", "It has two masts. [^2]").0, " It has\ntwo masts. [2]");
    assert_eq!(flow.push("\n\n", "- one [^1]").0, "\n\n");
    assert_eq!(flow.push("\n", "- two [^1]").0, "");
    assert_eq!(flow.push("\n\n", "After it. [^1]").0, "• one [1]\n• two [1]\n\nAfter it. [1]");
    assert_eq!(flow.finish().0, "\n");
}

#[test]
fn any_text_is_shown_in_time_and_within_the_window() {
    for unit in ["{%", "[^", "``` ", "| a ", "> ", "- ", "[a](", "<b ", "**", "1. ", "x\u{301}", "\u{1f600}"] {
        let text = unit.repeat(20_000);
        let shown = plain(&text);
        assert!(shown.lines().all(|line| line.starts_with("    ") || super::screen::width(line) <= 60), "{unit}");
    }
}
