//! Every format: what is read of it, and what is said of files that cannot be read.

mod asciidoc;
mod contract;
mod epub;
mod front_matter_access;
mod html;
mod json;
mod long_and_timed;
mod mail;
mod outcome;
mod parser_bounds;
mod parsers;
mod pdf;
mod pdf_faults;
mod pdf_file;
mod pdf_printed;
mod rst;
