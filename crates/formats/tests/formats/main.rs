//! Every format: what is read of it, and what is said of files that cannot be read.

mod asciidoc;
mod contract;
mod front_matter_access;
mod html;
mod long_and_timed;
mod outcome;
mod parser_bounds;
mod parsers;
mod rst;
