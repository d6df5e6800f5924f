//! What a `git push` is about to push: the lines that git would give its own hook.
//!
//! Git works this out with the remote's answer; here it is worked out from what the repository knows.
//! Where the two differ, git's own hook has the last word.

use crate::git::{Config, GitError, Head, Repo};
use crate::hook::command::Push;
use crate::hook::lines::{Line, parse};
use crate::model::CommitId;

/// What is pushed.
pub(super) enum Pushed {
    /// As git would tell it.
    Lines(Vec<Line>),
    /// It cannot be known: why, and what to do.
    Unclear(String),
}

/// Works it out.
///
/// # Errors
/// Where git fails.
pub(super) fn pushed(repo: &Repo, head: &Head, push: &Push) -> Result<Pushed, GitError> {
    if push.dry_run || push.delete {
        return Ok(Pushed::Lines(Vec::new()));
    }
    if push.unreadable {
        let why = "which branches it pushes cannot be read from the command: write the names of \
                   the remote and the branches out";
        return Ok(Pushed::Unclear(why.to_string()));
    }
    let git = repo.settled_config()?;
    let remote = remote_of(&git, head, push);
    let mut reader = Reader { repo, head, git: &git, remote: &remote, lines: String::new() };
    if push.all || push.mirror || git.bool(&format!("remote.{remote}.mirror")) == Some(true) {
        reader.every("refs/heads/", |name| Some(name.to_string()))?;
    } else {
        reader.specs(push)?;
    }
    Ok(Pushed::Lines(parse(reader.lines.as_bytes())))
}

/// The remote that is pushed to.
pub(super) fn remote_of(git: &Config, head: &Head, push: &Push) -> String {
    let of_branch = |key: &str| git.get(&format!("branch.{}.{key}", head.branch.as_ref()?));
    let named = push.remote.as_deref().filter(|r| !r.is_empty());
    let found = named
        .or_else(|| of_branch("pushRemote"))
        .or_else(|| git.get("remote.pushDefault"))
        .or_else(|| of_branch("remote"));
    found.unwrap_or("origin").to_string()
}

struct Reader<'a> {
    repo: &'a Repo,
    head: &'a Head,
    git: &'a Config,
    remote: &'a str,
    lines: String,
}

