//! `[drift]` and `[[architecture]]`: the plan that a change is held against, and who may import whom.

use std::fmt;

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::rules::drift::architecture::{ArchitectureRule, check_glob};

/// Which document is the plan.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Design {
    /// The newest plan that the change itself adds or modifies.
    #[default]
    Auto,
    /// None.
    Off,
    /// The newest file of the tree that a glob matches.
    Glob(String),
}

/// `[drift]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Drift {
    /// See [`Design`].
    #[serde(deserialize_with = "design")]
    pub design: Design,
    /// Globs of files that no plan has to name.
    #[serde(deserialize_with = "files")]
    pub ignore: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawArchitecture {
    #[serde(deserialize_with = "super::check::name")]
    pub(super) name: String,
    #[serde(deserialize_with = "files_held")]
    from: Vec<String>,
    #[serde(deserialize_with = "forbidden")]
    forbid: Vec<String>,
    #[serde(default, deserialize_with = "things")]
    allow: Vec<String>,
    #[serde(default)]
    reason: String,
}

impl RawArchitecture {
    pub(super) fn rule(self) -> ArchitectureRule {
        let RawArchitecture { name, from, forbid, allow, reason } = self;
        ArchitectureRule { name, from, forbid, allow, reason }
    }
}

fn design<'de, D: Deserializer<'de>>(d: D) -> Result<Design, D::Error> {
    let design = String::deserialize(d)?;
    match design.as_str() {
        "auto" => Ok(Design::Auto),
        "off" => Ok(Design::Off),
        glob => {
            file(glob).map_err(D::Error::custom)?;
            Ok(Design::Glob(design))
        }
    }
}

fn files<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<String>, D::Error> {
    d.deserialize_any(Globs { check: file })
}

fn things<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<String>, D::Error> {
    d.deserialize_any(Globs { check: check_glob })
}

fn files_held<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<String>, D::Error> {
    match files(d)? {
        none if none.is_empty() => {
            Err(D::Error::custom("it is empty; write the files that the rule holds: \"src/ui/**\""))
        }
        from => Ok(from),
    }
}

fn forbidden<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<String>, D::Error> {
    match things(d)? {
        none if none.is_empty() => Err(D::Error::custom(
            "it is empty; write what those files may not import: \"src/db/**\", \"module:requests\"",
        )),
        forbid => Ok(forbid),
    }
}

/// A glob of files alone.
fn file(glob: &str) -> Result<(), String> {
    match glob.starts_with("module:") {
        true => Err(format!("'{glob}' is no file; a module can stand in forbid and allow")),
        false => check_glob(glob),
    }
}

/// One glob, or a list of them.
struct Globs {
    check: fn(&str) -> Result<(), String>,
}

impl<'de> Visitor<'de> for Globs {
    type Value = Vec<String>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a glob or a list of globs")
    }
    fn visit_str<E: Error>(self, glob: &str) -> Result<Vec<String>, E> {
        (self.check)(glob).map_err(E::custom)?;
        Ok(vec![glob.to_string()])
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Vec<String>, A::Error> {
        let mut globs = Vec::new();
        while let Some(glob) = items.next_element::<String>()? {
            (self.check)(&glob).map_err(A::Error::custom)?;
            globs.push(glob);
        }
        Ok(globs)
    }
}
