//! The fields of a protobuf message, where they lie: nothing is copied, whatever is malformed ends the reading.

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    /// Four or eight bytes that a caller of ours never asks for.
    Fixed,
}

/// The fields of one message, each with its number.
pub(super) struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    pub(super) fn new(message: &'a [u8]) -> Self {
        Self { rest: message }
    }

    /// The next field; `Ok(None)` at the end.
    pub(super) fn next(&mut self) -> Result<Option<(u64, Value<'a>)>, Malformed> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let tag = number(&mut self.rest)?;
        let value = match tag & 7 {
            0 => Value::Number(number(&mut self.rest)?),
            1 => self.skip(8)?,
            2 => {
                let length = usize::try_from(number(&mut self.rest)?).map_err(|_| Malformed)?;
                Value::Bytes(self.take(length)?)
            }
            5 => self.skip(4)?,
            _ => return Err(Malformed),
        };
        Ok(Some((tag >> 3, value)))
    }

    fn skip(&mut self, length: usize) -> Result<Value<'a>, Malformed> {
        self.take(length).map(|_| Value::Fixed)
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(Malformed)?;
        self.rest = rest;
        Ok(taken)
    }
}

/// No such message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Malformed;

/// Seven bits a byte, the lowest first.
pub(super) fn number(rest: &mut &[u8]) -> Result<u64, Malformed> {
    let mut value = 0u64;
    for place in 0..10 {
        let (byte, after) = rest.split_first().ok_or(Malformed)?;
        *rest = after;
        value |= u64::from(byte & 0x7f) << (7 * place);
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(Malformed)
}

#[cfg(test)]
mod tests {
    use super::{Fields, Malformed, Value, number};

    #[test]
    fn numbers_are_read_to_their_end_and_no_further() {
        assert_eq!(number(&mut [0x96, 0x01, 7].as_slice()), Ok(150));
        assert_eq!(number(&mut [0xff; 9].as_slice()), Err(Malformed));
        assert_eq!(number(&mut [0xff; 11].as_slice()), Err(Malformed));
    }

    #[test]
    fn fields_of_every_sort_are_told_apart() {
        let message = [0x08, 0x05, 0x12, 0x02, b'h', b'i', 0x1d, 1, 2, 3, 4, 0x21, 1, 2, 3, 4, 5, 6, 7, 8];
        let mut fields = Fields::new(&message);
        assert_eq!(fields.next(), Ok(Some((1, Value::Number(5)))));
        assert_eq!(fields.next(), Ok(Some((2, Value::Bytes(b"hi")))));
        assert_eq!(fields.next(), Ok(Some((3, Value::Fixed))));
        assert_eq!(fields.next(), Ok(Some((4, Value::Fixed))));
        assert_eq!(fields.next(), Ok(None));
    }

    #[test]
    fn a_length_beyond_the_end_is_malformed() {
        for message in [[0x12, 0x03, b'h', b'i'].as_slice(), &[0x12], &[0x1d, 1], &[0x0b]] {
            assert_eq!(Fields::new(message).next(), Err(Malformed), "{message:?}");
        }
    }
}
