//! Finding and ending the processes of a run.
//!
//! On Linux the process table is read from `/proc` and descent is followed through parents; since
//! the supervisor adopts orphans, a process cannot leave its tree. Elsewhere, and where `/proc`
//! cannot be read, the process group stands for the tree, which is weaker: a program that starts a
//! session of its own escapes.

use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

/// Passes that only stop processes before the kills begin (see [`end_all`]).
const FREEZES: u32 = 20;

/// Time between two rounds of kills.
const BETWEEN_KILLS: Duration = Duration::from_millis(5);

/// A process as it was seen once, or a process group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Process {
    /// Its number; that of a group is negative.
    pid: i32,
    parent: i32,
    session: i32,
    /// When it started, in ticks since boot: tells it from a later one with the same number.
    start: u64,
    state: u8,
}

impl Process {
    fn group(pid: i32) -> Process {
        Process { pid: -pid, parent: 0, session: 0, start: 0, state: b'?' }
    }

    /// Tells it from every other process, earlier and later ones included.
    pub(super) fn identity(&self) -> (i32, u64) {
        (self.pid, self.start)
    }

    /// Whether it could still do anything.
    pub(super) fn is_alive(&self) -> bool {
        !matches!(self.state, b'Z' | b'X')
    }

    /// Whether it could start another process right now. Unknown for a group: taken as no.
    fn can_fork(&self) -> bool {
        !matches!(self.state, b'Z' | b'X' | b'T' | b't' | b'?')
    }

    /// Sends a signal, unless the number belongs to somebody else by now.
    pub(super) fn signal(&self, signal: Signal) {
        if let Some(group) = Pid::from_raw(self.pid.wrapping_neg().max(0)) {
            let _ = rustix::process::kill_process_group(group, signal);
        } else if let Some(pid) = Pid::from_raw(self.pid.max(0)) {
            self.signal_one(pid, signal);
        }
    }

    #[cfg(target_os = "linux")]
    fn signal_one(&self, pid: Pid, signal: Signal) {
        use rustix::process::{PidfdFlags, pidfd_open, pidfd_send_signal};
        // the descriptor holds on to whoever has the number now; only then is it known to be ours
        let held = pidfd_open(pid, PidfdFlags::empty());
        if linux::look(self.pid).is_none_or(|now| now.start != self.start) {
            return;
        }
        // a process that ended in between is no error, and one that is not ours to end will be
        // counted as a survivor
        let _ = match held {
            Ok(held) => pidfd_send_signal(&held, signal),
            // an old kernel or a filter: the check above has to do
            Err(_) => rustix::process::kill_process(pid, signal),
        };
    }

    #[cfg(not(target_os = "linux"))]
    fn signal_one(&self, pid: Pid, signal: Signal) {
        let _ = rustix::process::kill_process(pid, signal);
    }
}

/// Ends everything that `find` finds until it finds nothing, or the time is over. Returns how many
/// are left. `find` gets the time it should wait before it looks.
///
/// A program that starts others faster than they are killed profits from every kill, which frees a
/// place. So everything is stopped first, again and again until nothing runs, and killed then.
pub(super) fn end_all(limit: Duration, mut find: impl FnMut(Duration) -> Vec<Process>) -> u32 {
    let until = Instant::now() + limit;
    let mut freezes = 0;
    let mut pause = Duration::ZERO;
    loop {
        let found = find(pause);
        if found.is_empty() || Instant::now() >= until {
            return u32::try_from(found.len()).unwrap_or(u32::MAX);
        }
        if freezes < FREEZES && found.iter().any(Process::can_fork) {
            freezes += 1;
            found.iter().filter(|p| p.can_fork()).for_each(|p| p.signal(Signal::STOP));
            pause = Duration::ZERO;
        } else {
            found.iter().for_each(|p| p.signal(Signal::KILL));
            pause = BETWEEN_KILLS;
        }
    }
}

/// All processes below `root`, ended ones included; `group` is looked at where there is no table.
pub(super) fn descendants(root: i32, group: i32) -> Vec<Process> {
    table().map_or_else(|| whole_group(group), |all| below(root, &all))
}

/// The living processes of a session, and those that carry a mark in their environment: what is
/// left of a run whose supervisor is gone.
pub(super) fn remains(session: i32, group: i32, mark: &str) -> Vec<Process> {
    let Some(all) = table() else {
        return whole_group(group);
    };
    let mut found: Vec<Process> = all.into_iter().filter(Process::is_alive).collect();
    found.retain(|p| p.session == session || carries(p.pid, mark));
    found
}

fn whole_group(group: i32) -> Vec<Process> {
    let there = Pid::from_raw(group.max(0))
        .is_some_and(|group| rustix::process::test_kill_process_group(group).is_ok());
    if there { vec![Process::group(group)] } else { Vec::new() }
}

