//! What every command needs, found once: repository, state, and who starts programs.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use anyhow::Context as _;

use super::console::Console;
use super::env::Environment;
use super::exit::{Failure, git_code};
use crate::config::Config;
use crate::git::{BaseQuery, GitError, Repo};
use crate::measure::{Measurer, Setting, SettingError, load_setting};
use crate::model::CommitId;
use crate::process::{Cancel, Runner};
use crate::store::Layout;
use crate::store::records::Place;

/// The surroundings of a command.
pub struct Context {
    /// The folder that typed paths are relative to.
    pub cwd: PathBuf,
    /// The repository, seen from the current folder.
    pub repo: Repo,
    /// State on disk.
    pub layout: Layout,
    /// Starts programs.
    pub runner: Runner,
    /// Set by SIGINT and SIGTERM.
    pub cancel: Cancel,
    /// Where linked worktrees are made.
    pub cache: PathBuf,
    /// What the environment says.
    pub env: Environment,
    /// Where text goes.
    pub console: Console,
}

impl Context {
    /// Finds everything from a folder.
    ///
    /// # Errors
    /// Usage where the folder belongs to no repository, environment where git fails.
    pub fn open(dir: Option<&Path>, env: Environment, console: Console) -> anyhow::Result<Context> {
        Context::with(dir, env, console, Repo::discover)
    }

    /// As [`Context::open`] without starting a process where libgit2 opens the repository: for
    /// hooks, which have milliseconds.
    ///
    /// # Errors
    /// As [`Context::open`].
    pub fn open_fast(
        dir: Option<&Path>,
        env: Environment,
        console: Console,
    ) -> anyhow::Result<Context> {
        Context::with(dir, env, console, Repo::discover_fast)
    }

    /// As [`Context::open_fast`]; none where the folder belongs to no repository.
    ///
    /// # Errors
    /// As [`Context::open`], but for that.
    pub fn open_if_any(
        dir: &Path,
        env: Environment,
        console: Console,
    ) -> anyhow::Result<Option<Context>> {
        let none = Cell::new(false);
        let opened = Context::with(Some(dir), env, console, |cwd, git_dir, work_tree| {
            let found = Repo::discover_fast(cwd, git_dir, work_tree);
            none.set(matches!(found, Err(GitError::NotARepository { .. })));
            found
        });
        if none.get() { Ok(None) } else { opened.map(Some) }
    }

    fn with(
        dir: Option<&Path>,
        env: Environment,
        console: Console,
        discover: impl FnOnce(&Path, Option<&Path>, Option<&Path>) -> Result<Repo, GitError>,
    ) -> anyhow::Result<Context> {
        let here = std::env::current_dir().context("the current folder cannot be read")?;
        let cwd = dir.map_or_else(|| here.clone(), |d| here.join(d));
        if !cwd.is_dir() {
            return Err(Failure::usage(format!("'{}' is no folder", cwd.display())));
        }
        let repo = discover(&cwd, env.git_dir.as_deref(), env.git_work_tree.as_deref())
            .map_err(git_failure)?;
        let layout = Layout::new(&repo.common_dir);
        let cache = cache_of(&env, &repo);
        let cancel = Cancel::new();
        let runner = Runner::new(own_program()?, cancel.clone());
        Ok(Context { cwd, repo, layout, runner, cancel, cache, env, console })
    }

