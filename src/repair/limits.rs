//! The limits of one run, and who may set them.

use super::session::Options;
use crate::config::{Config, SandboxLevel};
use crate::engine::Limits;
use crate::host::context::{Context, git_failure};
use crate::host::exit::{Code, Failure};
use crate::host::limits::{Limit, MAX_CUMULATIVE_ITER, MAX_ITER, Sources, TOKEN_BUDGET};
use crate::store::journal::RunStarted;

/// The limits that count, after flags, environment and git's configuration.
pub(super) fn limits(ctx: &Context, config: &Config, options: &Options) -> anyhow::Result<Limits> {
    let git = ctx.repo.config().map_err(git_failure)?;
    let value = |limit: &Limit, flag: Option<&String>| {
        let sources = Sources { flag, env: &ctx.env, git: &git };
        limit.value(&config.limits, sources).map_err(Failure::usage)
    };
    let small = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
    Ok(Limits {
        max_iter: small(value(&MAX_ITER, options.max_iter.as_ref())?),
        token_budget: value(&TOKEN_BUDGET, options.token_budget.as_ref())?,
        max_cumulative_iter: small(value(&MAX_CUMULATIVE_ITER, None)?),
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
