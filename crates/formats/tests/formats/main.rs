//! Every format: what is read of it, and what is said of files that cannot be read.

mod contract;
mod front_matter_access;
mod long_and_timed;
mod parser_bounds;
mod parsers;
mod pdf;
mod pdf_faults;
mod pdf_file;
mod pdf_printed;
