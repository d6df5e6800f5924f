//! The rules that need what the checks said before and after: tests that ran, files that were
//! analysed, lines that are counted. Fewer of them never counts as better.

use std::collections::{BTreeMap, BTreeSet};

use super::{Change, Hit};
use crate::model::{Changed, CoverageFigures, FileCoverage, Kind, TestStatus};
use crate::rules::evidence::Evidence;

/// Compares the evidence of the checkpoint with that of the candidate.
pub fn weigh(before: &Evidence, after: &Evidence, change: &Change) -> Vec<Hit> {
    let mut hits = tests(before, after);
    hits.extend(suppressed(before, after));
    if let (Some(old), Some(new)) = (&before.coverage, &after.coverage) {
        hits.extend(coverage(old, new, change));
    }
    hits.extend(analysed(before, after, change));
    hits.extend(without_cause(before, after, change));
    hits
}

/// Endings of files that no tool runs or looks into for others' sake.
const INERT: &[&str] =
    &["md", "txt", "rst", "adoc", "png", "jpg", "jpeg", "gif", "svg", "csv", "lock", "log", "pdf"];

/// AG40: fewer findings or failures, and nothing differs that could have caused it.
fn without_cause(before: &Evidence, after: &Evidence, change: &Change) -> Option<Hit> {
    let inert = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        let ending = name.rsplit_once('.').map_or("", |(_, e)| e);
        INERT.contains(&ending) && !change.targets.contains(path)
    };
    let first = change.files.first()?;
    if !change.files.iter().all(|f| inert(f.path())) {
        return None;
    }
    let failing = |side: &Evidence| {
        let failed = |s: &TestStatus| matches!(s, TestStatus::Failed | TestStatus::Errored);
        ends(side).map(|ends| ends.values().filter(|s| failed(s)).count())
    };
    let found = |side: &Evidence| side.lint.as_ref().map(Vec::len);
    let (what, old, new) = match change.kind? {
        Kind::Lint => ("findings", found(before)?, found(after)?),
        Kind::Tests => ("failing tests", failing(before)?, failing(after)?),
        _ => return None,
    };
    (new < old).then(|| {
        let text = format!("{new} {what}, {old} before, and only files like this one differ");
        Hit::of("AG40", first.path(), text)
    })
}

type Ends<'a> = BTreeMap<&'a str, TestStatus>;

fn ends(side: &Evidence) -> Option<Ends<'_>> {
    let mut ends = Ends::new();
    for case in &side.tests.as_ref()?.cases {
        let worst = ends.entry(case.id.as_str()).or_insert(case.status);
        *worst = (*worst).max(case.status);
    }
    Some(ends)
}

fn tests(before: &Evidence, after: &Evidence) -> Vec<Hit> {
    let (Some(old), Some(new)) = (ends(before), ends(after)) else { return Vec::new() };
    let ran = |status: &TestStatus| *status != TestStatus::Skipped;
    let failed = |status: &TestStatus| matches!(status, TestStatus::Failed | TestStatus::Errored);
    let mut hits = Vec::new();
    let gone: Vec<&str> = old
        .iter()
        .filter(|(id, status)| ran(status) && !new.contains_key(*id))
        .map(|(id, _)| *id)
        .collect();
    let unproved: Vec<&str> = old
        .iter()
        .filter(|(id, status)| failed(status) && new.get(*id).is_none_or(|s| !ran(s)))
        .map(|(id, _)| *id)
        .collect();
    if !unproved.is_empty() {
        let text = format!("it failed before and did not run afterwards: {}", some(&unproved));
        hits.push(Hit::of("AG06", "", text));
    }
    let skipped: Vec<&str> = new
        .iter()
        .filter(|(id, status)| !ran(status) && old.get(*id).is_some_and(ran))
        .map(|(id, _)| *id)
        .collect();
    if !skipped.is_empty() {
        hits.push(Hit::of("AG05", "", some(&skipped)));
    }
    let came = new.iter().filter(|(id, status)| ran(status) && !old.contains_key(*id)).count();
    // As many new names as old ones are gone: tests were renamed or moved.
    if gone.len() > came {
        hits.push(Hit::of("AG03", "", some(&gone)));
    }
    let count = |ends: &Ends<'_>| ends.values().filter(|s| ran(s)).count();
    if count(&new) < count(&old) {
        let text = format!("{} ran before, {} afterwards", count(&old), count(&new));
        hits.push(Hit::of("AG04", "", text));
    }
    hits
}

