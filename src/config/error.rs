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
        let message = error.message().trim_end();
        let place = Place::of(text, at);
        let message = match message {
            "duplicate key" => format!("{}it stands there twice", place.prefix()),
            // No TOML at all: no key is meant. (A number may be too large for TOML, too.)
            _ if !message.starts_with("invalid type")
                && toml::from_str::<toml::Table>(text).is_err() =>
            {
                message.to_string()
            }
            _ => improve(message, &place),
        };
        ConfigError { file: file.to_string(), line: line_of(text, at), message }
    }

    pub(super) fn at(file: &str, text: &str, offset: usize, message: String) -> ConfigError {
        ConfigError { file: file.to_string(), line: line_of(text, offset), message }
    }
}

fn line_of(text: &str, offset: usize) -> usize {
    let end = offset.min(text.len());
    text.as_bytes()[..end].iter().filter(|b| **b == b'\n').count() + 1
}

/// The table and the key that a place in the text belongs to, by the look of its lines.
#[derive(Default)]
struct Place {
    /// `policy.weights` of `[policy.weights]`, `check` of `[[check]]`; empty above the first one.
    table: String,
    /// Nothing where the place is the table's heading itself.
    key: Option<String>,
}

impl Place {
    fn of(text: &str, offset: usize) -> Place {
        let mut place = Place::default();
        // A list may go over several lines, so the key stands on this line or above it.
        for line in text.lines().take(line_of(text, offset)).map(str::trim) {
            let line = line.trim_start_matches('\u{feff}');
            if let Some(heading) = line.strip_prefix('[').filter(|_| line.contains(']')) {
                let name = heading.trim_start_matches('[').split(']').next().unwrap_or_default();
                place = Place { table: name.trim().to_string(), key: None };
            } else if let Some((key, _)) = line.split_once('=') {
                let plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
                if !key.trim().is_empty() && key.trim().chars().all(plain) {
                    place.key = Some(key.trim().to_string());
                }
            }
        }
        place
    }

    /// `policy.min_coverage: `, or nothing.
    fn prefix(&self) -> String {
        match (&self.key, self.table.is_empty()) {
            (None, _) => String::new(),
            (Some(key), true) => format!("{key}: "),
            (Some(key), false) => format!("{}.{key}: ", self.table),
        }
    }
}

/// serde's words become those of somebody who writes the file: the key that was meant, the table that
/// it belongs to, what is to stand there.
fn improve(message: &str, place: &Place) -> String {
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    if message.starts_with("unknown field") {
        let (wrong, known) = quoted.split_first().map_or(("", &[][..]), |(w, k)| (*w, k));
        let tables = super::file::tables_with(wrong);
        // `timeout` and the like stand in many tables: then the nearest key of this one is likelier.
        return match (1..=2).contains(&tables.len()) {
            true => format!("unknown key '{wrong}' here; it belongs under {}", tables.join(" or ")),
            false => unknown("key", wrong, known),
        };
    }
    if let (true, Some((wrong, known))) =
        (message.starts_with("unknown variant"), quoted.split_first())
    {
        return place.prefix() + &unknown("value", wrong, known);
    }
    if let (true, Some(key)) = (message.starts_with("missing field"), quoted.first()) {
        return match place.table.is_empty() {
            true => format!("the key '{key}' is missing"),
            false => format!("{}: the key '{key}' is missing", place.table),
        };
    }
    let typed = message
        .strip_prefix("invalid type: ")
        .or_else(|| message.strip_prefix("invalid value: "))
        .and_then(|rest| rest.rsplit_once(", expected "));
    let Some((found, expected)) = typed else { return place.prefix() + message };
    if (found, expected) == ("map", "a sequence") && place.key.is_none() {
        return format!("[{0}] can stand there several times: write [[{0}]]", place.table);
    }
    let found = match found {
        "map" => "a table",
        "sequence" => "a list",
        other => other.strip_suffix(" as i128").unwrap_or(other),
    };
    format!(
        "{}{} stands where {} is expected",
        place.prefix(),
        found.replace('`', ""),
        plain(expected)
    )
}

/// A type of ours in plain words.
fn plain(expected: &str) -> &str {
    match expected {
        "f64" => "a number",
        "u64" | "u32" => "a whole number from 0 on",
        "i32" => "a whole number",
        "a boolean" => "true or false",
        "a string" => "a text in quotes",
        "a sequence" => "a list ([\u{2026}])",
        other if other == "a map" || other.starts_with("struct ") => "a table ({ \u{2026} })",
        other => other,
    }
}

fn unknown(what: &str, wrong: &str, known: &[&str]) -> String {
    match nearest(wrong, known) {
        Some(near) => format!("unknown {what} '{wrong}'; did you mean '{near}'?"),
        None => format!("unknown {what} '{wrong}'; known are: {}", known.join(", ")),
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
