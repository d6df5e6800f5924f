//! Why a commit is blocked: atomic texts that other tools read and write, so parsing and printing
//! are exact inverses and an unknown text survives unchanged.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::end::words;

words! {
    /// What a reason asks to have mended, as fixers name it in `kinds`.
    Kind {
        /// Findings of the forge's CI.
        Ci = "ci",
        /// Findings of linters.
        Lint = "lint",
        /// Failing tests.
        Tests = "tests",
        /// Code that no test runs.
        Coverage = "coverage",
        /// Functions with too many paths.
        Complexity = "complexity",
        /// Vulnerable dependencies.
        Dependencies = "dependencies",
        /// Changes outside the plan.
        Drift = "drift",
        /// A reason of another tool that has no meaning here.
        Unknown = "unknown",
    }
}

impl Kind {
    /// The kinds that a fixer can be configured for.
    pub fn for_fixers() -> impl Iterator<Item = Kind> {
        Kind::ALL.iter().copied().filter(|k| *k != Kind::Unknown)
    }
}

/// One reason. Figures are kept as they were written, so that printing gives back the same text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum BlockReason {
    /// `coverage_below_threshold:X<Y`, percent of lines.
    CoverageBelowThreshold(String, String),
    /// `coverage_delta:X<Y`, percentage points against the base.
    CoverageDelta(String, String),
    /// `patch_coverage:X<Y`, percent of the changed coverable lines.
    PatchCoverage(String, String),
    /// `lint_errors:N>M`.
    LintErrors(u64, u64),
    /// `complexity_max:X>Y`.
    ComplexityMax(u64, u64),
    /// `ci_critical:N>M`.
    CiCritical(u64, u64),
    /// `ci_high:critical=N,high=M`.
    CiHigh(u64, u64),
    /// `test_failures:N>M`.
    TestFailures(u64, u64),
    /// `vulnerabilities:critical=N,high=M`.
    Vulnerabilities(u64, u64),
    /// `drift_severity:high`, and the old spelling `drift_severity_high`.
    DriftHigh {
        /// Written with an underscore.
        old_spelling: bool,
    },
    /// Anything else, kept to the letter.
    Other(String),
}

impl BlockReason {
    /// Reads a reason; what is not exactly one of the known forms is [`BlockReason::Other`].
    pub fn parse(text: &str) -> BlockReason {
        let known = match text.split_once(':') {
            Some((name, figures)) => known(name, figures),
            None if text == "drift_severity_high" => {
                Some(BlockReason::DriftHigh { old_spelling: true })
            }
            None => None,
        };
        match known {
            // A text that would not be printed back to the letter ("007", "+3") is not ours.
            Some(reason) if reason.to_string() == text => reason,
            _ => BlockReason::Other(text.to_string()),
        }
    }

    /// The name in front of the figures; the whole text where it is unknown.
    pub fn name(&self) -> &str {
        match self {
            BlockReason::CoverageBelowThreshold(..) => "coverage_below_threshold",
            BlockReason::CoverageDelta(..) => "coverage_delta",
            BlockReason::PatchCoverage(..) => "patch_coverage",
            BlockReason::LintErrors(..) => "lint_errors",
            BlockReason::ComplexityMax(..) => "complexity_max",
            BlockReason::CiCritical(..) => "ci_critical",
            BlockReason::CiHigh(..) => "ci_high",
            BlockReason::TestFailures(..) => "test_failures",
            BlockReason::Vulnerabilities(..) => "vulnerabilities",
            BlockReason::DriftHigh { .. } => "drift_severity",
            BlockReason::Other(text) => text,
        }
    }
}

