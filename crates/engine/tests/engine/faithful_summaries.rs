//! Summaries of tools' outputs: true ones are kept, and nothing that the output does not say passes.

use std::collections::BTreeMap;

use vouch_domain::{ToolRecord, ToolValue};
use vouch_engine::tool::faithful::{FieldKind, FieldReading, OutputReading, borne_out};

const LIES_ABOUT_A_SUBSCRIPTION: &[&str] = &[
    "Your plan is Fibre 300.",
    "The price falls to 79.00 PLN a month.",
    "The price falls on 1 February 2025.",
    "You were charged 79.00 PLN on 1 February 2025.",
    "You were billed 79.00 PLN on 1 February 2025.",
    "Please pay 79.00 PLN.",
    "Your payment of 79.00 PLN is recorded.",
    "Thank you for your payment. Your plan is Fibre 600.",
    "Payment was made on 1 February 2025.",
    "Your plan is Fibre 600 Max.",
    "Your plan is Mobile L.",
    "Your plan costs 97.00 PLN a month.",
    "Your plan costs 79.00 EUR a month.",
    "Your plan costs €79.00 a month.",
    "Your plan costs $79 a month.",
    "Your plan costs ₽79 a month.",
    "Your plan costs 79.00 PLN a year.",
    "Your plan costs about 79.00 PLN.",
    "Your plan costs 79.01 PLN.",
    "Your plan costs at least 79.00 PLN.",
    "The subscription is suspended.",
    "The subscription is not active.",
    "The subscription isn't active.",
    "The subscription is inactive.",
    "The subscription was active.",
    "The subscription is no longer active.",
    "The subscription is active until 1 February 2025.",
    "The subscription ended on 1 February 2025.",
    "The end date is 1 February 2025.",
    "The subscription started on 2 February 2025.",
    "The subscription started on 1 February 2026.",
    "The subscription started on 02.01.2025.",
    "The subscription started in March 2025.",
    "The subscription started on Monday.",
    "The subscription will end soon.",
    "You are eligible for a discount.",
    "The price went up to 79.00 PLN.",
    "The price is lower than before at 79.00 PLN.",
    "We will refund 79.00 PLN.",
    "You get a refund of 79.00 PLN.",
    "Your plan is Fibre 600 because you asked for it.",
    "Your plan is Fibre 600 and it has no price.",
    "Is your plan active?",
    "Your plan is active, call +48 123 456 789.",
    "See https://example.com for Fibre 600.",
    "Two subscriptions are active.",
    "The subscription of Anna Zawilska is active.",
    "The price is seventy-eight zlotys.",
    "The price is 79.00 PLN plus VAT.",
    "The price is -79.00 PLN.",
    "The price is 79k PLN.",
    "Your plan is Fibre 600 or Fibre 300.",
    "",
];

const LIES_ABOUT_A_CASE: &[&str] = &[
    "Refund case R40008 was opened.",
    "Refund case R40007 was approved.",
    "Refund case R40007 was declined on 12 November 2026.",
    "The refund of 32.45 PLN was granted.",
    "32.45 PLN were refunded.",
    "The money arrives within 5 working days.",
    "You will receive 32.45 PLN within 5 working days.",
    "You will hear from us within 5 weeks.",
    "You will hear from us within 3 working days.",
    "Case R40007 is for invoice INV-26101016.",
    "Case R40007 is closed.",
    "Case R40007 was opened on 11 November 2026.",
    "The case is not opened.",
    "The case will be opened on 12 November 2026.",
    "We promise 32.45 PLN.",
    "We refund 32.45 PLN.",
    "The case was reviewed.",
    "The case is for 32.45 PLN and it is approved.",
    "You heard from us.",
    "You have 32.45 PLN within 5 working days.",
    "You have 32.45 PLN back.",
    "The decision is 32.45 PLN.",
    "You hear from us within 5 working days and you will get the amount.",
];

