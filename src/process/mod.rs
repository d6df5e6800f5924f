//! The only place where programs are started.
