//! Every format: what is read of it, and what is said of files that cannot be read.

mod archives;
mod contract;
mod csv;
mod front_matter_access;
mod long_and_timed;
mod office_file;
mod open_document;
mod parser_bounds;
mod parsers;
mod presentations;
mod produced;
mod spreadsheets;
mod word;
