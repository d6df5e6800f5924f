//! Tables for people: the modes side by side with the source of every limit, and the fix log.

use serde::Serialize;

use crate::config::{Config, Limits};
use crate::engine::{POLICIES, Policy};
use crate::host::context::Context;
use crate::host::exit::Failure;
use crate::measure::Setting;
use crate::rules::tighten::{Given, tighten};
use crate::store::log::{Attempt, Tally};

/// One line of the policy table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Row {
    /// What it is about.
    name: &'static str,
    /// The value by mode, in the order of [`POLICIES`].
    values: Vec<String>,
    /// Where the branch loop's value comes from.
    source: String,
}

/// A line that a mode answers by itself: its name, and the answer.
type Said = (&'static str, fn(&Policy) -> String);

/// A limit of the branch loop: who can set it, and what counts.
struct Limit {
    name: &'static str,
    committed: u64,
    default: u64,
    given: Vec<Given>,
}

pub(super) fn rows(ctx: &Context, setting: Option<&Setting>) -> anyhow::Result<Vec<Row>> {
    let config = setting.map_or_else(Config::default, |s| s.config.clone());
    let from_file = setting.map_or("default", |s| s.source.word());
    let mut rows = vec![Row {
        name: "mode",
        values: POLICIES.iter().map(|p| p.name.to_string()).collect(),
        source: "built in".into(),
    }];
    for limit in limits(ctx, &config)? {
        let value = tighten(limit.name, limit.committed, &limit.given).map_err(Failure::usage)?;
        let source = match limit.given.first() {
            Some(given) => given.source.to_string(),
            None if limit.committed != limit.default => format!(".git-evidence.toml ({from_file})"),
            None => "default".to_string(),
        };
        let built_in = |p: &Policy| match limit.name {
            "max_iter" => Some(u64::from(p.max_iter)),
            "token_budget" => p.token_budget,
            "max_cumulative_iter" => p.max_cumulative_iter.map(u64::from),
            _ => None,
        };
        let values = POLICIES.iter().enumerate().map(|(i, p)| match (i, built_in(p)) {
            (0, _) => value.to_string(),
            (_, Some(n)) => n.to_string(),
            (_, None) => "-".to_string(),
        });
        rows.push(Row { name: limit.name, values: values.collect(), source });
    }
    let optional = |n: Option<u32>| n.map_or_else(|| "-".to_string(), |n| n.to_string());
    let fixed: [Said; 7] = [
        ("oscillation guard", |p| if p.oscillation_guard { "on".into() } else { "off".into() }),
        ("starts from", |p| p.input.into()),
        ("works in", |p| p.workplace.into()),
        ("consent", |p| p.consent.into()),
        ("keeps if", |p| p.accept.into()),
        ("otherwise", |p| p.otherwise.into()),
        ("leaves", |p| p.result.into()),
    ];
    rows.push(Row {
        name: "minutes",
        values: POLICIES.iter().map(|p| optional(p.time_limit_min)).collect(),
        source: "built in".into(),
    });
    rows.push(Row {
        name: "max reverts",
        values: POLICIES.iter().map(|p| optional(p.max_reverts)).collect(),
        source: "built in".into(),
    });
    rows.extend(fixed.into_iter().map(|(name, value)| Row {
        name,
        values: POLICIES.iter().map(|p| value(p)).collect(),
        source: "built in".into(),
    }));
    Ok(rows)
}

fn limits(ctx: &Context, config: &Config) -> anyhow::Result<Vec<Limit>> {
    let git = ctx.repo.config()?;
    let given = |env: (&'static str, &Option<String>), key: &'static str| {
        [(env.0, env.1.clone()), (key, git.get(key).map(str::to_string))]
            .into_iter()
            .filter_map(|(source, text)| Some(Given { source, text: text? }))
            .collect::<Vec<_>>()
    };
    let none = None;
    let default = Limits::default();
    Ok(vec![
        Limit {
            name: "max_iter",
            committed: u64::from(config.limits.max_iter),
            default: u64::from(default.max_iter),
            given: given(("DEVFORGE_FIX_EVIDENCE_MAX_ITER", &ctx.env.max_iter), "evidence.maxIter"),
        },
        Limit {
            name: "token_budget",
            committed: config.limits.token_budget,
            default: default.token_budget,
            given: given(
                ("DEVFORGE_FIX_EVIDENCE_TOKEN_BUDGET", &ctx.env.token_budget),
                "evidence.tokenBudget",
            ),
        },
        Limit {
            name: "max_cumulative_iter",
            committed: u64::from(config.limits.max_cumulative_iter),
            default: u64::from(default.max_cumulative_iter),
            given: given(("", &none), "evidence.maxCumulativeIter"),
        },
        Limit {
            name: "max_auto_triggers",
            committed: u64::from(config.limits.max_auto_triggers),
            default: u64::from(default.max_auto_triggers),
            given: given(
                ("DEVFORGE_FIX_EVIDENCE_MAX_AUTO_TRIGGERS", &ctx.env.max_auto_triggers),
                "evidence.maxAutoTriggers",
            ),
        },
    ])
}

/// One block a row, since the sentences are longer than columns.
pub(super) fn text(rows: &[Row]) -> String {
    let mut text = String::new();
    for row in rows {
        text.push_str(&format!("{}  (from: {})\n", row.name, row.source));
        for (policy, value) in POLICIES.iter().zip(&row.values) {
            text.push_str(&format!("  {:<5} {value}\n", policy.name));
        }
    }
    text
}

pub(super) fn log_text(attempts: &[Attempt], summary: &[Tally]) -> String {
    if attempts.is_empty() {
        return "No fixer has been dispatched here yet.\n".to_string();
    }
    let mut text = String::new();
    for a in attempts {
        text.push_str(&format!(
            "{}  {}  {}. {} for {}: {} ({} tokens, {:.1} s)\n",
            a.at,
            a.branch.trim_start_matches("refs/heads/"),
            a.iteration,
            a.fixer,
            a.reason,
            a.outcome,
            a.tokens,
            a.seconds
        ));
    }
    text.push_str("\nBy fixer and kind: kept of dispatched\n");
    for t in summary {
        let about = if t.estimated { "about " } else { "" };
        text.push_str(&format!(
            "  {} {}: {} of {} kept, {} rolled back, {} no change, {} failed, {} timed out, {about}{} tokens, {:.1} s\n",
            t.fixer, t.kind, t.kept, t.dispatched, t.rolled_back, t.no_change, t.failed, t.timeout, t.tokens, t.seconds
        ));
    }
    text
}
