//! What must hold before anything is touched; each failure has its word.

use super::checkout::{Checkout, Paths, listed};
use crate::git::GitError;
use crate::model::Escalation;
use crate::store::records::Place;

/// The first precondition that does not hold, of those that git can tell.
pub(super) fn refusal(
    checkout: &Checkout<'_>,
    apart: &Paths,
    place: &Place,
) -> Result<Option<(Escalation, String)>, GitError> {
    if let Some(found) = in_progress(checkout)? {
        return Ok(Some(found));
    }
    let dirty = dirty_paths(checkout, apart, place)?;
    if dirty.is_empty() {
        return Ok(None);
    }
    let detail = format!("commit or remove first: {}", listed(&dirty));
    Ok(Some((Escalation::DirtyTree, detail)))
}

/// A merge, rebase or the like that is not finished, or a lock that lies there.
pub(super) fn in_progress(
    checkout: &Checkout<'_>,
) -> Result<Option<(Escalation, String)>, GitError> {
    let found = checkout.repo.in_progress_operation(checkout.branch.as_deref())?;
    Ok(found.map(|found| {
        let detail = format!("{} ({})", remedy(found.word), found.path.display());
        (Escalation::InProgressOperation, detail)
    }))
}

fn remedy(word: &str) -> String {
    match word {
        "lock" => {
            "another git holds a lock, or one was left behind by a crash: when no git runs here, \
             remove the file"
                .to_string()
        }
        "unmerged" => "there are unmerged paths: resolve and commit them first".to_string(),
        word => format!("a {word} is in progress: finish or abort it first"),
    }
}

/// What is not committed, records of the configured place left out.
pub(super) fn dirty_paths(
    checkout: &Checkout<'_>,
    apart: &Paths,
    place: &Place,
) -> Result<Vec<Vec<u8>>, GitError> {
    let mut dirty = checkout.dirty(apart)?;
    dirty.retain(|path| !place.is_record(path));
    Ok(dirty)
}
