//! The agents' hook through the real command: what each agent sends, and what it gets.

mod ask;
mod dialects;
mod marker;
mod places;
mod script;
mod warm;
