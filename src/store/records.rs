//! Evidence records on disk: in the git directory, or where other tools expect them.

use std::path::{Component, Path, PathBuf};

use super::write::{create_dirs, read_opt, write_json};
use super::{Layout, StoreError};
use crate::model::{CommitId, Record};

/// Where the records of a repository lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// In the git directory.
    GitDir(Layout),
    /// In the checkout, by a template (`evidence.record`): see [`Place::template`].
    Template {
        /// The top of the checkout.
        top: PathBuf,
        /// Relative to it, with `{sha}`.
        template: String,
    },
}

/// Why a text is no template.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("evidence.record = \"{template}\": {why}")]
pub struct BadTemplate {
    /// The text.
    pub template: String,
    /// What is wrong.
    pub why: &'static str,
}

impl Place {
    /// A template such as `.claude/review-evidence/{sha}.json`.
    ///
    /// # Errors
    /// Where it has no `{sha}` (all commits would share one file), or does not stay inside the
    /// checkout and outside `.git`.
    pub fn template(top: &Path, template: &str) -> Result<Place, BadTemplate> {
        let bad = |why| Err(BadTemplate { template: template.to_string(), why });
        if !template.contains("{sha}") {
            return bad("it has to contain {sha}, since there is one record for each commit");
        }
        let path = Path::new(template);
        if path.components().any(|c| !matches!(c, Component::Normal(_) | Component::CurDir)) {
            return bad("it has to be relative to the top of the checkout, without '..'");
        }
        let in_git = path.components().any(|c| c.as_os_str().eq_ignore_ascii_case(".git"));
        if in_git || template.ends_with('/') {
            return bad("it has to name a file outside '.git'");
        }
        Ok(Place::Template { top: top.to_path_buf(), template: template.to_string() })
    }

    /// The file of a commit's record.
    pub fn path(&self, sha: &CommitId) -> PathBuf {
        match self {
            Place::GitDir(layout) => layout.record(sha.as_str()),
            Place::Template { top, template } => top.join(template.replace("{sha}", sha.as_str())),
        }
    }

    /// Whether a path of the checkout, as git stores it, is where a record of some commit lies.
    pub fn is_record(&self, path: &[u8]) -> bool {
        let Place::Template { template, .. } = self else { return false };
        let Ok(path) = std::str::from_utf8(path) else { return false };
        let template = template.strip_prefix("./").unwrap_or(template);
        let Some((before, after)) = template.split_once("{sha}") else { return false };
        let Some(rest) = path.strip_prefix(before) else { return false };
        let sha: String = rest.chars().take_while(char::is_ascii_hexdigit).collect();
        CommitId::parse(&sha).is_ok() && rest[sha.len()..] == after.replace("{sha}", &sha)
    }

    /// The commit's record, `None` where there is no such file.
    ///
    /// # Errors
    /// Where the file cannot be read, is no record, or is the record of another commit: none of
    /// these is ever taken for "nothing found".
    pub fn read(&self, sha: &CommitId) -> Result<Option<Record>, StoreError> {
        let path = self.path(sha);
        let Some(bytes) = read_opt(&path)? else { return Ok(None) };
        let unusable = |why: String| {
            let remedy = "delete it, then 'git review-evidence' measures the commit anew";
            StoreError::corrupt(&path, why, remedy)
        };
        let record = Record::parse(&bytes).map_err(|e| unusable(e.to_string()))?;
        if !is_of(&record.sha, sha) {
            let other: String = record.sha.chars().take(80).collect();
            return Err(unusable(format!("it is the record of '{other}'")));
        }
        Ok(Some(record))
    }

    /// Writes a commit's record.
    ///
    /// # Errors
    /// Where the file cannot be written, or its folder leads out of the checkout through a symbolic
    /// link: a branch must not decide where on the machine files are written.
    pub fn write(&self, sha: &CommitId, record: &Record) -> Result<PathBuf, StoreError> {
        let path = self.path(sha);
        if let Place::Template { top, .. } = self {
            stays_inside(top, &path)?;
        }
        write_json(&path, record)?;
        Ok(path)
    }
}

/// Other writers may shorten a commit's name.
fn is_of(written: &str, sha: &CommitId) -> bool {
    let written = written.to_ascii_lowercase();
    written.len() >= 7 && sha.as_str().starts_with(&written)
}

/// Looks at the deepest folder that exists: what is made below it is ours and no link.
fn stays_inside(top: &Path, path: &Path) -> Result<(), StoreError> {
    let existing = path.ancestors().skip(1).find(|dir| dir.symlink_metadata().is_ok());
    let dir = existing.unwrap_or(top);
    let real = |p: &Path| p.canonicalize().map_err(StoreError::io(p, "look at the folder"));
    if real(dir)?.starts_with(real(top)?) {
        return create_dirs(path.parent().unwrap_or(top));
    }
    let why = "its folder leads out of the checkout";
    Err(StoreError::corrupt(path, why, "remove that symbolic link or change evidence.record"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_told_from_other_files() {
        let sha = "1".repeat(40);
        let place =
            Place::template(Path::new("/"), "./.claude/review-evidence/{sha}.json").unwrap();
        assert!(place.is_record(format!(".claude/review-evidence/{sha}.json").as_bytes()));
        for other in [
            format!(".claude/review-evidence/{sha}.json.txt"),
            format!(".claude/review-evidence/x{sha}.json"),
            format!("a/.claude/review-evidence/{sha}.json"),
            ".claude/review-evidence/abc.json".into(),
            "src/a.rs".into(),
        ] {
            assert!(!place.is_record(other.as_bytes()), "{other}");
        }
    }
}
