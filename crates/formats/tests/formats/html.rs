//! Pages of the web: what they are about, without what stands around it, as blocks.

use vouch_domain::SourceFormat::Html;

use crate::outcome::{document, fault, paths};

fn check(page: &str, expected: &str) {
    assert_eq!(document(Html, page.as_bytes()).text.trim(), expected, "{page}");
}

#[test]
fn front_matter_above_a_page_is_none_of_its_text() {
    let page = "---\nlayout: default\ntitle: The masts\naccess: [crew]\n---\n<h1>Masts</h1>\n<p>Of oak.</p>\n";
    let read = document(Html, page.as_bytes());
    assert_eq!((read.card.title.as_str(), read.text.as_str()), ("The masts", "# Masts\n\nOf oak.\n"));
    assert!(read.states_access && read.card.tags.contains("crew"));
}

#[test]
fn only_the_main_part_of_a_page_is_read() {
    let around = "<header><p>Shop</p></header><aside>Ads</aside><div>Cookies?</div>";
    for main in ["<main>", "<div role=main>", "<div role='main' class=x>"] {
        check(&format!("{around}{main}<header><h1>Masts</h1></header><p>Of oak.</p>"), "# Masts\n\nOf oak.");
    }
    check(
        &format!("{around}<article><h1>Masts</h1><p>Of oak, all of them.</p></article>"),
        "# Masts\n\nOf oak, all of them.",
    );
    check("<main><p>One.</p></main><p>No.</p><main><p>Two.</p></main>", "One.\n\nTwo.");
}

#[test]
fn a_page_without_a_main_part_is_read_without_what_stands_around_it() {
    let page = "<header>Shop</header><nav>Menu</nav><div role=navigation>Menu</div><aside>Ads</aside>\
                <section><header>Part</header><p>Words.</p><aside>Note.</aside></section><footer>Imprint</footer>";
    check(page, "Part\n\nWords.\n\nNote.");
    check("<article>One.</article><p>Between.</p><article>Two.</article>", "One.\n\nBetween.\n\nTwo.");
    check("<article>A.</article><p>Much more stands outside of it.</p>", "A.\n\nMuch more stands outside of it.");
    check("<main></main><p>Words.</p>", "Words.");
    check("<header><p>All there is.</p></header>", "All there is.");
}

#[test]
fn what_is_hidden_is_not_read() {
    for hidden in
        ["hidden", "hidden=''", "aria-hidden=true", "style='color:red; Display : none'", "style=visibility:hidden"]
    {
        for tag in ["p", "b", "a", "span", "div"] {
            check(&format!("<p>Seen.</p><{tag} {hidden}>Not <i>this</i>.</{tag}><p>Too.</p>"), "Seen.\n\nToo.");
        }
    }
    check("<p aria-hidden=false hidden=until-found style='display:block'>Seen.</p>", "Seen.");
    check("<p>Seen.<select><option>no</select><textarea>no</textarea><dialog>no</dialog><img alt=no></p>", "Seen.");
    check("<details><summary>More</summary>Folded.</details>", "More\n\nFolded.");
}

#[test]
fn lists_keep_their_numbers_their_depth_and_what_belongs_to_an_item() {
    check(
        "<ol start=3><li>Three<ul><li>inner <a href=x>link</a><li><p>one</p><p>two</p><pre>a\n  b</pre></ul><li value=9>Nine</ol>\
         <p>After.</p>",
        "3. Three\n   - inner link\n   - one\n\n      two\n\n      ```\n      a\n        b\n      ```\n\n9. Nine\n\nAfter.",
    );
    check("<li>loose<li>too", "- loose\n- too");
    check(
        "<dl><dt>Mast<dd>Of oak.<dd>Or pine.<dt>Sail<dt>Jib<dd><ul><li>of hemp</ul><dt>Last:<dd>none<dt>Alone</dl>",
        "- Mast: Of oak.\n\n   Or pine.\n\n- Sail, Jib\n   - of hemp\n- Last: none\n- Alone",
    );
}

#[test]
fn tables_keep_their_columns() {
    check(
        "<table><caption>Parts</caption><thead><tr><th>A<th colspan=2>B</thead><tr><td rowspan=2>1<td>2<td>3|4<br>5<tr><td>6<td>7</table>",
        "Parts\n\n| A | B |  |\n| --- | --- | --- |\n| 1 | 2 | 3/4 5 |\n|  | 6 | 7 |",
    );
    check("<table><tr><th>Name<td>Ada<tr><th>Age<td>36</table>", "- Name: Ada\n- Age: 36");
    check(
        "<ul><li>Sizes:<table><tr><th>A<th>B<tr><td>1<td>2</table></ul>",
        "- Sizes:\n\n   | A | B |\n   | --- | --- |\n   | 1 | 2 |",
    );
    check(
        "<table><tr><td><h2>Head</h2><p>One.<td><table><tr><th>A<th>B<tr><td>1<td>2</table></table>",
        "## Head\n\nOne.\n\n| A | B |\n| --- | --- |\n| 1 | 2 |",
    );
    check("<table><tr><td><pre>1\n2\n</pre><td><pre>let a;\nlet b;\n</pre></table>", "```\nlet a;\nlet b;\n```");
    check(&format!("<table><tr><th colspan={}>A<tr><td>1</table>", u64::MAX), "| A |\n| --- |\n| 1 |");
}

