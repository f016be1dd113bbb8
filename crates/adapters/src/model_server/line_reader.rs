//! Bytes, cut anywhere → whole lines.
//!
//! Invariant: no more is held than one line of the longest length and the bytes that came last; every byte is looked at
//! once, however small the pieces.

/// Cuts what a server sends into lines, which end with a line feed, a carriage return before it being no part of them.
pub(super) struct LineReader {
    held: Vec<u8>,
    line_start: usize,
    searched: usize,
    line_bytes_max: usize,
}

/// A line is longer than any may be.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LineTooLong;

impl LineReader {
    pub(super) fn new(line_bytes_max: usize) -> Self {
        Self { held: Vec::new(), line_start: 0, searched: 0, line_bytes_max }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.held.drain(..self.line_start);
        self.searched -= self.line_start;
        self.line_start = 0;
        self.held.extend_from_slice(bytes);
    }

    /// The next whole line, without its end.
    pub(super) fn next_line(&mut self) -> Result<Option<Vec<u8>>, LineTooLong> {
        let ahead = self.held.get(self.searched..).unwrap_or_default();
        let Some(at) = ahead.iter().position(|byte| *byte == b'\n') else {
            self.searched = self.held.len();
            let is_too_long = self.searched - self.line_start > self.line_bytes_max;
            return if is_too_long { Err(LineTooLong) } else { Ok(None) };
        };
        let end = self.searched + at;
        let line = self.held.get(self.line_start..end).unwrap_or_default();
        if line.len() > self.line_bytes_max {
            return Err(LineTooLong);
        }
        let line = line.strip_suffix(b"\r").unwrap_or(line).to_vec();
        self.line_start = end + 1;
        self.searched = self.line_start;
        Ok(Some(line))
    }

    /// What came after the last line's end, where nothing more will come.
    pub(super) fn rest(&mut self) -> Option<Vec<u8>> {
        let rest = self.held.split_off(self.line_start);
        self.held.clear();
        (self.line_start, self.searched) = (0, 0);
        (!rest.is_empty()).then_some(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::{LineReader, LineTooLong};

    const TEXT: &str = "one\r\n\ntwo é 🗼\n\r\nlast";

    fn lines(pieces: &[&[u8]]) -> Vec<String> {
        let mut reader = LineReader::new(64);
        let mut found = Vec::new();
        for piece in pieces {
            reader.push(piece);
            while let Ok(Some(line)) = reader.next_line() {
                found.push(line);
            }
        }
        found.extend(reader.rest());
        found.into_iter().map(|line| String::from_utf8(line).unwrap()).collect()
    }

    #[test]
    fn lines_are_the_same_wherever_they_are_cut() {
        let expected = ["one", "", "two é 🗼", "", "last"];
        for at in 0..=TEXT.len() {
            let (before, after) = TEXT.as_bytes().split_at(at);
            assert_eq!(lines(&[before, after]), expected, "cut at {at}");
        }
        let single: Vec<&[u8]> = TEXT.as_bytes().chunks(1).collect();
        assert_eq!(lines(&single), expected);
    }

    #[test]
    fn a_line_that_does_not_end_is_too_long_once_it_is() {
        let mut reader = LineReader::new(4);
        reader.push(b"1234");
        assert_eq!(reader.next_line(), Ok(None));
        reader.push(b"5");
        assert_eq!(reader.next_line(), Err(LineTooLong));
    }

    #[test]
    fn a_line_that_ends_too_late_is_too_long() {
        let mut reader = LineReader::new(4);
        reader.push(b"1234\n12345\n");
        assert_eq!(reader.next_line(), Ok(Some(b"1234".to_vec())));
        assert_eq!(reader.next_line(), Err(LineTooLong));
    }
}
