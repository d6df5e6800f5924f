//! Tests of the whole, one program for all of them.

mod process;
