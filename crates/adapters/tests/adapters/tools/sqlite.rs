//! Tools over a SQLite file.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{path::Path, sync::Arc, time::Duration};

use rusqlite::Connection;
use serde_json::{Value, json};
use tempfile::TempDir;
use vouch_adapters::tools::ProfileToolbox;
use vouch_domain::{Fault, PortError, ToolCall, ToolRecord, ToolValue, ports::Toolbox};
use vouch_testkit::contracts::toolbox::{check, customer_call, record, refund_call};

use super::office::{
    OPEN_CASE, SHOW_CASE, TABLES, TIMEOUT_MS, case_output, declared, id, object, over_database, refund_input, rows,
};

const LONG: Duration = Duration::from_secs(20);

fn office() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let connection = Connection::open(folder.path().join("office.db")).expect("a file");
    connection.execute_batch(&format!("{TABLES}{}", rows())).expect("an office");
    folder
}

fn sqlite() -> Value {
    json!({"kind": "sqlite", "path": "office.db"})
}

fn build(folder: &Path, tools: Vec<Value>) -> Result<ProfileToolbox, PortError> {
    ProfileToolbox::build(&declared(json!({"databases": {"office": sqlite()}, "tools": tools})), folder)
}

/// A tool that takes a customer and gives whatever one column is.
fn tool(more: Value) -> Value {
    let mut tool = json!({
        "name": "probe", "database": "office", "timeout_ms": TIMEOUT_MS, "input": object(json!({"user_id": id()})),
        "output": {"type": "object"},
    });
    tool.as_object_mut().expect("a tool").extend(more.as_object().expect("fields").clone());
    tool
}

fn number_of_rows(folder: &Path, table: &str) -> u32 {
    let connection = Connection::open(folder.join("office.db")).expect("a file");
    connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).expect("a number")
}

