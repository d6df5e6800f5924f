//! How bad an advisory is: words of tools, CVSS scores, and CVSS v3 vectors.
//!
//! The bands are those of CVSS v3.1, 5 ("Qualitative Severity Rating Scale"); what has no impact at
//! all, or is said to be negligible, still is an advisory and therefore low. The base score of a
//! vector goes by the equations of the specification (first.org/cvss/v3.1/specification-document,
//! 7.1, rounding after appendix A). Vectors of v2 and v4 are not computed: where nothing else is
//! given, the severity is unknown, which is never taken for low.

use serde::Deserialize;

use crate::formats::json::{Loose, Text};
use crate::model::Severity;

/// What npm's registry says beside a word.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Cvss {
    score: Option<Loose>,
    vector_string: Option<Loose>,
}

/// The severity that npm's registry gives.
pub(super) fn of_npm(said: Option<Text>, cvss: Option<Cvss>) -> Severity {
    let (vector, score) = cvss.map_or((None, None), |c| (c.vector_string, c.score));
    let (vector, score) = (vector.and_then(|v| v.0), score.and_then(|s| s.0));
    first(said.map(|s| s.0).as_deref(), vector.as_deref(), score.as_deref())
}

/// The severity that a word stands for; none where it stands for none.
pub(super) fn word(text: &str) -> Option<Severity> {
    Some(match text.trim().to_ascii_lowercase().as_str() {
        "critical" | "defcon1" => Severity::Critical,
        "high" | "important" => Severity::High,
        "medium" | "moderate" => Severity::Medium,
        "low" | "minor" | "negligible" | "info" | "informational" | "none" => Severity::Low,
        _ => return None,
    })
}

/// The severity of a CVSS score; 0 is what reports write where there is no score.
pub(super) fn score(text: &str) -> Option<Severity> {
    let score: f64 = text.trim().parse().ok()?;
    Some(match score {
        s if !(s > 0.0 && s <= 10.0) => return None,
        s if s >= 9.0 => Severity::Critical,
        s if s >= 7.0 => Severity::High,
        s if s >= 4.0 => Severity::Medium,
        _ => Severity::Low,
    })
}

/// The severity of a CVSS v3 vector, with or without its `CVSS:3.1/` in front.
pub(super) fn vector(text: &str) -> Option<Severity> {
    let base = base_score(text)?;
    if base == 0.0 { Some(Severity::Low) } else { score(&base.to_string()) }
}

/// The first of these that says something: a word, a vector, a score.
pub(super) fn first(
    said: Option<&str>,
    by_vector: Option<&str>,
    by_score: Option<&str>,
) -> Severity {
    let known = said.and_then(word).or_else(|| by_vector.and_then(vector));
    known.or_else(|| by_score.and_then(score)).unwrap_or(Severity::Unknown)
}

/// The metric's letter in a vector.
fn metric<'a>(vector: &'a str, name: &str) -> Option<&'a str> {
    vector.split('/').find_map(|part| part.split_once(':').filter(|(n, _)| *n == name)).map(|m| m.1)
}

fn base_score(text: &str) -> Option<f64> {
    let text = text.trim();
    let vector = match text.split_once('/') {
        Some(("CVSS:3.0" | "CVSS:3.1", rest)) => rest,
        _ if text.starts_with("CVSS:") => return None,
        _ => text,
    };
    let of = |name: &str, values: &[(&str, f64)]| {
        let letter = metric(vector, name)?;
        values.iter().find(|(l, _)| *l == letter).map(|(_, value)| *value)
    };
    let changed = match metric(vector, "S")? {
        "C" => true,
        "U" => false,
        _ => return None,
    };
    let (low, high) = if changed { (0.68, 0.5) } else { (0.62, 0.27) };
    let exploitability = 8.22
        * of("AV", &[("N", 0.85), ("A", 0.62), ("L", 0.55), ("P", 0.2)])?
        * of("AC", &[("L", 0.77), ("H", 0.44)])?
        * of("PR", &[("N", 0.85), ("L", low), ("H", high)])?
        * of("UI", &[("N", 0.85), ("R", 0.62)])?;
    let loss = |name| of(name, &[("H", 0.56), ("L", 0.22), ("N", 0.0)]).map(|v| 1.0 - v);
    let iss = 1.0 - loss("C")? * loss("I")? * loss("A")?;
    let impact =
        if changed { 7.52 * (iss - 0.029) - 3.25 * (iss - 0.02).powi(15) } else { 6.42 * iss };
    if impact <= 0.0 {
        return Some(0.0);
    }
    let sum = if changed { 1.08 * (impact + exploitability) } else { impact + exploitability };
    Some(round_up(sum.min(10.0)))
}

/// The smallest number with one decimal that is not less, safe from the noise of binary fractions.
fn round_up(value: f64) -> f64 {
    let whole = (value * 100_000.0).round();
    if whole % 10_000.0 == 0.0 {
        whole / 100_000.0
    } else {
        ((whole / 10_000.0).floor() + 1.0) / 10.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_scores_of_the_specification() {
        // Worked examples of FIRST: first.org/cvss/v3.1/examples.
        for (vector, want) in [
            ("CVSS:3.1/AV:N/AC:L/PR:L/UI:N/S:U/C:H/I:H/A:H", 8.8),
            ("CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H", 9.8),
            ("CVSS:3.0/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H", 10.0),
            ("CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N", 6.1),
            ("CVSS:3.1/AV:N/AC:H/PR:N/UI:R/S:U/C:L/I:N/A:N", 3.1),
            ("CVSS:3.1/AV:N/AC:L/PR:L/UI:N/S:C/C:L/I:L/A:N", 6.4),
            ("AV:L/AC:L/PR:L/UI:N/S:U/C:H/I:H/A:H", 7.8),
            ("CVSS:3.1/AV:P/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N", 0.0),
            ("CVSS:3.1/AV:N/AC:L/PR:H/UI:N/S:U/C:H/I:H/A:H/E:P/RL:O", 7.2),
        ] {
            assert_eq!(base_score(vector), Some(want), "{vector}");
        }
        for vector in [
            "CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:P/VC:N/VI:L/VA:N/SC:L/SI:H/SA:L",
            "AV:N/AC:M/Au:N/C:C/I:C/A:C",
            "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H",
            "CVSS:3.1/AV:X/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H",
            "OWASP/K9:M1:O0",
            "",
        ] {
            assert_eq!(base_score(vector), None, "{vector}");
        }
    }

    #[test]
    fn unknown_is_never_low() {
        for text in ["unknown", "", "unassigned", "?"] {
            assert_eq!(first(Some(text), None, Some("0")), Severity::Unknown, "{text}");
        }
        assert_eq!(first(None, Some("CVSS:4.0/AV:N"), Some("NaN")), Severity::Unknown);
        assert_eq!(first(None, Some("CVSS:4.0/AV:N"), Some("9.1")), Severity::Critical);
        assert_eq!(first(Some("Important"), None, Some("9.9")), Severity::High);
        assert_eq!(first(Some("unknown"), None, Some("3.9")), Severity::Low);
        assert_eq!(score("11"), None);
    }
}
