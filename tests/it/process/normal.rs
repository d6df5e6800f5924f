//! Programs that behave.

use std::io::ErrorKind;
use std::thread;

use git_evidence::process::{Cancel, Exit, ProcessError, Program, Runner, Sink};

use super::{LONG, Place, SUPERVISOR, runner};

#[test]
fn code_and_both_outputs_come_through() {
    let place = Place::new();
    let ran = runner().run(&place.script("echo out; echo err >&2; exit 7", LONG)).unwrap();
    assert_eq!(ran.exit, Exit::Code(7));
    assert_eq!((ran.stdout.text().as_str(), ran.stderr.text().as_str()), ("out\n", "err\n"));
    assert_eq!(ran.leftovers, 0);
    assert!(ran.seconds > 0.0 && ran.seconds < 60.0);
}

#[test]
fn a_signal_comes_through() {
    let place = Place::new();
    for (name, number) in [("KILL", 9), ("TERM", 15), ("SEGV", 11)] {
        let ran = runner().run(&place.script(&format!("kill -{name} $$"), LONG)).unwrap();
        assert_eq!(ran.exit, Exit::Signal(number));
    }
}

#[test]
fn arguments_and_folder_arrive_as_given() {
    let place = Place::new();
    let words = ["printf", "[%s]", "a b", "", "--", "--status", "$x", "ü\n"];
    let ran = runner().run(&Program::new(words, place.path(), LONG)).unwrap();
    assert_eq!(ran.stdout.head, "[a b][][--][--status][$x][ü\n]".as_bytes());
    let ran = runner().run(&place.script("pwd -P", LONG)).unwrap();
    let folder = place.path().canonicalize().unwrap();
    assert_eq!(ran.stdout.text().trim_end(), folder.to_str().unwrap());
}

#[test]
fn a_relative_program_starts_in_its_folder() {
    let place = Place::new();
    let link = std::os::unix::fs::symlink("/bin/sh", place.file("shell"));
    link.unwrap();
    let ran = runner().run(&Program::new(["./shell", "-c", "exit 3"], place.path(), LONG)).unwrap();
    assert_eq!(ran.exit, Exit::Code(3));
}

#[test]
fn what_cannot_be_started_is_told_with_its_reason() {
    let place = Place::new();
    let file = place.file("no-program");
    std::fs::write(&file, "text").unwrap();
    let file = file.to_str().unwrap();
    for (program, reason) in
        [("no-such-program-anywhere", ErrorKind::NotFound), (file, ErrorKind::PermissionDenied)]
    {
        match runner().run(&Program::new([program], place.path(), LONG)) {
            Err(ProcessError::NotStarted { program: named, source }) => {
                assert_eq!((named.as_str(), source.kind()), (program, reason));
            }
            other => panic!("{program}: {other:?}"),
        }
    }
    let nothing = Program::new(Vec::<String>::new(), place.path(), LONG);
    assert!(matches!(runner().run(&nothing), Err(ProcessError::NotStarted { .. })));
}

#[test]
fn a_missing_folder_is_not_a_missing_program() {
    let place = Place::new();
    let away = Program::shell("true", place.file("away"), LONG);
    assert!(matches!(runner().run(&away), Err(ProcessError::Folder { .. })));
}

#[test]
fn a_missing_supervisor_is_its_own_error() {
    let place = Place::new();
    let runner = Runner::new(place.file("no-supervisor"), Cancel::new());
    let result = runner.run(&place.script("true", LONG));
    assert!(matches!(result, Err(ProcessError::Supervisor { .. })), "{result:?}");
}

#[test]
fn standard_input_is_at_its_end() {
    let place = Place::new();
    let ran = runner().run(&place.script("cat; read line; echo \"end $?\"", LONG)).unwrap();
    assert_eq!((ran.exit, ran.stdout.text().as_str()), (Exit::Code(0), "end 1\n"));
}

#[test]
fn output_goes_to_a_file_up_to_its_limit() {
    let place = Place::new();
    let path = place.file("out");
    let sink = Sink::File { path: path.clone(), limit: 6 };
    let fits = place.script("printf 123456", LONG).stdout(sink.clone());
    let ran = runner().run(&fits).unwrap();
    assert_eq!((ran.exit, ran.stdout.bytes, ran.stdout.head.len()), (Exit::Code(0), 6, 0));
    assert_eq!(std::fs::read(&path).unwrap(), b"123456");

    let one_more = place.script("printf 1234567", LONG).stdout(sink);
    assert_eq!(runner().run(&one_more).unwrap().exit, Exit::TooMuchOutput);
    assert_eq!(std::fs::read(&path).unwrap(), b"123456");
}

#[test]
fn a_file_that_cannot_be_written_is_told() {
    let place = Place::new();
    let nowhere = Sink::File { path: place.file("no/folder"), limit: 1 };
    let result = runner().run(&place.script("true", LONG).stdout(nowhere));
    assert!(matches!(result, Err(ProcessError::Output { .. })), "{result:?}");

    let full = Sink::File { path: "/dev/full".into(), limit: 1 << 30 };
    let result = runner().run(&place.script("yes", LONG).stdout(full));
    assert!(matches!(result, Err(ProcessError::Output { .. })), "{result:?}");
}

#[test]
fn the_environment_is_cleaned_and_added_to() {
    let place = Place::new();
    let inherited = [
        ("PATH", std::env::var("PATH").unwrap()),
        ("GIT_DIR", "/elsewhere".to_owned()),
        ("GIT_INDEX_FILE", "/elsewhere/index".to_owned()),
        ("GIT_TRACE", "1".to_owned()),
        ("GIT_AUTHOR_NAME", "A. U. Thor".to_owned()),
        ("GIT_AUTHOR_DATE", "1970-01-01".to_owned()),
    ];
    let vars = inherited.map(|(name, value)| (name.into(), value.into()));
    let runner = Runner::with_environment(SUPERVISOR, Cancel::new(), vars);
    let program = Program::new(["env"], place.path(), LONG)
        .env("ADDED", "yes")
        .env("GIT_EDITOR", "wins over the cleaned one");
    let text = runner.run(&program).unwrap().stdout.text();
    let mut names: Vec<&str> = text.lines().filter_map(|line| line.split('=').next()).collect();
    names.sort_unstable();
    let expected = [
        "ADDED",
        "GIT_ASKPASS",
        "GIT_AUTHOR_NAME",
        "GIT_EDITOR",
        "GIT_PAGER",
        "GIT_SEQUENCE_EDITOR",
        "GIT_TERMINAL_PROMPT",
        "PATH",
        "SSH_ASKPASS_REQUIRE",
        "_GIT_EVIDENCE_RUN",
    ];
    assert_eq!(names, expected);
    assert!(text.contains("GIT_EDITOR=wins over the cleaned one\n"));
}

#[test]
fn many_runs_at_once_keep_apart() {
    let place = Place::new();
    thread::scope(|scope| {
        for number in 0..50 {
            let place = &place;
            scope.spawn(move || {
                let text = format!("sleep 0.01; echo {number}; exit {number}");
                let ran = runner().run(&place.script(&text, LONG)).unwrap();
                assert_eq!(ran.exit, Exit::Code(number));
                assert_eq!(ran.stdout.text(), format!("{number}\n"));
                assert_eq!(ran.leftovers, 0);
            });
        }
    });
}
