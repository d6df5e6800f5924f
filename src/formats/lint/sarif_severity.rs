//! How severe a SARIF result is, beyond its level: the words and numbers that scanners keep in
//! property bags, and the bands that code scanning makes of the numbers.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::formats::json::{Loose, Text};
use crate::model::{Level, Severity};

/// What a property bag says of severity. A bag of another shape says nothing and harms nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct Bag {
    qodana: Option<String>,
    severity: Option<String>,
    security: Option<String>,
}

impl Bag {
    /// `qodanaSeverity` or `severity`, where it is a word that is known.
    fn word(&self) -> Option<Severity> {
        [&self.qodana, &self.severity].into_iter().flatten().find_map(|w| of_word(w))
    }

    /// `security-severity`, a score from 0 to 10.
    fn score(&self) -> Option<Severity> {
        let score: f64 = self.security.as_ref()?.trim().parse().ok()?;
        if !(0.0..=10.0).contains(&score) {
            return None;
        }
        Some(match score {
            s if s >= 9.0 => Severity::Critical,
            s if s >= 7.0 => Severity::High,
            s if s >= 4.0 => Severity::Medium,
            _ => Severity::Low,
        })
    }
}

/// A word before a number, a number before the level; of each the result's own before its rule's.
pub(super) fn severity(result: &Bag, rule: Option<&Bag>, level: Level) -> Severity {
    let bags = || std::iter::once(result).chain(rule);
    bags().find_map(Bag::word).or_else(|| bags().find_map(Bag::score)).unwrap_or(match level {
        Level::Error => Severity::High,
        Level::Warning => Severity::Medium,
        Level::Note | Level::None => Severity::Low,
    })
}

fn of_word(word: &str) -> Option<Severity> {
    Some(match word.trim().to_ascii_lowercase().as_str() {
        "critical" => Severity::Critical,
        "high" => Severity::High,
        "moderate" | "medium" => Severity::Medium,
        "low" | "info" => Severity::Low,
        _ => return None,
    })
}

impl<'de> Deserialize<'de> for Bag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyBag)
    }
}

struct AnyBag;

impl<'de> Visitor<'de> for AnyBag {
    type Value = Bag;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("properties")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Bag, A::Error> {
        let mut bag = Bag::default();
        while let Some(key) = map.next_key::<Text>()? {
            let place = match key.0.as_str() {
                "qodanaSeverity" => &mut bag.qodana,
                "severity" => &mut bag.severity,
                "security-severity" => &mut bag.security,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            *place = map.next_value::<Loose>()?.0;
        }
        Ok(bag)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Bag, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Bag::default())
    }
    fn visit_str<E: Error>(self, _: &str) -> Result<Bag, E> {
        Ok(Bag::default())
    }
    fn visit_bytes<E: Error>(self, _: &[u8]) -> Result<Bag, E> {
        Ok(Bag::default())
    }
    fn visit_u64<E: Error>(self, _: u64) -> Result<Bag, E> {
        Ok(Bag::default())
    }
    fn visit_i64<E: Error>(self, _: i64) -> Result<Bag, E> {
        Ok(Bag::default())
    }
    fn visit_f64<E: Error>(self, _: f64) -> Result<Bag, E> {
        Ok(Bag::default())
    }
    fn visit_bool<E: Error>(self, _: bool) -> Result<Bag, E> {
        Ok(Bag::default())
    }
    fn visit_unit<E: Error>(self) -> Result<Bag, E> {
        Ok(Bag::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bag(json: &str) -> Bag {
        serde_json::from_str(json).unwrap_or_else(|e| panic!("{json}: {e}"))
    }

    #[test]
    fn a_word_counts_before_a_number_and_a_number_before_the_level() {
        use Severity::{Critical, High, Low, Medium};
        for (result, rule, level, expected) in [
            ("{}", "{}", Level::Error, High),
            ("{}", "{}", Level::Warning, Medium),
            ("{}", "{}", Level::Note, Low),
            ("{}", "{}", Level::None, Low),
            (r#"{"qodanaSeverity": "Critical"}"#, "{}", Level::Note, Critical),
            (r#"{"qodanaSeverity": "High"}"#, "{}", Level::Note, High),
            (r#"{"qodanaSeverity": "Moderate"}"#, "{}", Level::Error, Medium),
            (r#"{"qodanaSeverity": "Low"}"#, "{}", Level::Error, Low),
            (r#"{"qodanaSeverity": "Info"}"#, "{}", Level::Error, Low),
            (r#"{"severity": "CRITICAL"}"#, "{}", Level::Note, Critical),
            (r#"{"severity": "medium"}"#, "{}", Level::Error, Medium),
            (r#"{"severity": "low", "qodanaSeverity": "High"}"#, "{}", Level::Note, High),
            (r#"{"severity": "odd"}"#, "{}", Level::Error, High),
            (r#"{"severity": "odd", "security-severity": "9.0"}"#, "{}", Level::Note, Critical),
            (r#"{"severity": "low"}"#, r#"{"security-severity": "9.9"}"#, Level::Error, Low),
            ("{}", r#"{"severity": "Critical"}"#, Level::Note, Critical),
            ("{}", r#"{"security-severity": "9.0"}"#, Level::Note, Critical),
            ("{}", r#"{"security-severity": "10"}"#, Level::Note, Critical),
            ("{}", r#"{"security-severity": "8.9"}"#, Level::Note, High),
            ("{}", r#"{"security-severity": 7.0}"#, Level::Note, High),
            ("{}", r#"{"security-severity": "6.9"}"#, Level::Error, Medium),
            ("{}", r#"{"security-severity": 4}"#, Level::Error, Medium),
            ("{}", r#"{"security-severity": "3.9"}"#, Level::Error, Low),
            ("{}", r#"{"security-severity": "0.0"}"#, Level::Error, Low),
            ("{}", r#"{"security-severity": "-1"}"#, Level::Error, High),
            ("{}", r#"{"security-severity": "11"}"#, Level::Warning, Medium),
            ("{}", r#"{"security-severity": "NaN"}"#, Level::Error, High),
            ("{}", r#"{"security-severity": "much"}"#, Level::Error, High),
            (r#"{"security-severity": "5"}"#, r#"{"security-severity": "9"}"#, Level::Note, Medium),
        ] {
            assert_eq!(
                severity(&bag(result), Some(&bag(rule)), level),
                expected,
                "{result} {rule}"
            );
        }
    }

    #[test]
    fn a_bag_of_another_shape_says_nothing() {
        for odd in ["null", "[1, {}]", "\"x\"", "1", "-1", "1.5", "true", r#"{"severity": {}}"#] {
            assert_eq!(bag(odd), Bag::default(), "{odd}");
        }
    }
}
