//! The agents' hook: reads what a coding agent is about to do, and answers in its own words.

mod answer;
mod payload;
