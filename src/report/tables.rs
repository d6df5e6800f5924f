//! Scores and checks as tables.

use super::page::{Page, Paint, one_line};
use crate::model::{CheckRun, CheckStatus, Dimension, Record};

/// Scores now and at the base; nothing for a record without scores.
pub(super) fn scores(page: &mut Page, record: &Record) {
    let Some(now) = &record.current_scores else { return };
    let names = Dimension::ALL.iter().map(|d| d.word()).chain(["overall"]);
    let rows: Vec<(&str, f64)> = names.filter_map(|n| Some((n, now.get(n)?))).collect();
    if rows.is_empty() {
        return;
    }
    page.gap();
    page.line(&format!("{:<18}{:>8}{:>8}{:>9}", "score", "now", "base", "change"));
    for (name, score) in rows {
        let of = |s: &Option<crate::model::Scores>| s.as_ref().and_then(|s| s.get(name));
        let base = of(&record.baseline_scores).map_or_else(|| "-".into(), |b| format!("{b:.1}"));
        let (paint, change) = match of(&record.deltas) {
            None => (Paint::Plain, "-".into()),
            Some(d) if d < 0.0 => (Paint::Red, format!("{d:+.1}")),
            Some(d) if d > 0.0 => (Paint::Green, format!("{d:+.1}")),
            Some(_) => (Paint::Plain, "0.0".into()),
        };
        let change = page.paint(paint, &format!("{change:>9}"));
        page.raw(&format!("{name:<18}{score:>8.1}{base:>8}{change}"));
    }
}

/// Whether a check gave figures.
pub(super) fn gave(check: &CheckRun) -> bool {
    matches!(check.status, CheckStatus::Measured | CheckStatus::Reused)
}

/// The checks: name, how it went, seconds; why not, or what its reader noted.
pub(super) fn checks(page: &mut Page, record: &Record) {
    if record.checks.is_empty() {
        return;
    }
    page.gap();
    let names: Vec<String> = record.checks.iter().map(|c| one_line(&c.name)).collect();
    let longest = names.iter().map(|n| n.chars().count()).max().unwrap_or(0);
    let width = longest.clamp(5, 40);
    page.line(&format!("{:<width$}  {:<14}{:>10}", "check", "status", "seconds"));
    for (name, check) in names.iter().zip(&record.checks) {
        let (paint, word) = match check.status {
            CheckStatus::Measured => (Paint::Green, "measured"),
            CheckStatus::Reused => (Paint::Green, "kept"),
            CheckStatus::Degraded => (Paint::Red, "not finished"),
            CheckStatus::Failed => (Paint::Red, "not measured"),
            CheckStatus::Timeout => (Paint::Red, "timed out"),
            CheckStatus::NotRun => (Paint::Yellow, "not run"),
        };
        let status = page.paint(paint, &format!("{word:<14}"));
        page.raw(&format!("{name:<width$}  {status}{:>10.1}", check.seconds));
        for note in &check.notes {
            page.wrapped(4, "", note);
        }
    }
}
