//! `[ci]`: what the CI of the forge says of a commit. The keys of the mode that mends CI failures stand
//! here too; of them only spelling and type are checked.

use std::fmt;
use std::time::Duration;

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::span::duration;

/// `[ci]`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Ci {
    /// Artifacts of a commit's CI runs that hold SARIF; globs. None: nothing is asked.
    #[serde(deserialize_with = "artifacts")]
    pub quality: Vec<String>,
    /// Whether the commit cannot be judged without them.
    pub quality_required: bool,
    /// The program that is asked.
    #[serde(deserialize_with = "program")]
    pub gh: String,
    /// For all that is asked of it about one commit.
    #[serde(deserialize_with = "duration")]
    pub timeout: Duration,
    diagnose: Option<String>,
    required: Option<Vec<String>>,
    auxiliary: Option<Vec<String>>,
    audit_dir: Option<String>,
}

impl Default for Ci {
    fn default() -> Self {
        Ci {
            quality: Vec::new(),
            quality_required: false,
            gh: "gh".to_string(),
            timeout: Duration::from_secs(60),
            diagnose: None,
            required: None,
            auxiliary: None,
            audit_dir: None,
        }
    }
}

impl Ci {
    /// Whether anything is asked at all.
    pub fn measures(&self) -> bool {
        !self.quality.is_empty()
    }

    pub(super) fn validate(&self) -> Result<(), String> {
        match self.quality_required && !self.measures() {
            true => Err("ci.quality_required needs ci.quality: name the artifact that holds the \
                         SARIF"
                .into()),
            false => Ok(()),
        }
    }
}

fn artifacts<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<String>, D::Error> {
    d.deserialize_any(Names)
}

/// One name, or a list of them.
struct Names;

impl<'de> Visitor<'de> for Names {
    type Value = Vec<String>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an artifact's name or a list of names")
    }
    fn visit_str<E: Error>(self, name: &str) -> Result<Vec<String>, E> {
        artifact(name).map(|name| vec![name]).map_err(E::custom)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Vec<String>, A::Error> {
        let mut names = Vec::new();
        while let Some(name) = items.next_element::<String>()? {
            names.push(artifact(&name).map_err(A::Error::custom)?);
        }
        match names.is_empty() {
            true => Err(A::Error::custom("it is empty; name the artifacts that hold SARIF")),
            false => Ok(names),
        }
    }
}

/// Handed to a program as one word.
fn artifact(name: &str) -> Result<String, String> {
    if name.trim().is_empty() || name.starts_with('-') || name.contains(char::is_control) {
        return Err(format!("'{}' is no artifact's name", name.escape_debug()));
    }
    Ok(name.to_string())
}

fn program<'de, D: Deserializer<'de>>(d: D) -> Result<String, D::Error> {
    let program = String::deserialize(d)?;
    if program.trim().is_empty() || program.contains('\0') {
        return Err(D::Error::custom("it is no program; write \"gh\", or its path"));
    }
    Ok(program)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn ci(text: &str) -> Result<Ci, String> {
        Config::parse("f", &format!("[ci]\n{text}")).map(|c| c.ci).map_err(|e| e.to_string())
    }

    #[test]
    fn nothing_is_asked_unless_an_artifact_is_named() {
        let default = ci("").unwrap();
        assert_eq!((default.measures(), default.gh.as_str()), (false, "gh"));
        assert_eq!(default.timeout, Duration::from_secs(60));
        let one = ci("quality = \"qodana-*\"\nquality_required = true\ntimeout = \"5s\"").unwrap();
        assert_eq!((one.quality, one.quality_required), (vec!["qodana-*".to_string()], true));
        let two = ci("quality = [\"a\", \"b\"]\ngh = \"./gh\"\ndiagnose = \"x\"").unwrap();
        assert_eq!((two.quality.len(), two.gh.as_str()), (2, "./gh"));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, part) in [
            ("quality = []", "ci.quality: it is empty"),
            ("quality = \"\"", "'' is no artifact's name"),
            ("quality = \"--dir\"", "'--dir' is no artifact's name"),
            ("quality = [\"a\", \"b\\n\"]", "'b\\n' is no artifact's name"),
            ("quality = 1", "ci.quality: integer 1 stands where an artifact's name or a list"),
            ("quality_required = true", "f:1: ci.quality_required needs ci.quality"),
            ("gh = \" \"", "ci.gh: it is no program"),
            ("timeout = \"60\"", "ci.timeout: '60' is no length of time"),
            ("qualty = \"a\"", "unknown key 'qualty'; did you mean 'quality'?"),
        ] {
            let error = ci(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
