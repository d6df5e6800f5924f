//! `git review-evidence [run]`: measure, judge, show, and store where it is the commit's own.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::target::{Target, dirty_files, target};
use super::{advice, import, left, shown, typed};
use crate::cli::args::RunArgs;
use crate::config::nearest;
use crate::git::BaseQuery;
use crate::host::context::Context;
use crate::host::exit::{Code, Failure};
use crate::measure::{ConfigSource, Progress, Request, Setting};
use crate::model::Record;
use crate::rules::record::{stack, stands_for};
use crate::store::records::Place;

/// What is known before anything is measured.
struct Job<'a> {
    context: &'a Context,
    args: &'a RunArgs,
    target: Target,
    setting: Setting,
    place: Place,
    /// Measured in a worktree of its own, so that the checkout does not matter.
    isolated: bool,
    dirty: Vec<String>,
}

/// The command.
///
/// # Errors
/// See [`Code`]; a blocked commit is none.
pub(super) fn run(context: &Context, args: &RunArgs) -> anyhow::Result<i32> {
    let job = prepare(context, args)?;
    let outside = job.setting.config.evidence.measure.is_some();
    if !outside && !job.setting.config.measures() {
        return nothing_configured(&job);
    }
    if outside
        && !args.recompute
        && job.why_not_stored().is_none_or(|_| args.no_run)
        && let Some(record) = job.place.read(&job.target.commit)?
        && stands_for(&record, job.target.commit.as_str())
    {
        context.console.say("showing the stored record (--recompute measures again)");
        return job.end(&record);
    }
    if outside && args.no_run {
        let text =
            format!("no record of {} is stored, and --no-run forbids measuring", job.target.commit);
        return Err(Failure::with(Code::NotJudged, text));
    }
    measure(&job)
}

fn prepare<'a>(context: &'a Context, args: &'a RunArgs) -> anyhow::Result<Job<'a>> {
    let target = target(context, args.rev.as_deref())?;
    let branch = target.branch.as_deref();
    let query = BaseQuery { flag: args.base.as_deref(), branch, ..BaseQuery::default() };
    let setting = context.setting(&target.commit, query, true)?;
    check_names(&setting, args)?;
    let place = context.place(&setting.config)?;
    let isolated = args.isolated || !target.here;
    let dirty = if isolated { Vec::new() } else { dirty_files(context, &place)? };
    Ok(Job { context, args, target, setting, place, isolated, dirty })
}

/// A name that no check has would silently measure nothing.
fn check_names(setting: &Setting, args: &RunArgs) -> anyhow::Result<()> {
    let partial = !args.checks.is_empty() || !args.imports.is_empty();
    if partial && setting.config.evidence.measure.is_some() {
        let text = "--check and --import do not go with [evidence] measure: that program measures";
        return Err(Failure::usage(text));
    }
    let known: Vec<&str> = setting.config.checks.iter().map(|c| c.name.as_str()).collect();
    if known.is_empty() && !setting.config.ci.measures() {
        // What to do about that is said later.
        return Ok(());
    }
    let Some(wrong) = args.checks.iter().find(|name| !known.contains(&name.as_str())) else {
        return Ok(());
    };
    let hint = match nearest(wrong, &known) {
        Some(near) => format!("did you mean '{near}'?"),
        None if known.is_empty() => "there is no [[check]]".to_string(),
        None => format!("known are: {}", known.join(", ")),
    };
    Err(Failure::usage(format!("no check is called '{wrong}'; {hint}")))
}

/// Nothing measures here; a record that another tool wrote is shown all the same.
fn nothing_configured(job: &Job<'_>) -> anyhow::Result<i32> {
    if let Some(record) = job.place.read(&job.target.commit)?
        && stands_for(&record, job.target.commit.as_str())
    {
        job.context.console.say("nothing is configured to measure: showing the stored record");
        return job.end(&record);
    }
    let files = job.context.repo.files(&job.target.commit)?;
    let languages = stack(files.iter().map(String::as_str));
    Err(Failure::usage(advice::advice(&languages, job.setting.source != ConfigSource::None)))
}

fn measure(job: &Job<'_>) -> anyhow::Result<i32> {
    let context = job.context;
    let came = Arc::new(AtomicUsize::new(0));
    context.watch_signals(&came)?;
    let request = job.request()?;
    let reviewed = context.measurer().review(&job.target.commit, &job.setting, &request);
    let signal = came.load(Ordering::SeqCst);
    if signal != 0 {
        context
            .console
            .note(&format!("git review-evidence: ended by signal {signal}; nothing was stored"));
        return Ok(128 + i32::try_from(signal).unwrap_or(2));
    }
    let mut reviewed = reviewed?;
    reviewed.record.dirty_tree |= !job.dirty.is_empty();
    if !reviewed.left.is_empty() {
        let tracked = context.repo.files(&job.target.commit)?;
        left::told(&reviewed.left, &tracked).iter().for_each(|line| context.console.say(line));
    }
    let changed = || {
        let files = reviewed.edited.join(", ");
        (!files.is_empty())
            .then(|| format!("files of the commit changed while it was measured: {files}"))
    };
    let stored = match job.why_not_stored().or_else(changed) {
        None => job.place.write(&job.target.commit, &reviewed.record).map(drop),
        Some(why) => {
            context.console.say(&format!("the result is not stored: {why}"));
            Ok(())
        }
    };
    // What was measured is shown even where it cannot be stored.
    let code = job.end(&reviewed.record)?;
    stored?;
    Ok(code)
}

impl Job<'_> {
    fn request(&self) -> anyhow::Result<Request> {
        let cwd = self.context.cwd.as_path();
        let imports: Vec<(String, PathBuf)> = self
            .args
            .imports
            .iter()
            .map(|text| import::named(Some(cwd), text).map(|n| (n.format, n.file)))
            .collect::<anyhow::Result<_>>()?;
        Ok(Request {
            branch: self.target.branch.clone().unwrap_or_default(),
            only: self.args.checks.clone(),
            imports,
            recompute: self.args.recompute,
            no_run: self.args.no_run,
            isolated: self.isolated,
            doubted: false,
            dirty: !self.dirty.is_empty(),
            ask_ci: true,
            before: None,
        })
    }

    /// Only a full run of everything on exactly the commit's content is the commit's record.
    fn why_not_stored(&self) -> Option<String> {
        let args = self.args;
        let partial = [
            (args.base.is_some(), "--base"),
            (!args.checks.is_empty(), "--check"),
            (!args.imports.is_empty(), "--import"),
            (args.no_run, "--no-run"),
        ];
        if let Some((_, option)) = partial.iter().find(|(given, _)| *given) {
            return Some(format!("{option} asks for something else than the commit's record"));
        }
        let first = self.dirty.first()?;
        let what = match self.dirty.len() {
            1 => format!("{first} is"),
            n => format!("{first} and {} more are", n - 1),
        };
        Some(format!("{what} not committed (--isolated measures the commit alone)"))
    }

    fn end(&self, record: &Record) -> anyhow::Result<i32> {
        let output = &self.args.output;
        let color = self.context.console.color && output.output.is_none();
        let text = shown(record, output.format(), color)?;
        let file = output.output.as_deref().map(|path| typed(Some(&self.context.cwd), path));
        self.context.console.result_to(file.as_deref(), &text)?;
        Ok(Code::of(record.decision()) as i32)
    }
}
