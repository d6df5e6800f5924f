//! Tests of the whole, one program for all of them.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::print_stdout, reason = "a test that is skipped says so")]

mod agents;
mod branch_loop;
mod decide;
mod demo;
mod doctor;
mod floors;
mod formats;
mod formats_corpus;
mod formats_cut;
mod formats_hostile;
mod gaming;
mod git;
#[path = "support/hooked.rs"]
mod hooked;
mod identity;
mod install;
mod machine;
mod manual;
mod other_tools;
mod pre_push;
mod process;
mod readme;
mod real_python;
mod review;
#[path = "support/small_disk.rs"]
mod small_disk;
mod store;
mod support;
