//! Nobody outside the engine can make or change what is shown as checked: each file in `promise` tries one way and must not
//! compile.

#[test]
fn no_way_around_the_checks_compiles() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/engine/promise/*.rs");
}
