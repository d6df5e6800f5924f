//! Standard output and standard error: the result goes to the one, everything else to the other.

use std::io::{self, IsTerminal, Write};
use std::path::Path;

use anyhow::Context as _;

use clap::ValueEnum;

use crate::measure::Progress;
use crate::model::sanitize;

/// When to use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ColorWhen {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Where text goes.
#[derive(Debug, Clone, Copy)]
pub struct Console {
    /// Whether colour may be used on standard output.
    pub color: bool,
    quiet: bool,
}

impl Console {
    /// Without colour: for hooks, which no person gave options to.
    pub(crate) fn plain() -> Console {
        Console { color: false, quiet: false }
    }

    pub(crate) fn new(when: ColorWhen, no_color: bool, quiet: bool) -> Console {
        let color = match when {
            ColorWhen::Always => true,
            ColorWhen::Never => false,
            ColorWhen::Auto => !no_color && io::stdout().is_terminal(),
        };
        Console { color, quiet }
    }

    /// The result. A reader that went away is no error.
    ///
    /// # Errors
    /// Where standard output cannot be written for another reason.
    pub fn result(&self, text: &str) -> io::Result<()> {
        let mut out = io::stdout().lock();
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            other => other,
        }
    }

    /// A result that is too large to be held as text, written by `write`.
    ///
    /// # Errors
    /// As [`Console::result`].
    pub fn stream(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        let mut out = io::BufWriter::with_capacity(1 << 16, io::stdout().lock());
        match write(&mut out).and_then(|()| out.flush()) {
            Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            other => other,
        }
    }

    /// The result, to a file if one is named.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn result_to(&self, file: Option<&Path>, text: &str) -> anyhow::Result<()> {
        match file {
            None => Ok(self.result(text)?),
            // A pipe or device is written to, never replaced.
            Some(path) if std::fs::metadata(path).is_ok_and(|m| !m.is_file()) => {
                Ok(std::fs::write(path, text).with_context(|| cannot(path))?)
            }
            // For whoever reads results, not for us alone.
            Some(path) => Ok(crate::store::write::write_atomic_mode(path, text.as_bytes(), 0o644)?),
        }
    }

    /// One line for a person, whatever `--quiet` says.
    pub fn note(&self, line: &str) {
        // Nothing can be done where standard error is gone.
        let _ = writeln!(io::stderr().lock(), "{}", sanitize(line));
    }
}

fn cannot(path: &Path) -> String {
    format!("cannot write '{}'", path.display())
}

impl Progress for Console {
    fn say(&self, line: &str) {
        if !self.quiet {
            self.note(line);
        }
    }
}
