//! Moves refs: all of a set or none, and only from where they are expected to be.

use super::error::GitError;
use super::repo::{ObjectFormat, Repo};
use crate::model::CommitId;

/// Where a ref must be for it to be moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expect {
    /// It must not exist.
    Absent,
    /// It must be exactly there.
    Is(CommitId),
    /// Wherever it is.
    Any,
}

/// One change of a set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefEdit {
    /// The full name; `HEAD` only when it is detached.
    pub name: String,
    /// The new place; none deletes the ref and its reflog.
    pub new: Option<CommitId>,
    /// The expected present place.
    pub old: Expect,
}

impl Repo {
    /// Moves, makes and deletes refs in one transaction, with a reflog and the reason in it.
    ///
    /// # Errors
    /// [`GitError::RefMoved`] names the first ref that is not where it should be;
    /// [`GitError::Failed`] otherwise (a hook refused, a lock is held). No ref is changed then.
    pub fn update(&self, edits: &[RefEdit], reason: &str) -> Result<(), GitError> {
        if edits.is_empty() {
            return Ok(());
        }
        self.check_names(edits)?;
        let zero = match self.object_format {
            ObjectFormat::Sha1 => "0".repeat(40),
            ObjectFormat::Sha256 => "0".repeat(64),
        };
        let reason = reason.replace(['\n', '\r', '\0'], " ");
        let call = self.write(&["update-ref", "--create-reflog", "--no-deref", "-m", &reason])?;
        let done = call.args(["--stdin", "-z"]).stdin(transaction(edits, &zero)).run()?;
        if done.status == Some(0) {
            return Ok(());
        }
        Err(self.moved(edits)?.unwrap_or_else(|| done.failed()))
    }

    /// No edit may smuggle in another, and none may detach HEAD.
    fn check_names(&self, edits: &[RefEdit]) -> Result<(), GitError> {
        for RefEdit { name, .. } in edits {
            if name.contains('\0') || !(name == "HEAD" || name.starts_with("refs/")) {
                return Err(GitError::BadRevision(name.replace('\0', "?")));
            }
            if name == "HEAD"
                && let Some(branch) = self.symref("HEAD")?
            {
                let (name, expected) = (name.clone(), "a commit".to_owned());
                return Err(GitError::RefMoved { name, expected, found: branch });
            }
        }
        Ok(())
    }

    /// The first ref that is not where it was expected.
    fn moved(&self, edits: &[RefEdit]) -> Result<Option<GitError>, GitError> {
        for edit in edits {
            let found = self.resolve(&edit.name)?;
            let expected = match &edit.old {
                Expect::Any => continue,
                Expect::Absent => None,
                Expect::Is(id) => Some(id.clone()),
            };
            if found != expected {
                let words = |id: Option<CommitId>| id.map_or("nothing".into(), String::from);
                return Ok(Some(GitError::RefMoved {
                    name: edit.name.clone(),
                    expected: words(expected),
                    found: words(found),
                }));
            }
        }
        Ok(None)
    }
}

/// The input of `git update-ref --stdin -z`.
fn transaction(edits: &[RefEdit], zero: &str) -> Vec<u8> {
    let mut input = String::from("start\0");
    for RefEdit { name, new, old } in edits {
        let old = match old {
            Expect::Absent => zero,
            Expect::Is(id) => id.as_str(),
            Expect::Any => "",
        };
        match new {
            Some(new) => input.push_str(&format!("update {name}\0{new}\0{old}\0")),
            None => input.push_str(&format!("delete {name}\0{old}\0")),
        }
    }
    input.push_str("prepare\0commit\0");
    input.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_one_transaction() {
        let id = CommitId::parse(&"a".repeat(40)).unwrap();
        let edits = [
            RefEdit { name: "refs/x/1".into(), new: Some(id.clone()), old: Expect::Absent },
            RefEdit { name: "refs/x/2".into(), new: None, old: Expect::Is(id.clone()) },
            RefEdit { name: "refs/x/3".into(), new: Some(id.clone()), old: Expect::Any },
        ];
        let text = String::from_utf8(transaction(&edits, "000")).unwrap();
        assert_eq!(
            text,
            format!(
                "start\0update refs/x/1\0{id}\x00000\0delete refs/x/2\0{id}\0\
                 update refs/x/3\0{id}\0\0prepare\0commit\0"
            )
        );
    }
}