async fn probe(folder: &Path, more: Value) -> Result<ToolRecord, PortError> {
    let toolbox = build(folder, vec![tool(more)])?;
    toolbox.call(&customer_call("probe", "u-1001"), LONG).await.map(|output| output.record)
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_over_a_sqlite_file_are_a_toolbox() {
    let folders = std::sync::Mutex::new(Vec::new());
    check(|| async {
        let folder = office();
        let toolbox = ProfileToolbox::build(&declared(over_database(&sqlite())), folder.path()).expect("tools");
        folders.lock().expect("a lock").push(folder);
        Arc::new(toolbox) as Arc<dyn Toolbox>
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_toolboxes_on_one_file_open_one_case() {
    let folder = office();
    let make = || ProfileToolbox::build(&declared(over_database(&sqlite())), folder.path()).expect("tools");
    let (one, other) = (make(), make());
    let call = refund_call("u-1001", "F-1", "double charge");
    let (first, second) = tokio::join!(one.call(&call, LONG), other.call(&call, LONG));
    assert_eq!(first.expect("a case"), second.expect("a case"));
    assert_eq!(number_of_rows(folder.path(), "refund_cases"), 1);
}

#[test]
fn a_statement_that_does_more_than_its_tool_says_is_refused_when_it_is_built() {
    let folder = office();
    for (sql, told) in [
        ("INSERT INTO invoices VALUES ('F-9', 'u', 1, 'paid')", "only SELECT"),
        ("DELETE FROM invoices", "only SELECT"),
        ("ATTACH DATABASE 'other.db' AS other", "only SELECT"),
        ("PRAGMA journal_mode = DELETE", "only SELECT"),
        ("CREATE TABLE t (a)", "only SELECT"),
        ("DROP TABLE invoices", "only SELECT"),
        ("COMMIT", "only SELECT"),
        ("SAVEPOINT s", "only SELECT"),
        ("VACUUM INTO 'copy.db'", "only SELECT"),
        ("SELECT load_extension('x')", "load_extension"),
        ("EXPLAIN SELECT 1", "only SELECT"),
        ("WITH a AS (SELECT 1) DELETE FROM sqlite_master", "sqlite_master"),
        ("SELECT 1; SELECT 2", "several statements"),
        ("SELECT 1; DROP TABLE invoices", "does more than"),
        ("SELECT ?1", "`:name`"),
        ("SELECT @user_id", "`:name`"),
        ("SELECT :password", "`:password` is not a property"),
        ("SELECT 1 AS a, 2 AS a", "two columns are called `a`"),
        ("SELECT a FROM nowhere", "no such table"),
    ] {
        for changes in [false, true] {
            let is_row_change = sql.starts_with("INSERT") || sql.starts_with("DELETE");
            if changes && is_row_change {
                continue;
            }
            let built = build(folder.path(), vec![tool(json!({"sql": [sql], "changes": changes}))]);
            let error = built.err().expect(sql);
            assert_eq!(error.fault, Fault::Invalid);
            assert!(error.sentence.contains("tool `probe`"), "{error}");
            assert!(error.sentence.contains(told), "{sql}: {error}");
        }
    }
    assert!(!folder.path().join("copy.db").exists());
}

#[test]
fn a_declaration_that_makes_no_sense_is_an_error_with_its_name() {
    let folder = office();
    let select = json!(["SELECT 1 AS a"]);
    for (wrong, told) in [
        (tool(json!({"sql": []})), "either `database` and `sql`, or `http`"),
        (tool(json!({"sql": select, "database": "elsewhere"})), "no database `elsewhere`"),
        (tool(json!({"sql": select, "name": "a b"})), "letters, digits"),
        (tool(json!({"sql": select, "rows_max": 0})), "rows_max"),
        (tool(json!({"sql": select, "timeout_ms": 0})), "timeout_ms"),
        (tool(json!({"sql": select, "input": {"type": "objekt"}})), "input: "),
        (tool(json!({"sql": select, "output": {"type": "object", "properties": {"a": {"type": 5}}}})), "output: "),
    ] {
        let error = build(folder.path(), vec![wrong]).err().expect(told);
        assert!(error.sentence.contains(told) && error.sentence.starts_with("tool `"), "{error}");
    }
    let twice = build(folder.path(), vec![tool(json!({"sql": select})), tool(json!({"sql": select}))]);
    assert!(twice.err().expect("two").sentence.contains("two tools are called `probe`"));
    let missing = json!({"databases": {"office": {"kind": "sqlite", "path": "lost.db"}}});
    let error = ProfileToolbox::build(&declared(missing), folder.path()).err().expect("no file");
    assert!(error.sentence.contains("database `office`") && error.sentence.contains("lost.db"), "{error}");
    assert!(!folder.path().join("lost.db").exists(), "none is made");
    for unknown in [json!({"tool": []}), json!({"databases": {"a": {"kind": "sqlite", "path": "a", "key": "b"}}})] {
        serde_json::from_value::<vouch_adapters::tools::ToolsDeclaration>(unknown).expect_err("an unknown field");
    }
}

#[tokio::test]
async fn a_statement_that_runs_for_ever_is_stopped() {
    let folder = office();
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) AS a FROM n";
    let error = probe(folder.path(), json!({"sql": [endless], "timeout_ms": 50})).await.expect_err("no end");
    assert_eq!(error.fault, Fault::Timeout, "{error}");
    let insert = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) \
                  INSERT INTO invoices SELECT 'X-' || i, :user_id, i, 'paid' FROM n";
    let changing = json!({"sql": [insert, "SELECT 1 AS a"], "timeout_ms": 50, "changes": true});
    let error = probe(folder.path(), changing).await.expect_err("no end");
    assert_eq!(error.fault, Fault::Timeout, "{error}");
    assert_eq!(number_of_rows(folder.path(), "invoices"), 3);
}

#[tokio::test]
async fn too_many_rows_or_too_much_text_is_an_error_and_never_cut() {
    let folder = office();
    let many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 6) SELECT i FROM n";
    let more = |rows_max: u32, list: Value| json!({"sql": [many], "rows_max": rows_max, "list": list});
    for list in [json!("rows"), Value::Null] {
        probe(folder.path(), more(6, list.clone())).await.expect("as many as may be");
        let error = probe(folder.path(), more(5, list)).await.expect_err("one too many");
        assert_eq!(error.fault, Fault::Corrupt, "{error}");
    }
    for (wrong, told) in [
        ("SELECT printf('%.70000c', 'x') AS a", "larger than"),
        ("SELECT printf('%.40000c', 'x') AS a, printf('%.40000c', 'x') AS b", "larger than"),
        ("SELECT x'00ff' AS a", "bytes"),
        ("SELECT 9007199254740993 AS a", "too large"),
        ("SELECT 9e999 AS a", "not finite"),
        ("SELECT CAST(x'ff' AS TEXT) AS a", "UTF-8"),
    ] {
        let error = probe(folder.path(), json!({"sql": [wrong]})).await.expect_err(wrong);
        assert_eq!(error.fault, Fault::Corrupt, "{error}");
        assert!(error.sentence.contains(told), "{error}");
    }
    let huge = probe(folder.path(), json!({"sql": ["SELECT length(printf('%.2000000c', 'x')) AS a"]})).await;
    huge.expect_err("larger than any text on the way may be");
}

#[tokio::test]
async fn cells_become_values_of_their_kind() {
    let folder = office();
    let sql = "SELECT 3 AS whole, 2.5 AS part, 'ü' AS word, NULL AS gone, :user_id AS given";
    let expected = record([
        ("whole", ToolValue::Number(3.0)),
        ("part", ToolValue::Number(2.5)),
        ("word", "ü".into()),
        ("gone", ToolValue::Nothing),
        ("given", "u-1001".into()),
    ]);
    assert_eq!(probe(folder.path(), json!({"sql": [sql]})).await.expect("a row"), expected);
}

#[tokio::test]
async fn a_change_whose_output_does_not_fit_is_undone() {
    let folder = office();
    let mut strict = case_output();
    strict["properties"]["sla_days"] = json!({"const": 3});
    let refund = |output: Value, sql: Value| {
        json!({"name": "open_refund_case", "changes": true, "database": "office", "input": refund_input(),
               "output": output, "sql": sql})
    };
    for (output, sql) in [
        (strict, json!([OPEN_CASE, SHOW_CASE])),
        (case_output(), json!([OPEN_CASE, "SELECT 1 AS a"])),
        (case_output(), json!([OPEN_CASE, SHOW_CASE, "SELECT case_id FROM refund_cases WHERE user_id = 'nobody'"])),
        (case_output(), json!([OPEN_CASE, "UPDATE invoices SET status = NULL", SHOW_CASE])),
    ] {
        let toolbox = build(folder.path(), vec![refund(output, sql.clone())]).expect("a tool");
        toolbox.call(&refund_call("u-1001", "F-1", "double charge"), LONG).await.expect_err("an output that fits not");
        assert_eq!(number_of_rows(folder.path(), "refund_cases"), 0, "{sql}");
    }
}

#[tokio::test]
async fn a_database_that_another_process_writes_is_waited_for_no_longer_than_allowed() {
    let folder = office();
    let toolbox = ProfileToolbox::build(&declared(over_database(&sqlite())), folder.path()).expect("tools");
    let writer = Connection::open(folder.path().join("office.db")).expect("a file");
    writer.execute_batch("BEGIN EXCLUSIVE").expect("held");
    let call = refund_call("u-1001", "F-1", "double charge");
    let error = toolbox.call(&call, Duration::from_millis(50)).await.expect_err("held");
    assert_eq!(error.fault, Fault::Timeout, "{error}");
    writer.execute_batch("ROLLBACK").expect("let go");
    toolbox.call(&call, LONG).await.expect("a case");
}

#[tokio::test]
async fn no_sentence_repeats_an_input() {
    let folder = office();
    let toolbox = ProfileToolbox::build(&declared(over_database(&sqlite())), folder.path()).expect("tools");
    let long = format!("sesame{}", "x".repeat(90));
    for (name, value) in [("user_id", long.as_str()), ("opened_on", "sesame"), ("amount_pln", "sesame")] {
        let mut call = refund_call("u-1001", "F-1", "double charge");
        call.args.insert(name.to_owned(), value.into());
        let told = toolbox.check(&call).expect_err("no input");
        assert!(told.contains(name) && !told.contains("sesame"), "{told}");
    }
    let unknown = ToolCall { tool: "sesame".to_owned(), args: ToolRecord::new() };
    assert!(!toolbox.check(&unknown).expect_err("no tool").contains("sesame"));
}

/// A change that was killed halfway: the file and its journal, as they lie there while the change is under way.
fn killed_halfway() -> TempDir {
    let (folder, copy) = (office(), tempfile::tempdir().expect("a folder"));
    let connection = Connection::open(folder.path().join("office.db")).expect("a file");
    connection
        .execute_batch(
            "PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF; PRAGMA cache_size = 1; BEGIN IMMEDIATE;
             UPDATE invoices SET amount_pln = 1;
             CREATE TABLE ballast (text);
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
             INSERT INTO ballast SELECT hex(randomblob(200)) FROM n;",
        )
        .expect("half a change");
    for name in ["office.db", "office.db-journal"] {
        std::fs::copy(folder.path().join(name), copy.path().join(name)).expect("a copy");
    }
    copy
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_killed_change_left_is_undone_before_it_is_read() {
    let folder = killed_halfway();
    let sql = "SELECT amount_pln FROM invoices WHERE user_id = :user_id ORDER BY amount_pln LIMIT 1";
    let read = probe(folder.path(), json!({"sql": [sql]})).await.expect("a row");
    assert_eq!(read.get("amount_pln"), Some(&ToolValue::Number(49.99)));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_must_be_so_is_looked_up_as_far_as_the_input_tells_and_changes_nothing() {
    let folder = office();
    let mut declared_tools = over_database(&sqlite());
    let tools = declared_tools["tools"].as_array_mut().expect("tools");
    let refund = tools.iter_mut().find(|tool| tool["name"] == "open_refund_case").expect("the tool");
    let invoice = "SELECT 1 AS found FROM invoices WHERE invoice_id = :invoice_id AND user_id = :user_id";
    refund["requires"] = json!([
        {"name": "invoice", "sql": invoice},
        {"name": "amount", "sql": format!("{invoice} AND amount_pln >= :amount_pln")},
    ]);
    let toolbox = ProfileToolbox::build(&declared(declared_tools.clone()), folder.path()).expect("tools");
    let good = refund_call("u-1001", "F-1", "double charge");
    let with = |name: &str, value: ToolValue| {
        let mut call = good.clone();
        call.args.insert(name.to_owned(), value);
        call
    };
    let mut early = with("invoice_id", "F-3".into());
    early.args.remove("amount_pln");
    for (call, obstacle) in [
        (good.clone(), None),
        (with("user_id", "u-1002".into()), Some("invoice")),
        (with("amount_pln", ToolValue::Number(99_999.0)), Some("amount")),
        (early, Some("invoice")),
    ] {
        let found = toolbox.obstacle(&call, LONG).await.expect("an answer");
        assert_eq!(found.as_deref(), obstacle, "{call:?}");
    }
    assert_eq!(number_of_rows(folder.path(), "refund_cases"), 0);
    let late = toolbox.obstacle(&good, Duration::ZERO).await.expect_err("no time");
    assert_eq!(late.fault, Fault::Timeout);
    // What must be so is looked up: a statement that changes anything is none.
    for sql in ["DELETE FROM invoices", "SELECT :password", "SELECT 1; SELECT 2"] {
        let tools = declared_tools["tools"].as_array_mut().expect("tools");
        let refund = tools.iter_mut().find(|tool| tool["name"] == "open_refund_case").expect("the tool");
        refund["requires"] = json!([{"name": "wrong", "sql": sql}]);
        let error = ProfileToolbox::build(&declared(declared_tools.clone()), folder.path()).err().expect(sql);
        assert!(error.sentence.contains("requirement `wrong`"), "{sql}: {error}");
    }
}
