//! Several checks' figures become one commit's evidence: findings go where their check's dimension
//! sends them, and what could not be measured is named.

use std::collections::{BTreeMap, BTreeSet};

use super::ci::CiFound;
use super::drift::Drift;
use crate::model::{
    Advisory, CoverageFigures, Dimension, Figures, Finding, FunctionComplexity, Level, TestFigures,
    TestStatus, advisory,
};

/// Which score a check's findings count in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bucket {
    /// Lint errors: the default.
    Quality,
    /// Security findings.
    Security,
    /// Dead code.
    DeadCode,
    /// Type errors.
    Types,
}

impl Bucket {
    /// The word in `dimension = "…"`.
    pub fn parse(word: &str) -> Option<Bucket> {
        Some(match word {
            "quality" => Bucket::Quality,
            "security" => Bucket::Security,
            "dead_code" => Bucket::DeadCode,
            "types" => Bucket::Types,
            _ => return None,
        })
    }

    /// All words.
    pub const WORDS: &'static [&'static str] = &["quality", "security", "dead_code", "types"];

    fn dimension(self) -> Dimension {
        match self {
            Bucket::Security => Dimension::Security,
            _ => Dimension::Quality,
        }
    }
}

/// A check that gave figures, or did not.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckResult {
    /// Its name.
    pub name: String,
    /// Where its findings count.
    pub bucket: Bucket,
    /// Whether the commit cannot be judged without it.
    pub required: bool,
    /// What it feeds if its format is configured: known even where it gave nothing.
    pub feeds: Option<Dimension>,
    /// The version of its tool, where it is known.
    pub version: Option<String>,
    /// Its figures, or why there are none.
    pub figures: Result<Figures, String>,
}

/// All that is known about one commit.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Evidence {
    /// Findings in bucket quality.
    pub lint: Option<Vec<Finding>>,
    /// Findings in bucket security.
    pub security: Option<Vec<Finding>>,
    /// Findings in bucket dead_code.
    pub dead_code: Option<Vec<Finding>>,
    /// Findings in bucket types.
    pub types: Option<Vec<Finding>>,
    /// Test cases.
    pub tests: Option<TestFigures>,
    /// Coverage.
    pub coverage: Option<CoverageFigures>,
    /// Functions.
    pub complexity: Option<Vec<FunctionComplexity>>,
    /// Advisories, each once over all checks.
    pub dependencies: Option<Vec<Advisory>>,
    /// How many advisories checks say that somebody put aside.
    pub advisories_suppressed: u64,
    /// How many entries of audits are no vulnerability of what runs.
    pub advisories_ignored: u64,
    /// Critical and high findings of the forge's CI.
    pub ci: Option<(u64, u64)>,
    /// Those findings, where they are listed.
    pub ci_found: CiFound,
    /// Why nothing is known of them, where they were to be.
    pub ci_unknown: Option<String>,
    /// The change was made by a bot.
    pub is_bot: bool,
    /// Against plan and architecture, where anything of it was measured.
    pub drift: Option<Drift>,
    /// Required checks without figures: name and why.
    pub missing: Vec<(String, String)>,
    /// Other checks without figures.
    pub absent: Vec<(String, String)>,
    /// Dimensions that the configured checks were to measure.
    pub planned: BTreeSet<&'static str>,
    /// Results that the tools report as suppressed, where any tool reports findings.
    pub suppressed: Option<u64>,
    /// Check → the version of its tool, where it is known.
    pub versions: BTreeMap<String, String>,
    /// Tool that reported findings → the checks that ran it.
    pub tools: BTreeMap<String, BTreeSet<String>>,
}

impl Evidence {
    /// Gathers the checks of one commit, in the order of the configuration.
    pub fn gather(checks: &[CheckResult]) -> Evidence {
        let mut evidence = Evidence::default();
        for check in checks {
            match &check.figures {
                Ok(figures) => evidence.add(check, figures),
                Err(why) if check.required => {
                    evidence.missing.push((check.name.clone(), why.clone()));
                }
                Err(why) => evidence.absent.push((check.name.clone(), why.clone())),
            }
            // what gave figures says itself what of
            if let (Some(dimension), Err(_)) = (check.feeds, &check.figures) {
                evidence.planned.insert(dimension.word());
            }
        }
        evidence
    }

