//! Tools in memory: any that a test describes, or those of the contract's billing office.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use vouch_domain::{
    Fault, PortError,
    ports::Toolbox,
    tool::{Effect, ToolCall, ToolOutput, ToolRecord, ToolValue},
};

use crate::contracts::toolbox::{INVOICES, TOOLS, record};

const PORT: &str = "tools";

/// What stands in the way of a call.
type Obstacle = Box<dyn Fn(&ToolRecord) -> Option<&'static str> + Send + Sync>;
/// What a tool does with its input.
type Answer = Box<dyn Fn(&ToolRecord) -> ToolOutput + Send + Sync>;

/// What an input must be; all of them are needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgKind {
    /// Text of 1 to 64 characters.
    Id,
    /// Text of 1 to 2,000 characters.
    Text,
    /// A day such as `2026-11-17`.
    Day,
    /// A number above zero.
    Amount,
}

/// A tool.
pub struct FakeTool {
    name: String,
    effect: Effect,
    args: Vec<(String, ArgKind)>,
    answer: Answer,
    obstacle: Obstacle,
}

impl FakeTool {
    /// One that does what the closure says.
    #[must_use]
    pub fn new(
        name: &str,
        effect: Effect,
        args: &[(&str, ArgKind)],
        answer: impl Fn(&ToolRecord) -> ToolOutput + Send + Sync + 'static,
    ) -> Self {
        let args = args.iter().map(|(name, kind)| ((*name).to_owned(), *kind)).collect();
        Self { name: name.to_owned(), effect, args, answer: Box::new(answer), obstacle: Box::new(|_| None) }
    }

    /// The same with something that may stand in the way of a call.
    #[must_use]
    pub fn unless(self, obstacle: impl Fn(&ToolRecord) -> Option<&'static str> + Send + Sync + 'static) -> Self {
        Self { obstacle: Box::new(obstacle), ..self }
    }

    fn check(&self, args: &ToolRecord) -> Result<(), String> {
        if let Some(other) = args.keys().find(|name| !self.args.iter().any(|(known, _)| known == *name)) {
            return Err(format!("{} takes no {other}", self.name));
        }
        let wrong = self.args.iter().find(|(name, kind)| !args.get(name).is_some_and(|value| fits(value, *kind)));
        wrong.map_or(Ok(()), |(name, kind)| Err(format!("{}: {name} must be a {kind:?}", self.name)))
    }

    fn schema(&self) -> String {
        let names: Vec<String> = self.args.iter().map(|(name, _)| format!("{name:?}")).collect();
        let properties: Vec<String> =
            self.args.iter().map(|(name, kind)| format!("{name:?}:{}", property(*kind))).collect();
        format!(
            r#"{{"type":"object","properties":{{{}}},"required":[{}],"additionalProperties":false}}"#,
            properties.join(","),
            names.join(",")
        )
    }
}

fn property(kind: ArgKind) -> &'static str {
    match kind {
        ArgKind::Id => r#"{"type":"string","minLength":1,"maxLength":64}"#,
        ArgKind::Text => r#"{"type":"string","minLength":1,"maxLength":2000}"#,
        ArgKind::Day => r#"{"type":"string","format":"date"}"#,
        ArgKind::Amount => r#"{"type":"number","exclusiveMinimum":0}"#,
    }
}

fn fits(value: &ToolValue, kind: ArgKind) -> bool {
    let is_long =
        |text: &str, chars_max: usize| (1..=chars_max).contains(&text.chars().count()) && !text.contains('\0');
    match (value, kind) {
        (ToolValue::Text(text), ArgKind::Id) => is_long(text, 64),
        (ToolValue::Text(text), ArgKind::Text) => is_long(text, 2_000),
        (ToolValue::Text(text), ArgKind::Day) => {
            text.len() == 10 && text.chars().enumerate().all(|(at, one)| (one == '-') == (at == 4 || at == 7))
        }
        (ToolValue::Number(number), ArgKind::Amount) => number.is_finite() && *number > 0.0,
        (
            ToolValue::Nothing
            | ToolValue::Flag(_)
            | ToolValue::Number(_)
            | ToolValue::Text(_)
            | ToolValue::List(_)
            | ToolValue::Record(_),
            ArgKind::Id | ArgKind::Text | ArgKind::Day | ArgKind::Amount,
        ) => false,
    }
}

/// Tools that note every call that ran.
pub struct FakeToolbox {
    tools: Vec<FakeTool>,
    calls: Mutex<Vec<ToolCall>>,
    fault: Option<Fault>,
    is_hanging: bool,
}

impl FakeToolbox {
    /// These tools.
    #[must_use]
    pub fn with_tools(tools: Vec<FakeTool>) -> Self {
        Self { tools, calls: Mutex::default(), fault: None, is_hanging: false }
    }

    /// The tools of the contract's billing office, without a refund case yet.
    #[must_use]
    pub fn of_customers() -> Self {
        Self::with_tools(office())
    }

    /// Every call that fits fails so, and runs nothing.
    #[must_use]
    pub fn failing(self, fault: Fault) -> Self {
        Self { fault: Some(fault), ..self }
    }

    /// Every call that fits waits until its time is over, and runs nothing.
    #[must_use]
    pub fn hanging(self) -> Self {
        Self { is_hanging: true, ..self }
    }

