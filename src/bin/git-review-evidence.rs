//! x
use std::process::ExitCode;

use git_evidence::process::{SUPERVISE, supervise_main};

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    // first of all: a supervisor closes what it inherited, so nothing may be open yet
    if args.next().is_some_and(|word| word == SUPERVISE) {
        return ExitCode::from(u8::try_from(supervise_main(args)).unwrap_or(1));
    }
    ExitCode::SUCCESS
}