fn known(name: &str, figures: &str) -> Option<BlockReason> {
    let above =
        || figures.split_once('>').and_then(|(n, m)| Some((n.parse().ok()?, m.parse().ok()?)));
    let below = || {
        let (x, y) = figures.split_once('<')?;
        let decimal = |t: &str| super::ratio::Decimal::parse(t).is_some();
        (decimal(x) && decimal(y)).then(|| (x.to_string(), y.to_string()))
    };
    let levels = || {
        let (n, m) = figures.strip_prefix("critical=")?.split_once(",high=")?;
        Some((n.parse().ok()?, m.parse().ok()?))
    };
    Some(match name {
        "coverage_below_threshold" => {
            let (x, y) = below()?;
            BlockReason::CoverageBelowThreshold(x, y)
        }
        "coverage_delta" => {
            let (x, y) = below()?;
            BlockReason::CoverageDelta(x, y)
        }
        "patch_coverage" => {
            let (x, y) = below()?;
            BlockReason::PatchCoverage(x, y)
        }
        "lint_errors" => above().map(|(n, m)| BlockReason::LintErrors(n, m))?,
        "complexity_max" => above().map(|(n, m)| BlockReason::ComplexityMax(n, m))?,
        "ci_critical" => above().map(|(n, m)| BlockReason::CiCritical(n, m))?,
        "test_failures" => above().map(|(n, m)| BlockReason::TestFailures(n, m))?,
        "ci_high" => levels().map(|(n, m)| BlockReason::CiHigh(n, m))?,
        "vulnerabilities" => levels().map(|(n, m)| BlockReason::Vulnerabilities(n, m))?,
        "drift_severity" if figures == "high" => BlockReason::DriftHigh { old_spelling: false },
        _ => return None,
    })
}

impl fmt::Display for BlockReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name();
        match self {
            BlockReason::CoverageBelowThreshold(x, y)
            | BlockReason::CoverageDelta(x, y)
            | BlockReason::PatchCoverage(x, y) => write!(f, "{name}:{x}<{y}"),
            BlockReason::LintErrors(n, m)
            | BlockReason::ComplexityMax(n, m)
            | BlockReason::CiCritical(n, m)
            | BlockReason::TestFailures(n, m) => write!(f, "{name}:{n}>{m}"),
            BlockReason::CiHigh(n, m) | BlockReason::Vulnerabilities(n, m) => {
                write!(f, "{name}:critical={n},high={m}")
            }
            BlockReason::DriftHigh { old_spelling: true } => write!(f, "{name}_high"),
            BlockReason::DriftHigh { old_spelling: false } => write!(f, "{name}:high"),
            BlockReason::Other(text) => f.write_str(text),
        }
    }
}

impl From<String> for BlockReason {
    fn from(text: String) -> Self {
        BlockReason::parse(&text)
    }
}

impl From<BlockReason> for String {
    fn from(reason: BlockReason) -> Self {
        reason.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_form_is_read_and_printed_back() {
        for (text, name) in [
            ("coverage_below_threshold:55.5<60.0", "coverage_below_threshold"),
            ("coverage_below_threshold:55<60", "coverage_below_threshold"),
            ("coverage_delta:-6.2<-5.0", "coverage_delta"),
            ("patch_coverage:0.0<80.0", "patch_coverage"),
            ("lint_errors:3>0", "lint_errors"),
            ("complexity_max:20>15", "complexity_max"),
            ("ci_critical:1>0", "ci_critical"),
            ("ci_high:critical=0,high=2", "ci_high"),
            ("test_failures:2>0", "test_failures"),
            ("vulnerabilities:critical=1,high=0", "vulnerabilities"),
            ("drift_severity:high", "drift_severity"),
            ("drift_severity_high", "drift_severity"),
        ] {
            let reason = BlockReason::parse(text);
            assert_eq!((reason.name(), reason.to_string().as_str()), (name, text));
            assert!(!matches!(reason, BlockReason::Other(_)), "{text}");
        }
    }

    #[test]
    fn what_is_not_exactly_a_known_form_is_kept_as_it_is() {
        for text in [
            "lint_errors:3>",
            "lint_errors:+3>0",
            "lint_errors:03>0",
            "lint_errors: 3>0",
            "lint_errors:3<0",
            "lint_errors",
            "drift_severity:low",
            "coverage_below_threshold:55,5<60",
            "new_rule:1>0",
            "",
            ":",
        ] {
            assert_eq!(BlockReason::parse(text), BlockReason::Other(text.to_string()));
        }
    }

    proptest::proptest! {
        #[test]
        fn printing_is_the_inverse_of_parsing(text in ".{0,40}") {
            proptest::prop_assert_eq!(BlockReason::parse(&text).to_string(), text);
        }
    }
}
