//! The commands of `git fix-evidence`.

use std::ffi::OsString;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::Parser;
use serde_json::json;

use super::args::{Fix, FixCommand, FixRunArgs};
use super::policy_table;
use crate::host::console::Console;
use crate::host::context::Context;
use crate::host::env::Environment;
use crate::host::exit::{Code, Failure, code_of, sentence};
use crate::model::{Status, sanitize};
use crate::process::{SUPERVISE, supervise_main};
use crate::repair::{self, Interrupted, Options, Report};
use crate::store::log;

/// `git-fix-evidence`: arguments in, exit code out.
pub fn main() -> i32 {
    let args: Vec<OsString> = std::env::args_os().collect();
    if args.get(1).is_some_and(|a| a == SUPERVISE) {
        return supervise_main(args.into_iter().skip(2));
    }
    if args.get(1).is_some_and(|a| a == crate::demo::REVIEW) {
        return super::review::main_as(args.into_iter().skip(2));
    }
    let fix = Fix::parse_from(args);
    let env = Environment::read();
    let console = Console::new(fix.common.color, env.no_color, false);
    let came = Arc::new(AtomicUsize::new(0));
    match command(fix, env, console, &came) {
        Ok(code) => code,
        Err(e) => failed(&e, console, came.load(Ordering::SeqCst)),
    }
}

/// The only place where an error of this program becomes an exit code and a text.
fn failed(error: &anyhow::Error, console: Console, signal: usize) -> i32 {
    if error.is::<Interrupted>() {
        console.note(&format!("git fix-evidence: {error}"));
        return 128 + i32::try_from(signal).unwrap_or(2);
    }
    console.note(&format!("git fix-evidence: {}", sentence(error)));
    code_of(error) as i32
}

fn command(
    fix: Fix,
    env: Environment,
    console: Console,
    came: &Arc<AtomicUsize>,
) -> anyhow::Result<i32> {
    if fix.command.is_some() && fix.run != FixRunArgs::default() {
        return Err(Failure::usage("options of a run stand after the word run, or alone"));
    }
    let dir = fix.common.dir;
    let command = fix.command.unwrap_or(FixCommand::Run(fix.run));
    if let FixCommand::Demo { keep } = command {
        return crate::demo::main(console, keep);
    }
    if let FixCommand::Decide(args) = &command {
        return super::decide::decide(console, dir.as_deref(), args);
    }
    let ctx = Context::open(dir.as_deref(), env, console)?;
    ctx.watch_signals(came)?;
    match command {
        FixCommand::Run(args) => run(&ctx, &args),
        FixCommand::Continue { json } => closed(&ctx, &repair::resume(&ctx)?, json),
        FixCommand::Abort { json } => closed(&ctx, &repair::abort(&ctx)?, json),
        FixCommand::Status { json } => {
            let status = repair::status(&ctx)?;
            print(&ctx, json, &status, || status.text())
        }
        FixCommand::Log { explain: Some(run), json } => {
            let explained = repair::explain(&ctx, &run)?;
            print(&ctx, json, &explained, || explained.text())
        }
        FixCommand::Log { explain: None, json } => fix_log(&ctx, json),
        FixCommand::Undo { checkpoint } => {
            let undone = repair::undo(&ctx, checkpoint.as_deref())?;
            ctx.console.result(&sanitize(&format!(
                "{} is at {} (checkpoint {}); where it was is checkpoint {}\n",
                undone.branch, undone.sha, undone.to, undone.kept
            )))?;
            Ok(Code::Approved as i32)
        }
        FixCommand::Reset { branch } => {
            let done = repair::reset(&ctx, branch.as_deref())?;
            ctx.console.note(if done { "cleared" } else { "nothing was changed" });
            Ok(Code::Approved as i32)
        }
        FixCommand::Policy { json } => policy(&ctx, json),
        FixCommand::Demo { .. } | FixCommand::Decide(_) => Ok(Code::Usage as i32),
    }
}

fn run(ctx: &Context, args: &FixRunArgs) -> anyhow::Result<i32> {
    let options = Options {
        sha: args.sha.clone(),
        max_iter: args.max_iter.clone(),
        token_budget: args.token_budget.clone(),
    };
    if args.dry_run {
        let plan = repair::plan(ctx, &options)?;
        return print(ctx, args.json, &plan, || plan.text());
    }
    show(ctx, &repair::run(ctx, &options)?, args.json)
}

fn show(ctx: &Context, report: &Report, json: bool) -> anyhow::Result<i32> {
    print(ctx, json, report, || report.text())?;
    Ok(i32::from(report.exit_code()))
}

/// A run that was interrupted is over. Escalated without a word of why, it did what was asked for:
/// the branch is back.
fn closed(ctx: &Context, report: &Report, json: bool) -> anyhow::Result<i32> {
    let code = show(ctx, report, json)?;
    let done = report.status == Status::Escalated && report.escalation.is_none();
    Ok(if done { Code::Approved as i32 } else { code })
}

fn print<T: serde::Serialize>(
    ctx: &Context,
    json: bool,
    value: &T,
    text: impl FnOnce() -> String,
) -> anyhow::Result<i32> {
    // Names and messages in a text come from outside; a document escapes them itself.
    let text = if json {
        format!("{}\n", serde_json::to_string_pretty(value)?)
    } else {
        sanitize(&text())
    };
    ctx.console.result(&text)?;
    Ok(Code::Approved as i32)
}

fn fix_log(ctx: &Context, json: bool) -> anyhow::Result<i32> {
    let lines = log::read(&ctx.layout)?;
    for (number, why) in &lines.bad {
        ctx.console.note(&format!("{}:{number}: left out: {why}", ctx.layout.log().display()));
    }
    let summary = log::summary(&lines.entries);
    let rules = log::rule_summary(&lines.entries);
    let value = json!({
        "schema": "fix_evidence_log_v1",
        "attempts": lines.entries,
        "summary": summary,
        "rules": rules,
    });
    print(ctx, json, &value, || {
        policy_table::log_text(&lines.entries, &summary) + &policy_table::rules_text(&rules)
    })
}

fn policy(ctx: &Context, json: bool) -> anyhow::Result<i32> {
    let head = ctx.repo.head()?;
    let setting = match (&head.branch, &head.commit) {
        (branch, Some(commit)) => {
            let query = crate::git::BaseQuery { branch: branch.as_deref(), ..Default::default() };
            Some(ctx.setting(commit, query, true)?)
        }
        _ => None,
    };
    let rows = policy_table::rows(ctx, setting.as_ref())?;
    let value = json!({ "schema": "fix_evidence_policy_v1", "rows": rows });
    print(ctx, json, &value, || policy_table::text(&rows))
}
