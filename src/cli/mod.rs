//! Floor 7, the command line: arguments and environment in, one result on stdout, an exit code.
//!
//! * `args`: what can be typed. * `env`: every variable that is read, and the only place that reads
//!   one. * `context`: repository, store and runner, found once. * `console`: stdout and stderr.
//! * `exit`: every exit code. * `review`, `fix`: the commands.

pub mod args;
pub mod console;
pub mod context;
pub mod env;
pub mod exit;
pub mod fix;
mod policy_table;
pub mod review;

pub use review::main as review_main;