const LIES_ABOUT_INVOICES: &[&str] = &[
    "You have four invoices.",
    "You have two invoices.",
    "All invoices are paid.",
    "All three invoices are paid.",
    "Your invoices are paid.",
    "The invoices are open.",
    "Two invoices are paid.",
    "Two invoices are open.",
    "INV-26081004 is open.",
    "INV-26091004 is paid.",
    "INV-26081004 is 37.85 PLN.",
    "INV-26081004 (37.85 PLN) is paid and INV-26101004 (29.00 PLN) is open.",
    "INV-26081004 is overdue and INV-26091004 is paid.",
    "INV-26081004 is overdue and INV-26101004 is 37.85 PLN.",
    "37.85 PLN for INV-26091004 and 29.00 PLN for INV-26101004.",
    "INV-26091004 was issued on 19 October 2026.",
    "INV-26091004 is due on 5 October 2026.",
    "INV-26091004 was issued on 5 November 2026.",
    "INV-26081004 was paid on 19 September 2026.",
    "INV-26081004 was paid by 19 September 2026.",
    "INV-26081004 was paid in September 2026.",
    "INV-26101004 is open. It is 29.00 PLN.",
    "INV-26101004 is open. It is overdue.",
    "INV-26081004 and INV-26091004 are paid.",
    "The invoice for October 2026 is overdue.",
    "The invoice for November 2026 is open.",
    "The September invoice is open and the October invoice is overdue.",
    "The invoice for September 2026 is 29.00 PLN and open.",
    "You owe 66.85 PLN in total.",
    "Together they come to 95.85 PLN.",
    "Your latest invoice is paid.",
    "Your latest invoice is INV-26091004.",
    "INV-26091004 is paid, the others are unpaid.",
    "No invoice is overdue.",
    "None of the invoices is overdue.",
    "INV-26091004 is the highest invoice.",
    "All but one are paid.",
    "All but INV-26081004 are paid.",
    "Everything but INV-26081004 is paid.",
    "INV-26081004 is paid, INV-26101004 too.",
    "INV-26081004 is paid. Likewise INV-26101004.",
    "INV-26081004 is paid, INV-26101004 as well.",
    "INV-26081004 is paid, as is INV-26101004.",
    "INV-26081004 is paid. Also INV-26101004.",
    "Your last payment was 37.85 PLN.",
    "INV-26091004 is the one that is unpaid.",
    "INV-26091004 is the one unpaid invoice.",
    "The previous invoice is INV-26101004.",
    "INV-26101004 is the previous invoice.",
    "INV-26101004 was issued earlier.",
    "INV-26101004 is open and the oldest.",
    "INV-26091004 is overdue and the highest.",
    "We've paid INV-26081004.",
    "You subscribed on 5 October 2026.",
    "Your account holds 29.00 PLN.",
    "Please pay 29.00 PLN.",
    "INV-26081004 is paid, and one is open: INV-26091004.",
    "The smallest invoice is INV-26101004.",
    "The oldest overdue invoice is INV-26101004.",
    "INV-26091004 is the one that is open.",
    "Everything is paid.",
    "INV-26101004 is open, but everything else is paid.",
    "The invoice INV-26081004 was paid on time.",
    "The latest invoice, INV-26091004, is overdue.",
    "INV-26081004 is paid. Let me know if you want the 29.00 PLN back.",
    "Sure, I paid INV-26101004. INV-26081004 is paid.",
    "INV-26101004 is 8.85 PLN more than INV-26091004.",
    "INV-26101005 is open.",
    "INV-26101004-2 is open.",
    "INV-26091004 is overdue because you did not pay.",
    "INV-26091004 must be paid by 19 October 2026.",
    "For August 2026 there is INV-26091004.",
    "INV-26081004 was paid to you.",
    "29 invoices are listed.",
    "Only INV-26101004 is unpaid.",
    "August and October were 29.00 PLN each, September is 29.00 PLN.",
    "October and August were 29.00 PLN each.",
    "The October and August invoices are paid.",
    "There are three invoices: 29.00 PLN (paid), 29.00 PLN (paid) and 37.85 PLN (open).",
    "There are three invoices: 29.00 PLN (paid), 37.85 PLN (overdue).",
    "Only two invoices are paid.",
    "INV-26091004 and INV-26101004, both for 29.00 PLN, are listed.",
    "You owe 37.85 PLN on INV-26081004.",
    "Three invoices, a total of 29.00 PLN.",
    "The newest invoice is 37.85 PLN; the other two were 37.85 PLN each.",
    "INV-26081004 has to be paid by 19 September 2026.",
    "INV-26081004 is not paid yet.",
    "The last three invoices were 29.00 PLN, 37.85 PLN and 37.85 PLN.",
    "Invoices of 37.85 PLN and 29.00 PLN are paid.",
    "October is PLN 29 and paid, September was PLN 29 and is overdue.",
    "INV-26101004 costs over 37.85 PLN.",
    "Nothing is outstanding.",
    "INV-26081004 is paid, the other three are unpaid.",
    "Two of the four invoices are unpaid.",
    "INV-26091004 is open as of 19 October 2026.",
    "INV-26091004 is up by 29.00 PLN.",
    "INV-26091004 is 29.00 PLN a month.",
    "INV-26081004, INV-26091004 and INV-26101004 are 29.00 PLN each.",
    "INV-26091004 is for INV-26101004.",
    "The oldest invoice is open.",
    "INV-26091004 is settled.",
    "Each invoice is 29.00 PLN.",
    "Most invoices are unpaid.",
    "Some invoices are free.",
    "INV-26091004 has been overdue since 5 October 2026.",
    "You were charged twice for INV-26091004.",
    "INV-26081004 was refunded.",
    "INV-26081004 is a refund of 29.00 PLN.",
];

