//! Stand-ins that behave as their ports promise, in memory and without waiting.

mod audit_trail;
mod authenticator;
mod clock;
mod directory;
mod embedder;
mod generator;
mod judge;
mod kept_vectors;
mod language_model;
mod memory;
mod parser;
mod plain_words;
mod register;
mod sessions;
mod sign_in;
mod store;
mod toolbox;
mod versions;
mod vocabulary;

pub use audit_trail::FakeTrail;
pub use authenticator::FakeAuthenticator;
pub use clock::StoppedClock;
pub use directory::FakeDirectory;
pub use embedder::FakeEmbedder;
pub use generator::ScriptedGenerator;
pub use judge::FakeJudge;
pub use kept_vectors::FakeVectors;
pub use language_model::{Script, ScriptedModel, Step};
pub use memory::FakeMemory;
pub use parser::LineParser;
pub use plain_words::FakePlainWords;
pub use sessions::FakeSessions;
pub use sign_in::FakeSignIn;
pub use store::MemoryStore;
pub use toolbox::{ArgKind, FakeTool, FakeToolbox};
pub use vocabulary::{FakeVocabulary, concept};
