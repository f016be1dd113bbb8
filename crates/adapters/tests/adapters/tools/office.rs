//! The contract's billing office as a profile would declare it.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use serde_json::{Value, json};
use vouch_adapters::tools::ToolsDeclaration;
use vouch_testkit::contracts::toolbox::INVOICES;

/// The tables of the office, in words that both databases understand.
pub const TABLES: &str = "
    CREATE TABLE invoices (invoice_id TEXT PRIMARY KEY, user_id TEXT NOT NULL, amount_pln NUMERIC(10, 2) NOT NULL,
        status TEXT NOT NULL);
    CREATE TABLE refund_cases (case_number INTEGER PRIMARY KEY, case_id TEXT NOT NULL UNIQUE,
        invoice_id TEXT NOT NULL UNIQUE, user_id TEXT NOT NULL, reason TEXT NOT NULL, amount_pln NUMERIC(10, 2) NOT NULL,
        status TEXT NOT NULL, opened_on DATE NOT NULL, sla_days INTEGER NOT NULL);";

/// The rows of the office.
pub fn rows() -> String {
    let row =
        |(user, id, amount, status): &(&str, &str, f64, &str)| format!("('{id}', '{user}', {amount}, '{status}')");
    let rows: Vec<String> = INVOICES.iter().map(row).collect();
    format!("INSERT INTO invoices (invoice_id, user_id, amount_pln, status) VALUES {};", rows.join(", "))
}

pub const OPEN_CASE: &str = "
    INSERT INTO refund_cases (case_number, case_id, invoice_id, user_id, reason, amount_pln, status, opened_on, sla_days)
    SELECT m.n, 'R' || m.n, i.invoice_id, i.user_id, :reason, :amount_pln, 'open', :opened_on, 14
    FROM invoices i, (SELECT COALESCE(MAX(case_number), 40000) + 1 AS n FROM refund_cases) AS m
    WHERE i.invoice_id = :invoice_id AND i.user_id = :user_id AND i.amount_pln >= :amount_pln
    ON CONFLICT (invoice_id) DO NOTHING";
pub const SHOW_CASE: &str = "
    SELECT case_id, invoice_id, reason, amount_pln, status, opened_on, sla_days FROM refund_cases
    WHERE invoice_id = :invoice_id AND user_id = :user_id";

pub fn id() -> Value {
    json!({"type": "string", "minLength": 1, "maxLength": 64})
}

pub fn object(properties: Value) -> Value {
    let names: Vec<&String> = properties.as_object().expect("properties").keys().collect();
    json!({"type": "object", "required": names, "properties": properties, "additionalProperties": false})
}

pub fn refund_input() -> Value {
    object(json!({
        "user_id": id(), "invoice_id": id(),
        "reason": {"type": "string", "minLength": 1, "maxLength": 2000},
        "amount_pln": {"type": "number", "exclusiveMinimum": 0},
        "opened_on": {"type": "string", "format": "date"},
    }))
}

pub fn case_output() -> Value {
    object(json!({
        "case_id": {"type": "string", "pattern": "^R[0-9]{5,}$"}, "invoice_id": id(), "reason": {"type": "string"},
        "amount_pln": {"type": "number"}, "status": {"enum": ["open", "closed"]},
        "opened_on": {"type": "string", "format": "date"}, "sla_days": {"type": "integer"},
    }))
}

/// As long as a call of the contract may take, whatever else the machine is busy with.
pub const TIMEOUT_MS: u64 = 20_000;

/// The four tools over a database that is declared so.
pub fn over_database(database: &Value) -> Value {
    let invoice = json!({"invoice_id": id(), "amount_pln": {"type": "number"}});
    let whole = json!({"invoice_id": id(), "amount_pln": {"type": "number"}, "status": {"type": "string"}});
    json!({
        "databases": {"office": database},
        "tools": [
            {"name": "get_invoice", "database": "office", "timeout_ms": TIMEOUT_MS, "not_found": {"is_known": false},
             "input": object(json!({"user_id": id(), "invoice_id": id()})), "output": object(whole),
             "sql": ["SELECT invoice_id, amount_pln, status FROM invoices \
                      WHERE invoice_id = :invoice_id AND user_id = :user_id;"]},
            {"name": "list_invoices", "database": "office", "timeout_ms": TIMEOUT_MS, "list": "invoices",
             "input": object(json!({"user_id": id()})),
             "output": object(json!({"invoices": {"type": "array", "items": object(invoice)}})),
             "sql": ["SELECT invoice_id, amount_pln FROM invoices WHERE user_id = :user_id ORDER BY invoice_id"]},
            {"name": "count_cases", "database": "office", "timeout_ms": TIMEOUT_MS,
             "input": object(json!({"user_id": id()})), "output": object(json!({"cases": {"type": "integer"}})),
             "sql": ["SELECT count(*) AS cases FROM refund_cases WHERE user_id = :user_id"]},
            {"name": "open_refund_case", "changes": true, "database": "office", "timeout_ms": TIMEOUT_MS,
             "not_found": {"is_known": false}, "input": refund_input(), "output": case_output(),
             "sql": [OPEN_CASE, SHOW_CASE]},
        ],
    })
}

/// What a profile declares, read as settings are.
pub fn declared(value: Value) -> ToolsDeclaration {
    serde_json::from_value(value).expect("a declaration")
}
