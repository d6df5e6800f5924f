//! The rules, one function each, and the verdict.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::inputs::{Attribution, Capabilities, Decision, Finding, Gate, Past, Severity};
use super::shown::{shown, shown_all};
use crate::model::sanitize;

/// Actions that only the chair decides on, whatever the artefact says of them (rule 2).
const CHAIRS_OWN: &[&str] =
    &["credential_change", "permission_change", "activation", "systemd", "wake"];
/// Never allowed by a verdict: to merge is beyond the decider.
const MERGING: &[&str] = &["merge", "auto_merge"];
/// The action that the seed forbids where it says "no code change" (rules 1, 2, 3, 5, 6).
const CODE_FIX: &str = "code_fix";
/// More names of one sort than these are counted.
const NAMED: usize = 5;

/// What a verdict says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum VerdictWord {
    /// Another round may begin.
    AutoContinue,
    /// A person may look whether to merge.
    MergeReadyCandidate,
    /// Only a person can decide.
    ChairRequired,
    /// The loop goes in circles.
    LoopBoundary,
    /// No code is to be changed; the evidence is to be resolved.
    DeferEvidenceResolve,
    /// What is asked for cannot be done without a person yet.
    BlockedByCapability,
}

impl VerdictWord {
    /// All of them.
    pub const ALL: [VerdictWord; 6] = [
        VerdictWord::AutoContinue,
        VerdictWord::MergeReadyCandidate,
        VerdictWord::ChairRequired,
        VerdictWord::LoopBoundary,
        VerdictWord::DeferEvidenceResolve,
        VerdictWord::BlockedByCapability,
    ];

    /// The contract's word.
    pub fn word(self) -> &'static str {
        match self {
            VerdictWord::AutoContinue => "AUTO_CONTINUE",
            VerdictWord::MergeReadyCandidate => "MERGE_READY_CANDIDATE",
            VerdictWord::ChairRequired => "CHAIR_REQUIRED",
            VerdictWord::LoopBoundary => "LOOP_BOUNDARY",
            VerdictWord::DeferEvidenceResolve => "DEFER_EVIDENCE_RESOLVE",
            VerdictWord::BlockedByCapability => "BLOCKED_BY_CAPABILITY",
        }
    }

    /// Whether a loop that asks before a dispatch may go on (S4-5).
    pub fn lets_go_on(self) -> bool {
        matches!(self, VerdictWord::AutoContinue | VerdictWord::MergeReadyCandidate)
    }
}

/// `bounded_loop_verdict_v1`, with the contract's keys in their order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// Always `bounded_loop_verdict_v1`.
    pub schema: &'static str,
    /// What follows.
    pub verdict: VerdictWord,
    /// Why: first the rule's own word, then what it was seen by.
    pub reasons: Vec<String>,
    /// Of the artefact's, those that this verdict leaves.
    pub next_allowed_actions: Vec<String>,
    /// The artefact's.
    pub forbidden_actions: Vec<String>,
    /// One more than before only where the loop goes on by itself.
    pub remediation_round_after: u64,
    /// The rule's own word where a person is needed.
    pub chair_required_reason: Option<String>,
}

impl Verdict {
    /// `LOOP_BOUNDARY: SAME_BLOCKER_REPEATED`.
    pub fn headline(&self) -> String {
        let why = self.reasons.first().map_or("", String::as_str);
        format!("{}: {why}", self.verdict.word())
    }
}

/// What a rule says.
struct Ruling {
    verdict: VerdictWord,
    /// Its own word.
    why: &'static str,
    /// What it was seen by.
    seen: Vec<String>,
}

/// The inputs, and what follows from them for every rule.
struct Case<'a> {
    decision: &'a Decision,
    attribution: &'a Attribution,
    capabilities: &'a Capabilities,
    /// Findings that count: of this very head and not dismissed (S4-3), by name.
    fresh: Vec<&'a Finding>,
}

