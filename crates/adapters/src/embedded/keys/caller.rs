//! A key → who calls with it, and what they may see now.

use vouch_domain::{Caller, KeyCard, PortError, Reader, Scope, ports::Directory};

/// Who calls with a key that is good; nobody where it is somebody's who is not there any more.
pub(crate) async fn caller_of(card: &KeyCard, directory: Option<&dyn Directory>) -> Result<Option<Caller>, PortError> {
    let scope = match (&card.person, &card.tags) {
        (Some(person), _) => {
            let Some(directory) = directory else { return Ok(None) };
            match directory.person(&card.tenant, person).await? {
                Some(person) => Scope::Tags(person.tags),
                None => return Ok(None),
            }
        }
        (None, Some(tags)) => Scope::Tags(tags.clone()),
        (None, None) => Scope::WholeTenant,
    };
    let id = card.person.as_ref().map_or_else(|| format!("key:{}", card.id), |person| format!("user:{person}"));
    Ok(Some(Caller {
        id,
        name: None,
        person: card.person.clone(),
        reader: Reader::of_scope(&card.tenant, scope),
        role: card.role,
        requests_per_minute: card.per_minute,
    }))
}
