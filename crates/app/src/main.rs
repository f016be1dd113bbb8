//! The binary `vouch`: one command line over one engine. Exit codes are told in `exit`.

use std::process::ExitCode;

fn main() -> ExitCode {
    vouch_app::main()
}
