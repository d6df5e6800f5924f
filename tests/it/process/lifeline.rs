//! Ends that come from our side: cancelled, or dead.

use std::fs;
use std::io::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use git_evidence::process::{Cancel, Exit, Runner};

use super::{LONG, Place, SUPERVISOR, assert_gone, is_alive, wait_for};

/// A program and a daemon, both written to `pid`.
const TWO: &str = "echo $$ > pid; setsid sh -c 'echo $$ >> pid; exec sleep 600' & sleep 600";

#[test]
fn a_cancelled_run_ends_at_once() {
    let place = Place::new();
    let cancel = Cancel::new();
    let runner = Runner::new(SUPERVISOR, cancel.clone());
    let (ran, after) = thread::scope(|scope| {
        let run = scope.spawn(|| runner.run(&place.script(TWO, LONG)));
        wait_for(|| (place.pids("pid").len() == 2).then_some(()));
        let asked = Instant::now();
        cancel.set();
        (run.join().unwrap().unwrap(), asked.elapsed())
    });
    assert_eq!(ran.exit, Exit::Cancelled);
    assert!(after < Duration::from_secs(5), "{after:?}");
    assert_gone(&place.pids("pid"));
}

#[test]
fn nothing_starts_once_cancelled() {
    let place = Place::new();
    let cancel = Cancel::new();
    cancel.set();
    let ran = Runner::new(SUPERVISOR, cancel).run(&place.script("echo > here", LONG)).unwrap();
    assert_eq!(ran.exit, Exit::Cancelled);
    assert!(!place.file("here").exists());
}

/// Starts a supervisor by hand, so that the test holds its lifeline.
fn supervise(place: &Place, script: &str) -> Child {
    fs::create_dir(place.file("room")).unwrap();
    Command::new(SUPERVISOR)
        .args(["__supervise", "--deadline-ms", "60000", "--grace-ms", "100", "--status"])
        .arg(place.file("room/status"))
        .args(["--", "sh", "-c", script])
        .current_dir(place.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn the_end_of_the_lifeline_ends_the_tree_and_tidies_up() {
    let place = Place::new();
    let mut supervisor = supervise(&place, TWO);
    wait_for(|| (place.pids("pid").len() == 2).then_some(()));
    drop(supervisor.stdin.take());
    assert!(supervisor.wait().unwrap().success());
    assert_gone(&place.pids("pid"));
    assert!(!place.file("room").exists());
}

#[test]
fn a_word_on_the_lifeline_ends_the_tree_with_an_account() {
    let place = Place::new();
    let mut supervisor = supervise(&place, TWO);
    wait_for(|| (place.pids("pid").len() == 2).then_some(()));
    supervisor.stdin.as_mut().unwrap().write_all(b".").unwrap();
    let status = wait_for(|| supervisor.try_wait().unwrap());
    assert!(status.success());
    assert_gone(&place.pids("pid"));
    let account = fs::read_to_string(place.file("room/status")).unwrap();
    assert!(account.contains(r#""end":"cancelled""#), "{account}");
}

#[test]
fn a_killed_parent_takes_the_tree_with_it() {
    let place = Place::new();
    fs::create_dir(place.file("room")).unwrap();
    // the shell is the parent: its descriptor 9 is the only other end of the lifeline
    let text = format!(
        "mkfifo line; '{SUPERVISOR}' __supervise --deadline-ms 60000 --grace-ms 100 \
         --status room/status -- sh -c \"$0\" < line & exec 9> line; wait"
    );
    let mut parent =
        Command::new("sh").args(["-c", &text, TWO]).current_dir(place.path()).spawn().unwrap();
    let pids = wait_for(|| Some(place.pids("pid")).filter(|pids| pids.len() == 2));
    parent.kill().unwrap();
    assert_eq!(parent.wait().unwrap().signal(), Some(9));
    wait_for(|| (!pids.iter().any(|pid| is_alive(*pid))).then_some(()));
    wait_for(|| (!place.file("room").exists()).then_some(()));
}

#[test]
fn a_signal_to_the_supervisor_ends_the_tree() {
    let place = Place::new();
    let mut supervisor = supervise(&place, TWO);
    wait_for(|| (place.pids("pid").len() == 2).then_some(()));
    let pid = supervisor.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    // waiting by hand: `wait` would close the lifeline first
    let status = wait_for(|| supervisor.try_wait().unwrap());
    assert!(status.success());
    assert_gone(&place.pids("pid"));
}

#[test]
fn nothing_but_the_three_streams_is_inherited() {
    let place = Place::new();
    let text = format!(
        "exec 5> lock 7< /dev/null; exec '{SUPERVISOR}' __supervise --deadline-ms 60000 \
         --grace-ms 100 --status status -- sh -c 'echo $$ > pid; ls /proc/$$/fd'"
    );
    let output = Command::new("sh")
        .args(["-c", &text])
        .current_dir(place.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    place.the_pid("pid");
    let output = wait_open(output);
    assert_eq!(output, "0\n1\n2\n");
}

/// Reads a child's output while its lifeline stays open.
fn wait_open(mut child: Child) -> String {
    let lifeline = child.stdin.take();
    let text = std::io::read_to_string(child.stdout.take().unwrap()).unwrap();
    child.wait().unwrap();
    drop(lifeline);
    text
}
