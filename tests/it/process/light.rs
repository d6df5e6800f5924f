//! The light way, for git itself.

use std::time::{Duration, Instant};

use git_evidence::process::{Exit, PLAIN_LIMIT, ProcessError, Program, plain};

use super::{LONG, Place, SHORT, is_alive, wait_for};

#[test]
fn code_signal_and_both_outputs_come_through() {
    let place = Place::new();
    let ran = plain(&place.script("echo out; echo err >&2; exit 7", LONG), b"").unwrap();
    assert_eq!(ran.exit, Exit::Code(7));
    assert_eq!((ran.stdout.as_slice(), ran.stderr.as_slice()), (&b"out\n"[..], &b"err\n"[..]));
    let ran = plain(&place.script("kill -KILL $$", LONG), b"").unwrap();
    assert_eq!(ran.exit, Exit::Signal(9));
}

#[test]
fn much_input_goes_in_while_much_output_comes_out() {
    let place = Place::new();
    let input: Vec<u8> = (0..3_000_000_u32).map(|n| (n % 251) as u8).collect();
    let ran = plain(&Program::new(["cat"], place.path(), LONG), &input).unwrap();
    assert_eq!(ran.exit, Exit::Code(0));
    assert!(ran.stdout == input);
}

#[test]
fn input_that_nobody_reads_is_no_error() {
    let place = Place::new();
    let ran = plain(&place.script("exec 0<&-; echo done", LONG), &vec![b'x'; 1 << 20]).unwrap();
    assert_eq!((ran.exit, ran.stdout.as_slice()), (Exit::Code(0), &b"done\n"[..]));
    let ran = plain(&place.script("cat; echo done", LONG), b"").unwrap();
    assert_eq!(ran.stdout, b"done\n");
}

#[test]
fn the_deadline_holds() {
    let place = Place::new();
    for text in [
        "trap '' TERM; sleep 600",
        "exec > /dev/null 2>&1; sleep 600",
        "yes > /dev/null",
        "kill -STOP $$",
    ] {
        let start = Instant::now();
        let ran = plain(&place.script(text, SHORT), b"").unwrap();
        assert_eq!(ran.exit, Exit::Deadline, "{text}");
        assert!(start.elapsed() < Duration::from_secs(10), "{text}");
    }
}

#[test]
fn a_deadline_ends_the_group() {
    let place = Place::new();
    let text = "sleep 600 & echo $! > pid; wait";
    assert_eq!(plain(&place.script(text, SHORT), b"").unwrap().exit, Exit::Deadline);
    let pid = place.the_pid("pid");
    wait_for(|| (!is_alive(pid)).then_some(()));
}

#[test]
fn too_much_output_is_ended_at_the_limit() {
    let place = Place::new();
    let ran = plain(&Program::new(["yes"], place.path(), LONG), b"").unwrap();
    assert_eq!((ran.exit, ran.stdout.len()), (Exit::TooMuchOutput, PLAIN_LIMIT));
}

#[test]
fn a_job_that_keeps_the_pipes_does_not_hold_us() {
    let place = Place::new();
    let start = Instant::now();
    let ran = plain(&place.script("sleep 30 & echo $! > pid; echo done", LONG), b"").unwrap();
    assert_eq!((ran.exit, ran.stdout.as_slice()), (Exit::Code(0), &b"done\n"[..]));
    assert!(start.elapsed() < Duration::from_secs(20));
    let pid = place.the_pid("pid").to_string();
    std::process::Command::new("kill").arg(pid).status().unwrap();
}

#[test]
fn what_cannot_be_started_is_told() {
    let place = Place::new();
    let missing = plain(&Program::new(["no-such-program-anywhere"], place.path(), LONG), b"");
    assert!(matches!(missing, Err(ProcessError::NotStarted { .. })), "{missing:?}");
    let away = plain(&Program::shell("true", place.file("away"), LONG), b"");
    assert!(matches!(away, Err(ProcessError::Folder { .. })), "{away:?}");
    let nothing = plain(&Program::new(Vec::<String>::new(), place.path(), LONG), b"");
    assert!(matches!(nothing, Err(ProcessError::NotStarted { .. })), "{nothing:?}");
}

#[test]
fn messages_are_in_one_language_and_nothing_asks() {
    let place = Place::new();
    let program = place.script("echo \"$LC_ALL $GIT_TERMINAL_PROMPT $EXTRA\"", LONG);
    let ran = plain(&program.env("EXTRA", "more"), b"").unwrap();
    assert_eq!(ran.stdout, b"C 0 more\n");
}
