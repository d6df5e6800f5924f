//! Object names, checked once at the door.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A full object name of a commit: 40 (SHA-1) or 64 (SHA-256) lower-case hex digits, not all zero.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CommitId(String);

/// Text that is no full object name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a full commit id (40 or 64 hex digits)")]
pub struct BadId(pub String);

impl CommitId {
    /// Reads a full object name; upper-case digits are taken as lower-case ones.
    ///
    /// # Errors
    /// [`BadId`] where the text has another length, other characters, or is all zero.
    pub fn parse(text: &str) -> Result<CommitId, BadId> {
        let text = text.trim();
        let right_length = text.len() == 40 || text.len() == 64;
        let hex = text.bytes().all(|b| b.is_ascii_hexdigit());
        if !right_length || !hex || is_zero(text) {
            return Err(BadId(text.chars().take(80).collect()));
        }
        Ok(CommitId(text.to_ascii_lowercase()))
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first ten digits, for messages.
    pub fn short(&self) -> &str {
        &self.0[..10]
    }
}

/// Whether git's text stands for "no object": zeros of any length.
pub(crate) fn is_zero(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b == b'0')
}

impl fmt::Display for CommitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for CommitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CommitId({})", self.short())
    }
}

impl TryFrom<String> for CommitId {
    type Error = BadId;
    fn try_from(text: String) -> Result<Self, BadId> {
        CommitId::parse(&text)
    }
}

impl From<CommitId> for String {
    fn from(id: CommitId) -> String {
        id.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_hash_lengths_are_ids_and_zeros_are_not() {
        assert!(CommitId::parse(&"a".repeat(40)).is_ok());
        assert!(CommitId::parse(&"B".repeat(64)).is_ok());
        for bad in ["", "abc", &"0".repeat(40), &"0".repeat(64), &"g".repeat(40), &"a".repeat(41)] {
            assert!(CommitId::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn zero_of_any_length_is_no_object() {
        assert!(is_zero(&"0".repeat(40)) && is_zero(&"0".repeat(64)));
        assert!(!is_zero("") && !is_zero("01"));
    }
}
