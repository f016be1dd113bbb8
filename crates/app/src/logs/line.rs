//! One event → one line of JSON with everything at its top: the request's name, route and fallbacks from the spans
//! around it, its own fields beside them.
//!
//! Invariant: every line of a request carries the same name, whichever part wrote it.

use std::{
    fmt,
    io::Write,
    time::{Instant, SystemTime},
};

use serde_json::{Map, Value, json};
use tracing::{
    Event, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
};
use tracing_subscriber::{
    Layer,
    layer::Context,
    registry::{LookupSpan, SpanRef},
};

use vouch_service::wire::timestamp;

use crate::terminal;

/// Keys no event can set.
const OWN: &[&str] = &["timestamp", "level", "elapsed_ms", "fallback", "message"];

/// Writes lines.
pub(super) struct Lines<F> {
    writer: F,
}

impl<W: Write, F: Fn() -> W> Lines<F> {
    pub(super) fn to(writer: F) -> Self {
        Self { writer }
    }
}

/// What was said in fields.
#[derive(Debug, Default)]
struct LogFields(Map<String, Value>);

/// What a span knows of its request.
#[derive(Debug)]
struct Known {
    fields: Map<String, Value>,
    flags: Vec<String>,
    started: Instant,
}

impl LogFields {
    fn put(&mut self, field: &Field, value: Value) {
        self.0.insert(field.name().to_owned(), value);
    }
}

impl Visit for LogFields {
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.put(field, json!((value * 1e3).round() / 1e3));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, json!(value));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, json!(value));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, json!(value));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, json!(value));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.put(field, json!(format!("{value:?}")));
    }
}

impl Known {
    /// Takes over what a record says; flags only ever come to those that are there.
    fn take(&mut self, told: &Map<String, Value>) {
        for (name, value) in told {
            match (name.as_str(), value.as_str()) {
                ("fallback_flags" | "fallback", Some(flags)) => self.raise(flags),
                _ => drop(self.fields.insert(name.clone(), value.clone())),
            }
        }
    }

    fn raise(&mut self, flags: &str) {
        for flag in flags.split(',').filter(|flag| !flag.is_empty()) {
            if self.flags.iter().all(|known| known != flag) {
                self.flags.push(flag.to_owned());
            }
        }
    }

    fn is_request(&self) -> bool {
        self.fields.contains_key("request_id")
    }
}

/// Tells the spans of a request above this one what concerns the whole of it.
fn tell_above<S>(span: &SpanRef<'_, S>, told: &Map<String, Value>)
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    let whole: Map<String, Value> = ["route", "fallback_flags", "fallback"]
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), told.get(*name)?.clone())))
        .collect();
    for above in span.scope().skip(1) {
        if let Some(known) = above.extensions_mut().get_mut::<Known>().filter(|known| known.is_request()) {
            known.take(&whole);
        }
    }
}

impl<S, W, F> Layer<S> for Lines<F>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    W: Write,
    F: Fn() -> W + 'static,
{
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let mut told = LogFields::default();
        attributes.record(&mut told);
        let mut known = Known { fields: Map::new(), flags: Vec::new(), started: Instant::now() };
        known.take(&told.0);
        span.extensions_mut().insert(known);
        tell_above(&span, &told.0);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let mut told = LogFields::default();
        values.record(&mut told);
        if let Some(known) = span.extensions_mut().get_mut::<Known>() {
            known.take(&told.0);
        }
        tell_above(&span, &told.0);
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let mut told = LogFields::default();
        event.record(&mut told);
        let mut line = Map::new();
        if let Some(span) = context.event_span(event) {
            if let Some(flags) = told.0.get("fallback").and_then(Value::as_str) {
                for one in span.scope() {
                    if let Some(known) = one.extensions_mut().get_mut::<Known>() {
                        known.raise(flags);
                    }
                }
            }
            around(&span, &mut line);
        }
        let message = told.0.get("message").and_then(Value::as_str).unwrap_or_default().to_owned();
        let named = told.0.remove("event").filter(Value::is_string);
        let component = told.0.remove("component").filter(Value::is_string);
        if named.is_some() && !message.is_empty() {
            line.insert("message".to_owned(), json!(message));
        }
        line.insert("event".to_owned(), named.unwrap_or_else(|| json!(slug(&message))));
        line.insert(
            "component".to_owned(),
            component.unwrap_or_else(|| json!(component_of(event.metadata().target()))),
        );
        line.extend(told.0.into_iter().filter(|(name, _)| !OWN.contains(&name.as_str())));
        line.insert("timestamp".to_owned(), json!(timestamp(now_ms())));
        line.insert("level".to_owned(), json!(event.metadata().level().as_str()));
        // A line that cannot be written is lost; the work goes on.
        let line = Value::Object(line).to_string();
        let _ = (self.writer)().write_all(format!("{}\n", terminal::escaped(&line)).as_bytes());
    }
}

