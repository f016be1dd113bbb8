//! Tools over a PostgreSQL server that is started here.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use tokio_postgres::NoTls;
use vouch_adapters::tools::ProfileToolbox;
use vouch_domain::{Fault, PortError, ToolRecord, ToolValue, ports::Toolbox};
use vouch_testkit::{
    contracts::toolbox::{check, customer_call, record, refund_call},
    postgres::Postgres,
};

use super::office::{
    OPEN_CASE, SHOW_CASE, TABLES, TIMEOUT_MS, case_output, declared, id, object, over_database, refund_input, rows,
};

const LONG: Duration = Duration::from_secs(20);

/// A server, and how many offices were made on it.
struct Offices {
    server: Postgres,
    made: AtomicUsize,
}

impl Offices {
    fn start(what: &str) -> Option<Self> {
        match Postgres::start(Path::new(env!("CARGO_TARGET_TMPDIR"))) {
            Ok(server) => Some(Self { server, made: AtomicUsize::new(0) }),
            Err(reason) => {
                vouch_testkit::skip(what, &reason);
                None
            }
        }
    }

    async fn execute(address: &str, sql: &str) {
        let (client, connection) = tokio_postgres::connect(address, NoTls).await.expect("a connection");
        let running = tokio::spawn(connection);
        client.batch_execute(sql).await.expect("statements");
        drop(client);
        let _ = running.await;
    }

    /// A database with the office in it.
    async fn office(&self) -> String {
        let name = format!("office_{}", self.made.fetch_add(1, Ordering::SeqCst));
        Self::execute(&self.server.address("postgres"), &format!("CREATE DATABASE {name}")).await;
        let address = self.server.address(&name);
        Self::execute(&address, &format!("{TABLES}{}", rows())).await;
        address
    }
}

fn build(address: &str, value: Value) -> Result<ProfileToolbox, PortError> {
    let variable = |name: &str| (name == "OFFICE_URL").then(|| address.to_owned());
    ProfileToolbox::build_with(&declared(value), Path::new("."), &variable)
}

fn database() -> Value {
    json!({"kind": "postgres", "url_variable": "OFFICE_URL"})
}

fn probing(more: &Value) -> Value {
    let mut tool = json!({
        "name": "probe", "database": "office", "timeout_ms": TIMEOUT_MS, "input": object(json!({"user_id": id()})),
        "output": {"type": "object"},
    });
    tool.as_object_mut().expect("a tool").extend(more.as_object().expect("fields").clone());
    json!({"databases": {"office": database()}, "tools": [tool]})
}

async fn probe(address: &str, more: Value) -> Result<ToolRecord, PortError> {
    let toolbox = build(address, probing(&more))?;
    toolbox.call(&customer_call("probe", "u-1001"), LONG).await.map(|output| output.record)
}

