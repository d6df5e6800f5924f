//! The rules by name.

use super::Severity::{self, Escalate, Reject, Warn};

/// One rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// `AG08`.
    pub id: &'static str,
    /// A few words.
    pub name: &'static str,
    /// What a hit leads to, unless the hit says otherwise.
    pub severity: Severity,
}

/// The rule of this identifier.
pub fn rule(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|r| r.id == id)
}

const fn of(id: &'static str, severity: Severity, name: &'static str) -> Rule {
    Rule { id, name, severity }
}

/// All of them, by identifier. Numbers that are missing are held elsewhere (protected paths, the
/// evidence itself, a state that comes back) or not looked for yet.
pub static RULES: &[Rule] = &[
    of("AG02", Reject, "a test file was deleted, or renamed out of discovery"),
    of("AG03", Reject, "tests that ran before are in no report any more"),
    of("AG04", Reject, "fewer tests were run"),
    of("AG05", Reject, "a test that ran before is skipped"),
    of("AG06", Reject, "the target is not proved"),
    of("AG08", Reject, "a skip was added"),
    of("AG09", Reject, "a suppression was added"),
    of("AG10", Reject, "a suppression was widened"),
    of("AG11", Escalate, "assertions were lost"),
    of("AG12", Reject, "an assertion was weakened"),
    of("AG13", Reject, "the expectation of the failing test was edited"),
    of("AG14", Escalate, "a golden file or snapshot was rewritten"),
    of("AG15", Reject, "a test asserts nothing"),
    of("AG16", Reject, "a threshold was weakened"),
    of("AG17", Reject, "a rule set was weakened"),
    of("AG18", Reject, "the scope of a check shrank"),
    of("AG19", Reject, "a baseline of accepted findings grew"),
    of("AG20", Reject, "CI was softened"),
    of("AG21", Reject, "an exit code is masked"),
    of("AG22", Reject, "the test harness was tampered with"),
    of("AG23", Reject, "an early exit with success was added"),
    of("AG24", Reject, "a comparison or a clock was hijacked"),
    of("AG25", Reject, "product code asks whether it is under test"),
    of("AG26", Escalate, "values of the failing test are special cases in the code"),
    of("AG27", Escalate, "an error is swallowed"),
    of("AG28", Reject, "the body of a function was gutted"),
    of("AG29", Reject, "coverage rose only because less is counted"),
    of("AG30", Reject, "less was analysed"),
    of("AG31", Reject, "code was marked as generated or vendored"),
    of("AG32", Reject, "advisories are ignored"),
    of("AG34", Reject, "git's own plumbing was touched"),
    of("AG35", Reject, "something hidden was added"),
    of("AG36", Escalate, "a test was made to pass by patience"),
    of("AG37", Reject, "code was commented out"),
    of("AG38", Reject, "the selection of tests was narrowed"),
    of("AG39", Warn, "the change is larger than its reason"),
    of("AG40", Escalate, "something is better without a cause"),
    of("AG43", Reject, "a secret or a path of one machine was added"),
    of("AG44", Reject, "line ends or encoding of a whole file were flipped"),
    of("AG46", Reject, "with the tests and settings of before something is worse"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_in_order_and_each_is_one() {
        let ids: Vec<&str> = RULES.iter().map(|r| r.id).collect();
        let mut sorted = ids.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(ids, sorted);
        assert!(rule("AG08").is_some() && rule("AG01").is_none());
    }
}
