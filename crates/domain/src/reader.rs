//! Who asks, and the one rule of what they may see.

use std::collections::BTreeSet;

/// A reader: one tenant, and the part of it that is open to them.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reader {
    /// Whose documents are read.
    pub tenant: String,
    /// Which of them.
    pub scope: Scope,
}

/// The part of a tenant that is open to a reader.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// Everything of the tenant.
    WholeTenant,
    /// Documents with one of these tags, and documents without any.
    Tags(BTreeSet<String>),
}

impl Reader {
    /// The tenant used where nobody names one.
    pub const DEFAULT_TENANT: &'static str = "default";

    /// A reader of the whole of one tenant.
    #[must_use]
    pub fn of_tenant(tenant: &str) -> Self {
        Self { tenant: tenant.to_owned(), scope: Scope::WholeTenant }
    }

    /// Whether a document of this tenant with these tags is open to the reader.
    #[must_use]
    pub fn may_read(&self, tenant: &str, tags: &BTreeSet<String>) -> bool {
        let is_in_scope = match &self.scope {
            Scope::WholeTenant => true,
            Scope::Tags(own) => tags.is_empty() || !own.is_disjoint(tags),
        };
        self.tenant == tenant && is_in_scope
    }

    /// Whether somebody who may keep documents may keep, replace or take out one with these tags. Who sees a part of a
    /// tenant keeps what that part alone sees: not what is open to everybody, nor what others see too.
    #[must_use]
    pub fn may_keep(&self, tenant: &str, tags: &BTreeSet<String>) -> bool {
        let is_theirs = match &self.scope {
            Scope::WholeTenant => true,
            Scope::Tags(own) => !tags.is_empty() && tags.is_subset(own),
        };
        self.tenant == tenant && is_theirs
    }
}

#[cfg(test)]
mod tests {
    use super::{BTreeSet, Reader, Scope};

    fn tags(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn another_tenant_is_closed_whatever_the_tags() {
        assert!(!Reader::of_tenant("a").may_read("b", &tags(&[])));
    }

    #[test]
    fn one_shared_tag_opens_a_document_and_none_closes_it() {
        let reader = Reader { tenant: "a".to_owned(), scope: Scope::Tags(tags(&["hr", "it"])) };
        assert!(reader.may_read("a", &tags(&["hr", "legal"])));
        assert!(!reader.may_read("a", &tags(&["legal"])));
    }

    #[test]
    fn who_sees_a_part_keeps_what_that_part_alone_sees() {
        let reader = Reader { tenant: "a".to_owned(), scope: Scope::Tags(tags(&["hr", "it"])) };
        assert!(reader.may_keep("a", &tags(&["hr"])));
        assert!(!reader.may_keep("a", &tags(&[])), "everybody sees it");
        assert!(!reader.may_keep("a", &tags(&["hr", "legal"])), "others see it too");
        assert!(!reader.may_keep("b", &tags(&["hr"])));
        assert!(Reader::of_tenant("a").may_keep("a", &tags(&[])));
        assert!(!Reader::of_tenant("a").may_keep("b", &tags(&[])));
    }

    #[test]
    fn a_document_without_tags_is_open_to_its_tenant() {
        let reader = Reader { tenant: "a".to_owned(), scope: Scope::Tags(tags(&[])) };
        assert!(reader.may_read("a", &tags(&[])));
    }
}
