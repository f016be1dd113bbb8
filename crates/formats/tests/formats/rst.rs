//! reStructuredText: its words as a rendering shows them, in the blocks they belong to.

use vouch_domain::SourceFormat::ReStructuredText;

use crate::outcome::{document, fault, paths};

fn check(text: &str, expected: &str) {
    assert_eq!(document(ReStructuredText, text.as_bytes()).text.trim(), expected, "{text}");
}

#[test]
fn titles_are_sections_in_the_order_of_their_rules() {
    let text = "=====\nBoats\n=====\n:Date: $Date: 2026-01-31 10:00:00 +0100 (Sa) $\n:Version: 1.10\n:orphan:\n\nIntro.\n\n\
                Masts\n-----\nOak.\n\nOf *pine*\n~~~~~~~~~\nLight.\n\nSails\n-----\nHemp.\n\n-------\n\nEnd.\n";
    let boats = document(ReStructuredText, text.as_bytes());
    let card = &boats.card;
    assert_eq!(
        (card.title.as_str(), card.date.as_deref(), card.version.as_deref()),
        ("Boats", Some("2026-01-31"), Some("1.10"))
    );
    assert_eq!(paths(&boats), ["", "Masts", "Masts > Of pine", "Sails"]);
    assert!(boats.text.contains("- Date: 2026-01-31\n- Version: 1.10\n\nIntro."), "{}", boats.text);
}

#[test]
fn marks_inside_of_words_are_not_shown() {
    for (marked, shown) in [
        ("a **bold** *thin* ``co*de``", "a bold thin co*de"),
        ("`the site <https://x.example>`_ and `that`__ and word_.", "the site and that and word."),
        (":func:`run` :class:`~a.b.Boat` :ref:`title <label>` :pep:`8` `x`:sub:", "run() Boat title PEP 8 x"),
        ("re\\ *Structured*\\ Text \\*star\\*", "reStructuredText *star*"),
        ("note [1]_ and [#b]_ and [#]_ and [CIT]_", "note [1] and [3] and [2] and [CIT]"),
        ("|name| of |who|", "Vouch of ©"),
        ("2 * 3 * 4, *args, a_b, __init__", "2 * 3 * 4, *args, a_b, __init__"),
        ("a '*' b '*' c", "a '*' b '*' c"),
        ("_`a target` here", "a target here"),
    ] {
        let text = format!(
            "{marked}\n\n.. |name| replace:: **Vouch**\n.. |who| unicode:: 0xA9\n.. [1] One.\n.. [#] Two.\n.. [#b] Three.\n"
        );
        let read = document(ReStructuredText, text.as_bytes()).text;
        assert_eq!(read.lines().next(), Some(shown));
        assert!(read.ends_with("[1] One.\n\n[2] Two.\n\n[3] Three.\n"), "{read}");
    }
}

#[test]
fn what_a_role_refers_to_is_not_shown_behind_its_words() {
    for (marked, shown) in [
        ("Install the :ref:`relay app<relay-app>` first.", "Install the relay app first."),
        (
            ":doc:`the server</admin/server>`, :term:`key<keys>` and :issue:`this one<12>`",
            "the server, key and this one",
        ),
        (":doc:`/admin/server` and :ref:`elsewhere` and `a<b`", "/admin/server and elsewhere and a<b"),
        (":cpp:class:`List\\<int>` :guilabel:`Next <now>` :cpp:expr:`a<b>`", "List<int> Next <now> a<b>"),
        ("See :ref:`masts` and :ref:`Masts <masts>` and :ref:`sails`.", "See Of oak and Masts and Of hemp."),
    ] {
        let text = format!(
            "{marked}\n\n.. _masts:\n\nOf *oak*\n-------\n\nOld.\n\n.. _sails:\n\n=======\nOf hemp\n=======\n\nNew.\n"
        );
        assert_eq!(document(ReStructuredText, text.as_bytes()).text.lines().next(), Some(shown));
    }
}

#[test]
fn front_matter_says_what_a_page_is_and_a_rule_above_a_title_is_none() {
    let read = document(ReStructuredText, b"---\ntitle: The masts\naccess: crew\n---\n\nMasts\n=====\n\nOak.\n");
    assert_eq!((read.card.title.as_str(), read.text.as_str()), ("The masts", "# Masts\n\nOak.\n"));
    assert!(read.states_access && read.card.tags.contains("crew"));
    check("---\nOak\n---\n\nOld.\n", "# Oak\n\nOld.");
}

