//! x
use std::process::ExitCode;

use git_evidence::process::{SUPERVISE, supervise_main};

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    let first = args.next();
    // first of all: a supervisor closes what it inherited, so nothing may be open yet
    if first.as_ref().is_some_and(|word| word == SUPERVISE) {
        return ExitCode::from(u8::try_from(supervise_main(args)).unwrap_or(1));
    }
    let rest: Vec<String> = args.map(|a| a.to_string_lossy().into_owned()).collect();
    let words: Vec<&str> = rest.iter().map(String::as_str).collect();
    if let (Some("hook"), ["pre-push", arguments @ ..]) =
        (first.as_ref().and_then(|f| f.to_str()), words.as_slice())
    {
        let argument = |i: usize| arguments.get(i).copied();
        let code = git_evidence::hook::pre_push::main(argument(0), argument(1), None);
        return ExitCode::from(u8::try_from(code).unwrap_or(1));
    }
    ExitCode::SUCCESS
}
