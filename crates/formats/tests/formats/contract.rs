//! Every parser keeps the contract of its port.

use vouch_formats::FileParser;
use vouch_testkit::contracts;

#[test]
fn the_file_parser_is_a_parser() {
    contracts::parser::check(&FileParser::default());
}
