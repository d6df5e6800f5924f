//! A finding of a linter or scanner, in SARIF's words.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::shared::SharedText;

/// How much a finding weighs (SARIF 2.1.0, 3.27.10). Only `error` counts against `max_lint_errors`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Worth knowing only.
    None,
    /// A remark.
    Note,
    /// Should be looked at.
    Warning,
    /// Must be mended.
    Error,
}

/// One result of one tool at one place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Finding {
    /// The tool's name for what it found (`F401`, `no-unused-vars`); empty where it names none.
    pub rule: SharedText,
    /// The weight.
    pub level: Level,
    /// The file, relative to the repository's root with `/` between parts; none where the tool
    /// names no place. Such a finding counts all the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<SharedText>,
    /// The first line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// What the tool says.
    pub message: String,
    /// The tool.
    pub tool: SharedText,
    /// The tool's own stable identity of the finding, where it gives one (SARIF
    /// `partialFingerprints`, GitLab `fingerprint`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<Box<str>>,
    /// What its line said, without white space: the first 48 bits of the SHA-256. None where the line
    /// says too little to be told by, or was not looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line_hash: Option<u64>,
}

impl Finding {
    /// All of these in order. No more is kept for each than its place: a report may hold millions.
    pub fn in_order<'a>(lists: &[&'a [Finding]]) -> Vec<&'a Finding> {
        let all = || lists.iter().flat_map(|list| *list);
        let at = |mut n: usize| {
            let mut lists = lists.iter();
            let mut list: &'a [Finding] = lists.next().copied().unwrap_or_default();
            while n >= list.len() {
                n -= list.len();
                list = lists.next().copied().unwrap_or_default();
            }
            &list[n]
        };
        let (keys, count) = (Keys::of(all()), all().count());
        let bits = usize::BITS - count.leading_zeros();
        if keys.bits + bits > u64::BITS {
            let mut sorted: Vec<&Finding> = all().collect();
            sorted.sort_unstable();
            return sorted;
        }
        let number = |n: &u64| (n & ((1 << bits) - 1)) as usize;
        let mut numbers: Vec<u64> =
            (0..).zip(all()).map(|(n, finding)| keys.key(finding) << bits | n).collect();
        numbers.sort_unstable();
        for equal in numbers.chunk_by_mut(|a, b| a >> bits == b >> bits) {
            if equal.len() > 1 {
                equal.sort_by(|a, b| at(number(a)).cmp(at(number(b))));
            }
        }
        drop(keys);
        numbers.into_iter().map(|n| at(number(&n))).collect()
    }

    /// Puts them in order.
    pub fn sort(findings: &mut [Finding]) {
        let keys = Keys::of(findings.iter());
        if keys.bits > u64::BITS {
            return findings.sort_unstable();
        }
        findings.sort_by_cached_key(|finding| keys.key(finding));
        for equal in findings.chunk_by_mut(|a, b| {
            (&a.rule, a.level, &a.path, a.line) == (&b.rule, b.level, &b.path, b.line)
        }) {
            if equal.len() > 1 {
                equal.sort_unstable();
            }
        }
    }
}

/// Numbers that are in order as rule, level, path and line are: of texts that many findings share
/// each is compared once.
struct Keys {
    /// By the address of a text its place in the alphabet, from 1.
    ranks: HashMap<usize, u64>,
    rank_bits: u32,
    line_bits: u32,
    bits: u32,
}

impl Keys {
    fn of<'a>(findings: impl Iterator<Item = &'a Finding>) -> Keys {
        let (mut texts, mut most) = (HashMap::new(), 0);
        for finding in findings {
            for text in [Some(&finding.rule), finding.path.as_ref()].into_iter().flatten() {
                texts.insert(address(text), text.as_str());
            }
            most = most.max(finding.line.map_or(0, |n| u64::from(n) + 1));
        }
        let mut sorted: Vec<(&str, usize)> =
            texts.into_iter().map(|(at, text)| (text, at)).collect();
        sorted.sort_unstable();
        let (mut ranks, mut rank) = (HashMap::with_capacity(sorted.len()), 0);
        for equal in sorted.chunk_by(|a, b| a.0 == b.0) {
            rank += 1;
            ranks.extend(equal.iter().map(|(_, at)| (*at, rank)));
        }
        let width = |n: u64| u64::BITS - n.leading_zeros();
        let (rank_bits, line_bits) = (width(rank), width(most));
        Keys { ranks, rank_bits, line_bits, bits: 2 * rank_bits + 2 + line_bits }
    }

    fn key(&self, finding: &Finding) -> u64 {
        let rank = |text: &SharedText| self.ranks.get(&address(text)).copied().unwrap_or(0);
        let path = finding.path.as_ref().map_or(0, rank);
        let line = finding.line.map_or(0, |n| u64::from(n) + 1);
        let key = rank(&finding.rule) << 2 | finding.level as u64;
        (key << self.rank_bits | path) << self.line_bits | line
    }
}

/// Tells copies of a text apart.
fn address(text: &SharedText) -> usize {
    std::ptr::from_ref(text.as_string()).addr()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn findings() -> impl Strategy<Value = Vec<Finding>> {
        let text = || prop::sample::select(vec!["", "a", "a/b", "b"]);
        let line = prop::option::of(prop::sample::select(vec![0, 1, 7, u32::MAX]));
        let one = (text(), prop::option::of(text()), line, text(), 0..2u8);
        let one = one.prop_map(|(rule, path, line, message, level)| Finding {
            rule: rule.into(),
            level: if level == 0 { Level::None } else { Level::Error },
            path: path.map(Into::into),
            line,
            message: message.into(),
            tool: "t".into(),
            fingerprint: None,
            line_hash: None,
        });
        prop::collection::vec(one, 0..40)
    }

    proptest! {
        #[test]
        fn the_order_is_that_of_findings(mut some in findings(), more in findings()) {
            let mut all: Vec<&Finding> = some.iter().chain(&more).collect();
            all.sort();
            prop_assert_eq!(Finding::in_order(&[&some, &[], &more]), all);
            let mut sorted = some.clone();
            sorted.sort();
            Finding::sort(&mut some);
            prop_assert_eq!(some, sorted);
        }
    }
}
