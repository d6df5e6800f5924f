//! Installing the pre-push hook, proved by real pushes.

mod plans;
mod pushes;