/// Follows descent from `root` through a table.
fn below(root: i32, all: &[Process]) -> Vec<Process> {
    let mut found: Vec<Process> = Vec::new();
    let mut parents = vec![root];
    while let Some(parent) = parents.pop() {
        for process in all.iter().filter(|p| p.parent == parent) {
            // a number can be both ancestor and descendant only in a table read over a reuse
            if process.pid != root && !found.contains(process) {
                found.push(*process);
                parents.push(process.pid);
            }
        }
    }
    found
}

#[cfg(target_os = "linux")]
use linux::{carries, table};

#[cfg(not(target_os = "linux"))]
fn table() -> Option<Vec<Process>> {
    None
}

#[cfg(not(target_os = "linux"))]
fn carries(_: i32, _: &str) -> bool {
    false
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;

    use super::Process;

    /// The process table, or nothing where `/proc` does not show it.
    pub(super) fn table() -> Option<Vec<Process>> {
        let own = i32::try_from(std::process::id()).ok()?;
        // another `/proc` than that of our own numbers would be worse than none
        look(own)?;
        let entries = fs::read_dir("/proc").ok()?;
        let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        Some(pids.filter_map(look).collect())
    }

    /// One process, or nothing where it is gone.
    pub(super) fn look(pid: i32) -> Option<Process> {
        let line = fs::read(format!("/proc/{pid}/stat")).ok()?;
        parse(pid, &line)
    }

    /// Reads a line of `/proc/PID/stat`. The name in it can hold anything, so counting starts
    /// after the last parenthesis.
    pub(super) fn parse(pid: i32, line: &[u8]) -> Option<Process> {
        let after = line.iter().rposition(|byte| *byte == b')')? + 1;
        let fields: Vec<&str> =
            std::str::from_utf8(&line[after..]).ok()?.split_ascii_whitespace().collect();
        Some(Process {
            pid,
            state: *fields.first()?.as_bytes().first()?,
            parent: fields.get(1)?.parse().ok()?,
            session: fields.get(3)?.parse().ok()?,
            start: fields.get(19)?.parse().ok()?,
        })
    }

    /// Whether the environment the process was started with has this entry.
    pub(super) fn carries(pid: i32, mark: &str) -> bool {
        fs::read(format!("/proc/{pid}/environ"))
            .is_ok_and(|env| env.split(|byte| *byte == 0).any(|entry| entry == mark.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(pid: i32, parent: i32) -> Process {
        Process { pid, parent, session: 1, start: 7, state: b'S' }
    }

    #[test]
    fn descent_is_followed_in_any_order() {
        let all = [process(5, 9), process(9, 3), process(3, 1), process(4, 2), process(8, 3)];
        let mut found: Vec<i32> = below(3, &all).iter().map(|p| p.pid).collect();
        found.sort_unstable();
        assert_eq!(found, [5, 8, 9]);
        assert!(below(5, &all).is_empty());
    }

    #[test]
    fn a_circle_in_the_table_ends() {
        let all = [process(2, 3), process(3, 2), process(4, 4)];
        assert_eq!(below(2, &all).len(), 1);
        assert!(below(4, &all).is_empty());
    }

    #[test]
    fn everything_is_stopped_before_it_is_killed() {
        // numbers that no process can have, so that no signal reaches anybody
        let mut looks = Vec::new();
        let mut rounds = vec![vec![], vec![b'T'], vec![b'T', b'R'], vec![b'R']];
        let left = end_all(Duration::from_secs(5), |pause| {
            looks.push(pause);
            let states = rounds.pop().unwrap_or_default();
            states.into_iter().map(|state| Process { pid: 0, state, ..process(0, 0) }).collect()
        });
        assert_eq!(left, 0);
        let zero = Duration::ZERO;
        assert_eq!(looks, [zero, zero, zero, BETWEEN_KILLS]);
    }

    #[test]
    fn what_cannot_be_ended_is_counted() {
        let immortal = || vec![Process { pid: 0, ..process(0, 0) }; 2];
        let left = end_all(Duration::from_millis(5), |_| immortal());
        assert_eq!(left, 2);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_table_line_with_an_evil_name() {
        let line = b"12 (a) b) S 1) R 7 12 11 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 4242 99";
        let seen = linux::parse(12, line).unwrap();
        assert_eq!((seen.parent, seen.session, seen.start, seen.state), (7, 11, 4242, b'R'));
        assert_eq!(linux::parse(12, b"12 (short) R 7"), None);
        assert_eq!(linux::parse(12, b""), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn we_are_in_the_table() {
        let own = i32::try_from(std::process::id()).unwrap();
        assert!(table().unwrap().iter().any(|p| p.pid == own && p.is_alive()));
        assert!(linux::look(own).is_some_and(|p| p.start > 0));
        assert!(!carries(own, "NO_SUCH_NAME=1"));
    }
}
