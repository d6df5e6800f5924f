//! A record read back as evidence: what it lists, which is less than what was measured.

use super::comparison::{Comparison, compare};
use super::evidence::Evidence;
use crate::model::{
    Advisory, CoverageFigures, DiffMap, FileCoverage, Record, TestCase, TestFigures, TestStatus,
    Totals,
};

/// The evidence that a record lists, and what of it is known not to be all.
pub fn evidence(record: &Record) -> (Evidence, Vec<String>) {
    let mut notes = Vec::new();
    let metrics = &record.metrics;
    let lint = metrics.lint.as_ref().filter(|l| l.errors.is_some()).map(|lint| {
        let findings = lint.typed_findings();
        let counted = lint.errors.unwrap_or(0).saturating_add(lint.warnings.unwrap_or(0));
        if counted > findings.len() as u64 {
            notes.push(format!(
                "the record of {} lists {} of at least {counted} findings",
                record.sha,
                findings.len()
            ));
        }
        findings
    });
    let coverage = metrics.coverage.as_ref().and_then(|c| {
        let totals =
            Totals { lines_found: c.lines_found?, lines_hit: c.lines_hit?, ..Totals::default() };
        let file = FileCoverage { totals: Some(totals), ..FileCoverage::default() };
        Some(CoverageFigures { files: vec![file] })
    });
    let failed = |id: &String| TestCase {
        id: id.clone(),
        status: TestStatus::Failed,
        flaky: false,
        message: None,
    };
    let tests = metrics.tests.as_ref();
    let tests = tests.map(|t| TestFigures { cases: t.cases_failed.iter().map(failed).collect() });
    let dependencies = metrics.dependencies.as_ref().map(|d| {
        let listed = d.findings.as_array().into_iter().flatten();
        listed.filter_map(|v| serde_json::from_value::<Advisory>(v.clone()).ok()).collect()
    });
    (Evidence { lint, coverage, tests, dependencies, ..Evidence::default() }, notes)
}

/// Compares where at least one side is only a record: of tests it lists those that fail alone, so a
/// test that is not listed any more may be mended or gone.
pub fn compare_listed(base: &Evidence, head: &Evidence, diff: &DiffMap) -> Comparison {
    let failing = |side: &Evidence| {
        let mut side = side.clone();
        if let Some(tests) = &mut side.tests {
            tests.cases.retain(|c| matches!(c.status, TestStatus::Failed | TestStatus::Errored));
        }
        side
    };
    let mut comparison = compare(&failing(base), &failing(head), Some(diff));
    if let Some(tests) = &mut comparison.tests {
        tests.fixed.append(&mut tests.vanished);
        tests.vanished_suites.clear();
    }
    if let Some(coverage) = &mut comparison.coverage {
        // Totals have no lines.
        coverage.patch = None;
        coverage.lost.clear();
    }
    comparison
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::judge::{Base, judge};
    use crate::rules::record::{About, record};
    use crate::rules::samples::{covered, errors, failing};
    use crate::rules::thresholds::Thresholds;

    #[test]
    fn what_a_record_lists_can_be_compared() {
        let evidence_of = |rules: &[&str], failed: &[&str], hit| Evidence {
            lint: Some(errors(rules)),
            tests: failing(failed).tests,
            coverage: covered(hit, 10).coverage,
            ..Evidence::default()
        };
        let written = |e: &Evidence| {
            let limits = Thresholds::default();
            let judged = judge(e, Base::Synthetic, &DiffMap::default(), &limits);
            evidence(&record(About::default(), e, &judged, &limits))
        };
        let (old, notes) = written(&evidence_of(&["A", "B"], &["x", "y"], 5));
        assert_eq!(notes, Vec::<String>::new());
        let new = evidence_of(&["A", "C"], &["y", "z"], 6);
        let got = compare_listed(&old, &new, &DiffMap::default());
        let lint = got.lint.unwrap();
        assert_eq!((lint.new[0].rule.as_str(), lint.fixed[0].rule.as_str()), ("C", "B"));
        let tests = got.tests.unwrap();
        assert_eq!(
            (tests.new_failures, tests.fixed),
            (vec!["z".to_string()], vec!["x".to_string()])
        );
        let coverage = got.coverage.unwrap();
        assert_eq!(coverage.base.map(|r| (r.hit, r.found)), Some((5, 10)));
        assert_eq!((coverage.head.map(|r| r.hit), coverage.lost), (Some(6), vec![]));
    }

    #[test]
    fn a_list_that_was_cut_says_so() {
        let many: Vec<String> = (0..1200).map(|n| format!("R{n}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let e = Evidence { lint: Some(errors(&many)), ..Evidence::default() };
        let limits = Thresholds::default();
        let judged = judge(&e, Base::Synthetic, &DiffMap::default(), &limits);
        let (_, notes) = evidence(&record(About::default(), &e, &judged, &limits));
        assert!(notes[0].ends_with("lists 1000 of at least 1200 findings"), "{notes:?}");
    }
}
