//! What several of these reports have in common: values of two shapes, objects as lists, package URLs,
//! and addresses that end with an advisory's name.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::formats::json::{Loose, Object, Text};
use crate::model::advisory;

/// An object, or something else in its place.
#[derive(Debug)]
pub(super) enum Either<T> {
    /// A text or a number.
    Plain(String),
    /// The object.
    Object(T),
    /// Nothing of use.
    Other,
}

impl<T> Either<T> {
    /// The object, if it is one.
    pub(super) fn object(self) -> Option<T> {
        match self {
            Either::Object(object) => Some(object),
            Either::Plain(_) | Either::Other => None,
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Either<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct V<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for V<T> {
            type Value = Either<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object or a text")
            }
            fn visit_str<E: Error>(self, v: &str) -> Result<Either<T>, E> {
                Ok(Either::Plain(v.to_owned()))
            }
            fn visit_u64<E: Error>(self, v: u64) -> Result<Either<T>, E> {
                Ok(Either::Plain(v.to_string()))
            }
            fn visit_i64<E: Error>(self, v: i64) -> Result<Either<T>, E> {
                Ok(Either::Plain(v.to_string()))
            }
            fn visit_f64<E: Error>(self, v: f64) -> Result<Either<T>, E> {
                Ok(Either::Plain(v.to_string()))
            }
            fn visit_bool<E: Error>(self, _: bool) -> Result<Either<T>, E> {
                Ok(Either::Other)
            }
            fn visit_unit<E: Error>(self) -> Result<Either<T>, E> {
                Ok(Either::Other)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Either<T>, A::Error> {
                while items.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Either::Other)
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Either<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(Either::Object)
            }
        }
        deserializer.deserialize_any(V(PhantomData))
    }
}

/// Hands the values of an object on, one at a time, with their keys.
pub(super) struct Entries<T, F>(F, PhantomData<T>);

impl<T, F: FnMut(&str, T)> Entries<T, F> {
    /// Calls `each` for every entry.
    pub(super) fn new(each: F) -> Self {
        Entries(each, PhantomData)
    }
}

impl<'de, T: Deserialize<'de>, F: FnMut(&str, T)> Object<'de> for Entries<T, F> {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        let value = map.next_value::<T>()?;
        (self.0)(key, value);
        Ok(())
    }
}

/// A list of texts; one text alone is a list too, and what is neither has none.
#[derive(Debug, Default)]
pub(super) struct Texts(pub(super) Vec<String>);

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = Texts;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of texts")
            }
            fn visit_unit<E: Error>(self) -> Result<Texts, E> {
                Ok(Texts::default())
            }
            fn visit_str<E: Error>(self, v: &str) -> Result<Texts, E> {
                Ok(Texts(vec![v.to_owned()]))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Texts, A::Error> {
                let mut all = Texts::default();
                while let Some(item) = items.next_element::<Loose>()? {
                    all.0.extend(item.0);
                }
                Ok(all)
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Texts, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Texts::default())
            }
        }
        deserializer.deserialize_any(V)
    }
}

/// Versions of which any mends the problem.
pub(super) fn any_of(versions: &[String]) -> Option<String> {
    (!versions.is_empty()).then(|| versions.join(advisory::OR))
}

/// The text; empty where there is none.
pub(super) fn text(value: Option<Text>) -> String {
    value.map(|t| t.0).unwrap_or_default()
}

/// The text, unless it is blank.
pub(super) fn filled(value: Option<Text>) -> Option<String> {
    value.map(|t| t.0).filter(|t| !t.trim().is_empty())
}

/// The advisory that an address ends with (`…/advisories/GHSA-…`).
pub(super) fn advisory_of(address: &str) -> Option<String> {
    let last = address.trim_end_matches('/').rsplit('/').next()?;
    let known = ["GHSA-", "CVE-", "RUSTSEC-", "PYSEC-", "GO-"];
    known.iter().any(|k| last.starts_with(k)).then(|| last.to_owned())
}

/// Name and version of a package URL (`pkg:npm/%40scope/name@1.0?x=y`); a Maven group is kept.
pub(super) fn purl(url: &str) -> Option<(String, Option<String>)> {
    let rest = url.trim().strip_prefix("pkg:")?;
    let rest = rest.split(['?', '#']).next().unwrap_or(rest);
    let (kind, path) = rest.split_once('/')?;
    let path = path.trim_matches('/').replace("%40", "@").replace("%2F", "/").replace("%2f", "/");
    let (name, version) = match path.rsplit_once('@') {
        Some((name, version)) if !name.is_empty() => (name.to_owned(), Some(version.to_owned())),
        _ => (path, None),
    };
    let name = if kind == "maven" { name.replacen('/', ":", 1) } else { name };
    (!name.is_empty()).then_some((name, version))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn package_urls() {
        for (url, name, version) in [
            ("pkg:npm/lodash@4.17.4", "lodash", Some("4.17.4")),
            ("pkg:npm/%40scope/name@1.0.0?x=y#z", "@scope/name", Some("1.0.0")),
            ("pkg:npm/%40scope/name", "@scope/name", None),
            ("pkg:maven/org.example/lib@2", "org.example:lib", Some("2")),
            ("pkg:golang/golang.org/x/text@v0.3.5", "golang.org/x/text", Some("v0.3.5")),
        ] {
            assert_eq!(purl(url), Some((name.to_owned(), version.map(str::to_owned))), "{url}");
        }
        assert_eq!(purl("lodash@1"), None);
    }

    #[test]
    fn addresses() {
        let of = advisory_of("https://example.org/advisories/GHSA-1-2-3/");
        assert_eq!(of.as_deref(), Some("GHSA-1-2-3"));
        assert_eq!(advisory_of("https://example.org/advisories/1589"), None);
    }

    #[test]
    fn texts() {
        let all: Vec<Texts> =
            serde_json::from_str(r#"["a", ["b", null, 1], null, {"x": 1}]"#).unwrap();
        let all: Vec<Vec<String>> = all.into_iter().map(|t| t.0).collect();
        assert_eq!(all, [vec!["a"], vec!["b", "1"], vec![], vec![]]);
    }

    #[test]
    fn either() {
        let all: Vec<Either<Texts>> = serde_json::from_str("[\"a\", 1, null, true, [1]]").unwrap();
        let texts = all.iter().filter(|e| matches!(e, Either::Plain(_))).count();
        assert_eq!((texts, all.len()), (2, 5));
    }
}
