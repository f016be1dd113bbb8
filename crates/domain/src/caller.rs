//! A service's callers: what they may read, what they may do, how often.

use std::collections::BTreeSet;

use crate::reader::{Reader, Scope};

/// What a caller may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Ask, search, check, give feedback.
    Reader,
    /// The same, and change the tenant's documents and memory, and read its audit trail.
    Admin,
    /// Read the service's metrics, and nothing of any tenant.
    Monitor,
}

impl Role {
    /// The role as one word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Reader => "reader",
            Self::Admin => "admin",
            Self::Monitor => "monitor",
        }
    }

    /// The role of a word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Reader, Self::Admin, Self::Monitor].into_iter().find(|role| role.as_str() == word)
    }
}

/// Somebody who has proved who they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// What they are called in the audit trail: never a secret.
    pub id: String,
    /// What people call them, to be shown to themselves; it identifies nobody.
    pub name: Option<String>,
    /// Whose records tools may reach for them; nobody's if it is not known who they are.
    pub person: Option<String>,
    /// What they may read.
    pub reader: Reader,
    /// What they may do.
    pub role: Role,
    /// Requests per minute; unlimited if none.
    pub requests_per_minute: Option<u32>,
}

impl Caller {
    /// What they may read when a request names tags: never more than their own.
    #[must_use]
    pub fn narrow(&self, asked: Option<&BTreeSet<String>>) -> Reader {
        let scope = match (asked, &self.reader.scope) {
            (None, own) => own.clone(),
            (Some(asked), Scope::WholeTenant) => Scope::Tags(asked.clone()),
            (Some(asked), Scope::Tags(own)) => Scope::Tags(own.intersection(asked).cloned().collect()),
        };
        Reader { scope, ..self.reader.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::{BTreeSet, Caller, Reader, Role, Scope};

    fn tags(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_request_may_narrow_what_its_caller_sees_and_never_widen_it() {
        let reader = Reader::of_scope("a", Scope::Tags(tags(&["hr", "it"])));
        let caller = Caller {
            id: "k".to_owned(),
            name: None,
            person: None,
            reader,
            role: Role::Reader,
            requests_per_minute: None,
        };
        assert_eq!(caller.narrow(None).scope, Scope::Tags(tags(&["hr", "it"])));
        assert_eq!(caller.narrow(Some(&tags(&["hr", "board"]))).scope, Scope::Tags(tags(&["hr"])));
        assert_eq!(caller.narrow(Some(&tags(&["board"]))).scope, Scope::Tags(tags(&[])));
        let whole = Caller { reader: Reader::of_tenant("a"), ..caller };
        assert_eq!(whole.narrow(Some(&tags(&["hr"]))).scope, Scope::Tags(tags(&["hr"])));
    }

    #[test]
    fn every_role_has_a_word_of_its_own() {
        for role in [Role::Reader, Role::Admin, Role::Monitor] {
            assert_eq!(Role::parse(role.as_str()), Some(role));
        }
        assert_eq!(Role::parse("root"), None);
    }
}