    /// The calls that ran, in order.
    #[must_use]
    pub fn calls(&self) -> Vec<ToolCall> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn tool(&self, name: &str) -> Option<&FakeTool> {
        self.tools.iter().find(|tool| tool.name == name)
    }
}

#[async_trait]
impl Toolbox for FakeToolbox {
    fn names(&self) -> Vec<String> {
        self.tools.iter().map(|tool| tool.name.clone()).collect()
    }

    fn effect(&self, tool: &str) -> Option<Effect> {
        self.tool(tool).map(|tool| tool.effect)
    }

    fn input_schema(&self, tool: &str) -> Option<String> {
        self.tool(tool).map(FakeTool::schema)
    }

    fn check(&self, call: &ToolCall) -> Result<(), String> {
        let tool = self.tool(&call.tool).ok_or_else(|| format!("there is no tool {:?}", call.tool))?;
        tool.check(&call.args)
    }

    async fn obstacle(&self, call: &ToolCall, _: Duration) -> Result<Option<String>, PortError> {
        if let Some(fault) = self.fault {
            return Err(PortError::new(PORT, fault, "the tool fails"));
        }
        let tool =
            self.tool(&call.tool).ok_or_else(|| PortError::new(PORT, Fault::Invalid, "there is no such tool"))?;
        Ok((tool.obstacle)(&call.args).map(str::to_owned))
    }

    async fn call(&self, call: &ToolCall, timeout: Duration) -> Result<ToolOutput, PortError> {
        self.check(call).map_err(|sentence| PortError::new(PORT, Fault::Invalid, sentence))?;
        if self.is_hanging {
            tokio::time::sleep(timeout).await;
        }
        if self.is_hanging || timeout.is_zero() {
            return Err(PortError::new(PORT, Fault::Timeout, "the tool took too long"));
        }
        if let Some(fault) = self.fault {
            return Err(PortError::new(PORT, fault, "the tool fails"));
        }
        let tool = self.tool(&call.tool).expect("a tool that was checked");
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).push(call.clone());
        Ok((tool.answer)(&call.args))
    }
}

fn text<'a>(args: &'a ToolRecord, name: &str) -> &'a str {
    args.get(name).and_then(ToolValue::as_text).unwrap_or_default()
}

fn found(record: ToolRecord) -> ToolOutput {
    ToolOutput { record, is_found: true }
}

fn unknown() -> ToolOutput {
    ToolOutput { record: record([("is_known", ToolValue::Flag(false))]), is_found: false }
}

fn office() -> Vec<FakeTool> {
    let cases: Arc<Mutex<BTreeMap<String, (String, ToolRecord)>>> = Arc::default();
    let counted = Arc::clone(&cases);
    let ids = [("user_id", ArgKind::Id), ("invoice_id", ArgKind::Id)];
    let [get, list, count, open] = TOOLS;
    let find = |args: &ToolRecord| {
        let (user_id, invoice_id) = (text(args, "user_id"), text(args, "invoice_id"));
        INVOICES.into_iter().find(|(user, id, ..)| *user == user_id && *id == invoice_id)
    };
    let refund =
        [ids.as_slice(), &[("reason", ArgKind::Text), ("amount_pln", ArgKind::Amount), ("opened_on", ArgKind::Day)]];
    vec![
        FakeTool::new(get, Effect::Reads, &ids, move |args| {
            find(args).map_or_else(unknown, |(_, id, amount, status)| {
                let amount_pln = ToolValue::Number(amount);
                found(record([("invoice_id", id.into()), ("amount_pln", amount_pln), ("status", status.into())]))
            })
        }),
        FakeTool::new(list, Effect::Reads, &ids[..1], |args| {
            let of_user = INVOICES.iter().filter(|(user, ..)| *user == text(args, "user_id"));
            let rows = of_user.map(|(_, id, amount, _)| {
                let amount_pln = ToolValue::Number(*amount);
                ToolValue::Record(record([("invoice_id", (*id).into()), ("amount_pln", amount_pln)]))
            });
            found(record([("invoices", ToolValue::List(rows.collect()))]))
        }),
        FakeTool::new(count, Effect::Reads, &ids[..1], move |args| {
            let cases = counted.lock().unwrap_or_else(PoisonError::into_inner);
            let count = cases.values().filter(|(user, _)| user == text(args, "user_id")).fold(0.0, |sum, _| sum + 1.0);
            found(record([("cases", ToolValue::Number(count))]))
        }),
        FakeTool::new(open, Effect::Changes, &refund.concat(), move |args| {
            let Some((user_id, invoice_id, ..)) = find(args) else { return unknown() };
            let mut cases = cases.lock().unwrap_or_else(PoisonError::into_inner);
            let number = 40_001 + cases.len();
            let (_, case) = cases.entry(invoice_id.to_owned()).or_insert_with(|| {
                let mut case = args.clone();
                case.remove("user_id");
                case.insert("case_id".to_owned(), ToolValue::Text(format!("R{number}")));
                case.insert("status".to_owned(), "open".into());
                case.insert("sla_days".to_owned(), ToolValue::Number(14.0));
                (user_id.to_owned(), case)
            });
            found(case.clone())
        }),
    ]
}
