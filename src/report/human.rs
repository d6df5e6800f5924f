//! A record in words: what was decided, why, where to look, and what to do now.

use serde_json::Value;

use super::page::{Page, Paint};
use super::{places, tables};
use crate::model::{BlockReason, Decision, Record};
use crate::rules::record::headline;

/// The text of a record, at most 80 columns wide but for paths and reasons, which stay whole.
pub fn text(record: &Record, color: bool) -> String {
    let mut page = Page::new(color);
    head(&mut page, record);
    reasons(&mut page, record);
    tables::scores(&mut page, record);
    tables::checks(&mut page, record);
    warnings(&mut page, record);
    what_now(&mut page, record);
    page.finish()
}

fn head(page: &mut Page, record: &Record) {
    let decision = record.decision();
    let (paint, words) = match decision {
        Decision::AutoApprove => (Paint::Green, headline(decision)),
        Decision::ReviewerHandoff => (Paint::Yellow, headline(decision)),
        Decision::BlockRegression | Decision::BlockHardFloor => (Paint::Red, headline(decision)),
        Decision::SeverelyDegraded => (Paint::Red, "NOT MEASURED"),
    };
    page.painted(paint, words, &format!(": {} {}", short(&record.sha), against(record)));
    if let Some(why) = &record.baseline_failed {
        let base = record.base_sha.as_deref().map_or("the base", short);
        page.painted(
            Paint::Yellow,
            "  the base could not be measured",
            ", so only absolute limits count",
        );
        page.wrapped(4, "why:", why);
        page.wrapped(
            4,
            "remedy:",
            &format!("make the checks work there: git review-evidence {base}"),
        );
    }
    if record.dirty_tree {
        let rest = ": this decides nothing and is not stored";
        page.painted(Paint::Yellow, "  measured with uncommitted changes", rest);
    }
    sentence(page, record);
}

/// Why the decision is what it is; where checks gave nothing, each with its reason.
fn sentence(page: &mut Page, record: &Record) {
    let degraded = record.decision() == Decision::SeverelyDegraded;
    let unmeasured: Vec<_> =
        record.checks.iter().filter(|c| degraded && !tables::gave(c)).collect();
    let said = record.regression_verdict.as_ref().map_or("", |v| v.reason.as_str());
    // This sentence is the list below, in one line.
    let listed = !unmeasured.is_empty() && said.starts_with("not measured: ");
    if !said.is_empty() && !listed {
        page.wrapped(2, "", said);
    }
    for check in unmeasured {
        let why = check.notes.first().map_or("it gave no figures", String::as_str);
        page.wrapped(2, &format!("{}:", check.name), why);
    }
    // The CI's findings are no check's; their gap is one where the sentence names it.
    let reason = record.metrics.ci_quality.as_ref().and_then(|ci| ci.other.get("reason"));
    if let Some(why) = reason.and_then(Value::as_str).filter(|why| listed && said.contains(*why)) {
        page.wrapped(2, "ci:", why);
    }
}

/// What the commit was compared with.
fn against(record: &Record) -> String {
    if record.baseline_synthetic && record.base_sha.is_none() {
        return "(there is no base commit)".into();
    }
    let name = record.base_branch.as_str();
    let name = name.strip_prefix("refs/remotes/").unwrap_or(name);
    let name = name.strip_prefix("refs/heads/").unwrap_or(name);
    let mut text = match name {
        "" => "against its base".to_string(),
        name => format!("against {name}"),
    };
    if let Some(sha) = &record.base_sha {
        text.push_str(&format!(" at {}", short(sha)));
    }
    let rung = match record.base_rung.as_deref() {
        None => return text,
        Some("flag") => "--base",
        Some("config") => "configured",
        Some("upstream") => "upstream",
        Some("remote_default") => "remote default",
        Some("main") => "local default",
        Some(other) => other,
    };
    text.push_str(&format!(" ({rung})"));
    text
}

fn short(sha: &str) -> &str {
    sha.char_indices().nth(10).map_or(sha, |(at, _)| &sha[..at])
}

fn reasons(page: &mut Page, record: &Record) {
    let shortfalls = record.verdict.other.get("shortfalls").and_then(Value::as_array);
    for (i, reason) in record.reasons().iter().enumerate() {
        page.gap();
        page.painted(Paint::Red, &reason.to_string(), "");
        let shortfall = shortfalls.and_then(|s| s.get(i)).and_then(Value::as_str);
        if let Some(text) = shortfall.filter(|s| !s.is_empty()) {
            page.wrapped(4, "", text);
        }
        let (spots, more) = places::of(record, reason);
        for spot in spots {
            page.wrapped(4, &spot.at, &spot.text);
        }
        if more > 0 {
            page.line(&format!("    and {more} more"));
        }
        for remedy in places::remedies(record, reason) {
            page.wrapped(4, &remedy.at, &remedy.text);
        }
    }
}

fn warnings(page: &mut Page, record: &Record) {
    // What is wrong with the base was said at the start.
    let told =
        |w: &&String| !w.starts_with("baseline_failed: ") || record.baseline_failed.is_none();
    let warnings: Vec<&String> = record.verdict.warnings.iter().filter(told).collect();
    if !warnings.is_empty() {
        page.gap();
    }
    for warning in warnings {
        page.wrapped(0, "warning:", warning);
    }
}

fn what_now(page: &mut Page, record: &Record) {
    let decision = record.decision();
    if decision.approves() {
        return;
    }
    page.gap();
    let mut names: Vec<String> = match decision {
        Decision::SeverelyDegraded => {
            record.checks.iter().filter(|c| !tables::gave(c)).map(|c| c.name.clone()).collect()
        }
        _ => record.reasons().iter().flat_map(|r| places::checks(record, r)).collect(),
    };
    let mut seen = std::collections::BTreeSet::new();
    names.retain(|name| seen.insert(name.clone()));
    // An imported report cannot be run again.
    names.retain(|name| !name.starts_with("import "));
    let mut command = "how to reproduce: git review-evidence".to_string();
    if !names.is_empty() {
        command.push_str(" --check");
    }
    for name in names {
        let word = if name.contains(' ') { format!(" '{name}'") } else { format!(" {name}") };
        command.push_str(&word);
    }
    page.line(&command);
    let mends = |r: &BlockReason| !matches!(r, BlockReason::Other(_));
    if decision == Decision::BlockRegression && record.reasons().iter().any(mends) {
        page.line("how to fix:       git fix-evidence");
    }
}

#[cfg(test)]
#[path = "human_tests.rs"]
mod tests;
