//! What `gh` is asked: which CI runs a commit has, and what they uploaded.
//!
//! Every answer that is not the one that was hoped for is a sentence with a remedy: a commit that was
//! not pushed yet has no run, and that is no "0 problems".

use std::ffi::OsString;
use std::path::Path;
use std::time::{Duration, Instant};

use serde::Deserialize;

use crate::config::Ci;
use crate::model::{CommitId, sanitize};
use crate::process::{Exit, Program, Ran, Runner};

/// Nobody waits at a terminal, and what is read is neither coloured nor paged nor mixed with advice.
const QUIET: &[(&str, &str)] = &[
    ("GH_PROMPT_DISABLED", "1"),
    ("GH_NO_UPDATE_NOTIFIER", "1"),
    ("GH_FORCE_TTY", ""),
    ("GH_DEBUG", ""),
    ("GH_PAGER", "cat"),
    ("CLICOLOR_FORCE", "0"),
    ("NO_COLOR", "1"),
];

/// How `gh` says that a run has no such artifact, or none that has not expired.
const NO_ARTIFACT: &[&str] = &["no valid artifacts found", "no artifact matches any"];

/// Conclusions of runs that did their work, whatever they found.
const DID_ITS_WORK: &[&str] = &["success", "failure", "neutral"];

/// The program, and the time that is left for it.
pub(super) struct Gh<'a> {
    runner: &'a Runner,
    ci: &'a Ci,
    dir: &'a Path,
    until: Instant,
}

/// A CI run.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Run {
    #[serde(rename = "databaseId")]
    pub(super) id: u64,
    status: String,
    conclusion: Option<String>,
    #[serde(default)]
    workflow_name: String,
    #[serde(default)]
    created_at: String,
}

impl Run {
    fn shown(&self) -> String {
        format!("{} ({})", self.id, sanitize(&self.workflow_name))
    }
}

impl<'a> Gh<'a> {
    /// Asks in a folder of the repository.
    pub(super) fn new(runner: &'a Runner, ci: &'a Ci, dir: &'a Path) -> Gh<'a> {
        // A time that no clock can hold is as long as anybody will wait.
        let now = Instant::now();
        let until = now.checked_add(ci.timeout).unwrap_or(now + Duration::from_secs(86_400));
        Gh { runner, ci, dir, until }
    }

    /// The runs of a commit that did their work: by workflow, the newest of each first.
    ///
    /// # Errors
    /// One sentence: there is none, or one is not over yet.
    pub(super) fn runs(&self, commit: &CommitId) -> Result<Vec<Vec<Run>>, String> {
        let fields = "databaseId,status,conclusion,workflowName,createdAt";
        let words = ["run", "list", "--commit", commit.as_str(), "--json", fields, "--limit", "50"];
        let ran = self.ask(words.map(OsString::from).to_vec())?;
        if !ran.exit.is_success() {
            return Err(self.failed("run list", &ran));
        }
        let said = [ran.stdout.head.as_slice(), &ran.stdout.tail].concat();
        let runs: Vec<Run> = serde_json::from_slice(&said)
            .map_err(|e| format!("'{} run list' gave no list of runs: {e}", self.ci.gh))?;
        by_workflow(runs)
    }

    /// Gets what a run uploaded under a name into a fresh folder; whether there was anything.
    ///
    /// # Errors
    /// One sentence.
    pub(super) fn download(&self, run: &Run, name: &str, into: &Path) -> Result<bool, String> {
        std::fs::create_dir_all(into)
            .map_err(|e| format!("cannot make {}: {e}", into.display()))?;
        let mut words: Vec<OsString> = vec!["run".into(), "download".into()];
        words.extend([run.id.to_string().into(), "--pattern".into(), name.into()]);
        words.extend(["--dir".into(), into.into()]);
        let ran = self.ask(words)?;
        if ran.exit.is_success() {
            return Ok(true);
        }
        let said = ran.stderr.text();
        if NO_ARTIFACT.iter().any(|text| said.contains(text)) {
            return Ok(false);
        }
        Err(self.failed("run download", &ran))
    }

    fn ask(&self, words: Vec<OsString>) -> Result<Ran, String> {
        let gh = &self.ci.gh;
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(self.too_slow());
        }
        let argv = std::iter::once(OsString::from(gh)).chain(words);
        let mut program = Program::new(argv, self.dir, left);
        for (name, value) in QUIET {
            program = program.env(name, value);
        }
        let ran = self.runner.run(&program).map_err(|e| {
            format!("{e}; install the GitHub CLI, or name the program with [ci] gh")
        })?;
        match ran.exit {
            Exit::Deadline => Err(self.too_slow()),
            Exit::Cancelled => Err("it was cancelled".into()),
            _ => Ok(ran),
        }
    }

