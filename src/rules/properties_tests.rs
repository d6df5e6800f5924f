//! What holds for any evidence: scores stay in their range, standing still breaks nothing, figures
//! survive being printed, paths are never invented.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::evidence::{Bucket, CheckResult, Evidence};
use super::judge::{Base, Judgement, judge};
use super::paths::PathMap;
use super::samples::{advisory, error, failing, function, in_file, lines, of_level, with_branches};
use super::scores::scores;
use super::thresholds::Thresholds;
use crate::model::{
    BlockReason, CoverageFigures, Decision, DiffMap, Dimension, Figures, Level, LintFigures,
    Severity,
};

const LEVELS: [Level; 4] = [Level::None, Level::Note, Level::Warning, Level::Error];
const SEVERITIES: [Severity; 5] =
    [Severity::Unknown, Severity::Low, Severity::Medium, Severity::High, Severity::Critical];

fn any_findings() -> impl Strategy<Value = Option<Vec<crate::model::Finding>>> {
    let finding = (0..3usize, 0..3usize, 0..4usize).prop_map(|(rule, path, level)| {
        let finding = error(["R", "S", "T"][rule], 1);
        of_level(LEVELS[level], in_file(["a", "b", "c"][path], finding))
    });
    prop::option::of(prop::collection::vec(finding, 0..25))
}

fn any_coverage() -> impl Strategy<Value = Option<CoverageFigures>> {
    let file = (0..20u32, 0..20u32, 0..5u32, 0..5u32).prop_map(|(hit, found, taken, branches)| {
        with_branches(lines("a", hit.min(found), found), taken.min(branches), branches)
    });
    prop::option::of(file.prop_map(|file| CoverageFigures { files: vec![file] }))
}

prop_compose! {
    fn any_evidence()(
        (lint, security, types, dead_code) in
            (any_findings(), any_findings(), any_findings(), any_findings()),
        coverage in any_coverage(),
        complexity in prop::option::of(prop::collection::vec((0..3usize, 0..40u32), 0..6)),
        advisories in prop::option::of(prop::collection::vec((0..4usize, 0..5usize), 0..6)),
        failed in prop::option::of(0..4usize),
        ci in prop::option::of((0..3u64, 0..3u64)),
        is_bot in any::<bool>(),
    ) -> Evidence {
        let names = ["a", "b", "c", "d"];
        let of = |(name, n): (usize, u32)| function("a", names[name], n);
        let known = |(id, s): (usize, usize)| advisory(names[id], SEVERITIES[s]);
        Evidence {
            lint, security, types, dead_code, coverage, ci, is_bot,
            complexity: complexity.map(|list| list.into_iter().map(of).collect()),
            dependencies: advisories.map(|list| list.into_iter().map(known).collect()),
            tests: failed.and_then(|n| failing(&names[..n]).tests),
            ..Evidence::default()
        }
    }
}

fn against(head: &Evidence, base: &Evidence) -> Judgement {
    judge(head, Base::Measured(base), &DiffMap::default(), &Thresholds::default())
}

