//! Where a conversation is kept, and how much of it.

use vouch_domain::{
    Fault, PortError,
    session::{SessionOwner, SessionState},
};

use super::stored;

pub(crate) const PORT: &str = "sessions";
/// How long a conversation is remembered after it was last touched.
pub(crate) const KEPT_MS: u64 = 30 * 60 * 1_000;
pub(crate) const PER_OWNER_MAX: u32 = 200;
pub(crate) const IN_ALL_MAX: u32 = 20_000;
const ID_CHARS_MAX: usize = 128;
const STATE_BYTES_MAX: usize = 256 * 1024;

/// Where a conversation is kept.
pub(crate) struct Place {
    pub(crate) tenant: String,
    pub(crate) asker: String,
    pub(crate) id: String,
}

impl Place {
    pub(crate) fn of(owner: &SessionOwner, id: &str) -> Result<Self, PortError> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._:-".contains(&byte);
        if !(1..=ID_CHARS_MAX).contains(&id.len()) || !id.bytes().all(is_plain) {
            let sentence =
                format!("the id of a conversation has 1 to {ID_CHARS_MAX} letters, digits, `.`, `_`, `:` and `-`");
            return Err(PortError::new(PORT, Fault::Invalid, sentence));
        }
        Ok(Self { tenant: owner.tenant.clone(), asker: owner.asker.clone(), id: id.to_owned() })
    }
}

/// A state as it is kept.
pub(crate) fn state_text(state: &SessionState) -> Result<String, PortError> {
    let invalid = |what: String| PortError::new(PORT, Fault::Invalid, format!("a state cannot be kept: {what}"));
    let text = stored::write(state).map_err(invalid)?;
    if text.len() > STATE_BYTES_MAX {
        return Err(invalid(format!("it has more than {STATE_BYTES_MAX} bytes")));
    }
    Ok(text)
}
