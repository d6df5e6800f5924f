//! The branch loop's hands: everything that [`crate::engine`] asks for, done on a real branch.
//!
//! What holds for all of it:
//! * Nothing is destroyed. Going back touches only paths that the iteration changed, and only while
//!   they are as the iteration left them; what was there is kept under a checkpoint first.
//! * A line of the journal is on the disk before the act that it announces, so that after a kill at
//!   any instant `continue` and `abort` know where the run stood.
//! * A ref is moved only from where it was expected to be, with a reason that names the run.
//! * Nothing is pushed.
//!
//! | file | question |
//! |---|---|
//! | `session`, `limits`, `protected` | who may start, how far, and past what |
//! | `drive`, `home` | a run in the checkout, or in a worktree of its own |
//! | `ports` | measure, dispatch, roll back, settle |
//! | `attempt` | one fixer: before, run, after, commit |
//! | `fixer`, `agents`, `prompt` | how a fixer is started and what it says |
//! | `checkout`, `checkpoint` | moving a branch, and where it can be moved back to |
//! | `consult` | what the decider says before a dispatch |
//! | `explain` | why an earlier run went on or stopped |
//! | `guard` | what a fixer may not do to the repository |
//! | `gaming` | whether what it did answers the check or only silences it |
//! | `recover`, `replay`, `tidy` | `continue` and `abort`; `undo`, `reset`, `status`, `plan` have files of their own |

mod agents;
mod attempt;
mod checkout;
mod checkpoint;
mod consult;
mod drive;
mod explain;
mod fixer;
mod gaming;
mod guard;
mod home;
mod limits;
mod older;
mod plan;
mod ports;
mod preflight;
mod prompt;
mod protected;
mod recover;
mod replay;
mod report;
mod reset;
mod session;
mod status;
mod tidy;
mod undo;

pub use explain::{Explanation, explain};
pub use plan::plan;
pub use ports::Interrupted;
pub use recover::{abort, resume};
pub use report::{LogEntry, Report};
pub use reset::reset;
pub use session::{Options, run};
pub use status::{Status, status};
pub use undo::{Undone, undo};
