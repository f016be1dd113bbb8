//! What every adapter of a port must do, as tests that are run on the fake and on each adapter alike.

pub mod audit_trail;
pub mod authenticator;
pub mod catalogue;
pub mod claim_judge;
pub mod clock;
pub mod dense_index;
pub mod directory;
pub mod embedder;
pub mod findings;
pub mod generator;
mod hostile;
pub mod injections;
pub mod jobs;
pub mod kept_vectors;
pub mod language_model;
pub mod lexical_index;
pub mod memory;
pub mod parser;
pub mod passage_judge;
pub mod rate_counter;
pub mod register;
pub mod reranker;
pub mod sent_questions;
pub mod sessions;
pub mod sign_in;
pub mod toolbox;
pub mod versions;
pub mod vocabulary;

use std::{collections::BTreeSet, sync::Arc};

use vouch_domain::{
    Reader, Scope,
    ports::{Catalogue, DenseIndex, LexicalIndex, Register},
};

use crate::corpus::TENANT;

/// One store behind its ports.
pub struct StorePorts {
    /// The store of record.
    pub catalogue: Arc<dyn Catalogue>,
    /// Documents by name.
    pub register: Arc<dyn Register>,
    /// Search by words.
    pub lexical: Arc<dyn LexicalIndex>,
    /// Search by meaning.
    pub dense: Arc<dyn DenseIndex>,
}

/// Someone who may read everything of the tiny corpus.
#[must_use]
pub fn everyone() -> Reader {
    Reader::of_tenant(TENANT)
}

/// Someone who may read everything of these collections.
#[must_use]
pub fn of_collections(names: &[&str]) -> Reader {
    everyone().within(&names.iter().map(|name| (*name).to_owned()).collect())
}

/// Someone who may read what has one of these tags, or none.
#[must_use]
pub fn tagged(tags: &[&str]) -> Reader {
    let tags: BTreeSet<String> = tags.iter().map(|tag| (*tag).to_owned()).collect();
    Reader::of_scope(TENANT, Scope::Tags(tags))
}
