//! What a server sends of calls, whole or in pieces → the calls.
//!
//! Invariant: calls are taken all or none: whatever is malformed, too long, too deep or too many leaves none of them, and
//! their text goes nowhere.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use vouch_domain::{ToolCall, ToolRecord, ToolValue};

const CALLS_MAX: usize = 4;
const ARGUMENT_BYTES_MAX: usize = 8 * 1024;
const NAME_CHARS_MAX: usize = 64;
/// How deep the arguments of a call may be.
const DEPTH_MAX: usize = 4;
/// How deep a list of calls may be: the list, the call, its function and the arguments.
const LIST_DEPTH_MAX: usize = DEPTH_MAX + 3;

/// A value as it was sent; none where it cannot be taken as it is: a name twice, a number that is none, too deep.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Heard(pub(crate) Option<ToolValue>);

impl<'de> Deserialize<'de> for Heard {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Level(LIST_DEPTH_MAX).deserialize(from)
    }
}

/// A piece of a call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum CallPiece {
    /// The name of a call, its arguments or a part of them, by the call's place.
    Part { at: Option<usize>, name: Option<String>, arguments: Arguments },
    /// Something that is no call.
    Broken,
}

/// Arguments as a server sends them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Arguments {
    /// Text of an object, or a part of it.
    Text(String),
    /// The object.
    Whole(ToolRecord),
    /// None in this piece.
    Absent,
}

/// The pieces in a list of calls, each call whole where a server sends no places.
pub(crate) fn whole_calls(list: Option<Heard>) -> Vec<CallPiece> {
    match list {
        None | Some(Heard(Some(ToolValue::Nothing))) => Vec::new(),
        Some(Heard(Some(ToolValue::List(calls)))) => calls.into_iter().map(piece).collect(),
        Some(Heard(_)) => vec![CallPiece::Broken],
    }
}

fn piece(call: ToolValue) -> CallPiece {
    let ToolValue::Record(mut call) = call else { return CallPiece::Broken };
    let at = match call.remove("index") {
        None | Some(ToolValue::Nothing) => None,
        Some(ToolValue::Number(at)) => match (0..CALLS_MAX).find(|place| at == *place as f64) {
            Some(at) => Some(at),
            None => return CallPiece::Broken,
        },
        Some(_) => return CallPiece::Broken,
    };
    let Some(ToolValue::Record(mut function)) = call.remove("function") else { return CallPiece::Broken };
    let name = match function.remove("name") {
        None | Some(ToolValue::Nothing) => None,
        Some(ToolValue::Text(name)) => Some(name).filter(|name| !name.is_empty()),
        Some(_) => return CallPiece::Broken,
    };
    let arguments = match function.remove("arguments") {
        None | Some(ToolValue::Nothing) => Arguments::Absent,
        Some(ToolValue::Text(text)) => Arguments::Text(text),
        Some(ToolValue::Record(whole)) => Arguments::Whole(whole),
        Some(_) => return CallPiece::Broken,
    };
    CallPiece::Part { at, name, arguments }
}

/// The calls of an answer, as they come.
#[derive(Debug, Default)]
pub(crate) struct CalledTools {
    calls: Vec<(usize, Called)>,
    bytes: usize,
    is_broken: bool,
}

#[derive(Debug, Default)]
struct Called {
    name: String,
    text: String,
    whole: Option<ToolRecord>,
}

impl CalledTools {
    /// Takes a piece.
    pub(crate) fn add(&mut self, piece: CallPiece) {
        if self.is_broken || self.take(piece).is_none() {
            (self.is_broken, self.calls) = (true, Vec::new());
        }
    }

    fn take(&mut self, piece: CallPiece) -> Option<()> {
        let CallPiece::Part { at, name, arguments } = piece else { return None };
        let next = self.calls.last().map_or(0, |(at, _)| at + 1);
        // Without a place a name begins a call, and what has none goes on with the last.
        let at = at.or_else(|| if name.is_some() { Some(next) } else { next.checked_sub(1) })?;
        let known = self.calls.iter().position(|(known, _)| *known == at);
        let place = known.unwrap_or(self.calls.len());
        if known.is_none() {
            self.calls.push((at, Called::default()));
        }
        let (_, call) = self.calls.get_mut(place).filter(|_| place < CALLS_MAX)?;
        if let Some(name) = name {
            let is_same = call.name.is_empty() || call.name == name;
            (is_same && name.chars().count() <= NAME_CHARS_MAX).then_some(())?;
            call.name = name;
        }
        match arguments {
            Arguments::Absent => {}
            Arguments::Text(text) => {
                self.bytes += text.len();
                call.whole.is_none().then_some(())?;
                (self.bytes <= ARGUMENT_BYTES_MAX).then(|| call.text.push_str(&text))?;
            }
            Arguments::Whole(record) => {
                self.bytes += record_bytes(&record);
                (call.whole.is_none() && call.text.is_empty() && self.bytes <= ARGUMENT_BYTES_MAX).then_some(())?;
                call.whole = Some(record);
            }
        }
        Some(())
    }