    fn too_slow(&self) -> String {
        format!(
            "'{}' did not answer within {:?}; ask again with 'git review-evidence', or give it \
             longer with [ci] timeout",
            self.ci.gh, self.ci.timeout
        )
    }

    /// What it said itself, without what it may have been told in confidence.
    fn failed(&self, what: &str, ran: &Ran) -> String {
        let gh = &self.ci.gh;
        let how = match ran.exit {
            Exit::Code(code) => format!("exit code {code}"),
            Exit::Signal(n) => format!("signal {n}"),
            other => format!("{other:?}"),
        };
        let said = self.runner.without_secrets(&ran.stderr.text());
        // The first line says what is wrong; help and advice follow.
        let first = said.lines().map(str::trim).find(|l| !l.is_empty());
        let first: String = first.unwrap_or("it said nothing").chars().take(300).collect();
        format!(
            "'{gh} {what}' failed ({how}): {}; '{gh} auth status' says whether it is logged in",
            sanitize(&first)
        )
    }
}

fn by_workflow(runs: Vec<Run>) -> Result<Vec<Vec<Run>>, String> {
    if runs.is_empty() {
        return Err("there is no CI run of this commit; push it, and ask again with 'git \
                    review-evidence' when CI is over"
            .into());
    }
    if let Some(open) = runs.iter().find(|r| r.status != "completed") {
        return Err(format!(
            "the CI run {} is not over yet ({}); ask again with 'git review-evidence' when it is",
            open.shown(),
            sanitize(&open.status)
        ));
    }
    let worked = |r: &Run| r.conclusion.as_deref().is_some_and(|c| DID_ITS_WORK.contains(&c));
    let (mut good, bad): (Vec<Run>, Vec<Run>) = runs.into_iter().partition(worked);
    if let Some(first) = bad.first().filter(|_| good.is_empty()) {
        return Err(format!(
            "no CI run of this commit came to its end: {} ended as '{}'; start it again",
            first.shown(),
            sanitize(first.conclusion.as_deref().unwrap_or_default())
        ));
    }
    good.sort_by(|a, b| {
        let newest_first = (&b.created_at, b.id).cmp(&(&a.created_at, a.id));
        a.workflow_name.cmp(&b.workflow_name).then(newest_first)
    });
    Ok(good.chunk_by(|a, b| a.workflow_name == b.workflow_name).map(<[Run]>::to_vec).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(json: &str) -> Result<Vec<Vec<u64>>, String> {
        let runs = serde_json::from_str(json).unwrap();
        let ids = |g: Vec<Run>| g.into_iter().map(|r| r.id).collect();
        by_workflow(runs).map(|groups| groups.into_iter().map(ids).collect())
    }

    fn run(id: u64, status: &str, conclusion: &str, workflow: &str, at: u32) -> String {
        format!(
            r#"{{"databaseId":{id},"status":"{status}","conclusion":"{conclusion}","workflowName":"{workflow}","createdAt":"2026-01-0{at}T00:00:00Z"}}"#
        )
    }

    #[test]
    fn the_newest_run_of_each_workflow_comes_first() {
        let all = [
            run(1, "completed", "success", "Lint", 1),
            run(2, "completed", "failure", "Lint", 3),
            run(3, "completed", "cancelled", "Lint", 4),
            run(4, "completed", "neutral", "Scan", 2),
        ];
        assert_eq!(runs(&format!("[{}]", all.join(","))), Ok(vec![vec![2, 1], vec![4]]));
    }

    #[test]
    fn what_is_no_answer_is_named() {
        for (json, part) in [
            ("[]".to_string(), "there is no CI run of this commit; push it"),
            (
                format!(
                    "[{},{}]",
                    run(1, "completed", "success", "Lint", 1),
                    run(2, "in_progress", "", "Scan", 1)
                ),
                "the CI run 2 (Scan) is not over yet (in_progress)",
            ),
            (format!("[{}]", run(5, "queued", "", "Lint", 1)), "5 (Lint) is not over yet (queued)"),
            (
                format!("[{}]", run(6, "completed", "cancelled", "Lint", 1)),
                "6 (Lint) ended as 'cancelled'",
            ),
            (
                r#"[{"databaseId":7,"status":"completed","conclusion":null}]"#.to_string(),
                "7 () ended as ''",
            ),
        ] {
            let error = runs(&json).unwrap_err();
            assert!(error.contains(part), "{json}: {error}");
        }
    }
}