fn suppressed(before: &Evidence, after: &Evidence) -> Option<Hit> {
    let (old, new) = (before.suppressed?, after.suppressed?);
    (new > old).then(|| {
        let text = format!("the tools report {new} suppressed results, {old} before");
        Hit::of("AG09", "", text)
    })
}

fn coverage(old: &CoverageFigures, new: &CoverageFigures, change: &Change) -> Vec<Hit> {
    let mut hits = Vec::new();
    let now: BTreeMap<&str, &FileCoverage> =
        new.files.iter().map(|f| (f.path.as_str(), f)).collect();
    let changed: BTreeMap<&str, &Changed> =
        change.files.iter().filter_map(|f| Some((f.diff.old.as_deref()?, f))).collect();
    for file in &old.files {
        let here = changed.get(file.path.as_str());
        let path = match here {
            Some(changed) => changed.diff.new.as_deref(),
            None => Some(file.path.as_str()),
        };
        let Some(path) = path.filter(|p| change.tracked.contains(*p)) else { continue };
        let found = file.totals().lines_found;
        let Some(after) = now.get(path) else {
            if found > 0 {
                let text = format!("{found} lines were counted, and the file is in no report now");
                hits.push(Hit::of("AG29", path, text));
            }
            continue;
        };
        let lost = found.saturating_sub(after.totals().lines_found);
        let removed = here.map_or(0, |c| c.removed().len() as u64);
        if lost > removed {
            let text = format!("{lost} lines are counted no more, and {removed} were removed");
            hits.push(Hit::of("AG29", path, text));
        }
    }
    hits.extend(denominator(old, new, change));
    hits
}

/// The share rose, and not one line more runs.
fn denominator(old: &CoverageFigures, new: &CoverageFigures, change: &Change) -> Option<Hit> {
    let (before, after) = (old.totals(), new.totals());
    let rose = u128::from(after.lines_hit) * u128::from(before.lines_found)
        > u128::from(before.lines_hit) * u128::from(after.lines_found);
    let asked = change.kind == Some(Kind::Coverage);
    (asked && rose && after.lines_hit <= before.lines_hit).then(|| {
        let text = format!(
            "{} of {} lines were covered before, {} of {} are now",
            before.lines_hit, before.lines_found, after.lines_hit, after.lines_found
        );
        Hit::of("AG29", "", text)
    })
}

fn analysed(before: &Evidence, after: &Evidence, change: &Change) -> Vec<Hit> {
    let mut hits = Vec::new();
    for (check, version) in &before.versions {
        if let Some(now) = after.versions.get(check).filter(|now| *now != version) {
            let text = format!("{check} was measured by '{version}' before, by '{now}' afterwards");
            hits.push(Hit::of("AG30", "", text));
        }
    }
    let (Some(old), Some(new)) = (&before.complexity, &after.complexity) else { return hits };
    let files = |functions: &[crate::model::FunctionComplexity]| {
        functions.iter().map(|f| f.path.clone()).collect::<BTreeSet<String>>()
    };
    let touched: BTreeSet<&str> = change.files.iter().map(Changed::path).collect();
    for path in files(old).difference(&files(new)) {
        if change.tracked.contains(path) && !touched.contains(path.as_str()) {
            hits.push(Hit::of("AG30", path, "its functions are in no report of complexity now"));
        }
    }
    hits
}

