//! Programs that hang, hide, flood, or turn against their supervisor.

use std::time::{Duration, Instant};

use git_evidence::process::{CAPTURE_EACH, Exit, ProcessError, Ran, Sink};

use super::{LONG, Place, SHORT, assert_gone, runner};

/// Runs a script that does not end by itself and checks that its deadline held.
fn run_over(place: &Place, text: &str) -> Ran {
    let start = Instant::now();
    let ran = runner().run(&place.script(text, SHORT)).unwrap();
    assert_eq!(ran.exit, Exit::Deadline, "{text}");
    // generous: the machine may be busy. The deadline and the grace come to 400 ms.
    assert!(start.elapsed() < Duration::from_secs(10), "{text}: {:?}", start.elapsed());
    assert!(ran.seconds >= SHORT.as_secs_f64());
    ran
}

#[test]
fn a_hanging_program_is_ended() {
    let place = Place::new();
    run_over(&place, "echo $$ > pid; echo said; sleep 600; echo never");
    assert_gone(&place.pids("pid"));
}

#[test]
fn output_before_the_deadline_is_kept() {
    let ran = run_over(&Place::new(), "echo said; sleep 600; echo never");
    assert_eq!(ran.stdout.text(), "said\n");
}

#[test]
fn a_program_that_ignores_signals_is_ended() {
    let place = Place::new();
    run_over(&place, "trap '' TERM INT HUP; echo $$ > pid; while :; do sleep 0.05; done");
    assert_gone(&place.pids("pid"));
}

#[test]
fn a_program_that_obeys_may_tidy_up() {
    let place = Place::new();
    let text = "trap 'echo tidy; exit 0' TERM; while :; do sleep 0.01; done";
    let program = place.script(text, SHORT).grace(LONG);
    let ran = runner().run(&program).unwrap();
    assert_eq!((ran.exit, ran.stdout.text().as_str()), (Exit::Deadline, "tidy\n"));
}

#[test]
fn a_program_that_stops_itself_is_ended() {
    let place = Place::new();
    run_over(&place, "echo $$ > pid; kill -STOP $$; sleep 600");
    assert_gone(&place.pids("pid"));
}

#[test]
fn a_flood_is_kept_in_bounded_memory_and_ended() {
    let ran = run_over(&Place::new(), "yes & yes >&2");
    for captured in [&ran.stdout, &ran.stderr] {
        assert_eq!((captured.head.len(), captured.tail.len()), (CAPTURE_EACH, CAPTURE_EACH));
        assert!(captured.omitted() > 0);
    }
}

#[test]
fn a_flood_into_a_file_is_ended_at_the_limit() {
    let place = Place::new();
    let sink = Sink::File { path: place.file("out"), limit: 100_000 };
    let program = place.script("echo $$ > pid; trap '' TERM; yes", LONG).stdout(sink);
    assert_eq!(runner().run(&program).unwrap().exit, Exit::TooMuchOutput);
    assert_eq!(place.file("out").metadata().unwrap().len(), 100_000);
    assert_gone(&place.pids("pid"));
}

#[test]
fn a_job_in_its_own_session_does_not_outlive_the_program() {
    let place = Place::new();
    let text = "setsid sh -c 'echo $$ > pid; exec sleep 600' &
                until [ -s pid ]; do sleep 0.01; done; exit 4";
    let ran = runner().run(&place.script(text, LONG)).unwrap();
    assert_eq!((ran.exit, ran.leftovers), (Exit::Code(4), 1));
    assert_gone(&place.pids("pid"));
}

#[test]
fn a_daemon_does_not_outlive_the_program() {
    let place = Place::new();
    // two forks and a session, all outputs closed, deaf to TERM: nothing ties it to the program
    let text = "(setsid sh -c '(trap \"\" TERM; cd /; sh -c \"echo \\$PPID\" > \"$0\"/pid
                  while :; do sleep 0.05; done) > /dev/null 2>&1 &' \"$PWD\" &)
                until [ -s pid ]; do sleep 0.01; done";
    let ran = runner().run(&place.script(text, LONG)).unwrap();
    assert_eq!(ran.exit, Exit::Code(0));
    assert!(ran.leftovers >= 1);
    assert_gone(&place.pids("pid"));
}

