//! Installing the pre-push hook, proved by real pushes.

mod agents;
mod plans;
mod pushes;
