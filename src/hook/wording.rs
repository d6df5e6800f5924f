//! What the pre-push gate says. Pure: values in, lines out.
//!
//! Names, reasons and messages come from outside. Whatever is shown is one line without control
//! characters, and whatever is a command is quoted, since an agent runs it as it stands.

#![deny(clippy::disallowed_methods)]

use super::lines::{Line, Refspec, Update};
use crate::model::sanitize;
use crate::model::{CommitId, Decision, Level, Record, shell_word};
use crate::rules::record::headline;

/// Findings that are listed; the record has all.
const MOST_FINDINGS: usize = 10;
/// Reasons and warnings that are listed of one ref: records of others can hold any number.
const MOST_LINES: usize = 20;
/// Refs that a repeated push names.
const MOST_REFS: usize = 5;

/// Which ref a text is about.
#[derive(Debug, Clone, Copy)]
pub(super) struct About<'a> {
    /// The line.
    pub(super) update: &'a Update,
    /// The commit.
    pub(super) tip: &'a CommitId,
}

/// Where a commit can be mended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mend {
    /// The branch to be on.
    pub(super) branch: String,
    /// It is checked out here.
    pub(super) here: bool,
    /// The folder to be in, where that is another one.
    pub(super) folder: Option<String>,
    /// Its tip.
    pub(super) tip: CommitId,
}

impl Mend {
    /// The command that starts the loop.
    pub(super) fn command(&self) -> String {
        let fix = format!("git fix-evidence --sha {}", self.tip);
        let fix = match self.here {
            true => fix,
            false => format!("git switch {} && {fix}", shell_word(&self.branch)),
        };
        match &self.folder {
            Some(folder) => format!("cd {} && {fix}", shell_word(folder)),
            None => fix,
        }
    }
}

/// One line for standard error.
pub(super) fn note(text: &str) -> String {
    format!("git-evidence: {}", flat(text))
}

/// Which ref, in few words.
pub(super) fn label(about: About<'_>) -> String {
    let Refspec { local, remote } = &about.update.refs;
    let to = remote.strip_prefix("refs/heads/").unwrap_or(remote);
    let from = local.strip_prefix("refs/heads/").unwrap_or(local);
    let names = if from == to { to.to_string() } else { format!("{from} to {to}") };
    format!("{} ({})", flat(&names), about.tip.short())
}

/// The command that measures and judges this ref by hand.
pub(super) fn by_hand(about: About<'_>) -> String {
    let what = about.update.local_branch().map_or_else(|| about.tip.to_string(), shell_word);
    format!("git review-evidence {what}")
}

/// What a record says against a ref.
pub(super) fn verdict(about: About<'_>, record: &Record) -> Vec<String> {
    let decision = record.decision();
    let said = headline(decision);
    let mut lines = vec![format!("{}: {said} ({decision}){}", label(about), against(record))];
    if let Some(why) = &record.baseline_failed {
        let remedy = record.base_sha.as_deref().map_or(String::new(), |sha| {
            format!("; 'git review-evidence {}' says why", shell_word(sha))
        });
        lines.push(format!("  the base could not be measured ({}){remedy}", flat(why)));
    }
    let places = record.verdict.other.get("shortfalls").and_then(|s| s.as_array());
    for (i, reason) in record.reasons().iter().enumerate().take(MOST_LINES) {
        let place = places.and_then(|p| p.get(i)).and_then(|p| p.as_str()).unwrap_or_default();
        let tail = if place.is_empty() { String::new() } else { format!(": {}", flat(place)) };
        lines.push(format!("  {}{tail}", flat(&reason.to_string())));
    }
    for breach in record.hard_floor_breaches().iter().take(MOST_LINES) {
        lines.push(format!("  hard floor {}", flat(breach)));
    }
    let said = record.regression_verdict.as_ref().map_or("", |v| v.reason.as_str());
    let listed = !record.reasons().is_empty() || !record.hard_floor_breaches().is_empty();
    if !said.is_empty() && (!listed || decision == Decision::SeverelyDegraded) {
        lines.push(format!("  {}", flat(said)));
    }
    lines.extend(new_findings(record));
    lines.push(format!("  to see it again: {}", by_hand(about)));
    lines
}

