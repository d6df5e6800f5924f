//! What the decider says before a dispatch (S4-5): three files in, go on or stop.
//!
//! Nothing here writes into the tree. Whatever cannot be read, is malformed, or is about another
//! commit than the tip stops the run: a stale permission is none.

use std::io::Read;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::ports::BranchLoop;
use crate::config::Decider;
use crate::engine::Dispatch;
use crate::model::CommitId;
use crate::rules::decide::{Inputs, Role, Verdict, same_commit};
use crate::store::journal::{self, Entry};

/// Larger files are no artefacts.
const LARGEST: u64 = 16 << 20;

/// What came of a consultation.
pub(super) struct Said {
    /// The verdict in one line, or what is wrong.
    pub(super) headline: String,
    /// Why the run has to stop, if so.
    pub(super) stop: Option<String>,
    verdict: Option<Verdict>,
    sha256: [Option<String>; 3],
}

/// Reads the three files and decides. They lie in the first of the trees that has any of them: a run
/// in a worktree of its own takes what its checks wrote there, else what lies in the checkout.
pub(super) fn consult(config: &Decider, trees: &[&Path], tip: &CommitId) -> Said {
    let has_any = |tree: &&&Path| config.paths().iter().any(|p| tree.join(p).exists());
    let tree = trees.iter().find(has_any).or(trees.first()).copied().unwrap_or(Path::new("."));
    let files = config.paths().map(|path| read(&tree.join(path)));
    let sha256 = files.each_ref().map(|f| f.as_ref().ok().map(|bytes| digest(bytes)));
    let (headline, verdict) = match judge(config, &files, tip) {
        Ok(verdict) => (verdict.headline(), Some(verdict)),
        Err(wrong) => (wrong, None),
    };
    let goes_on = verdict.as_ref().is_some_and(|v| v.verdict.lets_go_on());
    Said { stop: (!goes_on).then(|| headline.clone()), headline, verdict, sha256 }
}

/// The verdict, or what is wrong with a file. A permission for another commit is no permission; a
/// verdict that stops may be about any.
fn judge(
    config: &Decider,
    files: &[Result<Vec<u8>, String>; 3],
    tip: &CommitId,
) -> Result<Verdict, String> {
    let path_of = |role: Role| match role {
        Role::Decision => &config.decision,
        Role::Attribution => &config.attribution,
        Role::Capabilities => &config.capabilities,
    };
    let mut bytes: [&[u8]; 3] = [&[]; 3];
    for ((role, file), slot) in Role::ALL.into_iter().zip(files).zip(&mut bytes) {
        match file {
            Ok(read) => *slot = read,
            Err(why) => return Err(format!("{role} ({}): {why}", path_of(role))),
        }
    }
    let inputs = Inputs::parse(bytes).map_err(|e| {
        let role = e.role;
        format!("{role} ({}): {}", path_of(role), e.sentence())
    })?;
    let verdict = inputs.verdict();
    if verdict.verdict.lets_go_on() && !same_commit(&inputs.decision.head_sha, tip.as_str()) {
        return Err(format!(
            "decision ({}): head_sha: it is about another commit than the tip {}; all three have to be \
             written anew for each tip (a [[check]] can do that)",
            config.decision,
            tip.short()
        ));
    }
    Ok(verdict)
}

/// A file's bytes. A pipe that nobody writes to must not hold the run.
fn read(path: &Path) -> Result<Vec<u8>, String> {
    let cannot = |e: std::io::Error| format!("it cannot be read: {e}");
    let about = std::fs::metadata(path).map_err(cannot)?;
    if !about.is_file() {
        return Err("it is no file".into());
    }
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(cannot)?;
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(cannot)?;
    if bytes.len() as u64 > LARGEST {
        return Err(format!("it is larger than {} MiB", LARGEST >> 20));
    }
    Ok(bytes)
}

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

impl Said {
    /// As a line of the journal.
    fn entry(&self, dispatch: &Dispatch) -> Entry {
        let [decision_sha256, attribution_sha256, capabilities_sha256] = self.sha256.clone();
        let verdict = self.verdict.as_ref();
        Entry::Consulted(journal::Consulted {
            iteration: u64::from(dispatch.iteration),
            kind: dispatch.kind,
            reason: dispatch.reason.clone(),
            verdict: verdict.map(|v| v.verdict.word().to_string()),
            reasons: verdict.map_or_else(|| vec![self.headline.clone()], |v| v.reasons.clone()),
            goes_on: self.stop.is_none(),
            decision_sha256,
            attribution_sha256,
            capabilities_sha256,
        })
    }
}

impl BranchLoop<'_> {
    /// Asks the decider where one is configured; gives why the run has to stop, if so.
    pub(super) fn ask_decider(&mut self, dispatch: &Dispatch) -> anyhow::Result<Option<String>> {
        let Some(config) = &self.setting.config.decider else { return Ok(None) };
        let trees = [self.checkout.repo.top()?, self.ctx.repo.top()?];
        let said = consult(config, &trees, &self.tip);
        self.journal.append(&said.entry(dispatch))?;
        let seen = said.verdict.as_ref().map_or(&[][..], |v| v.reasons.get(1..).unwrap_or(&[]));
        let seen = if seen.is_empty() { String::new() } else { format!(" ({})", seen.join("; ")) };
        self.say(&format!("decider: {}{seen}", said.headline));
        Ok(said.stop)
    }
}
