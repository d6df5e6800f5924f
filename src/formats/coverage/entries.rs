//! Helpers for coverage in JSON: objects whose keys are names, and their start.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, Visitor};

use crate::formats::json::Text;

/// Hands the entries of an object on, one at a time.
pub(super) struct Entries<T, F>(F, PhantomData<T>);

impl<T, F: FnMut(String, T) -> Result<(), String>> Entries<T, F> {
    /// Calls `each` for every entry.
    pub(super) fn new(each: F) -> Self {
        Entries(each, PhantomData)
    }
}

impl<'de, T: Deserialize<'de>, F: FnMut(String, T) -> Result<(), String>> DeserializeSeed<'de>
    for Entries<T, F>
{
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, T: Deserialize<'de>, F: FnMut(String, T) -> Result<(), String>> Visitor<'de>
    for Entries<T, F>
{
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }
    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<Text>()? {
            (self.0)(key.0, map.next_value()?).map_err(A::Error::custom)?;
        }
        Ok(())
    }
}

/// The text of the first value in an object that may be cut off anywhere.
pub(super) fn first_value(head: &str) -> Option<&str> {
    let key = head.trim_start().strip_prefix('{')?.trim_start().strip_prefix('"')?;
    let mut escaped = false;
    let end = key.find(|c| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    })?;
    key[end + 1..].trim_start().strip_prefix(':').map(str::trim_start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_values() {
        for (head, want) in [
            ("{\"a\": {\"b\": 1", Some("{\"b\": 1")),
            (" { \"a\\\"b\\\\\" :[", Some("[")),
            ("{\"a", None),
            ("{\"a\"", None),
            ("[1]", None),
            ("{}", None),
        ] {
            assert_eq!(first_value(head), want, "{head}");
        }
    }
}