#[test]
fn code_and_quotes_stay_apart_from_words() {
    check("<p>Run:</p><pre><code>a  &lt;b\n\n\tc``` d</code></pre>", "Run:\n\n````\na  <b\n\n\tc``` d\n````");
    check("<blockquote><p>One.<p>Two<br>lines.</blockquote>Out.", "> One.\n\n> Two\n> lines.\n\nOut.");
    check("<p>Call <code>run()</code>.", "Call run().");
}

#[test]
fn a_heading_is_its_words_without_the_link_to_it() {
    let page = "<title>T</title><main><h1>T</h1><h2>Masts <a href=#m>¶</a></h2><p>Oak.<h2><a href=x>Sails</a></h2>Hemp.<h3></h3>";
    assert_eq!(paths(&document(Html, page.as_bytes())), ["Masts", "Sails"]);
}

#[test]
fn a_page_cannot_make_the_reader_work_out_of_proportion() {
    let names: String = (0..400).map(|at| format!("<b name={at} role=r{at}>")).collect();
    let paragraphs = "<p>x</p>".repeat(2_000);
    let page = document(Html, format!("{names}{paragraphs}").as_bytes());
    assert_eq!(page.text.split_whitespace().count(), 2_000);
    let wide = format!("<table>{}</table>", "<tr><td colspan=100 rowspan=100>x<td>y".repeat(2_000));
    let words = document(Html, wide.as_bytes()).text.len();
    assert!(words < wide.len() * 4, "{words} of {} bytes", wide.len());
}

#[test]
fn the_number_of_a_note_is_no_part_of_the_word_beside_it() {
    let note = "<p class=note><a class=footnotesym href='#back'>1</a>Not pine.</p>";
    check(&format!("<p>Of oak.<a href='#n1'><sup>1</sup></a></p>{note}"), "Of oak.[1]\n\n[1] Not pine.");
    check("<p>Of oak [<a href='#n1'>1</a>], 10<sup>2</sup> feet</p>", "Of oak [1], 102 feet");
    check("<ul><li><a href='#one'>1</a> Masts<li>page<a href='/2'>2</a></ul>", "- 1 Masts\n- page2");
}

#[test]
fn the_head_and_foot_of_a_saved_document_are_not_read() {
    let page = "<div title=header><p>Rules</p></div><p>Words.</p><div title=footer>Page 5</div>";
    check(page, "Words.");
    check("<p>Words.</p><div id=footer>Last updated today</div>", "Words.");
    check("<p>Words.</p><p title=other id=foot>More.</p>", "Words.\n\nMore.");
}

#[test]
fn a_page_is_read_in_the_encoding_it_names() {
    let said = |bytes: &[u8]| document(Html, bytes).text.trim().to_owned();
    assert_eq!(said(b"<meta charset=windows-1252><p>Sch\xf6n, 5 \x80</p>"), "Schön, 5 €");
    let old = b"<meta http-equiv='Content-Type' content='text/html; charset=ISO-8859-1'><p>Sch\xf6n</p>";
    assert_eq!(said(old), "Schön");
    assert_eq!(said("<meta charset=iso-8859-1><p>Schön</p>".as_bytes()), "Schön", "it was converted");
    let wide = |order: fn(u16) -> [u8; 2]| "\u{feff}<p>Schön</p>".encode_utf16().flat_map(order).collect::<Vec<u8>>();
    assert_eq!(
        (said(&wide(u16::to_le_bytes)), said(&wide(u16::to_be_bytes))),
        ("Schön".to_owned(), "Schön".to_owned())
    );
}

#[test]
fn a_page_whose_encoding_is_unknown_or_wrong_is_refused() {
    assert_eq!(fault(Html, b"<p>Sch\xf6n</p>"), "it is not valid UTF-8 (first bad byte at 6)");
    assert_eq!(
        fault(Html, b"<meta charset=fish><p>\xf6</p>"),
        "it says it is in 'fish', which is not a known encoding"
    );
    assert_eq!(
        fault(Html, b"<meta charset=Shift_JIS><p>\x81</p>"),
        "it is not valid Shift_JIS, which it says it is in"
    );
    assert_eq!(fault(Html, b"<p>a\0b</p>"), "it is a binary file, not text");
}
