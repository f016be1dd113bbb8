//! Lines of server-sent events → the data of each event.
//!
//! Invariant: an event is over at an empty line and holds no more than its limit; comments, ids and waiting times are
//! no part of it.

/// The longest data one event may have.
const EVENT_BYTES_MAX: usize = 1024 * 1024;

/// One event.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Event {
    /// Its lines of data, one below the other.
    pub(super) data: Vec<u8>,
    /// Whether it came under the name of an error.
    pub(super) is_error: bool,
}

/// An event is longer than any may be.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct EventTooLong;

/// Puts events together, line by line.
#[derive(Default)]
pub(super) struct EventReader {
    data: Option<Vec<u8>>,
    is_error: bool,
}

impl EventReader {
    /// Takes a line; gives the event it ends.
    pub(super) fn line(&mut self, line: &[u8]) -> Result<Option<Event>, EventTooLong> {
        if line.is_empty() {
            return Ok(self.event());
        }
        let (field, value) = match line.iter().position(|byte| *byte == b':') {
            Some(at) => line.split_at_checked(at).unwrap_or((line, b"")),
            None => (line, &b""[..]),
        };
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => self.add(value)?,
            b"event" => self.is_error = value == b"error",
            // Older servers of llama.cpp put an error where the name of a field belongs.
            b"error" => {
                self.is_error = true;
                self.add(value)?;
            }
            _ => {}
        }
        Ok(None)
    }

    /// The event that has begun: at its end, or where nothing more will come.
    pub(super) fn event(&mut self) -> Option<Event> {
        let is_error = std::mem::take(&mut self.is_error);
        let data = self.data.take()?;
        Some(Event { data, is_error })
    }

    fn add(&mut self, value: &[u8]) -> Result<(), EventTooLong> {
        match &mut self.data {
            None => self.data = Some(value.to_vec()),
            Some(data) if data.len().saturating_add(value.len()) >= EVENT_BYTES_MAX => return Err(EventTooLong),
            Some(data) => {
                data.push(b'\n');
                data.extend_from_slice(value);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{EVENT_BYTES_MAX, EventReader};

    fn events(text: &str) -> Vec<(String, bool)> {
        let mut reader = EventReader::default();
        let lines = text.split('\n').filter_map(|line| reader.line(line.as_bytes()).unwrap());
        lines.map(|event| (String::from_utf8(event.data).unwrap(), event.is_error)).collect()
    }

    #[test]
    fn an_event_is_its_lines_of_data() {
        let text =
            ": hello\nid: 7\nretry: 10\nevent: message\ndata: one\ndata:two\ndata:  three\n\ndata\n\n\n\n: more\n\n";
        assert_eq!(events(text), [("one\ntwo\n three".to_owned(), false), (String::new(), false)]);
    }

    #[test]
    fn an_error_is_told_by_its_name() {
        let text = "event: error\ndata: {}\n\ndata: fine\n\nerror: {\"code\":500}\n\n";
        let expected = [("{}", true), ("fine", false), ("{\"code\":500}", true)];
        assert_eq!(events(text), expected.map(|(data, is_error)| (data.to_owned(), is_error)));
    }

    #[test]
    fn an_event_without_end_is_too_long() {
        let mut reader = EventReader::default();
        let line = format!("data: {}", "x".repeat(EVENT_BYTES_MAX / 4));
        let taken = (0..10).take_while(|_| reader.line(line.as_bytes()).is_ok()).count();
        assert!(taken < 5, "{taken}");
    }
}
