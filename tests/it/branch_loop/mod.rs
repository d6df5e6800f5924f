//! The branch loop through the real program, on real repositories, with fixers of every kind.

mod ends;
mod fixers;
mod limits;
mod story;
