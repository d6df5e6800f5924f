//! `[policy]` → [`Thresholds`].

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, de::Error as _};

use crate::model::{Decimal, Dimension};
use crate::rules::thresholds::{CiLevel, Severity, Thresholds};

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawPolicy {
    #[serde(deserialize_with = "percent")]
    min_coverage: Option<Decimal>,
    #[serde(deserialize_with = "percent")]
    max_coverage_drop: Option<Decimal>,
    max_lint_errors: Option<u64>,
    max_test_failures: Option<u64>,
    max_complexity: Option<u64>,
    #[serde(deserialize_with = "percent")]
    min_patch_coverage: Option<Decimal>,
    patch_coverage_min_lines: Option<u64>,
    max_vulnerabilities: Option<MaxVulnerabilities>,
    ci_level: Option<RawCiLevel>,
    drift: Option<RawSeverity>,
    on_degraded: Option<BlockOrWarn>,
    hold_the_line: Option<bool>,
    weights: Option<ByDimension>,
    hard_floors: Option<ByDimension>,
    regression_budget: Option<Budgets>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MaxVulnerabilities {
    #[serde(default)]
    critical: u64,
    #[serde(default)]
    high: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum RawCiLevel {
    Critical,
    High,
    Off,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum RawSeverity {
    Block,
    Warn,
    Off,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum BlockOrWarn {
    Block,
    Warn,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Budgets {
    hard_block: Option<ByDimension>,
    warn_reviewer: Option<ByDimension>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ByDimension {
    security: Option<f64>,
    quality: Option<f64>,
    coverage: Option<f64>,
    spec_compliance: Option<f64>,
    discipline: Option<f64>,
    overall: Option<f64>,
}

impl ByDimension {
    fn over(self, values: &mut BTreeMap<&'static str, f64>) {
        let given = [
            (Dimension::Security.word(), self.security),
            (Dimension::Quality.word(), self.quality),
            (Dimension::Coverage.word(), self.coverage),
            (Dimension::SpecCompliance.word(), self.spec_compliance),
            (Dimension::Discipline.word(), self.discipline),
            ("overall", self.overall),
        ];
        values.extend(given.into_iter().filter_map(|(name, v)| Some((name, v?))));
    }
}

impl RawPolicy {
    /// Over the defaults. The error is a sentence and the table it belongs to.
    pub(super) fn thresholds(self) -> Result<Thresholds, (&'static str, String)> {
        let mut t = Thresholds::default();
        set(&mut t.min_coverage, self.min_coverage);
        set(&mut t.max_coverage_drop, self.max_coverage_drop);
        set(&mut t.max_lint_errors, self.max_lint_errors);
        set(&mut t.max_test_failures, self.max_test_failures);
        set(&mut t.max_complexity, self.max_complexity);
        set(&mut t.min_patch_coverage, self.min_patch_coverage);
        set(&mut t.patch_coverage_min_lines, self.patch_coverage_min_lines);
        set(&mut t.max_vulnerabilities, self.max_vulnerabilities.map(|m| (m.critical, m.high)));
        set(&mut t.hold_the_line, self.hold_the_line);
        set(&mut t.ci_level, self.ci_level.map(RawCiLevel::value));
        set(&mut t.drift, self.drift.map(RawSeverity::value));
        let degraded = self.on_degraded.map(|d| match d {
            BlockOrWarn::Block => Severity::Block,
            BlockOrWarn::Warn => Severity::Warn,
        });
        set(&mut t.on_degraded, degraded);
        if let Some(weights) = self.weights {
            if weights.overall.is_some() {
                return Err((
                    "policy.weights",
                    "overall is the weighted mean; it has no weight".into(),
                ));
            }
            weights.over(&mut t.weights);
        }
        if let Some(floors) = self.hard_floors {
            floors.over(&mut t.hard_floors);
        }
        if let Some(budgets) = self.regression_budget {
            budgets.hard_block.into_iter().for_each(|b| b.over(&mut t.hard_block));
            budgets.warn_reviewer.into_iter().for_each(|b| b.over(&mut t.warn_reviewer));
        }
        check_sums(&t)?;
        Ok(t)
    }
}

fn check_sums(t: &Thresholds) -> Result<(), (&'static str, String)> {
    let sum: f64 = t.weights.values().sum();
    let negative = t.weights.values().any(|w| *w < 0.0 || !w.is_finite());
    if negative || (sum - 1.0).abs() > 0.01 {
        let text =
            format!("the weights sum to {sum:.2}; they must be positive and sum to 1 ± 0.01");
        return Err(("policy.weights", text));
    }
    if let Some((name, value)) = t.hard_floors.iter().find(|(_, v)| !(0.0..=100.0).contains(*v)) {
        let text = format!("{name} = {value}: a score is from 0 to 100");
        return Err(("policy.hard_floors", text));
    }
    for (table, budgets) in [
        ("policy.regression_budget.hard_block", &t.hard_block),
        ("policy.regression_budget.warn_reviewer", &t.warn_reviewer),
    ] {
        if let Some((name, value)) = budgets.iter().find(|(_, v)| !v.is_finite() || **v > 0.0) {
            let text = format!(
                "{name} = {value}: a budget is 0 or negative (points that a score may fall)"
            );
            return Err((table, text));
        }
    }
    Ok(())
}

fn set<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}

impl RawCiLevel {
    fn value(self) -> CiLevel {
        match self {
            RawCiLevel::Critical => CiLevel::Critical,
            RawCiLevel::High => CiLevel::High,
            RawCiLevel::Off => CiLevel::Off,
        }
    }
}

impl RawSeverity {
    fn value(self) -> Severity {
        match self {
            RawSeverity::Block => Severity::Block,
            RawSeverity::Warn => Severity::Warn,
            RawSeverity::Off => Severity::Off,
        }
    }
}

fn percent<'de, D: Deserializer<'de>>(d: D) -> Result<Option<Decimal>, D::Error> {
    let value = f64::deserialize(d)?;
    let decimal = Decimal::from_f64(value).filter(|_| (0.0..=100.0).contains(&value));
    let wrong =
        || D::Error::custom(format!("{value} is no percentage; write a number from 0 to 100"));
    decimal.map(Some).ok_or_else(wrong)
}
