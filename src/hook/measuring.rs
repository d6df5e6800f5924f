//! Measuring inside a hook: within a time limit, and ended in order by a signal.
//!
//! A push holds a connection open while its hook runs, and hosts close idle ones. So a measuring
//! hook says that it is slow, and ends at its limit with the command to run by hand.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::host::context::Context;
use crate::measure::{Measurer, Request, Reviewed, Setting};
use crate::model::CommitId;
use crate::process::Cancel;

/// When a person is told that the connection may not last.
const SLOW: Duration = Duration::from_secs(60);

/// What is measured.
pub(super) struct Job<'a> {
    /// The commit.
    pub(super) tip: &'a CommitId,
    /// Its branch.
    pub(super) branch: &'a str,
    /// What it is measured by.
    pub(super) setting: &'a Setting,
    /// In a linked worktree.
    pub(super) isolated: bool,
    /// Failing tests are not kept, since the checkout may have what they need.
    pub(super) doubted: bool,
    /// How long at most.
    pub(super) limit: Duration,
}

/// How it ended.
pub(super) enum End {
    /// With a record.
    Done(Box<Reviewed>),
    /// The limit came first.
    OverLimit,
    /// A signal came first.
    Interrupted,
}

/// Measures.
///
/// # Errors
/// Where the environment fails.
pub(super) fn measure(ctx: &Context, job: &Job<'_>) -> anyhow::Result<End> {
    if job.limit.is_zero() {
        return Ok(End::OverLimit);
    }
    let cancel = Cancel::new();
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, cancel.flag())?;
    }
    let over = AtomicBool::new(false);
    let runner = ctx.runner.cancelled_by(cancel.clone());
    let reviewed = std::thread::scope(|scope| {
        let (done, ended) = channel::<()>();
        let (over, cancel) = (&over, &cancel);
        scope.spawn(move || {
            if !ends_within(ctx, &ended, job.limit) {
                over.store(true, Ordering::SeqCst);
                cancel.set();
            }
        });
        let measurer = Measurer { runner: &runner, ..ctx.measurer() };
        let request = Request {
            branch: job.branch.to_string(),
            isolated: job.isolated,
            doubted: job.doubted,
            ..Request::default()
        };
        let reviewed = measurer.review(job.tip, job.setting, &request);
        drop(done);
        reviewed
    });
    // What was cut short is no evidence, whatever it says.
    if over.load(Ordering::SeqCst) {
        return Ok(End::OverLimit);
    }
    if cancel.is_set() {
        return Ok(End::Interrupted);
    }
    Ok(End::Done(Box::new(reviewed?)))
}

/// Waits for the end of the measuring; says once that it is slow.
fn ends_within(ctx: &Context, ended: &Receiver<()>, limit: Duration) -> bool {
    let timeout = |time| matches!(ended.recv_timeout(time), Err(RecvTimeoutError::Timeout));
    if limit > SLOW {
        if !timeout(SLOW) {
            return true;
        }
        ctx.console.note(
            "still measuring; a remote may close a connection that is idle for so long. Measuring \
             before the push ('git review-evidence') makes the push a matter of milliseconds",
        );
    }
    !timeout(if limit > SLOW { limit - SLOW } else { limit })
}
