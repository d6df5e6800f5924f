//! Text that many values have in common.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::collections::HashSet;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Text that is copied at no cost: a large report names few rules, files and tools a great many times.
/// It is one word wide, because there is one in each of a million findings.
#[derive(Clone, Default)]
pub struct SharedText(Arc<String>);

impl SharedText {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Its one copy.
    pub(super) fn as_string(&self) -> &String {
        &self.0
    }

    /// Whether both are the same copy, which says at a glance that they are equal.
    fn is(&self, other: &SharedText) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// Keeps each text once.
#[derive(Debug, Default)]
pub struct Interner(HashSet<SharedText>);

impl Interner {
    /// The one copy of this text.
    pub fn get(&mut self, text: &str) -> SharedText {
        if let Some(known) = self.0.get(text) {
            return known.clone();
        }
        let new = SharedText::from(text);
        self.0.insert(new.clone());
        new
    }
}

impl Deref for SharedText {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for SharedText {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for SharedText {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl From<String> for SharedText {
    fn from(text: String) -> Self {
        SharedText(Arc::new(text))
    }
}

impl From<&str> for SharedText {
    fn from(text: &str) -> Self {
        SharedText(Arc::new(text.to_owned()))
    }
}

impl From<SharedText> for String {
    fn from(text: SharedText) -> Self {
        Arc::unwrap_or_clone(text.0)
    }
}

impl fmt::Display for SharedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.as_str(), f)
    }
}

impl fmt::Debug for SharedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl PartialEq for SharedText {
    fn eq(&self, other: &Self) -> bool {
        self.is(other) || self.as_str() == other.as_str()
    }
}

impl Eq for SharedText {}

impl PartialEq<str> for SharedText {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for SharedText {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl PartialOrd for SharedText {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for SharedText {
    fn cmp(&self, other: &Self) -> Ordering {
        match self.is(other) {
            true => Ordering::Equal,
            false => self.as_str().cmp(other.as_str()),
        }
    }
}

impl Hash for SharedText {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl Serialize for SharedText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl<'de> Deserialize<'de> for SharedText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(SharedText::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_its_text_whichever_copy() {
        let (a, b) = (SharedText::from("a"), SharedText::from("a".to_string()));
        assert!(a == b && !a.is(&b) && a.cmp(&b) == Ordering::Equal);
        let (later, empty) = (SharedText::from("b"), SharedText::default());
        assert!(a < later && empty < a);
        assert_eq!(serde_json::to_string(&a).unwrap(), "\"a\"");
        assert_eq!(serde_json::from_str::<SharedText>("\"a\"").unwrap(), b);
        let mut all = Interner::default();
        assert!(all.get("a").is(&all.get("a")) && !all.get("a").is(&all.get("b")));
    }
}