#[test]
fn lists_hold_what_is_indented_below_them() {
    check(
        "- one\n  goes on\n\n  more\n\n  * inner\n\n- two\n\n3. three\n4. four\n\n#. auto\n#. next\n\nA. Einstein\nwas not a list.\n",
        "- one\n   goes on\n\n   more\n\n   - inner\n- two\n3. three\n4. four\n5. auto\n6. next\n\nA. Einstein\nwas not a list.",
    );
    check(
        "mast\n  Of oak.\n\n  Old.\nsail : cloth\n  Of hemp.\n",
        "- mast: Of oak.\n\n   Old.\n\n- sail : cloth: Of hemp.",
    );
    check(
        "Text.\n\n:name: value\n:long:\n  below\n\n-a, --all  All of it.\n--out FILE\n    Where to.\n",
        "Text.\n\n- name: value\n- long: below\n- -a, --all: All of it.\n- --out FILE: Where to.",
    );
}

#[test]
fn code_quotes_and_lines_keep_their_form() {
    check(
        "Run::\n\n  a\n    b\n\nThen ::\n\n> c\n> d\n\n::\n\n  e\n",
        "Run:\n\n```\na\n  b\n```\n\nThen\n\n```\n> c\n> d\n```\n\n```\ne\n```",
    );
    check(".. code-block:: sh\n   :linenos:\n\n   ls *\n\n>>> 1 + 1\n2\n", "```\nls *\n```\n\n```\n>>> 1 + 1\n2\n```");
    check("He said:\n\n  It *is*.\n\n  -- Ada\n", "He said:\n\n> It is.\n\n> -- Ada");
    check("| one\n| two\n  more\n", "one\ntwo more");
}

#[test]
fn tables_of_every_kind_are_rows() {
    let rows = "| Part | Size |\n| --- | --- |\n| mast | 2 m long |\n| sail |  |";
    check(
        "+------+------+\n| Part | Size |\n+======+======+\n| mast | 2 m  |\n|      | long |\n+------+------+\n| sail |      |\n+------+------+\n",
        rows,
    );
    check("====  ======\nPart  *Size*\n====  ======\nmast  2 m\n      long\nsail\n====  ======\n", rows);
    check(
        ".. list-table::\n   :header-rows: 1\n\n   * - Part\n     - Size\n   * - mast\n     - 2 m\n       long\n   * - sail\n     -\n",
        rows,
    );
    check(".. csv-table::\n   :header: Part, Size\n\n   mast, \"2 m long\"\n   sail,\n", rows);
    check(
        ".. table:: Parts\n\n   == ==\n   A  B\n   == ==\n   1  2\n   == ==\n",
        "Parts\n\n| A | B |\n| --- | --- |\n| 1 | 2 |",
    );
}

#[test]
fn directives_give_what_a_reader_sees_of_them() {
    check(".. NOTE:: Wear\n   a vest.\n\n   Always.\n", "Note: Wear\na vest.\n\nAlways.");
    check(".. warning::\n   :class: x\n\n   Deep.\n", "Warning: Deep.");
    check(".. versionadded:: 2.1\n   Sails.\n", "New in version 2.1: Sails.");
    check(
        ".. py:function:: hoist(sail, \\*ropes)\n   :module: boat\n\n   Hoists it.\n",
        "- hoist(sail, *ropes): Hoists it.",
    );
    check(".. figure:: a.png\n   :alt: no\n\n   A mast.\n", "A mast.");
    check(
        "Seen.\n\n.. a comment\n   of two lines\n\n.. _target:\n.. image:: no.png\n.. toctree::\n\n   no\n\n.. include:: no.rst\n\n..\n\n  A quote.\n",
        "Seen.\n\n> A quote.",
    );
}

#[test]
fn hostile_text_is_read_in_bounded_time() {
    let deep: String = (0..3_000).map(|at| format!("{}x{at}\n", " ".repeat(at))).collect();
    assert!(document(ReStructuredText, deep.as_bytes()).text.contains("x2999"));
    for mark in ["*a ", "`a ", "|a ", "``a ", ":a:`b ", "[a ", "a_ ", "**", "\\"] {
        let started = std::time::Instant::now();
        assert_eq!(fault(ReStructuredText, format!("Words {}", mark.repeat(30_000)).as_bytes()), "");
        assert!(started.elapsed().as_secs() < 20, "{mark} took {:?}", started.elapsed());
    }
    assert_eq!(fault(ReStructuredText, b".. only a comment\n"), "it contains no text");
}