    /// The evidence of one check alone, whose findings are taken and not copied.
    pub fn of_one(mut check: CheckResult) -> Evidence {
        let findings = match &mut check.figures {
            Ok(figures) => figures.lint.as_mut().map(|lint| std::mem::take(&mut lint.findings)),
            Err(_) => None,
        };
        let mut evidence = Evidence::gather(std::slice::from_ref(&check));
        if let Some(findings) = findings {
            evidence.add_tools(&check, &findings);
            *evidence.bucket(check.bucket) = Some(findings);
        }
        evidence
    }

    fn bucket(&mut self, bucket: Bucket) -> &mut Option<Vec<Finding>> {
        match bucket {
            Bucket::Quality => &mut self.lint,
            Bucket::Security => &mut self.security,
            Bucket::DeadCode => &mut self.dead_code,
            Bucket::Types => &mut self.types,
        }
    }

    fn add_tools(&mut self, check: &CheckResult, findings: &[Finding]) {
        for finding in findings {
            if !self.tools.get(finding.tool.as_str()).is_some_and(|c| c.contains(&check.name)) {
                self.tools.entry(finding.tool.to_string()).or_default().insert(check.name.clone());
            }
        }
    }

    fn add(&mut self, check: &CheckResult, figures: &Figures) {
        if let Some(lint) = &figures.lint {
            self.add_tools(check, &lint.findings);
            let suppressed = self.suppressed.get_or_insert_default();
            *suppressed = suppressed.saturating_add(lint.suppressed);
            if let Some(version) = check.version.as_ref().or(lint.tool_version.as_ref()) {
                self.versions.insert(check.name.clone(), version.clone());
            }
            let bucket = self.bucket(check.bucket).get_or_insert_default();
            bucket.extend(lint.findings.iter().cloned());
            self.planned.insert(check.bucket.dimension().word());
        }
        if let Some(tests) = &figures.tests {
            self.tests.get_or_insert_default().cases.extend(tests.cases.iter().cloned());
        }
        if let Some(coverage) = &figures.coverage {
            self.coverage = Some(match self.coverage.take() {
                None => coverage.clone(),
                Some(have) => crate::rules::compare::union_coverage(&have, coverage),
            });
            self.planned.insert(Dimension::Coverage.word());
        }
        if let Some(complexity) = &figures.complexity {
            self.complexity.get_or_insert_default().extend(complexity.iter().cloned());
            self.planned.insert(Dimension::Quality.word());
        }
        if let Some(dependencies) = &figures.dependencies {
            let have = self.dependencies.take().unwrap_or_default();
            let all = have.into_iter().chain(dependencies.advisories.iter().cloned());
            self.dependencies = Some(advisory::merged(all));
            let more = (dependencies.suppressed, dependencies.ignored);
            self.advisories_suppressed = self.advisories_suppressed.saturating_add(more.0);
            self.advisories_ignored = self.advisories_ignored.saturating_add(more.1);
            self.planned.insert(Dimension::Security.word());
        }
    }

    /// Findings of level error in bucket quality, with their index among all of it.
    pub fn lint_errors(&self) -> Option<Vec<(usize, &Finding)>> {
        let all = self.lint.as_ref()?.iter().enumerate();
        Some(all.filter(|(_, f)| f.level == Level::Error).collect())
    }

    /// Identities of the tests that failed or errored.
    pub fn failing_tests(&self) -> Option<Vec<&str>> {
        let failing = |s| matches!(s, TestStatus::Failed | TestStatus::Errored);
        let tests = self.tests.as_ref()?;
        Some(tests.cases.iter().filter(|c| failing(c.status)).map(|c| c.id.as_str()).collect())
    }
}
