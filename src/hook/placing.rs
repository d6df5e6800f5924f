//! Putting an agent's settings in place, and the file back as it was.
//!
//! What stood there is kept in the git directory, so that taking away restores every byte where nobody
//! has edited the file since; where somebody has, only our entries go.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::settings::{Agent, Left, install, remove};
use crate::store::Layout;
use crate::store::write::{StoreError, create_dirs, read_opt, remove_opt, write_atomic_mode};

/// What an installation found and wrote.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    /// The file before; none where there was none.
    before: Option<String>,
    /// SHA-256 of what was written, in hex.
    wrote: String,
    /// Folders that were made for it, the innermost first, from the top of the checkout.
    folders: Vec<String>,
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Placing {
    /// Our hook is there as it should be, or is not there and should not be.
    Done {
        /// The file.
        file: PathBuf,
        /// It is there.
        there: bool,
    },
    /// The file gets this content.
    Write {
        /// The file.
        file: PathBuf,
        /// All of it.
        text: String,
    },
    /// The file goes.
    Remove {
        /// The file.
        file: PathBuf,
    },
}

/// An agent's settings in one checkout.
pub struct Place<'a> {
    /// The agent.
    pub agent: &'static Agent,
    /// The top of the checkout.
    pub top: &'a Path,
    /// Where state lies.
    pub layout: &'a Layout,
}

/// Why nothing is done.
#[derive(Debug, thiserror::Error)]
pub enum PlacingError {
    /// The file's content cannot be used.
    #[error("'{}' is left alone: {why}; mend it, or add the lines by hand:\n{lines}", file.display())]
    Unusable {
        /// The file.
        file: PathBuf,
        /// One clause.
        why: String,
        /// What would be in a file of its own.
        lines: String,
    },
    /// The system refused.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Place<'_> {
    /// The file.
    pub fn file(&self) -> PathBuf {
        self.top.join(self.agent.file)
    }

    fn kept_at(&self) -> PathBuf {
        self.layout.root().join("installed").join(format!("{}.json", self.agent.name))
    }

    fn text(&self) -> Result<Option<String>, PlacingError> {
        let file = self.file();
        let Some(bytes) = read_opt(&file)? else {
            return match file.symlink_metadata() {
                Ok(_) => Err(self.unusable("it is a link to a file that is not there", "")),
                Err(_) => Ok(None),
            };
        };
        let text = String::from_utf8(bytes).map_err(|_| self.unusable("it is no UTF-8", ""))?;
        Ok(Some(text))
    }

    fn unusable(&self, why: &str, command: &str) -> PlacingError {
        let lines = install(self.agent, None, command).ok().flatten().unwrap_or_default();
        PlacingError::Unusable { file: self.file(), why: why.to_string(), lines }
    }

    /// What installing would do.
    ///
    /// # Errors
    /// The file cannot be read or used.
    pub fn plan(&self, command: &str) -> Result<Placing, PlacingError> {
        let before = self.text()?;
        let file = self.file();
        match install(self.agent, before.as_deref(), command) {
            Ok(None) => Ok(Placing::Done { file, there: true }),
            Ok(Some(text)) => Ok(Placing::Write { file, text }),
            Err(why) => Err(self.unusable(&why, command)),
        }
    }

    /// What taking away would do.
    ///
    /// # Errors
    /// The file cannot be read or used.
    pub fn plan_removal(&self) -> Result<Placing, PlacingError> {
        let file = self.file();
        let Some(text) = self.text()? else { return Ok(Placing::Done { file, there: false }) };
        if let Some(kept) = self.kept().filter(|kept| kept.wrote == digest(&text)) {
            return Ok(match kept.before {
                Some(text) => Placing::Write { file, text },
                None => Placing::Remove { file },
            });
        }
        let left = remove(self.agent, &text);
        let left = left.map_err(|why| self.unusable(&why, "git-review-evidence hook"))?;
        Ok(match left {
            Left::Unchanged => Placing::Done { file, there: false },
            Left::Text(text) => Placing::Write { file, text },
            Left::Nothing => Placing::Remove { file },
        })
    }

    fn kept(&self) -> Option<Kept> {
        let bytes = read_opt(&self.kept_at()).ok()??;
        serde_json::from_slice(&bytes).ok()
    }

    /// Does what the plan of an installation says.
    ///
    /// # Errors
    /// A file cannot be written; what was there is then still there.
    pub fn install(&self, plan: &Placing) -> Result<(), PlacingError> {
        let Placing::Write { file, text } = plan else { return Ok(()) };
        let before = self.text()?;
        // An installation over an older one of ours keeps what was there before both.
        let older = self.kept().filter(|k| before.as_deref().map(digest) == Some(k.wrote.clone()));
        let folders = match &older {
            Some(kept) => kept.folders.clone(),
            None => self.missing_folders(),
        };
        let before = match older {
            Some(kept) => kept.before,
            // edited since: what is kept is what stands there without an older hook of ours
            None => before.map(|text| match remove(self.agent, &text) {
                Ok(Left::Text(rest)) => rest,
                _ => text,
            }),
        };
        let kept = Kept { before, wrote: digest(text), folders };
        let json = serde_json::to_vec(&kept).map_err(std::io::Error::other);
        let json = json.map_err(StoreError::io(&self.kept_at(), "write"))?;
        write_atomic_mode(&self.kept_at(), &json, 0o600)?;
        self.write(file, text)
    }

    /// Does what the plan of taking away says.
    ///
    /// # Errors
    /// A file cannot be written or removed.
    pub fn uninstall(&self, plan: &Placing) -> Result<(), PlacingError> {
        match plan {
            Placing::Done { .. } => {}
            Placing::Write { file, text } => self.write(file, text)?,
            Placing::Remove { file } => {
                remove_opt(file)?;
                for folder in self.kept().map(|k| k.folders).unwrap_or_default() {
                    // what somebody else has put something into stays
                    let _ = fs::remove_dir(self.top.join(folder));
                }
            }
        }
        Ok(remove_opt(&self.kept_at())?)
    }

    fn write(&self, file: &Path, text: &str) -> Result<(), PlacingError> {
        use std::os::unix::fs::PermissionsExt;
        create_dirs(file.parent().unwrap_or(self.top))?;
        let mode = fs::metadata(file).map_or(0o644, |m| m.permissions().mode() & 0o777);
        // through a link, so that the link stays one
        let real = file.canonicalize().unwrap_or_else(|_| file.to_path_buf());
        Ok(write_atomic_mode(&real, text.as_bytes(), mode)?)
    }

    fn missing_folders(&self) -> Vec<String> {
        let folders = Path::new(self.agent.file).ancestors().skip(1);
        let missing = folders
            .take_while(|f| !f.as_os_str().is_empty())
            .filter(|f| !self.top.join(f).is_dir());
        missing.map(|f| f.display().to_string()).collect()
    }
}

fn digest(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|b| format!("{b:02x}")).collect()
}
