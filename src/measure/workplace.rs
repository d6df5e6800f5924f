//! A linked worktree of our own: for commits that are not checked out, and for the loop's mode
//! "worktree".
//!
//! It lies outside the repository, since many tools leave out whatever is below a folder named
//! `.git`, and others look for their configuration in the folders above.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

use super::checks::last_words;
use super::links;
use crate::config::Workspace;
use crate::git::{Repo, Worktree};
use crate::model::CommitId;
use crate::process::{Program, Runner};

/// For `[workspace] setup`.
const SETUP_DEADLINE: Duration = Duration::from_secs(1800);

/// Lock files whose equality in both commits lets a dependency folder be shared.
const LOCK_FILES: &[(&str, &[&str])] = &[
    (
        "node_modules",
        &["package-lock.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "npm-shrinkwrap.json"],
    ),
    (".venv", &["uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock", "requirements.txt"]),
    ("vendor", &["composer.lock", "Gemfile.lock", "go.sum", "Cargo.lock"]),
];

/// A worktree that exists as long as this value does.
pub struct Workplace<'a> {
    repo: &'a Repo,
    path: PathBuf,
    keep: bool,
}

impl<'a> Workplace<'a> {
    /// Checks a commit out under `cache`, shares dependency folders with the checkout at `from`
    /// where both have the same lock files, and prepares it.
    ///
    /// # Errors
    /// Where git or the setup command fails; nothing is left behind.
    pub fn open(
        repo: &'a Repo,
        cache: &Path,
        commit: &CommitId,
        name: &str,
    ) -> anyhow::Result<Workplace<'a>> {
        std::fs::create_dir_all(cache)
            .with_context(|| format!("cannot make {} for linked worktrees", cache.display()))?;
        sweep(repo, cache);
        // The process tells a later one whether the worktree was left behind by a kill.
        let prefix = format!("{name}-{}-", std::process::id());
        let folder = tempfile::Builder::new().prefix(&prefix).tempdir_in(cache)?.keep();
        let path = folder.join("tree");
        repo.add_worktree(&path, commit).context("cannot make a linked worktree")?;
        Ok(Workplace { repo, path, keep: false })
    }

    /// Its top.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// One that is there already, of a run that was interrupted.
    pub fn at(repo: &'a Repo, path: PathBuf) -> Workplace<'a> {
        Workplace { repo, path, keep: false }
    }

    /// Whether it stays when this value goes: a run that was interrupted goes on in it.
    pub fn keep(&mut self, keep: bool) {
        self.keep = keep;
    }

    /// Links ignored dependency folders of the checkout.
    ///
    /// # Errors
    /// Where git fails or a link cannot be made.
    pub fn share(
        &self,
        from: &Path,
        head: &CommitId,
        here: &CommitId,
        workspace: &Workspace,
    ) -> anyhow::Result<()> {
        for folder in &workspace.shared() {
            let source = from.join(folder);
            let target = self.path.join(folder);
            if !source.is_dir() || target.symlink_metadata().is_ok() {
                continue;
            }
            // What leads back would have the worktree run the checkout's own code.
            let own = self.repo.is_ignored(folder)? && !links::lead_into(&source, from);
            if own && self.same_lock_files(folder, head, here)? {
                link(&source, &target)
                    .with_context(|| format!("cannot share {folder} with the linked worktree"))?;
            }
        }
        Ok(())
    }

    fn same_lock_files(&self, folder: &str, a: &CommitId, b: &CommitId) -> anyhow::Result<bool> {
        let Some((_, files)) = LOCK_FILES.iter().find(|(name, _)| *name == folder) else {
            // A folder that a person named is shared because they said so.
            return Ok(true);
        };
        for file in *files {
            if self.repo.read_blob(a, file)? != self.repo.read_blob(b, file)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Runs `[workspace] setup`.
    ///
    /// # Errors
    /// Where it fails: why.
    pub fn set_up(&self, runner: &Runner, workspace: &Workspace) -> anyhow::Result<()> {
        let Some(setup) = &workspace.setup else { return Ok(()) };
        let ran = runner.run(&Program::shell(setup, &self.path, SETUP_DEADLINE))?;
        anyhow::ensure!(
            ran.exit.is_success(),
            "[workspace] setup = \"{setup}\" failed ({:?}){}",
            ran.exit,
            last_words(&ran)
        );
        Ok(())
    }
}

/// Takes away worktrees for measuring whose process is gone: it was killed. Those of runs stay until
/// `continue` or `abort`; what cannot be taken away stays too.
fn sweep(repo: &Repo, cache: &Path) {
    for tree in repo.worktrees().into_iter().flatten().filter(Worktree::is_ours) {
        let Some(folder) = tree.path.parent().filter(|f| f.parent() == Some(cache)) else {
            continue;
        };
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let process = name.strip_prefix("measure-").and_then(|rest| rest.split('-').next());
        let Some(process) = process.and_then(|p| p.parse().ok()).and_then(Pid::from_raw) else {
            continue;
        };
        if test_kill_process(process) == Err(Errno::SRCH) {
            drop(Workplace::at(repo, tree.path.clone()));
        }
    }
}

#[cfg(unix)]
fn link(source: &Path, target: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(source, target)
}

impl Drop for Workplace<'_> {
    fn drop(&mut self) {
        if self.keep {
            return;
        }
        // What stays behind is named by `git worktree list` and holds nothing of anybody's.
        if self.repo.remove_worktree(&self.path, true).is_ok()
            && let Some(folder) = self.path.parent()
        {
            // Only ever the empty folder that was made for it.
            let _ = std::fs::remove_dir(folder);
        }
    }
}