/// What a sentence says against a ref.
pub(super) fn refused(label: &str, why: &str) -> Vec<String> {
    vec![format!("{label}: {}", flat(why))]
}

/// A ref that passes although it was not judged, or only barely.
pub(super) fn not_measured(about: About<'_>, why: &str) -> String {
    note(&format!("{}: NOT MEASURED: {why}", label(about)))
}

/// What follows the marker and the reasons, for an agent.
pub(super) fn without_asking(mend: &Mend, push: &str) -> Vec<String> {
    vec![
        format!("Run this now, without asking: {}", mend.command()),
        format!(
            "If it exits with 0, repeat what was blocked ({push}). Otherwise show its report to \
             the person and push nothing."
        ),
    ]
}

/// What a person can do where no marker is given; `why` there is none, where that helps.
pub(super) fn by_person(decision: Decision, mend: &Mend, why: Option<&str>) -> Vec<String> {
    let mut lines: Vec<String> = why.map(|w| format!("{}.", flat(w))).into_iter().collect();
    lines.push(match decision {
        Decision::SeverelyDegraded => {
            "To fix it: make every required check give figures, run the command above, push again."
                .to_string()
        }
        Decision::BlockHardFloor => {
            "To fix it: this needs a person, no fixer is started for a broken hard floor. Mend \
             it, commit, push again."
                .to_string()
        }
        _ => format!(
            "To fix it: a person mends it, commits and pushes again, or starts the repair: {}",
            mend.command()
        ),
    });
    lines
}

/// The push to repeat. A URL is not repeated: it may hold a password.
pub(super) fn push_command(remote: Option<&str>, lines: &[Line]) -> String {
    let named = remote.filter(|r| !r.is_empty() && !r.contains([':', '/', '@']));
    let refs: Vec<&Refspec> = lines
        .iter()
        .filter_map(|line| match line {
            Line::Deletion(refs) | Line::Tag(refs) | Line::Other(refs) => Some(refs),
            Line::Branch(update) => Some(&update.refs),
            Line::Own(_) | Line::Malformed(_) => None,
        })
        .collect();
    match named {
        Some(remote) if !refs.is_empty() && refs.len() <= MOST_REFS => {
            let each: Vec<String> = refs.iter().map(|r| shell_word(&r.typed())).collect();
            format!("git push {} {}", shell_word(remote), each.join(" "))
        }
        _ => "the same git push".to_string(),
    }
}

fn against(record: &Record) -> String {
    match (&record.base_sha, record.base_branch.as_str()) {
        (Some(sha), base) if !base.is_empty() => {
            let sha: String = sha.chars().take(10).collect();
            format!(", against {} at {}", flat(base), flat(&sha))
        }
        (None, _) if record.baseline_synthetic => ", there is no base to compare with".to_string(),
        _ => String::new(),
    }
}

/// The errors that the base has not, with their places.
fn new_findings(record: &Record) -> Vec<String> {
    let Some(lint) = &record.metrics.lint else { return Vec::new() };
    let Some(all) = lint.findings.as_array() else { return Vec::new() };
    let known = |v: &serde_json::Value| v["baseline_state"] == "unchanged";
    let new: Vec<String> = all
        .iter()
        .filter(|v| !known(v))
        .filter_map(|v| serde_json::from_value::<crate::model::Finding>(v.clone()).ok())
        .filter(|f| f.level == Level::Error)
        .map(|f| {
            let line = f.line.map_or(String::new(), |n| format!(":{n}"));
            let place = f.path.map_or(String::new(), |p| format!("{p}{line}: "));
            format!("  new: {}", flat(&format!("{place}{} {}", f.rule, f.message)))
        })
        .take(MOST_FINDINGS + 1)
        .collect();
    let more = new.len() > MOST_FINDINGS;
    let tail = more.then(|| "  new: … and more".to_string());
    new.into_iter().take(MOST_FINDINGS).chain(tail).collect()
}

