//! The contract of `Toolbox`, over tools of a small billing office: two customers, three invoices, no refund case yet.
//!
//! Every adapter declares the same four tools over its own copy of that office:
//! `get_invoice(user_id, invoice_id)`, `list_invoices(user_id)`, `count_cases(user_id)` and, the only one that changes
//! anything, `open_refund_case(user_id, invoice_id, reason, amount_pln, opened_on)`. Where an invoice is not known they give
//! `{"is_known": false}`. Ids have 1 to 64 characters, reasons 1 to 2,000, amounts are above zero, days are dates.

use std::{sync::Arc, time::Duration};

use vouch_domain::{
    Fault,
    ports::Toolbox,
    tool::{Effect, ToolCall, ToolRecord, ToolValue},
};

use super::injections::injections;

/// Longer than any call takes.
const LONG: Duration = Duration::from_secs(20);

/// The tools, in order.
pub const TOOLS: [&str; 4] = ["get_invoice", "list_invoices", "count_cases", "open_refund_case"];

/// The invoices: whose, which, how much, what became of it.
pub const INVOICES: [(&str, &str, f64, &str); 3] =
    [("u-1001", "F-1", 49.99, "paid"), ("u-1001", "F-2", 120.0, "open"), ("u-1002", "F-3", 75.5, "paid")];

