//! Every format: what is read of it, and what is said of files that cannot be read.

mod archives;
mod asciidoc;
mod contract;
mod csv;
mod epub;
mod front_matter_access;
mod html;
mod json;
mod known;
mod long_and_timed;
mod mail;
mod office_file;
mod open_document;
mod outcome;
mod parser_bounds;
mod parsers;
mod pdf;
mod pdf_faults;
mod pdf_file;
mod pdf_layout;
mod pdf_printed;
mod presentations;
mod produced;
mod rst;
mod spreadsheets;
mod word;