impl Reader<'_> {
    fn specs(&mut self, push: &Push) -> Result<(), GitError> {
        let key = format!("remote.{}.push", self.remote);
        let configured = || self.git.all(&key).into_iter().map(str::to_string).collect();
        let specs: Vec<String> = match push.refspecs.as_slice() {
            // with --tags alone only tags are pushed
            [] if push.tags => return Ok(()),
            [] => configured(),
            typed => typed.to_vec(),
        };
        if specs.is_empty() {
            return self.unnamed();
        }
        let mut specs = specs.iter();
        while let Some(spec) = specs.next() {
            match spec.as_str() {
                "tag" => drop(specs.next()),
                spec => self.spec(spec.strip_prefix('+').unwrap_or(spec))?,
            }
        }
        Ok(())
    }

    /// Nothing is named: `push.default` says what that means.
    fn unnamed(&mut self) -> Result<(), GitError> {
        let upstream = match self.git.get("push.default").unwrap_or("simple") {
            "nothing" => return Ok(()),
            "matching" => return self.matching(),
            "upstream" | "tracking" => true,
            _ => false,
        };
        let Some(branch) = &self.head.branch else { return Ok(()) };
        let own = format!("refs/heads/{branch}");
        let merge = self.git.get(&format!("branch.{branch}.merge")).filter(|_| upstream);
        let to = merge.unwrap_or(&own).to_string();
        self.reference(&own, &to)
    }

    /// Branches that the remote has too, as far as it is known here.
    fn matching(&mut self) -> Result<(), GitError> {
        let there = format!("refs/remotes/{}/", self.remote);
        let there = self.repo.list(&there)?.into_iter().map(|(name, _)| name);
        let there: Vec<String> = there.collect();
        let remote = self.remote.to_string();
        self.every("refs/heads/", |name| {
            let short = name.strip_prefix("refs/heads/")?;
            there.contains(&format!("refs/remotes/{remote}/{short}")).then(|| name.to_string())
        })
    }

    /// Every ref below a prefix, to where `to` says.
    fn every(&mut self, prefix: &str, to: impl Fn(&str) -> Option<String>) -> Result<(), GitError> {
        for (name, commit) in self.repo.list(prefix)? {
            if let Some(to) = to(&name) {
                self.line(&name, &commit, &to);
            }
        }
        Ok(())
    }

    fn spec(&mut self, spec: &str) -> Result<(), GitError> {
        let (from, to) = match spec.rsplit_once(':') {
            Some((from, to)) => (from, Some(to).filter(|to| !to.is_empty())),
            None => (spec, None),
        };
        if from.is_empty() && to.is_none() {
            return self.matching();
        }
        if from.is_empty() || from.starts_with('^') {
            return Ok(());
        }
        if let Some((before, after)) = from.split_once('*') {
            return self.pattern((before, after), to);
        }
        if matches!(from, "HEAD" | "@") {
            let own = self.head.branch.as_ref().map(|b| format!("refs/heads/{b}"));
            let Some(to) = to.map(|to| self.to(to, "refs/heads/")).or(own) else { return Ok(()) };
            if let Some(commit) = &self.head.commit {
                self.line("HEAD", commit, &to);
            }
            return Ok(());
        }
        for full in names(from) {
            if self.repo.resolve(&full)?.is_some() {
                let below =
                    if full.starts_with("refs/tags/") { "refs/tags/" } else { "refs/heads/" };
                let to = to.map_or_else(|| full.clone(), |to| self.to(to, below));
                return self.reference(&full, &to);
            }
        }
        // git refuses a revision without a name for the other side
        let Some(to) = to else { return Ok(()) };
        let to = self.to(to, "refs/heads/");
        self.reference(from, &to)
    }

    fn pattern(&mut self, from: (&str, &str), to: Option<&str>) -> Result<(), GitError> {
        let (before, after) = from;
        // git lists whole components only
        let prefix = before.rsplit_once('/').map_or("refs/", |(folder, _)| folder);
        self.every(&format!("{prefix}/").replace("refs//", "refs/"), |name| {
            let middle = name.strip_prefix(before)?.strip_suffix(after)?;
            Some(to.map_or_else(|| name.to_string(), |to| to.replacen('*', middle, 1)))
        })
    }

    /// The full name at the remote. A short one that the remote is known to have as a branch is that
    /// branch.
    fn to(&self, to: &str, below: &str) -> String {
        if to.starts_with("refs/") {
            return to.to_string();
        }
        let short = to.strip_prefix("heads/").unwrap_or(to);
        let tracked = format!("refs/remotes/{}/{short}", self.remote);
        let known = short != to || matches!(self.repo.resolve(&tracked), Ok(Some(_)));
        if known { format!("refs/heads/{short}") } else { format!("{below}{short}") }
    }

    fn reference(&mut self, from: &str, to: &str) -> Result<(), GitError> {
        if let Some(commit) = self.repo.resolve(from)? {
            self.line(from, &commit, to);
        }
        Ok(())
    }

    fn line(&mut self, from: &str, commit: &CommitId, to: &str) {
        let zeros = "0".repeat(commit.as_str().len());
        self.lines.push_str(&format!("{from} {commit} {to} {zeros}\n"));
    }
}

/// The full names that a short one may stand for.
fn names(short: &str) -> Vec<String> {
    if short.starts_with("refs/") {
        return vec![short.to_string()];
    }
    ["refs/heads/", "refs/tags/", "refs/"].iter().map(|below| format!("{below}{short}")).collect()
}