#[test]
fn a_daemon_does_not_outlive_the_deadline() {
    let place = Place::new();
    let text = "(setsid sh -c 'trap \"\" TERM; echo $$ > pid; while :; do sleep 0.05; done' &)
                until [ -s pid ]; do sleep 0.01; done; echo $$ >> pid; sleep 600";
    run_over(&place, text);
    assert_gone(&place.pids("pid"));
}

#[test]
fn a_job_that_ends_at_once_is_no_leftover() {
    let place = Place::new();
    let ran = runner().run(&place.script("true & true & exit 0", LONG)).unwrap();
    assert_eq!((ran.exit, ran.leftovers), (Exit::Code(0), 0));
}

#[test]
fn a_run_through_ever_new_processes_is_caught() {
    let place = Place::new();
    // every process starts the next in a new session and ends; bounded, so that a failure here
    // does not run for ever
    let hop = "[ \"$1\" -gt 0 ] && setsid sh hop $(($1 - 1)) & echo $1 > at";
    std::fs::write(place.file("hop"), hop).unwrap();
    let text = "sh hop 20000; until [ -s at ]; do sleep 0.01; done; exit 0";
    assert_eq!(runner().run(&place.script(text, LONG)).unwrap().exit, Exit::Code(0));
    let at = std::fs::read(place.file("at")).unwrap();
    assert_ne!(at, b"0\n", "it came to its own end");
    let again = std::fs::read(place.file("at")).unwrap();
    assert_eq!(at, again, "it still runs");
}

#[test]
fn a_growing_crowd_is_ended() {
    let place = Place::new();
    // bounded: two to the eighth processes at most
    let grow = "[ \"$1\" -gt 0 ] || exec sleep 600
                sh grow $(($1 - 1)) & sh grow $(($1 - 1)) & echo $$ >> pid; wait";
    std::fs::write(place.file("grow"), grow).unwrap();
    run_over(&place, "trap '' TERM; sh grow 7");
    assert_gone(&place.pids("pid"));
}

#[test]
fn a_script_that_signals_its_group_does_not_reach_the_supervisor() {
    let place = Place::new();
    let ran = runner().run(&place.script("sleep 600 & kill -TERM 0; sleep 600", LONG)).unwrap();
    assert_eq!(ran.exit, Exit::Signal(15));
}

#[test]
fn a_stopped_supervisor_still_keeps_the_deadline() {
    let place = Place::new();
    run_over(&place, "echo $$ > pid; kill -STOP $PPID; sleep 600");
    assert_gone(&place.pids("pid"));
}

#[test]
fn a_program_that_asks_its_supervisor_to_end_is_ended() {
    let place = Place::new();
    let text = "echo $$ > pid; kill -TERM $PPID; sleep 600";
    assert_eq!(runner().run(&place.script(text, LONG)).unwrap().exit, Exit::Cancelled);
    assert_gone(&place.pids("pid"));
}

#[test]
fn a_killed_supervisor_leaves_an_error_and_no_processes() {
    let place = Place::new();
    let text = "echo $$ > pid; setsid sh -c 'echo $$ >> pid; exec sleep 600' &
                until [ $(wc -l < pid) = 2 ]; do sleep 0.01; done
                kill -KILL $PPID; sleep 600";
    let result = runner().run(&place.script(text, LONG));
    assert!(matches!(result, Err(ProcessError::Supervisor { .. })), "{result:?}");
    assert_eq!(place.pids("pid").len(), 2);
    assert_gone(&place.pids("pid"));
}

#[test]
fn an_account_forged_by_the_program_does_not_count() {
    let place = Place::new();
    let text = r#"status=${_GIT_EVIDENCE_RUN}
        echo '{"end":{"exit":0},"seconds":1.0,"leftovers":0,"survivors":0}' > "$status"; exit 9"#;
    assert_eq!(runner().run(&place.script(text, LONG)).unwrap().exit, Exit::Code(9));
    let text = format!("{} kill -KILL $PPID", text.replace("exit 9", ""));
    let result = runner().run(&place.script(&text, LONG));
    assert!(matches!(result, Err(ProcessError::Supervisor { .. })), "{result:?}");
}