/// One line of at most 500 characters, without anything that steers a terminal.
fn flat(text: &str) -> String {
    let one = sanitize(text).split_whitespace().collect::<Vec<_>>().join(" ");
    if one.chars().count() <= 500 {
        return one;
    }
    one.chars().take(500).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn update(local: &str, remote: &str) -> Update {
        let refs = Refspec { local: local.into(), remote: remote.into() };
        Update { refs, object: tip() }
    }

    fn tip() -> CommitId {
        CommitId::parse(&"a".repeat(40)).unwrap()
    }

    #[test]
    fn commands_are_safe_to_run_as_they_stand() {
        for (branch, here, expected) in [
            ("a/b", true, format!("git fix-evidence --sha {}", tip())),
            ("a/b", false, format!("git switch a/b && git fix-evidence --sha {}", tip())),
            (
                "x;$(y)'z",
                false,
                format!(r"git switch 'x;$(y)'\''z' && git fix-evidence --sha {}", tip()),
            ),
        ] {
            let mend = Mend { branch: branch.into(), here, folder: None, tip: tip() };
            assert_eq!(mend.command(), expected);
            let there = Mend { folder: Some("/a b/c".into()), ..mend };
            assert_eq!(there.command(), format!("cd '/a b/c' && {expected}"));
        }
        let hostile = update("refs/heads/x;y", "refs/heads/x;y");
        let about = About { update: &hostile, tip: &tip() };
        assert_eq!(by_hand(about), "git review-evidence 'x;y'");
    }

    #[test]
    fn the_push_is_repeated_by_name_and_no_password_is_shown() {
        let branch = Line::Branch(update("HEAD", "refs/heads/x"));
        let gone = Line::Deletion(Refspec { local: String::new(), remote: "refs/heads/y".into() });
        let lines = [branch, gone];
        assert_eq!(
            push_command(Some("origin"), &lines),
            "git push origin HEAD:refs/heads/x :refs/heads/y"
        );
        let url = push_command(Some("https://me:secret@host/x"), &lines);
        assert_eq!(url, "the same git push");
        assert_eq!(push_command(None, &lines), "the same git push");
    }

    #[test]
    fn a_record_is_told_with_places_and_without_control_characters() {
        let mut record = Record::parse(
            json!({"schema_version": "2.0", "sha": tip().to_string(), "branch": "b",
                "computed_at": "t", "dirty_tree": false, "base_branch": "refs/heads/main",
                "base_sha": "b".repeat(40), "stack_detected": [], "spec_drift": {},
                "metrics": {"lint": {"findings": [
                    {"rule": "F401", "level": "error", "path": "a.py", "line": 3,
                        "message": "un\u{1b}[31mused\nx", "tool": "ruff", "baseline_state": "new"},
                    {"rule": "OLD", "level": "error", "message": "m", "tool": "ruff",
                        "baseline_state": "unchanged"},
                    "another shape"]}},
                "verdict": {"block": true, "block_reasons": ["lint_errors:3>0", "odd\u{7}"],
                    "warnings": [], "shortfalls": ["a.py:3", ""]}})
            .to_string()
            .as_bytes(),
        )
        .unwrap();
        let pushed = update("refs/heads/b", "refs/heads/b");
        let about = About { update: &pushed, tip: &tip() };
        let lines = verdict(about, &record);
        assert_eq!(
            lines,
            [
                "b (aaaaaaaaaa): blocked (BLOCK_REGRESSION), against refs/heads/main at bbbbbbbbbb",
                "  lint_errors:3>0: a.py:3",
                "  odd",
                "  new: a.py:3: F401 unused x",
                "  to see it again: git review-evidence b",
            ]
        );
        record.baseline_failed = Some("ruff: it did not end".into());
        let told = verdict(about, &record);
        assert!(told[1].starts_with("  the base could not be measured (ruff"), "{told:?}");
        assert!(told[1].contains(&format!("git review-evidence {}", "b".repeat(40))));
    }

    #[test]
    fn nobody_is_told_to_go_around_the_gate() {
        let mend = Mend { branch: "b".into(), here: true, folder: None, tip: tip() };
        for decision in Decision::ALL {
            let text = by_person(*decision, &mend, Some("why")).join("\n");
            assert!(!text.contains("no-verify") && text.contains("To fix it"), "{text}");
            assert!(!text.contains("without asking"), "{text}");
        }
    }
}