/// The first three, and how many more.
fn some(names: &[&str]) -> String {
    let shown = names.iter().take(3).copied().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(3) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{FileDiff, Hunk, TestCase, TestFigures};
    use crate::rules::gaming::samples::edited;
    use crate::rules::samples::{coverage, lines};
    use TestStatus::{Failed, Passed, Skipped};

    fn run(cases: &[(&str, TestStatus)]) -> Evidence {
        let case = |(id, status): &(&str, TestStatus)| TestCase {
            id: (*id).to_string(),
            status: *status,
            flaky: false,
            message: None,
        };
        let tests = TestFigures { cases: cases.iter().map(case).collect() };
        Evidence { tests: Some(tests), ..Evidence::default() }
    }

    fn fired(before: &Evidence, after: &Evidence, change: &Change) -> Vec<String> {
        weigh(before, after, change).into_iter().map(|h| h.rule).collect()
    }

    #[test]
    fn better_without_a_cause_is_for_a_person() {
        let finding: crate::model::Finding = serde_json::from_str(
            r#"{"rule":"E1","level":"error","message":"m","tool":"t","path":"src/a.py"}"#,
        )
        .unwrap();
        let lint =
            |n: usize| Evidence { lint: Some(vec![finding.clone(); n]), ..Evidence::default() };
        let touching = |paths: &[&str], target: &str| Change {
            files: paths.iter().map(|p| edited(p, "a\n", "b\n")).collect(),
            targets: [target.to_string()].into(),
            kind: Some(Kind::Lint),
            ..Change::default()
        };
        for (paths, target, after, want) in [
            (&["README.md"][..], "src/a.py", 1, vec!["AG40"]),
            (&["README.md", "src/b.py"], "src/a.py", 1, vec![]),
            (&["README.md"], "README.md", 1, vec![]),
            (&["README.md"], "src/a.py", 3, vec![]),
        ] {
            assert_eq!(fired(&lint(3), &lint(after), &touching(paths, target)), want, "{paths:?}");
        }
    }

    #[test]
    fn fewer_tests_are_never_better() {
        let before = run(&[("a", Passed), ("b", Failed), ("c", Skipped)]);
        let none = Change::default();
        for (why, after, want) in [
            ("mended", vec![("a", Passed), ("b", Passed), ("c", Skipped)], vec![]),
            ("still failing", vec![("a", Passed), ("b", Failed)], vec![]),
            ("a new one", vec![("a", Passed), ("b", Passed), ("d", Passed)], vec![]),
            ("renamed", vec![("a2", Passed), ("b", Passed)], vec![]),
            ("deleted", vec![("b", Passed)], vec!["AG03", "AG04"]),
            ("skipped", vec![("a", Skipped), ("b", Passed)], vec!["AG05", "AG04"]),
            ("the target deleted", vec![("a", Passed)], vec!["AG06", "AG03", "AG04"]),
            (
                "the target skipped",
                vec![("a", Passed), ("b", Skipped)],
                vec!["AG06", "AG05", "AG04"],
            ),
            ("the target renamed", vec![("a", Passed), ("b2", Passed)], vec!["AG06"]),
        ] {
            assert_eq!(fired(&before, &run(&after), &none), want, "{why}");
        }
    }

    #[test]
    fn coverage_has_to_come_from_running_more() {
        let diff = |removed| FileDiff {
            old: Some("src/a.rs".into()),
            new: Some("src/a.rs".into()),
            old_mode: 0o100_644,
            new_mode: 0o100_644,
            hunks: vec![Hunk { old_start: 1, old_len: removed, new_start: 0, new_len: 0 }],
            binary: false,
        };
        let text = "x\n".repeat(10);
        let side = crate::model::Side {
            path: "src/a.rs".into(),
            mode: 0o100_644,
            text: Some(text),
            size: 20,
        };
        let change = |removed| Change {
            files: vec![Changed { old: Some(side.clone()), new: None, diff: diff(removed) }],
            tracked: BTreeSet::from(["src/a.rs".to_string(), "src/b.rs".into()]),
            kind: Some(Kind::Coverage),
            ..Change::default()
        };
        let two = |a, of| coverage(vec![lines("src/a.rs", a, of), lines("src/b.rs", 1, 4)]);
        assert_eq!(fired(&two(5, 10), &two(7, 10), &change(0)), Vec::<String>::new());
        assert_eq!(fired(&two(5, 10), &two(5, 7), &change(3)), ["AG29"], "only code went");
        assert_eq!(fired(&two(5, 10), &two(6, 7), &change(3)), Vec::<String>::new());
        assert_eq!(fired(&two(5, 10), &two(6, 7), &change(1)), ["AG29"], "lines count no more");
        let less = coverage(vec![lines("src/a.rs", 7, 10)]);
        assert_eq!(fired(&two(5, 10), &less, &change(0)), ["AG29"], "a file left the report");
    }

    #[test]
    fn another_tool_or_more_suppressed_is_no_mending() {
        let of = |version: &str, suppressed| Evidence {
            versions: BTreeMap::from([("ruff".to_string(), version.to_string())]),
            suppressed: Some(suppressed),
            ..Evidence::default()
        };
        assert_eq!(fired(&of("1", 0), &of("2", 1), &Change::default()), ["AG09", "AG30"]);
        assert_eq!(fired(&of("1", 1), &of("1", 0), &Change::default()), Vec::<String>::new());
    }
}