async fn cases(address: &str) -> ToolRecord {
    probe(address, json!({"sql": ["SELECT count(*) AS n FROM refund_cases"]})).await.expect("a number")
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_over_a_postgresql_server_are_a_toolbox() {
    let Some(offices) = Offices::start("tools over PostgreSQL") else { return };
    check(|| async {
        let toolbox = build(&offices.office().await, over_database(&database())).expect("tools");
        Arc::new(toolbox) as Arc<dyn Toolbox>
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_goes_wrong_on_a_postgresql_server_changes_nothing() {
    let Some(offices) = Offices::start("failing tools over PostgreSQL") else { return };
    let address = offices.office().await;
    let none = record([("n", ToolValue::Number(0.0))]);

    // A tool that reads cannot write, whatever it calls.
    Offices::execute(
        &address,
        "CREATE FUNCTION wipe() RETURNS integer LANGUAGE sql AS 'DELETE FROM invoices; SELECT 1'",
    )
    .await;
    for sql in ["SELECT wipe() AS a", "WITH gone AS (DELETE FROM invoices RETURNING 1) SELECT 1 AS a FROM gone"] {
        probe(&address, json!({"sql": [sql]})).await.expect_err(sql);
    }
    let left = probe(&address, json!({"sql": ["SELECT count(*) AS n FROM invoices"]})).await.expect("a number");
    assert_eq!(left, record([("n", ToolValue::Number(3.0))]));

    // What runs for ever is stopped, also where it changes something.
    let endless = probe(&address, json!({"sql": ["SELECT pg_sleep(3600)::text AS a"], "timeout_ms": 100})).await;
    assert_eq!(endless.expect_err("no end").fault, Fault::Timeout);
    let refund = |output: Value, sql: Value, timeout_ms: u64| {
        json!({"databases": {"office": database()}, "tools": [{
            "name": "open_refund_case", "changes": true, "database": "office", "input": refund_input(),
            "output": output, "sql": sql, "timeout_ms": timeout_ms}]})
    };
    let mut strict = case_output();
    strict["properties"]["sla_days"] = json!({"const": 3});
    for (output, sql, timeout_ms) in [
        (case_output(), json!([OPEN_CASE, "SELECT pg_sleep(3600)::text AS a"]), 200),
        (strict, json!([OPEN_CASE, SHOW_CASE]), 10_000),
        (case_output(), json!([OPEN_CASE, "UPDATE invoices SET status = NULL", SHOW_CASE]), 10_000),
    ] {
        let toolbox = build(&address, refund(output, sql.clone(), timeout_ms)).expect("a tool");
        toolbox.call(&refund_call("u-1001", "F-1", "double charge"), LONG).await.expect_err("an output that fits not");
        assert_eq!(cases(&address).await, none, "{sql}");
    }

    // Nobody is left who still works on a call that was given up.
    let busy = "SELECT count(*) AS n FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%pg_sleep(3600)%' \
                AND pid <> pg_backend_pid()";
    for _ in 0..400 {
        if probe(&address, json!({"sql": [busy]})).await.expect("a number") == none {
            return;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("a statement still runs");
}

#[tokio::test(flavor = "multi_thread")]
async fn cells_of_postgresql_become_values_of_their_kind() {
    let Some(offices) = Offices::start("values of PostgreSQL") else { return };
    let address = offices.office().await;
    let sql = "SELECT 3::smallint AS a, -5 AS b, 9007199254740991::bigint AS c, 49.99::numeric(10, 2) AS d, \
               -0.05::numeric AS e, 120000.00::numeric AS f, 2.5::real AS g, 1e-3::float8 AS h, true AS i, NULL::text AS j, \
               'ü' AS k, DATE '2024-02-29' AS l, TIMESTAMPTZ '2026-11-17 21:00:00.5+01' AS m, :user_id::text AS n, \
               10000::numeric AS o, 0::numeric AS p, TIMESTAMP '1999-12-31 23:59:59' AS q";
    let number = ToolValue::Number;
    let expected = record([
        ("a", number(3.0)),
        ("b", number(-5.0)),
        ("c", number(9_007_199_254_740_991.0)),
        ("d", number(49.99)),
        ("e", number(-0.05)),
        ("f", number(120_000.0)),
        ("g", number(2.5)),
        ("h", number(0.001)),
        ("i", ToolValue::Flag(true)),
        ("j", ToolValue::Nothing),
        ("k", "ü".into()),
        ("l", "2024-02-29".into()),
        ("m", "2026-11-17T20:00:00.500000Z".into()),
        ("n", "u-1001".into()),
        ("o", number(10_000.0)),
        ("p", number(0.0)),
        ("q", "1999-12-31T23:59:59".into()),
    ]);
    assert_eq!(probe(&address, json!({"sql": [sql]})).await.expect("a row"), expected);
    for wrong in [
        "SELECT 'x'::bytea AS a",
        "SELECT 9007199254740993::bigint AS a",
        "SELECT 'NaN'::numeric AS a",
        "SELECT 'infinity'::float8 AS a",
        "SELECT 'infinity'::date AS a",
        "SELECT 123456789012345678901234567890::numeric AS a",
        "SELECT repeat('x', 70000) AS a",
        "SELECT 1 AS a, 2 AS a",
        "SELECT generate_series(1, 51) AS a",
    ] {
        let error = probe(&address, json!({"sql": [wrong]})).await.expect_err(wrong);
        assert_eq!(error.fault, Fault::Corrupt, "{wrong}: {error}");
    }
    let error = probe(&address, json!({"sql": ["SELECT :user_id::integer AS a"]})).await.expect_err("no number");
    assert_eq!(error.fault, Fault::Invalid, "{error}");
    assert!(!error.sentence.contains("u-1001"), "{error}");
}

#[tokio::test]
async fn a_postgresql_server_that_is_not_there_is_unavailable() {
    let folder = tempfile::tempdir().expect("a folder");
    let address = format!("host={} user=u password=sesame dbname=d", folder.path().display());
    let error = probe(&address, json!({"sql": ["SELECT 1 AS a"]})).await.expect_err("no server");
    assert_eq!(error.fault, Fault::Unavailable, "{error}");
    assert!(!format!("{error} {error:?}").contains("sesame"));
}

#[test]
fn a_statement_or_an_address_that_makes_no_sense_is_refused_when_it_is_built() {
    let address = "postgresql://u:sesame@localhost/d";
    for (sql, told) in [
        ("DELETE FROM invoices", "only SELECT"),
        ("COMMIT", "only SELECT"),
        ("SELECT 1; COMMIT", "several statements"),
        ("SELECT :password", "`:password` is not a property"),
        ("SELECT $1", "`:name`"),
    ] {
        let error = build(address, probing(&json!({"sql": [sql]}))).err().expect(sql);
        assert!(error.sentence.starts_with("tool `probe`") && error.sentence.contains(told), "{error}");
    }
    for (address, told) in
        [("postgresql://u:sesame@db.example.org/d", "another machine"), ("", "OFFICE_URL is not set")]
    {
        let error = build(address, probing(&json!({"sql": ["SELECT 1 AS a"]}))).err().expect(told);
        assert!(error.sentence.contains("database `office`") && error.sentence.contains(told), "{error}");
        assert!(!error.sentence.contains("sesame"), "{error}");
    }
}
