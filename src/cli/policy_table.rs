//! Tables for people: the modes side by side with the source of every limit, and the fix log.

use serde::Serialize;

use crate::config::{Config, FILE_NAME};
use crate::engine::{POLICIES, Policy};
use crate::host::context::Context;
use crate::host::exit::Failure;
use crate::host::limits::{LIMITS, Sources};
use crate::measure::Setting;
use crate::rules::gaming::rule;
use crate::store::log::{Attempt, DEMOTE_ABOVE, RuleTally, Tally};

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

pub(super) fn rows(ctx: &Context, setting: Option<&Setting>) -> anyhow::Result<Vec<Row>> {
    let config = setting.map_or_else(Config::default, |s| s.config.clone());
    let file = setting.map_or("none", |s| s.source.word());
    let git = ctx.repo.config()?;
    let sources = Sources { flag: None, env: &ctx.env, git: &git };
    let mut rows = vec![built_in("mode", |p| p.name.to_string())];
    for limit in LIMITS {
        let value = limit.value(&config.limits, sources).map_err(Failure::usage)?;
        let source = match limit.given(sources).first() {
            Some(given) => given.source.to_string(),
            None if limit.is_default(&config.limits) => "default".to_string(),
            None => format!("{FILE_NAME} ({file})"),
        };
        let others = POLICIES.iter().skip(1).map(|p| or_dash(of_mode(p, limit.name)));
        let values = std::iter::once(value.to_string()).chain(others).collect();
        rows.push(Row { name: limit.name, values, source });
    }
    rows.push(built_in("minutes", |p| or_dash(p.time_limit_min.map(u64::from))));
    rows.push(built_in("max reverts", |p| or_dash(p.max_reverts.map(u64::from))));
    let guard = |p: &Policy| if p.oscillation_guard { "on".to_string() } else { "off".to_string() };
    rows.push(built_in("oscillation guard", guard));
    rows.push(built_in("starts from", |p| p.input.to_string()));
    rows.push(built_in("works in", |p| p.workplace.to_string()));
    rows.push(built_in("consent", |p| p.consent.to_string()));
    rows.push(built_in("keeps if", |p| p.accept.to_string()));
    rows.push(built_in("otherwise", |p| p.otherwise.to_string()));
    rows.push(built_in("leaves", |p| p.result.to_string()));
    Ok(rows)
}

fn built_in(name: &'static str, value: impl Fn(&Policy) -> String) -> Row {
    let values = POLICIES.iter().map(|p| value(p)).collect();
    Row { name, values, source: "built in".to_string() }
}

/// A mode's own value of a limit, if it has one.
fn of_mode(policy: &Policy, limit: &str) -> Option<u64> {
    match limit {
        "max_iter" => Some(u64::from(policy.max_iter)),
        "token_budget" => policy.token_budget,
        "max_cumulative_iter" => policy.max_cumulative_iter.map(u64::from),
        _ => None,
    }
}

fn or_dash(number: Option<u64>) -> String {
    number.map_or_else(|| "-".to_string(), |n| n.to_string())
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

/// Which rules against gaming saw something, and how often a person excused it.
pub(super) fn rules_text(rules: &[RuleTally]) -> String {
    let mut text = String::new();
    for r in rules {
        if text.is_empty() {
            text.push_str("\nRules against gaming: places, and those that a waiver excused\n");
        }
        let name = rule(&r.rule).map_or("", |r| r.name);
        text.push_str(&format!(
            "  {} ({name}): {}, {} excused ({} %)\n",
            r.rule, r.hits, r.waived, r.waiver_rate
        ));
        if r.demote {
            text.push_str(&format!(
                "    more than {DEMOTE_ABOVE} % of what it sees is excused: it is too strict for this \
                 project; tell its makers, or narrow what it looks at\n"
            ));
        }
    }
    text
}