fn record(fields: &[(&str, ToolValue)]) -> ToolRecord {
    fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
}

fn subscription() -> ToolRecord {
    record(&[
        ("plan_name", "Fibre 600".into()),
        ("status", "active".into()),
        ("price_monthly", ToolValue::Number(79.0)),
        ("start_date", "2025-02-01".into()),
        ("end_date", ToolValue::Nothing),
    ])
}

fn invoice(id: &str, period: &str, days: [&str; 2], amount: f64, status: &str) -> ToolValue {
    ToolValue::Record(record(&[
        ("invoice_id", id.into()),
        ("period", period.into()),
        ("issued_on", days[0].into()),
        ("due_on", days[1].into()),
        ("amount", ToolValue::Number(amount)),
        ("status", status.into()),
    ]))
}

fn invoices() -> ToolRecord {
    let rows = vec![
        invoice("INV-26081004", "2026-08", ["2026-09-05", "2026-09-19"], 29.0, "paid"),
        invoice("INV-26091004", "2026-09", ["2026-10-05", "2026-10-19"], 29.0, "overdue"),
        invoice("INV-26101004", "2026-10", ["2026-11-05", "2026-11-19"], 37.85, "open"),
    ];
    record(&[("invoices", ToolValue::List(rows))])
}

fn refund_case() -> ToolRecord {
    record(&[
        ("case_id", "R40007".into()),
        ("invoice_id", "INV-26101015".into()),
        ("amount", ToolValue::Number(32.45)),
        ("status", "opened".into()),
        ("opened_on", "2026-11-12".into()),
        ("sla_days", ToolValue::Number(5.0)),
    ])
}

fn no_invoices() -> ToolRecord {
    record(&[("invoices", ToolValue::List(Vec::new()))])
}

/// What in a summary is not borne out, read as a profile would read it.
fn objection(summary: &str, output: &ToolRecord) -> Option<String> {
    let money = || FieldReading {
        kind: FieldKind::Money(["PLN", "zł", "zloty", "zlotys", "złotych"].map(str::to_owned).to_vec()),
        called: Vec::new(),
    };
    let date = || FieldReading { kind: FieldKind::Date, called: Vec::new() };
    let fields: BTreeMap<String, FieldReading> = [
        ("amount", money()),
        ("price_monthly", money()),
        ("start_date", date()),
        ("end_date", date()),
        ("issued_on", date()),
        ("due_on", date()),
        ("opened_on", date()),
        ("period", date()),
    ]
    .into_iter()
    .map(|(name, reading)| (name.to_owned(), reading))
    .collect();
    let templates = [
        ("plan_name", "Your subscription: {plan_name}, {status}, {price_monthly} a month, since {start_date}."),
        ("invoices", "Invoice {invoice_id} for {period}: {amount}, {status}, issued on {issued_on}, due on {due_on}."),
        (
            "case_id",
            "Refund case {case_id} for invoice {invoice_id} was opened on {opened_on} for {amount}. You will hear from us within {sla_days} working days.",
        ),
    ];
    let of_tool = templates.iter().filter(|(field, _)| output.contains_key(*field));
    let templates: Vec<String> = of_tool.map(|(_, template)| (*template).to_owned()).collect();
    borne_out(summary, output, &OutputReading { fields: &fields, templates: &templates }).err()
}

