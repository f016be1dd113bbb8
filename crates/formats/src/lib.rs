//! Bytes → documents: one file or folder per format behind the `Parser` port.
//!
//! Time and memory stay in proportion to the bytes, whatever they are; a document that would take more is refused.
//!
//! Invariant: every input has a defined answer; what cannot be read is a sentence for the person who can mend it.

mod addressed;
mod archive;
mod blocks;
mod delimited;
mod fault;
mod file_parser;
mod front_matter;
mod headings;
mod html;
mod json_lines;
mod manuscript;
mod markdown;
mod office;
mod open_document;
mod origin;
mod outline;
mod pages;
mod plain_text;
mod properties;
mod rows;
mod sheets;
mod tables;
mod transcript;
mod xml;

pub mod worker;

pub use file_parser::FileParser;
