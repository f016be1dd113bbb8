//! What a test needs and cannot have on this machine: said where people see it, and a failure where nobody looks.
//!
//! Invariant: a test that did not run never looks like one that did. The test runner holds back what is printed, and shows
//! it only of tests that fail, so the line is written past it. Nobody reads the lines of a pipeline: with `CI` set, a
//! missing tool is a failure.

use std::io::Write;

/// Says that `what` was not tested and why; panics if the environment variable `CI` is set.
pub fn skip(what: &str, reason: &str) {
    let line = format!("SKIPPED: {what}: {reason}");
    // A closed standard error takes nothing away from the test.
    let _ = writeln!(std::io::stderr().lock(), "{line}");
    assert!(std::env::var_os("CI").is_none(), "{line}\nwith CI set, nothing may be skipped");
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Output};

    use super::skip;

    const CHILD: &str = "VOUCH_SKIP_CHILD";

    #[test]
    fn a_test_that_skips() {
        if std::env::var_os(CHILD).is_some() {
            skip("the harbour light", "there is no lamp");
        }
    }

    /// Runs the test above in a process of its own, since the environment of this one is shared.
    fn skipping(is_ci: Option<&str>) -> Output {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.args(["--exact", "skip::tests::a_test_that_skips"]).env(CHILD, "1").env_remove("CI");
        command.envs(is_ci.map(|value| ("CI", value)));
        command.output().expect("a process")
    }

    #[test]
    fn what_was_skipped_is_told_although_the_test_passes() {
        let ran = skipping(None);
        assert!(ran.status.success());
        let told = String::from_utf8_lossy(&ran.stderr);
        assert!(told.contains("SKIPPED: the harbour light: there is no lamp"), "{told}");
    }

    #[test]
    fn with_ci_set_nothing_may_be_skipped() {
        let ran = skipping(Some("true"));
        assert!(!ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));
    }
}
