//! What the loop remembers of a branch (S0-3) and how many markers its hooks have had (S0-15).

use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::lock::{Holder, Lock, LockError, peek};
use super::write::{read_opt, remove_opt, sweep, write_json};
use super::{Layout, StoreError, clock};
use crate::model::CommitId;
use crate::rules::trigger::Autocount;

/// The schema written and read.
pub const STATE_SCHEMA: &str = "fix_evidence_state_v1";
/// How long a hook waits for another hook to have counted.
const COUNTING: Duration = Duration::from_secs(2);

/// What persists across runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BranchState {
    /// [`STATE_SCHEMA`]; other writers leave it out.
    #[serde(default, deserialize_with = "or_default")]
    pub schema: String,
    /// The branch's full name (`refs/heads/…`), since its folder's name cannot always be decoded.
    #[serde(default, deserialize_with = "or_default")]
    pub branch: String,
    /// Iterations over the branch's life.
    #[serde(default)]
    pub iter_count_total: u64,
    /// Tokens over the branch's life.
    #[serde(default)]
    pub tokens_total: u64,
    /// The reasons before the last iteration that was not rolled back, sorted; none before the
    /// first.
    #[serde(default)]
    pub last_reasons_set: Option<Vec<String>>,
    /// Iterations that were rolled back for making things worse.
    #[serde(default)]
    pub reverts: u64,
    /// When it was saved, ISO-8601; empty where it never was.
    #[serde(default, deserialize_with = "or_default")]
    pub updated_at: String,
    /// The branch's tip at that time.
    #[serde(default)]
    pub tip: Option<String>,
    /// Fields of other writers.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Other writers put `null` where there is nothing yet.
fn or_default<'de, D: Deserializer<'de>>(d: D) -> Result<String, D::Error> {
    Ok(Option::deserialize(d)?.unwrap_or_default())
}

impl BranchState {
    /// A branch without a past.
    pub fn new(branch: &str) -> BranchState {
        BranchState {
            schema: STATE_SCHEMA.to_string(),
            branch: branch.to_string(),
            iter_count_total: 0,
            tokens_total: 0,
            last_reasons_set: None,
            reverts: 0,
            updated_at: String::new(),
            tip: None,
            other: Map::new(),
        }
    }
}

/// One branch's folder.
#[derive(Debug, Clone)]
pub struct BranchStore {
    layout: Layout,
    encoded: String,
    branch: String,
}

impl BranchStore {
    /// `encoded` is the branch's path component, `branch` its full name.
    pub fn new(layout: &Layout, encoded: &str, branch: &str) -> BranchStore {
        BranchStore {
            layout: layout.clone(),
            encoded: encoded.to_string(),
            branch: branch.to_string(),
        }
    }

    /// Takes the branch, for whoever is going to commit on it.
    ///
    /// # Errors
    /// As [`Lock::acquire`].
    pub fn lock(&self, holder: &Holder) -> Result<Lock, LockError> {
        let lock = Lock::acquire(&self.layout.branch_lock(&self.encoded), holder)?;
        sweep(&self.layout.branch(&self.encoded));
        Ok(lock)
    }

    /// Who holds the branch right now.
    pub fn running(&self) -> Option<Holder> {
        peek(&self.layout.branch_lock(&self.encoded))
    }

    /// Reads the state; a branch without one has no past.
    ///
    /// # Errors
    /// Where the file cannot be read, is damaged, is of a newer program or of another branch.
    /// Starting from zero then would give back iterations that were used up.
    pub fn load(&self) -> Result<BranchState, StoreError> {
        let path = self.layout.state(&self.encoded);
        let Some(bytes) = read_opt(&path)? else { return Ok(BranchState::new(&self.branch)) };
        let unusable = |why: String| {
            let remedy = format!(
                "'git fix-evidence reset' clears the state of {} (a person's act)",
                self.branch
            );
            StoreError::corrupt(&path, why, &remedy)
        };
        let value: Value =
            serde_json::from_slice(&bytes).map_err(|e| unusable(format!("damaged, {e}")))?;
        // Other tools and people write the contract's keys only: a state without a schema is read,
        // one with another schema is of a program that may count otherwise.
        let schema = value.get("schema").filter(|s| !s.is_null());
        if let Some(other) = schema.filter(|s| s.as_str() != Some(STATE_SCHEMA)) {
            let other: String = other.to_string().chars().take(60).collect();
            let why = format!("its schema is {other}, this program reads '{STATE_SCHEMA}'");
            return Err(unusable(why));
        }
        if schema.is_none() && value.get("iter_count_total").is_none() {
            let why = "damaged, it has neither 'schema' nor 'iter_count_total'";
            return Err(unusable(why.to_string()));
        }
        // Read again from the text, so that a wrong type is reported with its line.
        let mut state: BranchState =
            serde_json::from_slice(&bytes).map_err(|e| unusable(format!("damaged, {e}")))?;
        if state.branch.is_empty() {
            state.branch.clone_from(&self.branch);
        }
        if state.branch != self.branch {
            return Err(unusable(format!("it is the state of '{}'", state.branch)));
        }
        Ok(state)
    }

