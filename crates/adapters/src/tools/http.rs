//! A request to a server → the object it answers with.
//!
//! Invariant: a value never leaves its place: in the path it is one part of it, in the query one value, in the body JSON of its
//! type. No redirect is followed, nothing is read beyond its limit, and the key goes nowhere but to the declared address.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use serde_json::{Map, Value};
use vouch_domain::{
    Fault, ModelError, PortError,
    tool::{Effect, ToolOutput, ToolRecord, ToolValue},
};

use super::{
    declaration::{HttpDeclaration, HttpMethod},
    output::OutputPlan,
    value::{BYTES_MAX, json_of, plain_text},
};
use crate::model_server::{Allowance, Connection, Deadlines, PlainRequest};

/// The request of one tool.
pub(super) struct HttpTool {
    connection: Arc<Connection>,
    effect: Effect,
    method: HttpMethod,
    segments: Vec<Template>,
    query: BTreeMap<String, Template>,
    body: Map<String, Value>,
    plan: Arc<OutputPlan>,
}

/// A text with inputs in it.
type Template = Vec<Piece>;

enum Piece {
    Words(String),
    Input(String),
}

impl HttpTool {
    /// Reads a request; an error says what is wrong with it.
    pub(super) fn build(
        declared: &HttpDeclaration,
        connection: Arc<Connection>,
        effect: Effect,
        inputs: &BTreeSet<String>,
        plan: Arc<OutputPlan>,
    ) -> Result<Self, String> {
        if declared.method == HttpMethod::Get && (effect == Effect::Changes || !declared.body.is_empty()) {
            return Err("a GET changes nothing and has no body; use POST".to_owned());
        }
        let path = declared.path.strip_prefix('/').ok_or("the path must begin with `/`")?;
        let segments = path.split('/').map(|part| template(part, inputs)).collect::<Result<Vec<_>, _>>()?;
        if path.split('/').any(is_no_segment) || path.contains(['?', '#']) {
            return Err("the path has an empty part, a `.` or `..`, a `?` or a `#`".to_owned());
        }
        let mut query = BTreeMap::new();
        for (name, text) in &declared.query {
            query.insert(name.clone(), template(text, inputs)?);
        }
        for value in declared.body.values() {
            if let Some(name) = placeholder(value).filter(|name| !inputs.contains(*name)) {
                return Err(format!("`{{{name}}}` is not a property of the input"));
            }
        }
        let (method, body) = (declared.method, declared.body.clone());
        Ok(Self { connection, effect, method, segments, query, body, plan })
    }

    /// Whether inputs can stand in the path.
    pub(super) fn check(&self, args: &ToolRecord) -> Result<(), String> {
        self.path(args).map(|_| ())
    }

