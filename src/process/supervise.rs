//! The supervisor: our own executable, started between us and the program.
//!
//! Its standard input is the lifeline, a pipe whose other end only its parent holds. A byte on it
//! means that the parent wants the end, its end that the parent is dead, be it by KILL. Standard output and error are
//! the program's, so the supervisor itself never writes there.

use std::collections::HashSet;
use std::ffi::OsString;
use std::io::Read as _;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use rustix::process::{Signal, WaitOptions, WaitStatus, getpid, setsid, wait};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::program::FOREVER;
use super::status::{End, Status};
use super::tree::{self, Process};

/// The hidden first argument that makes our executable a supervisor.
pub const SUPERVISE: &str = "__supervise";

/// Time in which processes that were about to end anyway may do so before they count as left over.
const SETTLE: Duration = Duration::from_millis(20);
/// Time that leftovers of a program which ended by itself have to obey TERM.
const LEFTOVER_GRACE: Duration = Duration::from_millis(200);
/// Time after which processes that survive KILL are given up.
pub(super) const KILL_LIMIT: Duration = Duration::from_secs(10);
/// How often the tree is looked at where nothing tells us that it is empty.
const LOOK: Duration = Duration::from_millis(20);

/// What the arguments ask for.
#[derive(Debug, PartialEq, Eq)]
struct Order {
    deadline: Duration,
    grace: Duration,
    status: PathBuf,
    argv: Vec<OsString>,
}

impl Order {
    /// Reads `--deadline-ms N --grace-ms N --status FILE -- PROGRAM ARGUMENTS…`.
    fn parse(mut args: impl Iterator<Item = OsString>) -> Option<Order> {
        let deadline = number_after(&mut args, "--deadline-ms")?;
        let grace = number_after(&mut args, "--grace-ms")?;
        let status = (args.next()? == "--status").then(|| args.next())??.into();
        let argv: Vec<OsString> = (args.next()? == "--").then(|| args.collect())?;
        (!argv.is_empty()).then_some(Order { deadline, grace, status, argv })
    }
}

fn number_after(args: &mut impl Iterator<Item = OsString>, name: &str) -> Option<Duration> {
    (args.next()? == name).then_some(())?;
    let time = Duration::from_millis(args.next()?.to_str()?.parse().ok()?);
    Some(time.min(FOREVER))
}

/// Runs as supervisor; `args` are the arguments after [`SUPERVISE`]. To be called first thing in
/// `main`: it closes every descriptor above standard error.
///
/// Returns the exit code for the process: 0 where an account was written, 2 for arguments that are
/// not ours, 1 where the account could not be written.
pub fn supervise_main(args: impl IntoIterator<Item = OsString>) -> i32 {
    close_inherited();
    let Some(order) = Order::parse(args.into_iter()) else { return 2 };
    let account = match Supervisor::start(&order) {
        Ok(supervisor) => supervisor.finish(),
        Err(end) => Some(Status::nothing(end)),
    };
    let Some(account) = account else {
        // nobody is there to read an account or to tidy up; the folder was made for it alone
        let _ = order.status.parent().map(std::fs::remove_dir);
        return 0;
    };
    i32::from(account.write(&order.status).is_err())
}

/// Closes what was passed down by whoever started our parent, such as the lock of a script: a
/// program left behind must not hold it. What Rust opens closes itself at exec.
fn close_inherited() {
    let Ok(entries) = std::fs::read_dir("/dev/fd") else { return };
    // collected first: the folder itself is one of these descriptors
    let open: Vec<i32> =
        entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect();
    for descriptor in open.into_iter().filter(|number| *number > 2) {
        // the one of the folder is closed already, which is no error worth a word
        let _ = nix::unistd::close(descriptor);
    }
}

/// What the watching threads report.
#[derive(Debug)]
enum Event {
    /// The program itself ended.
    Ended(WaitStatus),
    /// No child is left. Since orphans become our children, no descendant is left either (Linux).
    Childless,
    /// The parent, or a signal, asks for the end.
    Stop,
    /// The parent is dead.
    Orphaned,
}

