//! Which commit is meant, on which branch, and whether the checkout is exactly that commit.

use crate::host::context::{Context, git_failure};
use crate::host::exit::Failure;
use crate::model::CommitId;
use crate::store::records::Place;

/// A commit to measure.
pub(super) struct Target {
    pub(super) commit: CommitId,
    /// The branch that was meant, without `refs/heads/`.
    pub(super) branch: Option<String>,
    /// It is the one that is checked out.
    pub(super) here: bool,
}

/// Finds it; without a revision the checked-out one.
///
/// # Errors
/// Usage for a bare repository, an unborn branch and a revision that names no commit.
pub(super) fn target(context: &Context, rev: Option<&str>) -> anyhow::Result<Target> {
    let repo = &context.repo;
    repo.top().map_err(git_failure)?;
    let head = repo.head().map_err(git_failure)?;
    let rev = rev.filter(|r| *r != "@").unwrap_or("HEAD");
    if rev == "HEAD" && head.commit.is_none() {
        let branch = head.branch.unwrap_or_default();
        return Err(Failure::usage(format!(
            "branch '{branch}' has no commit yet: make one, then there is something to judge"
        )));
    }
    let commit = repo.commit(rev).map_err(git_failure)?;
    let here = head.commit.as_ref() == Some(&commit);
    let named = rev.strip_prefix("refs/heads/").unwrap_or(rev);
    let branch = if rev == "HEAD" {
        head.branch
    } else if repo.resolve(&format!("refs/heads/{named}")).map_err(git_failure)?.is_some() {
        Some(named.to_string())
    } else {
        None
    };
    Ok(Target { commit, branch, here })
}

/// Files that make the checkout differ from its commit; records that other tools read from there do
/// not count.
pub(super) fn dirty_files(context: &Context, place: &Place) -> anyhow::Result<Vec<String>> {
    let status = context.repo.status(true, false).map_err(git_failure)?;
    let own = status.iter().filter(|e| !place.is_record(&e.path));
    Ok(own.map(|e| String::from_utf8_lossy(&e.path).into_owned()).collect())
}
