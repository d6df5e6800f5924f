//! git-evidence judges a commit by deterministic evidence and repairs what was judged. Two thin
//! programs stand on this library: `git-review-evidence` and `git-fix-evidence`.
//!
//! # Which module answers which question
//!
//! | question | module |
//! |---|---|
//! | What do the words mean: record, reason, finding, decision, ratio? | [`model`] |
//! | When is a commit blocked? What comes first? Is this better or worse? May a marker be emitted? | [`rules`] |
//! | How is this report read? | [`formats`], one file each |
//! | What may stand in `.git-evidence.toml`? | [`config`] |
//! | What does the loop do next, and why does it stop? | [`engine`] |
//! | How is git asked; how does a branch move without loss? | [`git`] |
//! | What lies where on disk, and under which lock? | [`store`] |
//! | How is a program run so that nothing of it is left? | [`process`] |
//! | How does a commit become a record? | [`measure`] |
//! | How is a fixer run, kept, rolled back; how does a run resume? | [`repair`] |
//! | What happens on `git push`, and before an agent runs a command? | [`hook`] |
//! | How does it look? | [`report`], [`demo`] |
//! | Where is the repository, what says the environment, what does an exit code mean? | [`host`] |
//! | What can be typed? | [`cli`] |
//!
//! # Floors
//!
//! `model ← rules, formats ← config, engine ← store, process ← git ← measure ← host ← repair, hook,
//! report, demo ← cli ← the two programs`: a module uses only floors below its own (`tests/it/floors.rs`
//! holds the table). `model`, `rules`, `formats`, `config` and `engine` are pure: no file, clock,
//! environment or process; clippy refuses them there.
//!
//! # Invariants
//!
//! * Nothing pushes, nothing forces, nothing resets hard, cleans or stashes.
//! * A checkpoint exists before the first change; a ref is moved only from where it was expected.
//! * A missing, stale or partial measurement is never counted as good.
//! * The configuration that judges a change is the one of its base.
//! * State without its lock is never written; the lock file is never deleted.
//! * A line of the journal is on the disk before the act that it announces.
//! * What a fixer says is never believed, only measured. Its exit code is a hint.
//! * Text from outside is stripped of control characters before it is shown.
//! * A hook does nothing that a command could not do by hand.
#![forbid(unsafe_code)]

pub mod cli;
pub mod config;
pub mod demo;
pub mod engine;
pub mod formats;
pub mod git;
pub mod hook;
pub mod host;
pub mod measure;
pub mod model;
pub mod process;
pub mod repair;
pub mod report;
pub mod rules;
pub mod store;