    /// Saves the state, sorted and stamped. `held` is the branch's lock: who has none cannot save.
    ///
    /// # Errors
    /// Where the file cannot be written; the former state is then still there.
    pub fn save(&self, state: &BranchState, held: &Lock) -> Result<(), StoreError> {
        let path = self.layout.state(&self.encoded);
        self.check_lock(held)?;
        let mut state = state.clone();
        state.schema = STATE_SCHEMA.to_string();
        state.branch.clone_from(&self.branch);
        state.updated_at = clock::now();
        if let Some(reasons) = &mut state.last_reasons_set {
            reasons.sort();
            reasons.dedup();
        }
        write_json(&path, &state)
    }

    /// Forgets the state: success, merge or a person's reset.
    ///
    /// # Errors
    /// Where the file cannot be removed.
    pub fn remove(&self, held: &Lock) -> Result<(), StoreError> {
        self.check_lock(held)?;
        remove_opt(&self.layout.state(&self.encoded))
    }

    /// The counter as it stands, for showing.
    pub fn autocount(&self) -> Autocount {
        let bytes = read_opt(&self.layout.autocount(&self.encoded)).ok().flatten();
        bytes.and_then(|bytes| self.parse_autocount(&bytes)).unwrap_or_default()
    }

    /// Reads the counter, lets `decide` make the next one and saves that, under the counter's lock,
    /// so that two hooks at once cannot count one marker for two. A damaged counter counts as 0 and
    /// is repaired by the save.
    ///
    /// # Errors
    /// Where the counter cannot be locked or saved: the caller then emits nothing, because a marker
    /// that cannot be counted could be emitted for ever.
    pub fn count<R>(
        &self,
        decide: impl FnOnce(&Autocount) -> (R, Autocount),
    ) -> Result<R, StoreError> {
        let _counting = self.counting()?;
        let before = self.autocount();
        let (answer, after) = decide(&before);
        if after != before {
            write_json(&self.layout.autocount(&self.encoded), &self.autocount_file(&after))?;
        }
        Ok(answer)
    }

    /// Clears the counter: success or a person's reset.
    ///
    /// # Errors
    /// Where it cannot be locked or removed.
    pub fn clear_autocount(&self) -> Result<(), StoreError> {
        let path = self.layout.autocount(&self.encoded);
        if !path.exists() {
            return Ok(());
        }
        let _counting = self.counting()?;
        remove_opt(&path)
    }

    fn counting(&self) -> Result<Lock, StoreError> {
        let path = self.layout.autocount_lock(&self.encoded);
        let holder = Holder::this_process("counting a marker");
        Ok(Lock::acquire_within(&path, &holder, COUNTING)?)
    }

    fn autocount_file(&self, counter: &Autocount) -> AutocountFile {
        AutocountFile {
            schema: AUTOCOUNT_SCHEMA.to_string(),
            branch: self.branch.clone(),
            count: counter.count,
            sha: counter.last.as_ref().map(|(sha, _)| sha.clone()),
            at: counter.last.as_ref().map(|(_, at)| clock::iso(*at)),
        }
    }

    /// `None` for anything that this program did not write for this branch.
    fn parse_autocount(&self, bytes: &[u8]) -> Option<Autocount> {
        let file: AutocountFile = serde_json::from_slice(bytes).ok()?;
        if file.schema != AUTOCOUNT_SCHEMA || file.branch != self.branch {
            return None;
        }
        let at = match &file.at {
            Some(text) => Some(clock::parse(text)?),
            None => None,
        };
        Some(Autocount { count: file.count, last: file.sha.zip(at) })
    }

    /// The lock of another branch proves nothing.
    fn check_lock(&self, held: &Lock) -> Result<(), StoreError> {
        let path = self.layout.branch_lock(&self.encoded);
        if held.path() == path {
            return Ok(());
        }
        let other = held.path().display();
        let source = std::io::Error::other(format!("the lock that is held is '{other}'"));
        Err(StoreError::io(&path, "do without the lock")(source))
    }
}

const AUTOCOUNT_SCHEMA: &str = "fix_evidence_autocount_v1";

#[derive(Debug, Serialize, Deserialize)]
struct AutocountFile {
    schema: String,
    branch: String,
    count: u64,
    sha: Option<CommitId>,
    at: Option<String>,
}
