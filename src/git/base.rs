//! What a commit is compared with: the first rung of a ladder that holds.
//!
//! Remote names come before local ones: a local trunk that nobody pulled for a month would make
//! everything that others did since look like this branch's work.

#![deny(clippy::disallowed_methods)]

use super::config::Config;
use super::error::GitError;
use super::refs::text;
use super::repo::Repo;
use crate::model::CommitId;

/// What the caller knows about the wanted base.
#[derive(Debug, Clone, Copy, Default)]
pub struct BaseQuery<'a> {
    /// `--base`, taken as it is.
    pub flag: Option<&'a str>,
    /// The configured base: `auto` or a ref.
    pub config: Option<&'a str>,
    /// The judged branch without `refs/heads/`; it is never its own base.
    pub branch: Option<&'a str>,
    /// The remote that is pushed to, in a hook; a URL counts as none.
    pub remote: Option<&'a str>,
}

/// The base that was found, before the common commit is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseRef {
    /// The ref or revision.
    pub name: String,
    /// `flag`, `config`, `upstream`, `remote_default` or `main`.
    pub rung: &'static str,
    /// Where it stands.
    pub commit: CommitId,
    /// Rungs passed over before, each with the reason.
    pub skipped: Vec<(&'static str, String)>,
}

/// The order of the ladder.
const RUNGS: [&str; 5] = ["flag", "config", "upstream", "remote_default", "main"];

/// One rung as gathered.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Rung {
    word: &'static str,
    candidates: Vec<Candidate>,
    /// Asked for by name: if no candidate exists, no lower rung may silently stand in.
    must: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Candidate {
    name: String,
    commit: Option<CommitId>,
    /// Whether it is the judged branch itself, here or at its remote.
    own: bool,
}