    /// A measurer for this checkout.
    pub fn measurer(&self) -> Measurer<'_> {
        Measurer {
            repo: &self.repo,
            runner: &self.runner,
            layout: &self.layout,
            cache: &self.cache,
            progress: &self.console,
            bot_actor: self.env.bot_actor,
        }
    }

    /// Base and configuration for a commit. `typed`: a person typed the command, so that a
    /// configuration that is not committed yet counts at first adoption.
    ///
    /// # Errors
    /// Usage for a wrong configuration or a base that does not exist.
    pub fn setting(
        &self,
        head: &CommitId,
        query: BaseQuery<'_>,
        typed: bool,
    ) -> anyhow::Result<Setting> {
        let worktree = self.repo.top.as_deref().filter(|_| typed);
        let load = |query| {
            load_setting(&self.repo, head, query, worktree).map_err(|e| match e {
                SettingError::Config(e) => Failure::usage(e.to_string()),
                SettingError::Git(e) => git_failure(e),
            })
        };
        let setting = load(query)?;
        match self.own_base(&setting, query)? {
            Some(own) => load(BaseQuery { config: Some(&own), ..query }),
            None => Ok(setting),
        }
    }

    /// `evidence.base` of git's configuration: it counts only where the file leaves the base open, and
    /// only for an ancestor of the default branch, since a person's own setting must not move the
    /// gate to where nothing is compared.
    fn own_base(&self, setting: &Setting, query: BaseQuery<'_>) -> anyhow::Result<Option<String>> {
        let git = self.repo.config().map_err(git_failure)?;
        let Some(own) = git.get("evidence.base") else { return Ok(None) };
        if setting.config.base != "auto" || query.flag.is_some() || query.config.is_some() {
            return Ok(None);
        }
        let Some((base, _)) = &setting.base else { return Ok(None) };
        let Some(commit) = self.repo.resolve(own).map_err(git_failure)? else {
            return Err(Failure::usage(format!("evidence.base = {own} names no commit here")));
        };
        if self.repo.is_ancestor(&commit, &base.commit).map_err(git_failure)? {
            return Ok(Some(own.to_string()));
        }
        self.console.note(&format!(
            "evidence.base = {own} is no ancestor of {}, so it does not count",
            base.name
        ));
        Ok(None)
    }

    /// Where records of this repository lie: `evidence.record` of git's configuration, else of the
    /// file, else in the git directory.
    ///
    /// # Errors
    /// Usage for a template that leaves the checkout.
    pub fn place(&self, config: &Config) -> anyhow::Result<Place> {
        let git = self.repo.config().map_err(git_failure)?;
        let own = git.get("evidence.record").map(str::to_string);
        match (own.as_ref().or(config.evidence.record.as_ref()), &self.repo.top) {
            (Some(template), Some(top)) => {
                Place::template(top, template).map_err(|e| Failure::usage(e.to_string()))
            }
            _ => Ok(Place::GitDir(self.layout.clone())),
        }
    }

    /// Lets SIGINT, SIGTERM and SIGHUP end the work in order instead of in the middle. `came` then
    /// holds the signal's number.
    ///
    /// # Errors
    /// Where the system refuses a handler.
    pub fn watch_signals(&self, came: &Arc<AtomicUsize>) -> anyhow::Result<()> {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            let number = usize::try_from(signal).unwrap_or_default();
            signal_hook::flag::register_usize(signal, Arc::clone(came), number)?;
            signal_hook::flag::register(signal, self.cancel.flag())?;
        }
        Ok(())
    }
}

/// This executable, which supervises what it starts.
fn own_program() -> anyhow::Result<PathBuf> {
    std::env::current_exe().context("cannot find this program's own file")
}

/// Outside the repository where that is possible, a folder for each repository.
fn cache_of(env: &Environment, repo: &Repo) -> PathBuf {
    use sha2::{Digest, Sha256};
    let digest = Sha256::digest(repo.common_dir.as_os_str().as_encoded_bytes());
    let name: String = digest.iter().take(6).map(|b| format!("{b:02x}")).collect();
    env.cache.clone().unwrap_or_else(|| std::env::temp_dir().join("git-evidence")).join(name)
}

/// Git's failures as ends of a command.
#[allow(clippy::needless_pass_by_value, reason = "`map_err` hands it over")]
pub fn git_failure(error: GitError) -> anyhow::Error {
    Failure::with(git_code(&error), error.to_string())
}
