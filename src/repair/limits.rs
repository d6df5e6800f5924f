//! The limits of one run, and who may set them.

use super::session::Options;
use crate::cli::context::{Context, git_failure};
use crate::cli::exit::{Code, Failure};
use crate::config::{Config, SandboxLevel};
use crate::engine::Limits;
use crate::rules::tighten::{Given, tighten};
use crate::store::journal::RunStarted;

/// The limits that count, after flags, environment and git's configuration.
pub(super) fn limits(ctx: &Context, config: &Config, options: &Options) -> anyhow::Result<Limits> {
    let git = ctx.repo.config().map_err(git_failure)?;
    let given = |flag: (&'static str, &Option<String>),
                 env: (&'static str, &Option<String>),
                 key: &'static str| {
        let all = [
            (flag.0, flag.1.clone()),
            (env.0, env.1.clone()),
            (key, git.get(key).map(str::to_string)),
        ];
        all.into_iter()
            .filter_map(|(source, text)| Some(Given { source, text: text? }))
            .collect::<Vec<_>>()
    };
    let limit =
        |name, committed, given: &[Given]| tighten(name, committed, given).map_err(Failure::usage);
    let max_iter = limit(
        "max_iter",
        u64::from(config.limits.max_iter),
        &given(
            ("--max-iter", &options.max_iter),
            ("DEVFORGE_FIX_EVIDENCE_MAX_ITER", &ctx.env.max_iter),
            "evidence.maxIter",
        ),
    )?;
    let token_budget = limit(
        "token_budget",
        config.limits.token_budget,
        &given(
            ("--token-budget", &options.token_budget),
            ("DEVFORGE_FIX_EVIDENCE_TOKEN_BUDGET", &ctx.env.token_budget),
            "evidence.tokenBudget",
        ),
    )?;
    let cumulative = limit(
        "max_cumulative_iter",
        u64::from(config.limits.max_cumulative_iter),
        &given(("", &None), ("", &None), "evidence.maxCumulativeIter"),
    )?;
    Ok(Limits {
        max_iter: u32::try_from(max_iter).unwrap_or(u32::MAX),
        token_budget,
        max_cumulative_iter: u32::try_from(cumulative).unwrap_or(u32::MAX),
    })
}

/// A box that is asked for and cannot be had is never silently left out.
pub(super) fn refuse_box(config: &Config) -> anyhow::Result<()> {
    if config.sandbox.fixers == SandboxLevel::Off {
        return Ok(());
    }
    Err(Failure::with(
        Code::Environment,
        "[sandbox] fixers = \"full\" asks for the box, and this version has none; write \"off\" to run fixers without it",
    ))
}

/// The limits that a run was started with, as far as they are not looser than today's.
pub(super) fn resumed_limits(
    ctx: &Context,
    config: &Config,
    started: &RunStarted,
) -> anyhow::Result<Limits> {
    let now = limits(ctx, config, &Options::default())?;
    Ok(Limits {
        max_iter: now.max_iter.min(u32::try_from(started.max_iter).unwrap_or(u32::MAX)),
        token_budget: now.token_budget.min(started.token_budget),
        max_cumulative_iter: now.max_cumulative_iter,
    })
}

/// The built-in limits, for a report where no configuration counts.
pub(super) fn default_limits(ctx: &Context) -> Limits {
    let config = Config::default();
    limits(ctx, &config, &Options::default()).unwrap_or(Limits {
        max_iter: config.limits.max_iter,
        token_budget: config.limits.token_budget,
        max_cumulative_iter: config.limits.max_cumulative_iter,
    })
}
