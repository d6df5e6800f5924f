//! JSON as a stream: lists are handed on item by item, what is not kept is passed over unread.
//!
//! Values are taken leniently where tools differ (numbers as text, a lone surrogate in a string);
//! what is missing or of another kind in a required place is an error.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de::IgnoredAny};

use super::json_parser::Parser;
use super::text::{self, TextReader};

/// Text; a lone surrogate in it becomes U+FFFD instead of failing the report.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Text(pub(super) String);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct V;
        impl Visitor<'_> for V {
            type Value = Text;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text")
            }
            fn visit_str<E: Error>(self, v: &str) -> Result<Text, E> {
                Ok(Text(v.to_owned()))
            }
            fn visit_bytes<E: Error>(self, v: &[u8]) -> Result<Text, E> {
                Ok(Text(String::from_utf8_lossy(v).into_owned()))
            }
        }
        deserializer.deserialize_bytes(V)
    }
}

/// Text where the report may have anything else, which is then none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Loose(pub(super) Option<String>);

impl<'de> Deserialize<'de> for Loose {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = Loose;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value")
            }
            fn visit_str<E: Error>(self, v: &str) -> Result<Loose, E> {
                Ok(Loose(Some(v.to_owned())))
            }
            fn visit_u64<E: Error>(self, v: u64) -> Result<Loose, E> {
                Ok(Loose(Some(v.to_string())))
            }
            fn visit_i64<E: Error>(self, v: i64) -> Result<Loose, E> {
                Ok(Loose(Some(v.to_string())))
            }
            fn visit_f64<E: Error>(self, v: f64) -> Result<Loose, E> {
                Ok(Loose(Some(v.to_string())))
            }
            fn visit_bool<E: Error>(self, v: bool) -> Result<Loose, E> {
                Ok(Loose(Some(v.to_string())))
            }
            fn visit_unit<E: Error>(self) -> Result<Loose, E> {
                Ok(Loose(None))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Loose, A::Error> {
                while items.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Loose(None))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Loose, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Loose(None))
            }
        }
        deserializer.deserialize_any(V)
    }
}

/// A number; negative, fractional below one, or unreadable ones are none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) struct Num(pub(super) Option<u64>);

impl Num {
    /// As a line, from 1.
    pub(super) fn line(self) -> Option<u32> {
        self.0.and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0)
    }

    /// As an index.
    pub(super) fn index(self) -> Option<usize> {
        self.0.and_then(|n| usize::try_from(n).ok())
    }
}

impl<'de> Deserialize<'de> for Num {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = Num;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number")
            }
            fn visit_u64<E: Error>(self, v: u64) -> Result<Num, E> {
                Ok(Num(Some(v)))
            }
            fn visit_i64<E: Error>(self, v: i64) -> Result<Num, E> {
                Ok(Num(u64::try_from(v).ok()))
            }
            fn visit_f64<E: Error>(self, v: f64) -> Result<Num, E> {
                Ok(Num((v >= 0.0).then_some(v as u64)))
            }
            fn visit_str<E: Error>(self, v: &str) -> Result<Num, E> {
                Ok(Num(text::count(v)))
            }
            fn visit_unit<E: Error>(self) -> Result<Num, E> {
                Ok(Num(None))
            }
        }
        deserializer.deserialize_any(V)
    }
}

/// Hands the items of a list on, one at a time. `null` is an empty list.
pub(super) struct Each<T, F>(F, PhantomData<T>);

impl<T, F: FnMut(T) -> Result<(), String>> Each<T, F> {
    /// Calls `each` for every item.
    pub(super) fn new(each: F) -> Self {
        Each(each, PhantomData)
    }
}

impl<'de, T: Deserialize<'de>, F: FnMut(T) -> Result<(), String>> DeserializeSeed<'de>
    for Each<T, F>
{
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, T: Deserialize<'de>, F: FnMut(T) -> Result<(), String>> Visitor<'de> for Each<T, F> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }
    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }
    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<(), A::Error> {
        while let Some(item) = items.next_element::<T>()? {
            (self.0)(item).map_err(A::Error::custom)?;
        }
        Ok(())
    }
}

/// Like [`Each`] for a list that may be `null`: tells by `there` whether it was a list.
pub(super) struct EachOfSome<'a, T, F> {
    there: &'a mut bool,
    each: Each<T, F>,
}