proptest! {
    #[test]
    fn scores_stay_between_0_and_100_and_losses_never_raise_one(
        evidence in any_evidence(),
        lost in 0..90usize,
    ) {
        let limits = Thresholds::default();
        let (more, less) = (scores(&evidence, 0, &limits), scores(&evidence, lost, &limits));
        for name in Dimension::ALL.iter().map(|d| d.word()).chain(["overall"]) {
            prop_assert_eq!(more.get(name).is_some(), less.get(name).is_some());
            if let (Some(more), Some(less)) = (more.get(name), less.get(name)) {
                prop_assert!((0.0..=100.0).contains(&less) && less <= more, "{}", name);
            }
        }
    }

    #[test]
    fn standing_still_breaks_no_limit_and_no_floor(evidence in any_evidence()) {
        let got = against(&evidence, &evidence);
        prop_assert_eq!(got.reasons, vec![]);
        prop_assert_eq!(got.breaches, Vec::<String>::new());
        prop_assert!(got.block_dimensions.is_empty() && got.warn_dimensions.is_empty());
        let good = matches!(got.decision, Decision::AutoApprove | Decision::SeverelyDegraded);
        prop_assert!(good, "{:?}", got.decision);
    }

    #[test]
    fn a_judgement_is_what_its_parts_say(head in any_evidence(), base in any_evidence()) {
        let got = against(&head, &base);
        prop_assert_eq!(&got, &against(&head, &base), "the same twice");
        prop_assert_eq!(got.reasons.len(), got.shortfalls.len());
        prop_assert!(!got.sentence.is_empty());
        for reason in &got.reasons {
            let again = BlockReason::parse(&reason.to_string());
            prop_assert_eq!(&again, reason);
            prop_assert!(!matches!(again, BlockReason::Other(_)), "{}", again);
        }
        let nothing = got.reasons.is_empty() && got.breaches.is_empty();
        if got.decision.approves() {
            prop_assert!(nothing && got.block_dimensions.is_empty() && head.missing.is_empty());
        }
    }

    #[test]
    fn without_holding_the_line_nothing_less_is_blocked(
        head in any_evidence(),
        base in any_evidence(),
    ) {
        let strict = Thresholds { hold_the_line: false, ..Thresholds::default() };
        let strict = judge(&head, Base::Measured(&base), &DiffMap::default(), &strict);
        let held = against(&head, &base);
        let names = |j: &Judgement| {
            // of the forge's problems the graver kind stands for both
            let name = |r: &BlockReason| r.name().replace("ci_high", "ci").replace("ci_critical", "ci");
            j.reasons.iter().map(name).collect::<BTreeSet<_>>()
        };
        prop_assert!(names(&held).is_subset(&names(&strict)));
        prop_assert!(held.breaches.iter().all(|b| strict.breaches.contains(b)));
    }

    #[test]
    fn gathering_names_each_check_that_gave_nothing(
        checks in prop::collection::vec((any::<bool>(), any::<bool>(), any_findings()), 0..6),
    ) {
        let checks: Vec<CheckResult> = checks.into_iter().zip(0..).map(|((required, has, found), n)| {
            let lint = LintFigures { findings: found.unwrap_or_default(), ..LintFigures::default() };
            let figures = Figures { lint: Some(lint), ..Figures::default() };
            CheckResult {
                name: format!("check{n}"),
                bucket: Bucket::Quality,
                required,
                feeds: None,
                version: None,
                figures: if has { Ok(figures) } else { Err("why".to_string()) },
            }
        }).collect();
        let evidence = Evidence::gather(&checks);
        let failed = |required| {
            let failed = checks.iter().filter(|c| c.figures.is_err() && c.required == required);
            failed.map(|c| (c.name.clone(), "why".to_string())).collect::<Vec<_>>()
        };
        prop_assert_eq!(&evidence.missing, &failed(true));
        prop_assert_eq!(&evidence.absent, &failed(false));
        let all = checks.iter().filter_map(|c| c.figures.as_ref().ok()?.lint.as_ref());
        let sum: usize = all.map(|l| l.findings.len()).sum();
        prop_assert_eq!(evidence.lint.unwrap_or_default().len(), sum);
    }

    #[test]
    fn a_path_is_found_among_the_tracked_or_not_at_all(
        tracked in prop::collection::btree_set("[ab](/[ab]){0,3}", 1..8),
        asked in "(/|\\./|C:\\\\)?[abc]([/\\\\][abc.]{1,2}){0,4}",
        root in "(/[xy]){1,2}",
    ) {
        let roots = [root.clone()];
        let mut map = PathMap::new(&roots, &tracked);
        if let Some(found) = map.find(&asked) {
            prop_assert!(tracked.contains(&found));
            prop_assert_eq!(map.find(&asked), Some(found), "asked twice");
        }
        for path in &tracked {
            let windows = format!("./{}", path.replace('/', "\\"));
            for reported in [path.clone(), format!("{root}/{path}"), windows] {
                prop_assert_eq!(map.find(&reported), Some(path.clone()), "{}", reported);
            }
        }
    }
}
