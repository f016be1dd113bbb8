//! Bytes → documents: one file or folder per format behind the `Parser` port.
//!
//! Time and memory stay in proportion to the bytes, whatever they are; a document that would take more is refused.
//!
//! Invariant: every input has a defined answer; what cannot be read is a sentence for the person who can mend it.

mod addressed;
mod archive;
mod asciidoc;
mod blocks;
mod cells;
mod day;
mod delimited;
mod epub;
mod fault;
mod file_parser;
mod front_matter;
mod headings;
mod html;
mod json;
mod json_lines;
mod mail;
mod manuscript;
mod markdown;
mod nested;
mod office;
mod open_document;
mod origin;
mod outline;
mod pages;
mod pdf;
mod plain_text;
mod properties;
mod rows;
mod rst;
mod sheets;
mod tables;
mod transcript;
mod xml;

pub mod convert;
pub mod worker;

pub use file_parser::FileParser;
