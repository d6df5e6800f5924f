//! `git review-evidence compare A B`: what changed between two commits, or two reports.

use std::path::Path;

use super::import::{Named, is_report, named};
use super::target::{Target, target};
use super::typed;
use crate::cli::args::{CompareArgs, OutputFormat};
use crate::formats;
use crate::git::BaseQuery;
use crate::host::console::Console;
use crate::host::context::{Context, git_failure};
use crate::host::env::Environment;
use crate::host::exit::{Code, Failure};
use crate::measure::{Setting, read_report};
use crate::model::{CommitId, Reading, Record};
use crate::report::comparison::{Sides, document, text};
use crate::rules::comparison::{Comparison, compare as compare_evidence};
use crate::rules::evidence::{Bucket, CheckResult, Evidence};
use crate::rules::reread;

/// The command.
///
/// # Errors
/// Usage where a side is neither a commit nor a report, not judged where nothing is known of one.
pub(super) fn compare(
    dir: Option<&Path>,
    env: Environment,
    console: Console,
    args: &CompareArgs,
) -> anyhow::Result<i32> {
    let (comparison, sides) = match (is_report(&args.first), is_report(&args.second)) {
        (true, true) => reports(dir, args)?,
        (false, false) => commits(&Context::open(dir, env, console)?, args)?,
        _ => {
            let text = "one side is a report and the other is not; compare two commits or two \
                        reports (FORMAT:FILE)";
            return Err(Failure::usage(text));
        }
    };
    let color = console.color && args.output.output.is_none();
    let printed = match args.output.format() {
        OutputFormat::Json => serde_json::to_string_pretty(&document(&comparison, &sides))? + "\n",
        OutputFormat::Text => text(&comparison, &sides, color),
    };
    let file = args.output.output.as_deref().map(|path| typed(dir, path));
    console.result_to(file.as_deref(), &printed)?;
    Ok(Code::Approved as i32)
}

/// Two reports, without a repository.
fn reports(dir: Option<&Path>, args: &CompareArgs) -> anyhow::Result<(Comparison, Sides)> {
    let mut notes = Vec::new();
    let mut side = |text: &str| -> anyhow::Result<Evidence> {
        let report = named(dir, text)?;
        let figures = readable(&report, &mut notes)?;
        Ok(Evidence::of_one(CheckResult {
            name: "report".into(),
            bucket: Bucket::Quality,
            required: true,
            feeds: None,
            version: None,
            figures: Ok(figures),
        }))
    };
    let (base, head) = (side(&args.first)?, side(&args.second)?);
    let comparison = compare_evidence(&base, &head, None);
    Ok((comparison, Sides { first: args.first.clone(), second: args.second.clone(), notes }))
}

fn readable(report: &Named, notes: &mut Vec<String>) -> anyhow::Result<crate::model::Figures> {
    let shown = report.file.display();
    let refused =
        |why: &str| Err(Failure::with(Code::NotJudged, format!("{shown} cannot be read: {why}")));
    match read_report(&report.format, &report.file) {
        Err(why) | Ok((_, Reading::Refused(why))) => refused(&why),
        Ok((_, Reading::Degraded(_, causes))) => refused(&causes.join("; ")),
        Ok((_, Reading::Figures(mut figures))) => {
            notes.extend(figures.notes.iter().map(|n| format!("{shown}: {n}")));
            figures.notes.clear();
            Ok(formats::merge(vec![figures]))
        }
    }
}

/// Evidence of a commit, and whether it is only what its record lists.
struct Side {
    commit: CommitId,
    evidence: Evidence,
    listed: bool,
}

fn commits(context: &Context, args: &CompareArgs) -> anyhow::Result<(Comparison, Sides)> {
    let mut notes = Vec::new();
    // A word that names no commit is said before what is not known of the other.
    let targets = (target(context, Some(&args.first))?, target(context, Some(&args.second))?);
    let mut side = |rev: &str, target: Target| -> anyhow::Result<Side> {
        let query = BaseQuery { branch: target.branch.as_deref(), ..BaseQuery::default() };
        let setting = context.setting(&target.commit, query, true)?;
        evidence(context, &setting, target.commit, rev, &mut notes)
    };
    let (base, head) = (side(&args.first, targets.0)?, side(&args.second, targets.1)?);
    let diff = context.repo.diff(&base.commit, &head.commit).map_err(git_failure)?;
    let comparison = if base.listed || head.listed {
        notes.push(
            "of at least one side only the record is here: tests and lines are compared as far as \
             it lists them"
                .into(),
        );
        reread::compare_listed(&base.evidence, &head.evidence, &diff)
    } else {
        compare_evidence(&base.evidence, &head.evidence, Some(&diff))
    };
    let name = |rev: &str, side: &Side| format!("{rev} ({})", side.commit.short());
    let (first, second) = (name(&args.first, &base), name(&args.second, &head));
    Ok((comparison, Sides { first, second, notes }))
}

/// From the measurements that are kept, else from the record.
fn evidence(
    context: &Context,
    setting: &Setting,
    commit: CommitId,
    rev: &str,
    notes: &mut Vec<String>,
) -> anyhow::Result<Side> {
    if let Some(evidence) = context.measurer().kept_evidence(&commit, setting)? {
        return Ok(Side { commit, evidence, listed: false });
    }
    let record: Option<Record> = context.place(&setting.config)?.read(&commit)?;
    let Some(record) = record else {
        let text = format!(
            "nothing is known of {rev} ({}): 'git review-evidence {rev}' measures it",
            commit.short()
        );
        return Err(Failure::with(Code::NotJudged, text));
    };
    let (evidence, said) = reread::evidence(&record);
    notes.extend(said);
    Ok(Side { commit, evidence, listed: true })
}
