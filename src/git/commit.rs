//! Commits in a person's name: with their identity, hooks and signature, and without a question.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::Write;
use std::time::Duration;

use super::diff::parse_raw;
use super::error::GitError;
use super::program::{Call, Done};
use super::repo::Repo;
use super::tree::{ADD_PATHS, joined};
use crate::model::CommitId;

/// How long a throw-away signature may take.
const SIGN_PROBE: Duration = Duration::from_secs(20);

/// What is to be committed.
#[derive(Debug, Clone)]
pub struct CommitRequest<'a> {
    /// Paths as git stores them, removed ones included.
    pub paths: &'a [Vec<u8>],
    /// Subject and body.
    pub message: &'a str,
    /// Lines `Key: value` at the end of the message.
    pub trailers: &'a [(&'a str, String)],
    /// Variables for the hooks.
    pub env: &'a [(OsString, OsString)],
    /// How long hooks and signing may take.
    pub deadline: Duration,
}

impl Repo {
    /// Whether a commit could be made here, before anything is changed: there is an identity,
    /// and where commits are signed a signature succeeds without asking.
    ///
    /// # Errors
    /// [`GitError::NoIdentity`], [`GitError::Signing`], [`GitError::Bare`].
    pub fn can_commit(&self) -> Result<(), GitError> {
        self.top()?;
        for who in ["GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"] {
            let done = self.read(&["var", who]).run()?;
            if done.status != Some(0) {
                return Err(GitError::NoIdentity(done.stderr));
            }
        }
        if !self.signs()? {
            return Ok(());
        }
        // an object that nothing refers to; git removes it in time
        let tree = self.write(&["mktree"])?.line()?;
        let probe = quiet(self.write(&["commit-tree", "-S", &tree, "-m", "signature probe"])?);
        match probe.deadline(SIGN_PROBE).run() {
            Ok(done) if done.status == Some(0) => Ok(()),
            Ok(done) => Err(GitError::Signing { stderr: done.stderr }),
            Err(GitError::Deadline { .. }) => {
                let stderr = format!("no signature within {} s", SIGN_PROBE.as_secs());
                Err(GitError::Signing { stderr })
            }
            Err(other) => Err(other),
        }
    }

    /// Commits the present content of some paths, and of no other: what else is staged stays
    /// staged. None where they hold nothing new. On an error the paths may be left staged;
    /// the working tree is as the hooks left it.
    ///
    /// # Errors
    /// [`GitError::Failed`] where a hook refused, [`GitError::NoIdentity`],
    /// [`GitError::Signing`], [`GitError::Deadline`], [`GitError::Redirected`].
    pub fn commit_paths(&self, request: &CommitRequest<'_>) -> Result<Option<CommitId>, GitError> {
        self.top()?;
        let head = self.commit("HEAD")?;
        self.write(ADD_PATHS)?.stdin(joined(request.paths)).ok()?;
        let wanted: BTreeSet<&[u8]> = request.paths.iter().map(Vec::as_slice).collect();
        let (ours, others): (Vec<_>, Vec<_>) =
            self.staged(&head)?.into_iter().partition(|p| wanted.contains(p.as_slice()));
        if ours.is_empty() {
            return Ok(None);
        }
        let mut call = self.natural(&["commit", "--quiet", "--no-edit", "-F", "-"])?;
        let mut list = tempfile::NamedTempFile::new_in(&self.git_dir)
            .map_err(|e| GitError::io(&self.git_dir, e))?;
        if !others.is_empty() {
            // only then: hooks see another index in this form
            list.write_all(&literal(&ours)).map_err(|e| GitError::io(list.path(), e))?;
            let mut from = OsString::from("--pathspec-from-file=");
            from.push(list.path());
            call = call.args(["--only", "--pathspec-file-nul"]).arg(from);
        }
        for (key, value) in request.env {
            call = call.env(key, value);
        }
        let text = with_trailers(request.message, request.trailers);
        let done = quiet(call).stdin(text).deadline(request.deadline).run()?;
        if done.status != Some(0) {
            return Err(self.refused(done));
        }
        self.resolve("HEAD")
    }

    /// Paths whose staged content is not that of a commit.
    fn staged(&self, head: &CommitId) -> Result<Vec<Vec<u8>>, GitError> {
        let call = self.read(&["diff-index", "--cached", "--raw", "-z", "--no-abbrev"]);
        let raw = call.args(["--no-renames", "--ignore-submodules=none", head.as_str()]).ok()?;
        Ok(parse_raw(&raw)?.into_iter().map(|c| c.old).collect())
    }

    fn signs(&self) -> Result<bool, GitError> {
        Ok(self.config()?.bool("commit.gpgsign").unwrap_or(false))
    }

    /// Why `git commit` ended otherwise.
    fn refused(&self, done: Done) -> GitError {
        let says = |words: &[&str]| words.iter().any(|w| done.stderr.contains(w));
        if says(&["tell me who you are", "empty ident", "auto-detect email", "no email was given"])
        {
            return GitError::NoIdentity(done.stderr);
        }
        // git says only this much for every kind of signature
        let unsigned = says(&["failed to sign the data", "failed to write commit object"]);
        if unsigned && self.signs().unwrap_or(false) {
            return GitError::Signing { stderr: done.stderr };
        }
        done.failed()
    }
}

/// No window and no terminal for a passphrase or password.
fn quiet(call: Call) -> Call {
    call.env("GIT_ASKPASS", "true").env("SSH_ASKPASS", "true").env("SSH_ASKPASS_REQUIRE", "never")
}

/// Paths as pathspecs that mean nothing but themselves; the variable that says so for all would
/// reach the hooks.
fn literal(paths: &[Vec<u8>]) -> Vec<u8> {
    let mut list = Vec::new();
    for path in paths {
        list.extend_from_slice(b":(top,literal)");
        list.extend_from_slice(path);
        list.push(0);
    }
    list
}

/// The message with its trailers as the last paragraph.
fn with_trailers(message: &str, trailers: &[(&str, String)]) -> Vec<u8> {
    let mut text = message.trim_end().to_owned();
    text.push('\n');
    if !trailers.is_empty() {
        text.push('\n');
    }
    for (key, value) in trailers {
        let value: String = value.split_whitespace().collect::<Vec<_>>().join(" ");
        text.push_str(&format!("{key}: {value}\n"));
    }
    text.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trailers_are_the_last_paragraph_and_single_lines() {
        let trailers = [("Evidence-Run", "r1".to_owned()), ("Evidence-Fixer", "a\nb".to_owned())];
        let text = String::from_utf8(with_trailers("fix(lint): x\n\n", &trailers)).unwrap();
        assert_eq!(text, "fix(lint): x\n\nEvidence-Run: r1\nEvidence-Fixer: a b\n");
        assert_eq!(with_trailers("x", &[]), b"x\n");
    }
}
