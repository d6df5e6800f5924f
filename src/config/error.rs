//! What is wrong with a configuration, as one sentence.

/// A configuration that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {message}")]
pub struct ConfigError {
    /// Where the text came from (`.git-evidence.toml`, or with the commit it was read from).
    pub file: String,
    /// From 1.
    pub line: usize,
    /// What is wrong, and the remedy.
    pub message: String,
}

impl ConfigError {
    pub(super) fn from_toml(file: &str, text: &str, error: &toml::de::Error) -> ConfigError {
        let at = error.span().map_or(0, |s| s.start);
        ConfigError {
            file: file.to_string(),
            line: line_of(text, at),
            message: improve(error.message()),
        }
    }

    pub(super) fn at(file: &str, text: &str, offset: usize, message: String) -> ConfigError {
        ConfigError { file: file.to_string(), line: line_of(text, offset), message }
    }
}

fn line_of(text: &str, offset: usize) -> usize {
    let end = offset.min(text.len());
    text.as_bytes()[..end].iter().filter(|b| **b == b'\n').count() + 1
}

/// serde's list of every possible key becomes the one that was probably meant.
fn improve(message: &str) -> String {
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let (wrong, known) = match quoted.split_first() {
        Some((wrong, known)) if !known.is_empty() => (*wrong, known),
        _ => return message.trim_end().to_string(),
    };
    let what = if message.starts_with("unknown field") {
        "unknown key"
    } else if message.starts_with("unknown variant") {
        "unknown value"
    } else {
        return message.trim_end().to_string();
    };
    match nearest(wrong, known) {
        Some(near) => format!("{what} '{wrong}'; did you mean '{near}'?"),
        None => format!("{what} '{wrong}'; known are: {}", known.join(", ")),
    }
}

/// The most similar of the known words, if any is similar at all.
pub(crate) fn nearest<'a>(wrong: &str, known: &[&'a str]) -> Option<&'a str> {
    let likeness = |k: &str| strsim::jaro_winkler(&wrong.to_lowercase(), &k.to_lowercase());
    known
        .iter()
        .map(|k| (likeness(k), *k))
        .filter(|(likeness, _)| *likeness > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, k)| k)
}
