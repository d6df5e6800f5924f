//! The supervisor's account of a run, handed over in a file.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use serde::{Deserialize, Serialize};

/// What the supervisor saw.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Status {
    /// How the run ended.
    pub(super) end: End,
    /// Wall time of the program itself.
    pub(super) seconds: f64,
    /// Processes that had to be ended after the program itself ended.
    pub(super) leftovers: u32,
    /// Processes that nothing could end.
    pub(super) survivors: u32,
}

/// How the run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum End {
    /// By itself, with this code.
    Exit(i32),
    /// By a signal from elsewhere.
    Signal(i32),
    /// By us, at the deadline.
    Deadline,
    /// By us, because the other end of the lifeline was closed or a signal asked for it.
    Cancelled,
    /// Not at all: the system refused, with this error number where it has one.
    NotStarted { errno: Option<i32>, message: String },
    /// Not at all: the supervisor could not prepare itself.
    Unprepared(String),
}

impl Status {
    /// A status of a run in which nothing was started.
    pub(super) fn nothing(end: End) -> Status {
        Status { end, seconds: 0.0, leftovers: 0, survivors: 0 }
    }

    /// Writes the account in one rename: a reader sees all of it or nothing.
    pub(super) fn write(&self, path: &Path) -> io::Result<()> {
        let beside = path.with_extension("part");
        let mut file = fs::File::create(&beside)?;
        file.write_all(&serde_json::to_vec(self)?)?;
        drop(file);
        fs::rename(&beside, path)
    }

    /// Reads an account.
    pub(super) fn read(path: &Path) -> io::Result<Status> {
        Ok(serde_json::from_slice(&fs::read(path)?)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_comes_back_as_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("status");
        let refused = End::NotStarted { errno: Some(2), message: "gone".to_owned() };
        for end in [End::Exit(3), End::Signal(9), End::Deadline, End::Cancelled, refused] {
            let status = Status { end, seconds: 1.5, leftovers: 2, survivors: 1 };
            status.write(&path).unwrap();
            assert_eq!(Status::read(&path).unwrap(), status);
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
    }

    #[test]
    fn half_an_account_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("status");
        fs::write(&path, r#"{"end":{"exit":0},"sec"#).unwrap();
        assert!(Status::read(&path).is_err());
        assert!(Status::read(&folder.path().join("none")).is_err());
    }
}
