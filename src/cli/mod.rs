//! Floor 8, the command line: arguments in, one result on standard output, an exit code.
//!
//! `args` is what can be typed; `review` and `fix` hold one function per command.

pub mod args;
mod decide;
pub mod fix;
mod policy_table;
pub mod review;

pub use review::main as review_main;