/// What the spans around an event know of its request.
fn around<S>(span: &SpanRef<'_, S>, line: &mut Map<String, Value>)
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    let (mut flags, mut started) = (Vec::<String>::new(), None);
    for one in span.scope().from_root() {
        let extensions = one.extensions();
        let Some(known) = extensions.get::<Known>() else { continue };
        line.extend(known.fields.iter().map(|(name, value)| (name.clone(), value.clone())));
        flags.extend(known.flags.iter().filter(|flag| !flags.contains(flag)).cloned().collect::<Vec<_>>());
        started = started.or_else(|| known.is_request().then_some(known.started));
    }
    if let Some(started) = started {
        let elapsed_ms = (started.elapsed().as_secs_f64() * 1e6).round() / 1e3;
        line.entry("route").or_insert_with(|| json!("direct"));
        line.insert("fallback_flags".to_owned(), json!(flags));
        line.insert("elapsed_ms".to_owned(), json!(elapsed_ms));
    }
}

/// A sentence as one word.
fn slug(message: &str) -> String {
    let words = message.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join("_")
}

/// Modules and the part of the system they are; the first that fits counts.
const COMPONENTS: &[(&str, &str)] = &[
    ("vouch_engine::terminology", "skosmos"),
    ("vouch_adapters::skosmos", "skosmos"),
    ("vouch_engine::retrieve", "retrieval"),
    ("vouch_engine::recall", "memory"),
    ("vouch_engine::judge", "judge"),
    ("vouch_engine::verify", "judge"),
    ("vouch_engine::breaker", "embeddings"),
    ("vouch_engine::model_registry", "llm"),
    ("vouch_engine::compose", "llm"),
    ("vouch_engine::ask::writer", "llm"),
    ("vouch_engine::ask::widen", "llm"),
    ("vouch_engine::ask::general", "llm"),
    ("vouch_engine::ingest", "ingest"),
    ("vouch_engine", "router"),
    ("vouch_adapters::embedded", "store"),
    ("vouch_adapters::ollama", "llm"),
    ("vouch_adapters::openai_compatible", "llm"),
    ("vouch_adapters::model_server", "llm"),
    ("vouch_adapters::otlp", "traces"),
    ("vouch_models", "models"),
    ("vouch_service::ask_service", "router"),
    ("vouch_server::access_control", "door"),
    ("vouch_server", "http"),
    ("vouch_service", "http"),
];

fn component_of(target: &str) -> &str {
    let own = COMPONENTS.iter().find(|(module, _)| target.starts_with(module)).map(|(_, component)| *component);
    own.unwrap_or_else(|| target.split("::").next().unwrap_or(target))
}

fn now_ms() -> u64 {
    let since = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use std::{
        io::Write,
        sync::{Arc, Mutex},
    };

    use serde_json::Value;
    use tracing_subscriber::layer::SubscriberExt;

    use super::Lines;

    #[derive(Clone, Default)]
    struct Page(Arc<Mutex<Vec<u8>>>);

    impl Write for Page {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().expect("a lock").extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn lines(work: impl FnOnce()) -> Vec<Value> {
        let page = Page::default();
        let writer = page.clone();
        let subscriber = tracing_subscriber::registry().with(Lines::to(move || writer.clone()));
        tracing::subscriber::with_default(subscriber, work);
        let text = String::from_utf8(page.0.lock().expect("a lock").clone()).expect("text");
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }

    #[test]
    fn fallbacks_add_up_along_a_request_and_reach_the_lines_outside_it() {
        let found = lines(|| {
            let request = tracing::info_span!("request", request_id = "r1");
            let _in_request = request.enter();
            {
                let question = tracing::info_span!("question", request_id = "r1", route = "tree").entered();
                tracing::info!(component = "router", event = "request_start");
                tracing::warn!(event = "timeout", fallback = "skosmos_timeout", latency_ms = 300_u64);
                tracing::warn!(fallback = "bm25_only,circuit_open", "lane failed");
                tracing::warn!(fallback = "bm25_only", "lane failed");
                drop(question);
            }
            tracing::info!(event = "response_sent");
        });
        assert!(found.iter().all(|line| line["request_id"] == "r1" && line["route"] == "tree"), "{found:?}");
        let flags: Vec<&Value> = found.iter().map(|line| &line["fallback_flags"]).collect();
        assert_eq!(flags[0], &serde_json::json!([]));
        assert_eq!(flags[1], &serde_json::json!(["skosmos_timeout"]));
        assert_eq!(flags[4], &serde_json::json!(["skosmos_timeout", "bm25_only", "circuit_open"]));
        assert_eq!((&found[2]["event"], &found[2]["level"]), (&"lane_failed".into(), &"WARN".into()));
        assert!(found.iter().all(|line| line["elapsed_ms"].is_number() && line.get("fallback").is_none()));
    }

    #[test]
    fn a_line_outside_any_request_names_none_and_no_field_takes_a_key_of_ours() {
        let found = lines(|| tracing::error!(level = "fine", timestamp = 1_u64, "Keys can't be read"));
        assert_eq!((&found[0]["level"], &found[0]["event"]), (&"ERROR".into(), &"keys_can_t_be_read".into()));
        assert!(found[0]["timestamp"].as_str().is_some_and(|at| at.ends_with('Z') && at.len() == 24));
        assert!(found[0].get("request_id").is_none() && found[0].get("route").is_none());
    }
}