    /// Sends the request.
    pub(super) async fn call(&self, args: &ToolRecord, timeout: Duration) -> Result<ToolOutput, PortError> {
        let request = self.request(args).map_err(|what| self.plan.fault(Fault::Invalid, &what))?;
        let allowance = Allowance { deadlines: Deadlines::whole(timeout), bytes_max: BYTES_MAX };
        let reply = self.connection.exchange(&request, allowance).await.map_err(|error| self.fault(&error))?;
        let reply = match reply.accepted().await {
            Ok(reply) => reply,
            Err(refused) if refused.status.is_some_and(|status| status.as_u16() == 404) => return self.plan.nothing(),
            Err(refused) => {
                let status = refused.status.map_or_else(String::new, |status| format!(" ({})", status.as_u16()));
                return Err(self.plan.fault(Fault::Unavailable, &format!("its server refused or failed{status}")));
            }
        };
        let body = reply.bytes().await.map_err(|error| self.fault(&error))?;
        let value =
            serde_json::from_slice(&body).map_err(|_| self.plan.broken("its server did not answer with JSON"))?;
        match value {
            Value::Array(rows) if self.plan.list.is_some() => {
                let rows = rows.into_iter().map(|row| match row {
                    Value::Object(row) => Ok(row),
                    Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Err(self
                        .plan
                        .broken("its server answered with a list that contains something other than objects")),
                });
                self.plan.of_rows(rows.collect::<Result<_, _>>()?)
            }
            Value::Object(object) => self.plan.of_object(object),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                Err(self.plan.broken("its server did not answer with an object"))
            }
        }
    }

    fn path(&self, args: &ToolRecord) -> Result<Vec<String>, String> {
        let segment = |template: &Template| {
            let text = filled(template, args).ok_or("an input of the path is missing")?;
            if is_no_segment(&text) { Err("an input cannot stand in the path".to_owned()) } else { Ok(text) }
        };
        self.segments.iter().map(segment).collect()
    }

    fn request(&self, args: &ToolRecord) -> Result<PlainRequest, String> {
        let filled_in = self.query.iter().map(|(name, template)| (name.clone(), filled(template, args)));
        let query = filled_in.filter_map(|(name, value)| Some((name, value?))).collect();
        let body = match self.method {
            HttpMethod::Get => None,
            HttpMethod::Post => Some(Value::Object(self.filled_body(args)?).to_string().into_bytes()),
        };
        let idempotency_key = match self.effect {
            Effect::Reads => None,
            Effect::Changes => Some(self.idempotency_key(args)?),
        };
        Ok(PlainRequest { segments: self.path(args)?, query, body, idempotency_key })
    }

    fn filled_body(&self, args: &ToolRecord) -> Result<Map<String, Value>, String> {
        let given = json_of(args)?;
        let mut body = Map::new();
        for (name, value) in &self.body {
            match placeholder(value) {
                Some(input) => body.extend(given.get(input).map(|value| (name.clone(), value.clone()))),
                None => {
                    body.insert(name.clone(), value.clone());
                }
            }
        }
        Ok(body)
    }

    /// The same for the same call, so that a server can tell a repetition from another call.
    fn idempotency_key(&self, args: &ToolRecord) -> Result<String, String> {
        let input = Value::Object(json_of(args)?).to_string();
        Ok(blake3::hash(format!("{}\0{input}", self.plan.tool).as_bytes()).to_hex().to_string())
    }

    fn fault(&self, error: &ModelError) -> PortError {
        match error {
            ModelError::Timeout { .. } => self.plan.late(),
            ModelError::Connection { sentence } => self.plan.fault(Fault::Unavailable, sentence),
            ModelError::CircuitOpen { .. }
            | ModelError::NotAllowed { .. }
            | ModelError::Unavailable { .. }
            | ModelError::Context { .. }
            | ModelError::TokenBudgetExceeded { .. } => self.plan.fault(Fault::Internal, "its server cannot be asked"),
        }
    }
}

/// Parts that an address leaves out, or takes for the way up.
fn is_no_segment(text: &str) -> bool {
    matches!(text, "" | "." | "..")
}

/// The input that a value of the body stands for.
fn placeholder(value: &Value) -> Option<&str> {
    value.as_str()?.strip_prefix('{')?.strip_suffix('}')
}

fn template(text: &str, inputs: &BTreeSet<String>) -> Result<Template, String> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((words, after)) = rest.split_once('{') {
        let (name, after) = after.split_once('}').ok_or("a `{` has no `}`")?;
        if !inputs.contains(name) {
            return Err(format!("`{{{name}}}` is not a property of the input"));
        }
        pieces.push(Piece::Words(words.to_owned()));
        pieces.push(Piece::Input(name.to_owned()));
        rest = after;
    }
    pieces.push(Piece::Words(rest.to_owned()));
    Ok(pieces)
}

/// A text with its inputs filled in; none where one is absent.
fn filled(template: &Template, args: &ToolRecord) -> Option<String> {
    template
        .iter()
        .map(|piece| match piece {
            Piece::Words(words) => Some(words.clone()),
            Piece::Input(name) => plain_text(args.get(name).unwrap_or(&ToolValue::Nothing)),
        })
        .collect()
}