impl<'a, T, F: FnMut(T) -> Result<(), String>> EachOfSome<'a, T, F> {
    /// Calls `each` for every item.
    pub(super) fn new(there: &'a mut bool, each: F) -> Self {
        EachOfSome { there, each: Each::new(each) }
    }
}

impl<'de, T: Deserialize<'de>, F: FnMut(T) -> Result<(), String>> DeserializeSeed<'de>
    for EachOfSome<'_, T, F>
{
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, T: Deserialize<'de>, F: FnMut(T) -> Result<(), String>> Visitor<'de>
    for EachOfSome<'_, T, F>
{
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list or null")
    }
    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<(), A::Error> {
        *self.there = true;
        self.each.visit_seq(items)
    }
}

/// An object whose fields are taken one at a time, as they come.
pub(super) trait Object<'de> {
    /// Takes the value of `key` from `map`, or passes over it with [`skip`].
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error>;
    /// After the last field.
    fn end(&mut self) -> Result<(), String> {
        Ok(())
    }
}

/// Passes over a value.
pub(super) fn skip<'de, A: MapAccess<'de>>(map: &mut A) -> Result<(), A::Error> {
    map.next_value::<IgnoredAny>().map(|_| ())
}

/// Reads an object into an [`Object`].
pub(super) struct Fields<'a, T>(pub(super) &'a mut T);

impl<'de, T: Object<'de>> DeserializeSeed<'de> for Fields<'_, T> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, T: Object<'de>> Visitor<'de> for Fields<'_, T> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<Text>()? {
            self.0.field(&key.0, &mut map)?;
        }
        self.0.end().map_err(A::Error::custom)
    }
}

/// Reads the whole input as one value with `seed`; text after it is an error.
pub(super) fn whole<S>(input: &mut TextReader<'_>, seed: S) -> Result<(), String>
where
    S: for<'de> DeserializeSeed<'de, Value = ()>,
{
    Parser::new(input).whole(seed).map_err(|e| match e.cut {
        true => "it is empty or cut off".to_owned(),
        false => e.to_string(),
    })
}

/// What the start of a JSON text shows.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Shape {
    /// The outermost value is a list.
    pub(super) list: bool,
    /// Keys of the outermost object, or of the first object in the outermost list, so far.
    pub(super) keys: Vec<String>,
}

impl Shape {
    /// Whether all these keys are there.
    pub(super) fn has(&self, keys: &[&str]) -> bool {
        keys.iter().all(|k| self.keys.iter().any(|have| have == k))
    }
}

/// Looks at the start of a JSON text that may be cut off anywhere.
pub(super) fn shape(head: &str) -> Option<Shape> {
    let text = head.trim_start();
    let list = text.starts_with('[');
    let text = if list { text[1..].trim_start() } else { text };
    if !text.starts_with('{') {
        return None;
    }
    let mut shape = Shape { list, keys: Vec::new() };
    let (bytes, mut at, mut depth) = (text.as_bytes(), 0, 0usize);
    while at < bytes.len() {
        match bytes[at] {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            b'"' => {
                let Some(end) = string_end(bytes, at + 1) else { break };
                let is_key = text[end + 1..].trim_start().starts_with(':');
                if depth == 1 && is_key {
                    shape.keys.push(text[at + 1..end].to_owned());
                }
                at = end;
            }
            _ => {}
        }
        at += 1;
        if depth == 0 {
            break;
        }
    }
    Some(shape)
}

fn string_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    while at < bytes.len() {
        match bytes[at] {
            b'"' => return Some(at),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes() {
        let s = shape(" [ {\"a\": {\"x\": 1}, \"b\\\"\" : [\"c\"], \"d\": \"e\"}, {\"f\": 1}]")
            .unwrap();
        assert!(s.list && s.has(&["a", "d"]) && !s.has(&["x"]) && !s.has(&["f"]));
        assert_eq!(shape("{\"a\":1,\"b").unwrap().keys, ["a"]);
        assert_eq!(shape("[]"), None);
        assert_eq!(shape("x"), None);
    }

    #[test]
    fn lenient_values() {
        let t: Text = serde_json::from_slice(br#""a\ud800b""#).unwrap();
        assert!(t.0.starts_with('a') && t.0.ends_with('b'));
        let n: Vec<Num> = serde_json::from_str("[1, -1, 2.0, \"3\", null]").unwrap();
        assert_eq!(
            n.iter().map(|n| n.0).collect::<Vec<_>>(),
            [Some(1), None, Some(2), Some(3), None]
        );
    }
}