/// A rule: none where it does not match.
type Rule = fn(&Case<'_>) -> Option<Ruling>;

/// In the contract's order.
const RULES: [Rule; 8] = [
    grave,
    out_of_scope,
    same_blocker_repeated,
    medium_with_rounds_left,
    medium_without_rounds,
    only_style,
    not_wired,
    merge_ready,
];

/// Decides. The first rule that matches wins; where none does, a person is asked.
pub fn decide(
    decision: &Decision,
    attribution: &Attribution,
    capabilities: &Capabilities,
) -> Verdict {
    let counts =
        |f: &&Finding| !f.dismissed && same_commit(&f.reviewed_head_sha, &decision.head_sha);
    let mut fresh: Vec<&Finding> = attribution.findings.iter().filter(counts).collect();
    fresh.sort_by(|a, b| a.finding_id.cmp(&b.finding_id));
    let case = Case { decision, attribution, capabilities, fresh };
    let ruling = RULES.iter().find_map(|rule| rule(&case));
    case.verdict(ruling.unwrap_or_else(|| no_rule_matched(&case)))
}

/// Whether two names mean one commit. An abbreviation of a whole name is that commit: a finding must
/// not become stale because somebody wrote its commit short.
pub fn same_commit(a: &str, b: &str) -> bool {
    let (a, b) = (a.trim().to_ascii_lowercase(), b.trim().to_ascii_lowercase());
    let (short, long) = if a.len() <= b.len() { (&a, &b) } else { (&b, &a) };
    let hex = |text: &str| text.bytes().all(|c| c.is_ascii_hexdigit());
    let abbreviates = matches!(long.len(), 40 | 64) && hex(long) && short.len() >= 7;
    a == b || (abbreviates && long.starts_with(short.as_str()))
}

/// Rule 1: what only a person may judge. `CRITICAL7` is a classification, and the contract says *any*:
/// neither its age nor a dismissal takes it away, unlike a severity, which has to be fresh.
fn grave(case: &Case<'_>) -> Option<Ruling> {
    let verdict = VerdictWord::ChairRequired;
    let mut critical7: Vec<&Finding> =
        case.attribution.findings.iter().filter(|f| is_critical7(f)).collect();
    critical7.sort_by(|a, b| a.finding_id.cmp(&b.finding_id));
    if !critical7.is_empty() {
        return Some(Ruling { verdict, why: "CRITICAL7", seen: described(&critical7) });
    }
    let high: Vec<&Finding> =
        case.fresh.iter().copied().filter(|f| f.severity >= Severity::High).collect();
    (!high.is_empty()).then(|| Ruling {
        verdict,
        why: "NEW_HIGH_OR_CRITICAL",
        seen: described(&high),
    })
}

/// Rule 2: more than the task was for.
fn out_of_scope(case: &Case<'_>) -> Option<Ruling> {
    let d = case.decision;
    let expected: BTreeSet<&String> = d.expected_files.iter().collect();
    let strange = d.changed_files.iter().filter(|f| !expected.contains(f));
    let mut seen = listed("not among the expected files:", shown_sorted(strange));
    let actions = d.requested_actions.iter().filter(|a| case.is_barred(a));
    seen.extend(listed("requested, and for the chair alone:", shown_sorted(actions)));
    let why = "OUT_OF_SCOPE";
    (!seen.is_empty()).then_some(Ruling { verdict: VerdictWord::ChairRequired, why, seen })
}

/// Rule 3: a finding that counts stands in two rounds of the history, by its name or by its place. The
/// history holds the present round too, so two rounds are: now and before.
fn same_blocker_repeated(case: &Case<'_>) -> Option<Ruling> {
    let again: Vec<&Finding> =
        case.fresh.iter().copied().filter(|f| case.stood_before(f)).collect();
    (!again.is_empty()).then(|| Ruling {
        verdict: VerdictWord::LoopBoundary,
        why: "SAME_BLOCKER_REPEATED",
        seen: described(&again),
    })
}

/// Rule 4: there is something to mend, and a round to do it in.
fn medium_with_rounds_left(case: &Case<'_>) -> Option<Ruling> {
    let (round, max) = (case.decision.remediation_round, case.decision.max_rounds);
    let medium = case.medium();
    (!medium.is_empty() && round < max).then(|| Ruling {
        verdict: VerdictWord::AutoContinue,
        why: "MEDIUM_WITHIN_ROUNDS",
        seen: described(&medium).into_iter().chain([rounds(round, max)]).collect(),
    })
}

/// Rule 5: there is something to mend, and no round is left.
fn medium_without_rounds(case: &Case<'_>) -> Option<Ruling> {
    let (round, max) = (case.decision.remediation_round, case.decision.max_rounds);
    let medium = case.medium();
    (!medium.is_empty() && round >= max).then(|| Ruling {
        verdict: VerdictWord::DeferEvidenceResolve,
        why: "ROUNDS_USED_UP",
        seen: described(&medium).into_iter().chain([rounds(round, max)]).collect(),
    })
}

/// Rule 6: nothing but style and false positives counts, and at least one of them does. These are
/// resolved, not mended.
fn only_style(case: &Case<'_>) -> Option<Ruling> {
    (!case.fresh.is_empty() && case.fresh.iter().all(|f| is_style(f))).then(|| Ruling {
        verdict: VerdictWord::DeferEvidenceResolve,
        why: "ONLY_STYLE_OR_FALSE_POSITIVE",
        seen: described(&case.fresh),
    })
}

/// Rule 7: asked for, and nobody has wired it.
fn not_wired(case: &Case<'_>) -> Option<Ruling> {
    let actions = case.decision.requested_actions.iter().filter(|a| !case.is_wired(a));
    let seen = listed("requested, and its capability is not WIRED:", shown_sorted(actions));
    let verdict = VerdictWord::BlockedByCapability;
    (!seen.is_empty()).then_some(Ruling { verdict, why: "CAPABILITY_NOT_WIRED", seen })
}

/// Rule 8: a candidate. That nothing above matched is the caller's order. No gate at all proves
/// nothing, so it is not green.
fn merge_ready(case: &Case<'_>) -> Option<Ruling> {
    if !case.lacking().is_empty() {
        return None;
    }
    let stale = case.attribution.findings.len() - case.fresh.len();
    let seen = match stale {
        0 => Vec::new(),
        n => vec![format!("{n} stale or dismissed findings do not count")],
    };
    let verdict = VerdictWord::MergeReadyCandidate;
    Some(Ruling { verdict, why: "ALL_GATES_GREEN", seen })
}

/// None of them: a person is asked, with what the last rule lacked.
fn no_rule_matched(case: &Case<'_>) -> Ruling {
    let verdict = VerdictWord::ChairRequired;
    Ruling { verdict, why: "NO_RULE_MATCHED", seen: case.lacking() }
}

impl Case<'_> {
    /// Fresh findings of medium severity that are to be mended.
    fn medium(&self) -> Vec<&Finding> {
        let medium = |f: &&Finding| f.severity == Severity::Medium && !is_style(f);
        self.fresh.iter().copied().filter(medium).collect()
    }

    /// Forbidden by the artefact, or the chair's own.
    fn is_barred(&self, action: &str) -> bool {
        let forbidden = self.decision.forbidden_actions.iter();
        forbidden.map(String::as_str).chain(CHAIRS_OWN.iter().copied()).any(|f| same(f, action))
    }

    /// Whether every capability that an action needs is wired. One that is in no matrix is not.
    fn is_wired(&self, action: &str) -> bool {
        let wired =
            |name: &String| self.capabilities.capabilities.get(name).is_some_and(|c| c.wired);
        let needed = self.capabilities.required_for.iter().filter(|(a, _)| same(a, action));
        needed.map(|(_, name)| name).all(wired)
    }

    fn stood_before(&self, finding: &Finding) -> bool {
        let rounds = |is_it: &dyn Fn(&Past) -> bool| {
            let rounds: BTreeSet<u64> =
                self.attribution.history.iter().filter(|p| is_it(p)).map(|p| p.round).collect();
            rounds.len()
        };
        let by_name = rounds(&|p| p.finding_id == finding.finding_id);
        // What is in no file has no place to come back to.
        let somewhere = !finding.file.is_empty();
        let by_place =
            rounds(&|p| somewhere && (&p.file, &p.function) == (&finding.file, &finding.function));
        by_name.max(by_place) >= 2
    }

    /// What rule 8 lacks.
    fn lacking(&self) -> Vec<String> {
        let d = self.decision;
        let mut lacking = Vec::new();
        if !d.code_fix_applied {
            lacking.push("no code fix is applied".to_string());
        }
        if d.gates.is_empty() {
            lacking.push("no gate is named".to_string());
        }
        for (gate, word) in [(Gate::Red, "RED"), (Gate::Pending, "PENDING")] {
            let names = d.gates.iter().filter(|(_, g)| **g == gate).map(|(name, _)| name);
            lacking.extend(listed(&format!("gates that are {word}:"), shown_sorted(names)));
        }
        if d.secret_literal_count > 0 {
            lacking.push(format!("{} secret literals", d.secret_literal_count));
        }
        lacking
    }

    fn verdict(&self, ruling: Ruling) -> Verdict {
        let Ruling { verdict, why, seen } = ruling;
        let no_fix = matches!(
            verdict,
            VerdictWord::ChairRequired
                | VerdictWord::LoopBoundary
                | VerdictWord::DeferEvidenceResolve
        );
        let forbidden = shown_all(self.decision.forbidden_actions.iter());
        let barred = |action: &str| {
            // As shown too: two long names may be cut to one.
            self.is_barred(action)
                || forbidden.iter().any(|f| same(f, &shown(action)))
                || MERGING.iter().any(|m| same(m, action))
                || (no_fix && same(CODE_FIX, action))
        };
        let asked = self.decision.next_allowed_actions.iter();
        let allowed = shown_all(asked.filter(|a| self.is_wired(a) && !barred(a)));
        let goes_on = u64::from(verdict == VerdictWord::AutoContinue);
        let for_chair = matches!(verdict, VerdictWord::ChairRequired | VerdictWord::LoopBoundary);
        Verdict {
            schema: "bounded_loop_verdict_v1",
            verdict,
            reasons: std::iter::once(why.to_string()).chain(seen).collect(),
            next_allowed_actions: allowed,
            forbidden_actions: forbidden,
            remediation_round_after: self.decision.remediation_round.saturating_add(goes_on),
            chair_required_reason: for_chair.then(|| why.to_string()),
        }
    }
}