/// A run in progress.
struct Supervisor {
    events: Receiver<Event>,
    program: i32,
    started: Instant,
    deadline: Instant,
    grace: Duration,
    ended: Option<(End, Duration)>,
    childless: bool,
    stop: bool,
    orphaned: bool,
    /// Processes that were killed while the program was still there: no leftovers, even where
    /// their end takes a moment longer than the program's.
    together: HashSet<(i32, u64)>,
    /// Processes that were ended after the program itself had ended.
    leftovers: HashSet<(i32, u64)>,
}

impl Supervisor {
    /// Starts the program and everything that watches it.
    fn start(order: &Order) -> Result<Supervisor, End> {
        prepare().map_err(|e| End::Unprepared(e.to_string()))?;
        let (report, events) = channel();
        watch_signals(report.clone()).map_err(|e| End::Unprepared(e.to_string()))?;
        let started = Instant::now();
        // a group of its own: `kill 0` in a script must not reach the supervisor
        let child = Command::new(&order.argv[0])
            .args(&order.argv[1..])
            .stdin(Stdio::null())
            .process_group(0)
            .spawn()
            .map_err(|e| End::NotStarted { errno: e.raw_os_error(), message: e.to_string() })?;
        let program = i32::try_from(child.id()).map_err(|e| End::Unprepared(e.to_string()))?;
        watch_lifeline(report.clone());
        watch_children(program, report);
        Ok(Supervisor {
            events,
            program,
            started,
            deadline: started + order.deadline,
            grace: order.grace,
            ended: None,
            childless: false,
            stop: false,
            orphaned: false,
            together: HashSet::new(),
            leftovers: HashSet::new(),
        })
    }

    /// Waits for the end of the program, or brings it about, and leaves nothing behind. Returns the
    /// account, unless nobody wants it any more.
    fn finish(mut self) -> Option<Status> {
        let forced = self.wait_for_program();
        if forced.is_none() {
            self.wait_until_gone(SETTLE);
        }
        if !self.is_gone() {
            self.ask_to_end();
            self.wait_until_gone(if forced.is_some() { self.grace } else { LEFTOVER_GRACE });
        }
        let survivors = tree::end_all(KILL_LIMIT, |pause| {
            self.wait_until_gone(pause);
            self.note_to_kill()
        });
        // the program's own end is known a moment before that of the last child
        self.wait_until(Duration::from_secs(1), |this| this.ended.is_some());
        self.wait_until(Duration::ZERO, |_| false);
        if self.orphaned {
            return None;
        }
        let lasted = self.started.elapsed();
        let (end, lasted) = self.ended.unwrap_or((End::Signal(Signal::KILL.as_raw()), lasted));
        Some(Status {
            end: forced.unwrap_or(end),
            seconds: lasted.as_secs_f64(),
            leftovers: u32::try_from(self.leftovers.len()).unwrap_or(u32::MAX),
            survivors,
        })
    }