    /// The calls, now that the answer has ended; none of an answer that was cut off.
    pub(crate) fn close(self, is_cut: bool) -> Vec<ToolCall> {
        let is_any = self.is_broken || !self.calls.is_empty();
        let calls: Option<Vec<ToolCall>> = self.calls.into_iter().map(|(_, called)| called.read()).collect();
        match calls.filter(|_| !self.is_broken && !is_cut) {
            Some(calls) => calls,
            None => {
                if is_any {
                    tracing::warn!("a model called tools in a way that cannot be read; no call is taken");
                }
                Vec::new()
            }
        }
    }
}

impl Called {
    fn read(self) -> Option<ToolCall> {
        let args = match self.whole {
            Some(whole) => whole,
            None => match serde_json::from_str(&self.text) {
                Ok(Heard(Some(ToolValue::Record(args)))) => args,
                Ok(_) | Err(_) => return None,
            },
        };
        let is_sound = !self.name.is_empty() && record_depth(&args) <= DEPTH_MAX;
        is_sound.then_some(ToolCall { tool: self.name, args })
    }
}

fn record_depth(record: &ToolRecord) -> usize {
    1 + record.values().map(depth).max().unwrap_or(0)
}

fn depth(value: &ToolValue) -> usize {
    match value {
        ToolValue::Nothing | ToolValue::Flag(_) | ToolValue::Number(_) | ToolValue::Text(_) => 0,
        ToolValue::List(values) => 1 + values.iter().map(depth).max().unwrap_or(0),
        ToolValue::Record(record) => record_depth(record),
    }
}

/// About as many bytes as the record takes when it is written.
fn record_bytes(record: &ToolRecord) -> usize {
    record.iter().map(|(name, value)| name.len() + 4 + bytes(value)).sum::<usize>() + 2
}

fn bytes(value: &ToolValue) -> usize {
    match value {
        ToolValue::Nothing | ToolValue::Flag(_) | ToolValue::Number(_) => 4,
        ToolValue::Text(text) => text.len() + 2,
        ToolValue::List(values) => values.iter().map(|value| bytes(value) + 1).sum::<usize>() + 2,
        ToolValue::Record(record) => record_bytes(record),
    }
}

/// Reads a value that may be so many levels deep.
struct Level(usize);

impl<'de> DeserializeSeed<'de> for Level {
    type Value = Heard;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Heard, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Level {
    type Value = Heard;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Heard, E> {
        Ok(Heard(Some(ToolValue::Nothing)))
    }

    fn visit_bool<E>(self, is_so: bool) -> Result<Heard, E> {
        Ok(Heard(Some(ToolValue::Flag(is_so))))
    }

    #[expect(clippy::cast_precision_loss, reason = "a tool's numbers are as precise as JSON promises")]
    fn visit_i64<E>(self, number: i64) -> Result<Heard, E> {
        Ok(Heard(Some(ToolValue::Number(number as f64))))
    }

    #[expect(clippy::cast_precision_loss, reason = "a tool's numbers are as precise as JSON promises")]
    fn visit_u64<E>(self, number: u64) -> Result<Heard, E> {
        Ok(Heard(Some(ToolValue::Number(number as f64))))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Heard, E> {
        Ok(Heard(number.is_finite().then_some(ToolValue::Number(number))))
    }

    fn visit_str<E>(self, text: &str) -> Result<Heard, E> {
        Ok(Heard(Some(ToolValue::Text(text.to_owned()))))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Heard, A::Error> {
        let Some(below) = self.0.checked_sub(1) else {
            while seq.next_element::<IgnoredAny>()?.is_some() {}
            return Ok(Heard(None));
        };
        let mut values = Some(Vec::new());
        while let Some(Heard(value)) = seq.next_element_seed(Level(below))? {
            values = values.zip(value).map(|(mut values, value)| {
                values.push(value);
                values
            });
        }
        Ok(Heard(values.map(ToolValue::List)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Heard, A::Error> {
        let Some(below) = self.0.checked_sub(1) else {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            return Ok(Heard(None));
        };
        let mut record = ToolRecord::new();
        let mut is_sound = true;
        while let Some(name) = map.next_key::<String>()? {
            let Heard(value) = map.next_value_seed(Level(below))?;
            is_sound &= value.is_some();
            is_sound &= record.insert(name, value.unwrap_or(ToolValue::Nothing)).is_none();
        }
        Ok(Heard(is_sound.then_some(ToolValue::Record(record))))
    }
}