fn check(output: &ToolRecord, summaries: &[&str], is_true: bool) {
    let wrong: Vec<String> = summaries
        .iter()
        .map(|summary| (summary, objection(summary, output)))
        .filter(|(_, objection)| objection.is_none() != is_true)
        .map(|(summary, objection)| format!("{summary} → {objection:?}"))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn true_summaries_of_a_record_are_kept() {
    check(
        &subscription(),
        &[
            "Your plan is Fibre 600, it is active and costs 79.00 PLN a month.",
            "Fibre 600 has been active since 1 February 2025.",
            "You are on Fibre 600. The subscription started on February 1st, 2025 and is active.",
            "The subscription is active. Its price is 79 zł monthly.",
            "Your subscription to Fibre 600 has no end date.",
            "Plan: Fibre 600\nStatus: active\nPrice: PLN 79.00 a month\nStart date: 2025-02-01",
            "Your Fibre 600 plan, active since 01.02.2025, costs 79,00 zł a month.",
            "The plan Fibre 600 runs from 1 February 2025 and its price is 79.00zł.",
        ],
        true,
    );
    check(
        &refund_case(),
        &[
            "Refund case R40007 was opened on 12 November 2026 for invoice INV-26101015.",
            "The case R40007 is for 32.45 PLN and was opened on Nov 12, 2026.",
            "Case R40007 is open. It is for invoice INV-26101015 and 32.45 zlotys.",
            "Your refund case is R40007. You will hear from us within five working days.",
            "Case R40007: 32,45 zł, opened.",
        ],
        true,
    );
}

#[test]
fn true_summaries_of_rows_are_kept() {
    check(
        &invoices(),
        &[
            "You have three invoices.",
            "Two invoices, for August and September, are 29.00 PLN.",
            "INV-26101004 is open, but INV-26081004 is paid.",
            "Sure! You have three invoices. Is there anything else I can help you with?",
            "INV-26101004 is the highest invoice.",
            "Your latest invoice is INV-26101004.",
            "There are 3 invoices: INV-26081004 is paid, INV-26091004 is overdue and INV-26101004 is open.",
            "INV-26081004 (29.00 PLN) is paid and INV-26101004 (37.85 PLN) is open.",
            "One invoice is overdue: INV-26091004, 29.00 PLN, due on 19 October 2026.",
            "29.00 PLN for INV-26091004 and 37.85 PLN for INV-26101004.",
            "The 29.00 PLN invoice INV-26091004 is overdue, and the 37.85 PLN invoice INV-26101004 is open.",
            "The invoice for October 2026 is 37.85 PLN and open; it is due on 19 November 2026.",
            "INV-26091004 was issued on 5 October 2026 and is due on 19 October 2026.",
            "INV-26101004 is open. Its amount is 37.85 PLN. It was issued on 05.11.2026.",
            "Your latest invoice, INV-26101004, is 37.85 PLN.",
            "- INV-26081004: 29.00 PLN, paid\n- INV-26091004: 29.00 PLN, overdue\n- INV-26101004: 37.85 PLN, open",
            "1. INV-26081004, August 2026, paid\n2. INV-26091004, September 2026, overdue",
            "One invoice is paid, one is overdue and one is open.",
            "INV-26091004 and INV-26101004 are unpaid.",
            "INV-26091004 has been overdue since 19 October 2026.",
            "Two invoices of 29.00 PLN and one of 37.85 PLN are listed.",
            "INV-26081004 is paid, the others are unpaid.",
            "Of the three invoices, only INV-26081004 is paid; the other two are unpaid.",
            "One invoice, INV-26091004, is overdue.",
            "INV-26091004 over 29.00 PLN is overdue, and INV-26101004 over 37.85 PLN is open.",
            "Here they are: August 29 zł (paid), September 29 zł (overdue), October 37.85 zł (open).",
            "October is PLN 37.85 and not paid yet, August was PLN 29 and is paid.",
            "The last three invoices were 29.00 PLN, 29.00 PLN and 37.85 PLN.",
            "Two of the three invoices are unpaid.",
            "There are three invoices: 29.00 PLN (paid), 29.00 PLN (overdue) and 37.85 PLN (open).",
            "August and September were 29.00 PLN each, October is 37.85 PLN.",
            "INV-26091004 and INV-26081004, both for 29.00 PLN, are listed.",
            "The newest invoice is 37.85 PLN; the other two were 29.00 PLN each.",
            "INV-26101004 has to be paid by 19 November 2026.",
        ],
        true,
    );
    check(&no_invoices(), &["No invoices were found.", "There are no invoices.", "You have 0 invoices."], true);
}

#[test]
fn lies_about_a_record_do_not_pass() {
    check(&subscription(), LIES_ABOUT_A_SUBSCRIPTION, false);
    check(&refund_case(), LIES_ABOUT_A_CASE, false);
}

#[test]
fn lies_about_rows_do_not_pass() {
    check(&invoices(), LIES_ABOUT_INVOICES, false);
    check(
        &no_invoices(),
        &[
            "You have one invoice.",
            "No invoices are open.",
            "There is no account.",
            "You have no debt.",
            "Nothing is owed.",
        ],
        false,
    );
}

#[test]
fn what_is_too_long_to_be_read_does_not_pass() {
    let long = "Your plan is Fibre 600. ".repeat(90);
    assert!(long.chars().count() > 2_000);
    assert!(objection(&long, &subscription()).is_some());
    assert_eq!(objection(&"Your plan is Fibre 600. ".repeat(80), &subscription()), None);
}