/// What the rungs gathered so far lead to.
#[derive(Debug, PartialEq, Eq)]
enum Decided {
    Found(BaseRef),
    /// None of them holds; a lower one may.
    Further(Vec<(&'static str, String)>),
    /// One that was asked for does not exist.
    Refused(Vec<(&'static str, String)>),
}

fn decide(rungs: &[Rung]) -> Decided {
    let mut skipped = Vec::new();
    for rung in rungs {
        let holds = rung.candidates.iter().find(|c| c.commit.is_some() && !c.own);
        if let Some(Candidate { name, commit: Some(commit), .. }) = holds {
            let (name, commit) = (name.clone(), commit.clone());
            return Decided::Found(BaseRef { name, rung: rung.word, commit, skipped });
        }
        skipped.push((rung.word, why_not(rung)));
        if rung.must && rung.candidates.iter().all(|c| c.commit.is_none()) {
            return Decided::Refused(skipped);
        }
    }
    Decided::Further(skipped)
}

fn why_not(rung: &Rung) -> String {
    if rung.candidates.is_empty() {
        return "not set".to_owned();
    }
    let each = rung.candidates.iter().map(|c| {
        let why = if c.own { "is the branch itself" } else { "does not exist" };
        format!("{} {why}", c.name)
    });
    each.collect::<Vec<_>>().join(", ")
}

fn no_base(tried: Vec<(&'static str, String)>) -> GitError {
    let words = |rung| match rung {
        "flag" => "--base",
        "config" => "the configured base",
        "remote_default" => "the remote's default branch",
        "main" => "main or master",
        other => other,
    };
    let said = |(rung, why)| format!("{}: {why}", words(rung));
    GitError::NoBase { tried: tried.into_iter().map(said).collect() }
}

/// The remote whose trunk counts: the pushed one, the branch's, `origin`, the only one.
fn remote_of(query: &BaseQuery<'_>, config: &Config) -> Option<String> {
    let remotes = config.subsections("remote");
    let known = |name: &str| remotes.contains(&name).then(|| name.to_owned());
    let of_branch = || query.branch.and_then(|b| config.get(&format!("branch.{b}.remote")));
    let only = || match remotes.as_slice() {
        [only] => Some((*only).to_owned()),
        _ => None,
    };
    query
        .remote
        .and_then(known)
        .or_else(|| of_branch().and_then(known))
        .or_else(|| known("origin"))
        .or_else(only)
}

impl Repo {
    /// The base of a branch.
    ///
    /// # Errors
    /// [`GitError::NoBase`] with every rung and its reason, also where a base that was asked for
    /// by name does not exist.
    pub fn base(&self, query: &BaseQuery<'_>) -> Result<BaseRef, GitError> {
        let config = self.settled_config()?;
        let remote = remote_of(query, &config);
        let mut rungs = Vec::new();
        for word in RUNGS {
            rungs.push(self.rung(word, query, remote.as_deref())?);
            match decide(&rungs) {
                Decided::Found(base) => return Ok(base),
                // Only the rung that was asked for by name is of interest.
                Decided::Refused(mut tried) => {
                    return Err(no_base(tried.pop().into_iter().collect()));
                }
                Decided::Further(tried) if word == "main" => return Err(no_base(tried)),
                Decided::Further(_) => {}
            }
        }
        Err(no_base(Vec::new()))
    }

    /// The commit that a head and its base have in common.
    ///
    /// # Errors
    /// [`GitError::Shallow`] with the commands that deepen the clone, [`GitError::Unrelated`].
    pub fn base_point(&self, base: &BaseRef, head: &CommitId) -> Result<CommitId, GitError> {
        if let Some(found) = self.merge_base(&base.commit, head)? {
            return Ok(found);
        }
        if !self.shallow {
            return Err(GitError::Unrelated { head: head.clone(), base: base.name.clone() });
        }
        let tracking = base.name.strip_prefix("refs/remotes/").and_then(|n| n.split_once('/'));
        let (remote, branch) = tracking.unwrap_or(("origin", "HEAD"));
        let remedy = format!(
            "`git fetch --deepen=50 {remote} {branch}`, or all of it: `git fetch --unshallow`"
        );
        Err(GitError::Shallow { base: base.name.clone(), remedy })
    }

    fn rung(
        &self,
        word: &'static str,
        query: &BaseQuery<'_>,
        remote: Option<&str>,
    ) -> Result<Rung, GitError> {
        let configured = query.config.filter(|c| *c != "auto" && !c.is_empty());
        let (names, must) = match word {
            "flag" => (query.flag.map(str::to_owned).into_iter().collect(), true),
            "config" => (configured.map_or(vec![], |c| named(c, remote)), configured.is_some()),
            "upstream" => (self.upstream(query.branch)?.into_iter().collect(), false),
            "remote_default" => (self.trunks(remote)?, false),
            _ => (vec!["refs/heads/main".to_owned(), "refs/heads/master".to_owned()], false),
        };
        let must = must && !names.is_empty();
        let candidates = names.into_iter().map(|name| {
            let commit = self.resolve(&name)?;
            // what a person typed is meant
            let own = word != "flag"
                && (is_own(word, &name, query.branch, remote)
                    || (word == "upstream" && self.holds_all_of(&name, query.branch)?));
            Ok(Candidate { name, commit, own })
        });
        Ok(Rung { word, candidates: candidates.collect::<Result<_, GitError>>()?, must })
    }

    /// Whether a local upstream already has every commit of the branch: comparing with it would
    /// compare with nothing, so a copy of a branch could be its own base.
    fn holds_all_of(&self, upstream: &str, branch: Option<&str>) -> Result<bool, GitError> {
        if !upstream.starts_with("refs/heads/") {
            return Ok(false);
        }
        let tip = branch.map(|b| self.resolve(&format!("refs/heads/{b}"))).transpose()?.flatten();
        let there = self.resolve(upstream)?;
        match (tip, there) {
            (Some(tip), Some(there)) => self.is_ancestor(&tip, &there),
            _ => Ok(false),
        }
    }

    /// The tracking ref of a branch's upstream, present or not.
    fn upstream(&self, branch: Option<&str>) -> Result<Option<String>, GitError> {
        let Some(branch) = branch else { return Ok(None) };
        let full = format!("refs/heads/{branch}");
        if let Some(fast) = self.fast() {
            return Ok(fast
                .branch_upstream_name(&full)
                .ok()
                .and_then(|name| name.as_str().ok().map(str::to_owned)));
        }
        let listed = self.read(&["for-each-ref", "--format=%(refname) %(upstream)", &full]).ok()?;
        let listed = text(listed)?;
        let of = listed.lines().filter_map(|l| l.split_once(' ')).find(|(name, _)| *name == full);
        Ok(of.map(|(_, up)| up.to_owned()).filter(|up| !up.is_empty()))
    }

    fn trunks(&self, remote: Option<&str>) -> Result<Vec<String>, GitError> {
        let Some(remote) = remote else { return Ok(Vec::new()) };
        let mut names: Vec<String> =
            self.symref(&format!("refs/remotes/{remote}/HEAD"))?.into_iter().collect();
        for usual in ["main", "master"] {
            let name = format!("refs/remotes/{remote}/{usual}");
            if !names.contains(&name) {
                names.push(name);
            }
        }
        Ok(names)
    }
}

/// A configured name: at the remote first.
fn named(name: &str, remote: Option<&str>) -> Vec<String> {
    let at_remote =
        remote.filter(|_| !name.starts_with("refs/")).map(|r| format!("refs/remotes/{r}/{name}"));
    at_remote.into_iter().chain([name.to_owned()]).collect()
}

/// Whether a name is the judged branch: itself, or for an upstream its published copy. The trunk
/// at the remote is a base for the local trunk, so there only the local name counts.
fn is_own(word: &str, name: &str, branch: Option<&str>, remote: Option<&str>) -> bool {
    let Some(branch) = branch else { return false };
    if name == branch || name.strip_prefix("refs/heads/") == Some(branch) {
        return true;
    }
    word == "upstream"
        && name.strip_prefix("refs/remotes/").is_some_and(|rest| {
            let under = |r: &str| rest.strip_prefix(r).and_then(|n| n.strip_prefix('/'));
            let of_remote = remote.and_then(under);
            of_remote.or_else(|| rest.split_once('/').map(|(_, n)| n)) == Some(branch)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(digit: char) -> CommitId {
        CommitId::parse(&digit.to_string().repeat(40)).unwrap()
    }

    fn rung(word: &'static str, must: bool, candidates: &[(&str, Option<char>, bool)]) -> Rung {
        let candidates = candidates.iter().map(|(name, commit, own)| Candidate {
            name: (*name).to_owned(),
            commit: commit.map(id),
            own: *own,
        });
        Rung { word, must, candidates: candidates.collect() }
    }

    #[test]
    fn the_first_rung_that_holds_wins_and_the_others_are_named() {
        let rungs = [
            rung("flag", false, &[]),
            rung("upstream", false, &[("refs/remotes/origin/x", Some('a'), true)]),
            rung("remote_default", false, &[("gone", None, false), ("there", Some('b'), false)]),
        ];
        let Decided::Found(base) = decide(&rungs) else { panic!("no base") };
        assert_eq!(
            (base.name.as_str(), base.rung, base.commit),
            ("there", "remote_default", id('b'))
        );
        assert_eq!(
            base.skipped,
            [
                ("flag", "not set".to_owned()),
                ("upstream", "refs/remotes/origin/x is the branch itself".to_owned())
            ]
        );
    }

    #[test]
    fn a_base_asked_for_by_name_is_never_replaced_by_another() {
        let rungs = [
            rung("config", true, &[("develop", None, false)]),
            rung("main", false, &[("main", Some('a'), false)]),
        ];
        assert!(matches!(decide(&rungs), Decided::Refused(_)));
        let own = [
            rung("config", true, &[("main", Some('a'), true)]),
            rung("main", false, &[("master", Some('b'), false)]),
        ];
        assert!(matches!(decide(&own), Decided::Found(b) if b.name == "master"));
        assert!(matches!(decide(&own[..1]), Decided::Further(_)));
    }

    #[test]
    fn the_branch_is_not_its_own_base_but_the_remote_trunk_is_one_for_the_local() {
        let own = |word, name| is_own(word, name, Some("a/b"), Some("origin"));
        assert!(own("main", "refs/heads/a/b") && own("config", "a/b"));
        assert!(own("upstream", "refs/remotes/origin/a/b"));
        assert!(!own("upstream", "refs/remotes/origin/b"));
        assert!(!own("remote_default", "refs/remotes/origin/a/b"));
        assert!(!is_own("main", "refs/heads/main", None, None));
    }

    #[test]
    fn the_remote_is_the_pushed_one_then_the_branchs_then_origin_then_the_only_one() {
        let config = Config::parse(
            b"remote.up.url\nu\0remote.origin.url\no\0remote.me.url\nm\0branch.b.remote\nup\0",
        );
        let query = |branch, remote| BaseQuery { branch, remote, ..BaseQuery::default() };
        let of = |b, r| remote_of(&query(b, r), &config);
        assert_eq!(of(Some("b"), Some("me")).as_deref(), Some("me"));
        assert_eq!(of(Some("b"), Some("https://x/y")).as_deref(), Some("up"));
        assert_eq!(of(Some("c"), None).as_deref(), Some("origin"));
        let one = Config::parse(b"remote.z.url\nu\0");
        assert_eq!(remote_of(&query(None, None), &one).as_deref(), Some("z"));
        assert_eq!(remote_of(&query(None, None), &Config::default()), None);
    }
}
