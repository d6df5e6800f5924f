//! x
mod formats;
mod formats_corpus;
