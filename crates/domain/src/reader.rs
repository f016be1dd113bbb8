//! Who asks, and the one rule of what they may see.

use std::collections::BTreeSet;

use crate::document::DocumentCard;

/// A reader: one tenant, and the part of it that is open to them.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reader {
    /// Whose documents are read.
    pub tenant: String,
    /// Which of them.
    pub scope: Scope,
    /// Only documents of these collections; of all where absent.
    pub collections: Option<BTreeSet<String>>,
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
        Self { tenant: tenant.to_owned(), scope: Scope::WholeTenant, collections: None }
    }

    /// A reader of a part of one tenant.
    #[must_use]
    pub fn of_scope(tenant: &str, scope: Scope) -> Self {
        Self { tenant: tenant.to_owned(), scope, collections: None }
    }

    /// The same reader, of these collections alone; never more than before.
    #[must_use]
    pub fn within(mut self, collections: &BTreeSet<String>) -> Self {
        self.collections = Some(match self.collections {
            None => collections.clone(),
            Some(own) => own.intersection(collections).cloned().collect(),
        });
        self
    }

    /// Whether documents of a collection are read.
    #[must_use]
    pub fn reads_collection(&self, collection: &str) -> bool {
        self.collections.as_ref().is_none_or(|own| own.contains(collection))
    }

    /// Whether the reader sees a document: it is open to them, and of a collection they read.
    #[must_use]
    pub fn may_see(&self, card: &DocumentCard) -> bool {
        self.may_read(&card.tenant, &card.tags) && self.reads_collection(&card.collection)
    }

    /// Whether what has this tenant and these tags is open to the reader, of whatever collection.
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
        let reader = Reader::of_scope("a", Scope::Tags(tags(&["hr", "it"])));
        assert!(reader.may_read("a", &tags(&["hr", "legal"])));
        assert!(!reader.may_read("a", &tags(&["legal"])));
    }

    #[test]
    fn who_sees_a_part_keeps_what_that_part_alone_sees() {
        let reader = Reader::of_scope("a", Scope::Tags(tags(&["hr", "it"])));
        assert!(reader.may_keep("a", &tags(&["hr"])));
        assert!(!reader.may_keep("a", &tags(&[])), "everybody sees it");
        assert!(!reader.may_keep("a", &tags(&["hr", "legal"])), "others see it too");
        assert!(!reader.may_keep("b", &tags(&["hr"])));
        assert!(Reader::of_tenant("a").may_keep("a", &tags(&[])));
        assert!(!Reader::of_tenant("a").may_keep("b", &tags(&[])));
    }

    #[test]
    fn a_reader_of_collections_is_never_given_more() {
        let all = Reader::of_tenant("a");
        assert!(all.reads_collection("policies"));
        let few = all.within(&tags(&["policies", "guides"]));
        assert!(few.reads_collection("policies") && !few.reads_collection("minutes"));
        let fewer = few.within(&tags(&["guides", "minutes"]));
        assert!(fewer.reads_collection("guides"));
        assert!(!fewer.reads_collection("policies") && !fewer.reads_collection("minutes"));
        assert!(!fewer.within(&tags(&[])).reads_collection("guides"), "none is none, not all");
    }

    #[test]
    fn a_document_without_tags_is_open_to_its_tenant() {
        let reader = Reader::of_scope("a", Scope::Tags(tags(&[])));
        assert!(reader.may_read("a", &tags(&[])));
    }
}
