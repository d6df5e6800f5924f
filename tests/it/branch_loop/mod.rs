//! The branch loop through the real program, on real repositories, with fixers of every kind.

mod broken;
mod decider;
mod ends;
mod fixers;
mod kills;
mod kinds;
mod limits;
mod linked;
mod meanwhile;
mod shapes;
mod story;
mod together;