    /// Waits until the program ends, or returns why it has to be ended.
    fn wait_for_program(&mut self) -> Option<End> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        self.wait_until(left, |this| this.ended.is_some() || this.stop);
        match (&self.ended, self.stop) {
            (Some(_), _) => None,
            (None, true) => Some(End::Cancelled),
            (None, false) => Some(End::Deadline),
        }
    }

    fn wait_until_gone(&mut self, limit: Duration) {
        if cfg!(target_os = "linux") {
            self.wait_until(limit, |this| this.childless);
            return;
        }
        let until = Instant::now() + limit;
        while !self.is_gone() && Instant::now() < until {
            self.wait_until(LOOK.min(limit), |_| false);
        }
    }

    /// Takes reports until `enough`, for at most `limit`.
    fn wait_until(&mut self, limit: Duration, enough: impl Fn(&Supervisor) -> bool) {
        let until = Instant::now() + limit;
        while !enough(self) {
            let left = until.saturating_duration_since(Instant::now());
            match self.events.recv_timeout(left) {
                Ok(Event::Ended(status)) => {
                    self.ended = Some((end_of(status), self.started.elapsed()));
                }
                Ok(Event::Childless) => self.childless = true,
                Ok(Event::Stop) => self.stop = true,
                Ok(Event::Orphaned) => (self.stop, self.orphaned) = (true, true),
                Err(RecvTimeoutError::Timeout) => return,
                // cannot be: the signal thread keeps its sender
                Err(RecvTimeoutError::Disconnected) => return std::thread::sleep(left),
            }
        }
    }

    fn is_gone(&self) -> bool {
        let adopting = cfg!(target_os = "linux");
        self.childless && (adopting || tree::descendants(0, self.program).is_empty())
    }

    /// Everything below us that has not been waited for.
    fn living(&self) -> Vec<Process> {
        if self.is_gone() {
            return Vec::new();
        }
        tree::descendants(getpid().as_raw_pid(), self.program)
    }

    /// Sends TERM to all, and wakes those that are stopped so that they can obey.
    fn ask_to_end(&mut self) {
        let living = self.living();
        for process in &living {
            process.signal(Signal::TERM);
            process.signal(Signal::CONT);
        }
        if self.ended.is_some() {
            self.count_leftovers(&living);
        }
    }

    /// What has to be killed now, with note taken of it.
    fn note_to_kill(&mut self) -> Vec<Process> {
        let living = self.living();
        if self.ended.is_some() {
            self.count_leftovers(&living);
        } else {
            self.together.extend(living.iter().map(Process::identity));
        }
        living
    }

    fn count_leftovers(&mut self, living: &[Process]) {
        let late = living.iter().filter(|p| p.is_alive()).map(Process::identity);
        self.leftovers.extend(late.filter(|identity| !self.together.contains(identity)));
    }
}

/// Leaves the terminal and the session of whoever started us, and adopts orphans from now on.
fn prepare() -> rustix::io::Result<()> {
    setsid()?;
    #[cfg(target_os = "linux")]
    rustix::process::set_child_subreaper(Some(getpid()))?;
    Ok(())
}

/// Reports what the lifeline says.
fn watch_lifeline(report: Sender<Event>) {
    std::thread::spawn(move || {
        let mut lifeline = std::io::stdin().lock();
        let mut asked = [0; 1];
        while lifeline.read(&mut asked).is_ok_and(|length| length > 0) {
            let _ = report.send(Event::Stop);
        }
        let _ = report.send(Event::Orphaned);
    });
}

/// Waits for all children, own and adopted, as long as there are any.
fn watch_children(program: i32, report: Sender<Event>) {
    std::thread::spawn(move || {
        loop {
            match wait(WaitOptions::empty()) {
                Ok(Some((pid, status))) if pid.as_raw_pid() == program => {
                    let _ = report.send(Event::Ended(status));
                }
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(_) => break,
            }
        }
        let _ = report.send(Event::Childless);
    });
}

/// A signal that would end us must not leave the tree behind. Handlers do not outlive an exec, so
/// the program starts with the signals as they were.
fn watch_signals(report: Sender<Event>) -> std::io::Result<()> {
    let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP])?;
    std::thread::spawn(move || {
        for _ in signals.forever() {
            let _ = report.send(Event::Stop);
        }
    });
    Ok(())
}

fn end_of(status: WaitStatus) -> End {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => End::Exit(code),
        (None, Some(signal)) => End::Signal(signal),
        (None, None) => End::Unprepared("a wait without an end".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(args: &[&str]) -> Option<Order> {
        Order::parse(args.iter().map(OsString::from))
    }

    #[test]
    fn a_whole_order_is_read() {
        let args =
            ["--deadline-ms", "1500", "--grace-ms", "20", "--status", "/x/s", "--", "a", "--"];
        let order = parse(&args).unwrap();
        assert_eq!(order.deadline, Duration::from_millis(1500));
        assert_eq!(order.grace, Duration::from_millis(20));
        assert_eq!(order.status, PathBuf::from("/x/s"));
        assert_eq!(order.argv, ["a", "--"]);
    }

    #[test]
    fn anything_else_is_refused() {
        let whole = ["--deadline-ms", "1", "--grace-ms", "1", "--status", "s", "--"];
        for length in 0..=whole.len() {
            assert_eq!(parse(&whole[..length]), None, "{length} words");
        }
        let wrong = ["--deadline-ms", "x", "--grace-ms", "1", "--status", "s", "--", "a"];
        assert_eq!(parse(&wrong), None);
    }
}