/// Names of actions are compared as they are shown and without case: neither `Activation` nor one
/// with a character that nobody sees is a way around `activation`.
fn same(a: &str, b: &str) -> bool {
    sanitize(a).trim().eq_ignore_ascii_case(sanitize(b).trim())
}

fn is_critical7(finding: &Finding) -> bool {
    same(&finding.classification, "CRITICAL7")
}

fn is_style(finding: &Finding) -> bool {
    matches!(finding.classification.as_str(), "style" | "false_positive")
}

/// Names, safe and in their order whatever the input's was.
fn shown_sorted<'a>(names: impl Iterator<Item = &'a String>) -> Vec<String> {
    let sorted: BTreeSet<String> = names.map(|n| shown(n)).collect();
    sorted.into_iter().collect()
}

/// One line, or none where there are no names.
fn listed(what: &str, mut names: Vec<String>) -> Vec<String> {
    if names.is_empty() {
        return Vec::new();
    }
    let more = names.len().saturating_sub(NAMED);
    names.truncate(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    vec![format!("{what} {}{more}", names.join(", "))]
}

/// A line for each finding.
fn described(findings: &[&Finding]) -> Vec<String> {
    let one = |f: &&Finding| {
        let place = match (f.file.is_empty(), f.function.is_empty()) {
            (true, true) => String::new(),
            (true, false) => format!(" in {}", shown(&f.function)),
            (false, true) => format!(" in {}", shown(&f.file)),
            (false, false) => format!(" in {}, {}", shown(&f.file), shown(&f.function)),
        };
        format!("{} {}{place}", f.severity.word(), shown(&f.finding_id))
    };
    let mut lines: Vec<String> = findings.iter().take(NAMED).map(one).collect();
    if findings.len() > NAMED {
        lines.push(format!("and {} more findings", findings.len() - NAMED));
    }
    lines
}

fn rounds(round: u64, max: u64) -> String {
    format!("round {round} of {max}")
}