/// Values by name.
#[must_use]
pub fn record<const N: usize>(values: [(&str, ToolValue); N]) -> ToolRecord {
    values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// A call of `get_invoice`.
#[must_use]
pub fn invoice_call(user_id: &str, invoice_id: &str) -> ToolCall {
    let args = record([("user_id", user_id.into()), ("invoice_id", invoice_id.into())]);
    ToolCall { tool: "get_invoice".to_owned(), args }
}

/// A call of a tool that takes nothing but the customer.
#[must_use]
pub fn customer_call(tool: &str, user_id: &str) -> ToolCall {
    ToolCall { tool: tool.to_owned(), args: record([("user_id", user_id.into())]) }
}

/// A call of `open_refund_case`.
#[must_use]
pub fn refund_call(user_id: &str, invoice_id: &str, reason: &str) -> ToolCall {
    let args = record([
        ("user_id", user_id.into()),
        ("invoice_id", invoice_id.into()),
        ("reason", reason.into()),
        ("amount_pln", ToolValue::Number(49.99)),
        ("opened_on", "2026-11-17".into()),
    ]);
    ToolCall { tool: "open_refund_case".to_owned(), args }
}

/// What `open_refund_case` gives for the first case of the office.
#[must_use]
pub fn first_case(reason: &str) -> ToolRecord {
    record([
        ("case_id", "R40001".into()),
        ("invoice_id", "F-1".into()),
        ("reason", reason.into()),
        ("amount_pln", ToolValue::Number(49.99)),
        ("status", "open".into()),
        ("opened_on", "2026-11-17".into()),
        ("sla_days", ToolValue::Number(14.0)),
    ])
}

/// Runs every clause, each on an office as it was at first.
pub async fn check<F: Future<Output = Arc<dyn Toolbox>>>(make: impl Fn() -> F) {
    tools_say_what_they_are(make().await.as_ref());
    lookups_give_what_there_is(make().await.as_ref()).await;
    what_does_not_fit_runs_nothing(make().await.as_ref()).await;
    a_change_happens_once(make().await.as_ref()).await;
    changes_at_once_are_one_change(&make().await).await;
    a_call_without_time_changes_nothing(make().await.as_ref()).await;
    what_stands_in_the_way_is_looked_up_alone(make().await.as_ref()).await;
    hostile_texts_are_texts(make().await.as_ref()).await;
}

async fn cases(toolbox: &dyn Toolbox, user_id: &str) -> ToolRecord {
    toolbox.call(&customer_call("count_cases", user_id), LONG).await.expect("a number").record
}

fn counted(number: f64) -> ToolRecord {
    record([("cases", ToolValue::Number(number))])
}

fn tools_say_what_they_are(toolbox: &dyn Toolbox) {
    assert_eq!(toolbox.names(), TOOLS);
    for tool in TOOLS {
        let effect = if tool == "open_refund_case" { Effect::Changes } else { Effect::Reads };
        assert_eq!(toolbox.effect(tool), Some(effect), "{tool}");
        assert!(toolbox.input_schema(tool).is_some_and(|schema| schema.contains("user_id")), "{tool}");
    }
    assert_eq!((toolbox.effect("drop_table"), toolbox.input_schema("")), (None, None));
}

async fn lookups_give_what_there_is(toolbox: &dyn Toolbox) {
    for (user_id, invoice_id, amount, status) in INVOICES {
        let call = invoice_call(user_id, invoice_id);
        toolbox.check(&call).expect("a good call");
        let output = toolbox.call(&call, LONG).await.expect("an invoice");
        let amount_pln = ToolValue::Number(amount);
        let expected =
            record([("invoice_id", invoice_id.into()), ("amount_pln", amount_pln), ("status", status.into())]);
        assert_eq!((output.record, output.is_found), (expected, true));
    }
    for (user_id, invoice_id) in [("u-1002", "F-1"), ("u-1001", "F-3"), ("u-1001", "f-1"), ("nobody", "F-1")] {
        let output = toolbox.call(&invoice_call(user_id, invoice_id), LONG).await.expect("an answer");
        let unknown = record([("is_known", ToolValue::Flag(false))]);
        assert_eq!((output.record, output.is_found), (unknown, false), "{user_id} {invoice_id}");
    }
    for user_id in ["u-1001", "u-1002", "nobody"] {
        let output = toolbox.call(&customer_call("list_invoices", user_id), LONG).await.expect("a list");
        let of_user = INVOICES.iter().filter(|(user, ..)| *user == user_id);
        let rows = of_user.map(|(_, id, amount, _)| {
            let amount_pln = ToolValue::Number(*amount);
            ToolValue::Record(record([("invoice_id", (*id).into()), ("amount_pln", amount_pln)]))
        });
        assert_eq!(output.record, record([("invoices", ToolValue::List(rows.collect()))]), "{user_id}");
    }
}

async fn what_does_not_fit_runs_nothing(toolbox: &dyn Toolbox) {
    let good = refund_call("u-1001", "F-1", "double charge");
    let with = |name: &str, value: ToolValue| {
        let mut call = good.clone();
        call.args.insert(name.to_owned(), value);
        call
    };
    let mut lacking = good.clone();
    lacking.args.remove("user_id");
    let wrong = [
        ToolCall { tool: "close_account".to_owned(), ..good.clone() },
        ToolCall { tool: String::new(), ..good.clone() },
        lacking,
        with("user_id", ToolValue::Number(1001.0)),
        with("user_id", ToolValue::Nothing),
        with("user_id", "".into()),
        with("user_id", ToolValue::Text("u".repeat(65))),
        with("user_id", "u-1001\0".into()),
        with("user_id", ToolValue::List(vec!["u-1001".into()])),
        with("amount_pln", "49.99".into()),
        with("amount_pln", ToolValue::Number(0.0)),
        with("amount_pln", ToolValue::Number(f64::NAN)),
        with("amount_pln", ToolValue::Number(f64::INFINITY)),
        with("opened_on", "yesterday".into()),
        with("status", "paid".into()),
    ];
    for call in wrong {
        let told = toolbox.check(&call).expect_err("a wrong call");
        assert!(!told.is_empty());
        let error = toolbox.call(&call, LONG).await.expect_err("a wrong call");
        assert_eq!(error.fault, Fault::Invalid, "{call:?}: {error}");
    }
    assert_eq!(cases(toolbox, "u-1001").await, counted(0.0));
    toolbox.check(&good).expect("a good call");
    assert_eq!(cases(toolbox, "u-1001").await, counted(0.0), "checking runs nothing");
}

async fn a_change_happens_once(toolbox: &dyn Toolbox) {
    let call = refund_call("u-1001", "F-1", "double charge");
    for _ in 0..3 {
        let output = toolbox.call(&call, LONG).await.expect("a case");
        assert_eq!((output.record, output.is_found), (first_case("double charge"), true));
    }
    for call in [refund_call("u-1002", "F-1", "mine"), refund_call("u-1001", "F-3", "mine")] {
        let output = toolbox.call(&call, LONG).await.expect("an answer");
        assert_eq!((output.record, output.is_found), (record([("is_known", ToolValue::Flag(false))]), false));
    }
    let mut second = refund_call("u-1002", "F-3", "late");
    second.args.insert("amount_pln".to_owned(), ToolValue::Number(20.0));
    let output = toolbox.call(&second, LONG).await.expect("a case");
    assert_eq!(output.record.get("case_id"), Some(&"R40002".into()));
    assert_eq!(cases(toolbox, "u-1001").await, counted(1.0));
    assert_eq!(cases(toolbox, "u-1002").await, counted(1.0));
}

async fn changes_at_once_are_one_change(toolbox: &Arc<dyn Toolbox>) {
    let tasks: Vec<_> = (0..6)
        .map(|number| {
            let toolbox = Arc::clone(toolbox);
            let (user_id, invoice_id) = if number % 3 == 2 { ("u-1002", "F-3") } else { ("u-1001", "F-1") };
            tokio::spawn(async move { toolbox.call(&refund_call(user_id, invoice_id, "double charge"), LONG).await })
        })
        .collect();
    let mut given = Vec::new();
    for task in tasks {
        given.push(task.await.expect("a task").expect("a case").record);
    }
    let of = |invoice: &str| given.iter().filter(|case| case.get("invoice_id") == Some(&invoice.into())).collect();
    let (one, other): (Vec<&ToolRecord>, Vec<&ToolRecord>) = (of("F-1"), of("F-3"));
    assert_eq!((one.len(), other.len()), (4, 2));
    assert!(one.windows(2).chain(other.windows(2)).all(|pair| pair.first() == pair.last()), "{given:?}");
    assert_eq!(cases(toolbox.as_ref(), "u-1001").await, counted(1.0));
    assert_eq!(cases(toolbox.as_ref(), "u-1002").await, counted(1.0));
}

async fn a_call_without_time_changes_nothing(toolbox: &dyn Toolbox) {
    let call = refund_call("u-1001", "F-1", "double charge");
    let error = toolbox.call(&call, Duration::ZERO).await.expect_err("no time");
    assert_eq!(error.fault, Fault::Timeout, "{error}");
    assert_eq!(cases(toolbox, "u-1001").await, counted(0.0));
}

async fn what_stands_in_the_way_is_looked_up_alone(toolbox: &dyn Toolbox) {
    let good = refund_call("u-1001", "F-1", "double charge");
    assert_eq!(toolbox.obstacle(&good, LONG).await.expect("an answer"), None);
    // Only a tool that says what must be so knows what stands in the way.
    toolbox.obstacle(&refund_call("u-1002", "F-1", "mine"), LONG).await.expect("an answer");
    let mut early = good.clone();
    early.args.retain(|name, _| name == "user_id");
    assert_eq!(toolbox.obstacle(&early, LONG).await.expect("an answer"), None, "nothing can be told yet");
    let unknown = ToolCall { tool: "close_account".to_owned(), ..good };
    assert_eq!(toolbox.obstacle(&unknown, LONG).await.expect_err("no such tool").fault, Fault::Invalid);
    assert_eq!(cases(toolbox, "u-1001").await, counted(0.0));
}

/// Texts that were made to be more than texts find nothing, change nothing, and stand in a case as they were written.
async fn hostile_texts_are_texts(toolbox: &dyn Toolbox) {
    let texts = injections();
    for text in &texts {
        let lookups = [
            invoice_call(text, "F-1"),
            invoice_call("u-1001", text),
            refund_call(text, "F-1", "double charge"),
            refund_call("u-1001", text, "double charge"),
        ];
        for call in lookups {
            match toolbox.call(&call, LONG).await {
                Ok(output) => assert!(!output.is_found, "{call:?} gave {output:?}"),
                Err(error) => assert_eq!(error.fault, Fault::Invalid, "{call:?}: {error}"),
            }
        }
        match toolbox.call(&customer_call("list_invoices", text), LONG).await {
            Ok(output) => assert_eq!(output.record, record([("invoices", ToolValue::List(Vec::new()))]), "{text:?}"),
            Err(error) => assert_eq!(error.fault, Fault::Invalid, "{text:?}: {error}"),
        }
        let mut dated = refund_call("u-1001", "F-1", "double charge");
        dated.args.insert("opened_on".to_owned(), text.as_str().into());
        assert_eq!(toolbox.call(&dated, LONG).await.expect_err("no day").fault, Fault::Invalid, "{text:?}");
    }
    assert_eq!(cases(toolbox, "u-1001").await, counted(0.0));
    assert_eq!(cases(toolbox, "u-1002").await, counted(0.0));
    let nastiest = texts.iter().find(|text| text.contains("DROP TABLE")).expect("one of them");
    let output = toolbox.call(&refund_call("u-1001", "F-1", nastiest), LONG).await.expect("a case");
    assert_eq!(output.record, first_case(nastiest));
    let again = toolbox.call(&invoice_call("u-1002", "F-3"), LONG).await.expect("an invoice");
    assert!(again.is_found, "the office still stands");
}
