//! Signs in source, by language: `tokens.toml`, compiled once.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use regex::Regex;

use super::lexer::{self, Syntax, Zone, zones};
use crate::model::{Changed, Line};

/// A family of languages that share their signs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Language {
    Rust,
    Python,
    JavaScript,
    Go,
    Java,
    C,
    Ruby,
    CSharp,
}

impl Language {
    /// By a file's name.
    pub(super) fn of(path: &str) -> Option<Language> {
        let (_, ending) = path.rsplit('/').next()?.rsplit_once('.')?;
        Some(match ending {
            "rs" => Language::Rust,
            "py" | "pyi" => Language::Python,
            "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "mts" | "cts" | "vue" | "svelte" => {
                Language::JavaScript
            }
            "go" => Language::Go,
            "java" | "kt" | "kts" | "scala" => Language::Java,
            "c" | "h" | "cc" | "cpp" | "cxx" | "hpp" | "hh" | "hxx" => Language::C,
            "rb" | "rake" => Language::Ruby,
            "cs" => Language::CSharp,
            _ => return None,
        })
    }

    fn section(self) -> &'static str {
        match self {
            Language::Rust => "rust",
            Language::Python => "python",
            Language::JavaScript => "javascript",
            Language::Go => "go",
            Language::Java => "java",
            Language::C => "c_cpp",
            Language::Ruby => "ruby",
            Language::CSharp => "csharp",
        }
    }

    pub(super) fn syntax(self) -> &'static Syntax {
        match self {
            Language::Rust => &lexer::RUST,
            Language::Python => &lexer::PYTHON,
            Language::JavaScript | Language::Go => &lexer::SCRIPT,
            Language::Java | Language::C | Language::CSharp => &lexer::C_LIKE,
            Language::Ruby => &lexer::RUBY,
        }
    }

    /// The pattern of one sort of sign; none where the language has none of it.
    pub(super) fn pattern(self, key: &str) -> Option<&'static Regex> {
        patterns(self).get(key)
    }
}

/// The patterns of one language, by sort.
type Patterns = BTreeMap<String, Regex>;

/// Those of each language are compiled when a file of it is first looked at: all at once take longer
/// than the rules themselves.
fn patterns(language: Language) -> &'static Patterns {
    static PATTERNS: [OnceLock<Patterns>; 8] = [const { OnceLock::new() }; 8];
    PATTERNS[language as usize].get_or_init(|| compiled(language.section()))
}

/// A sort without patterns has none; what does not compile is found by a test.
fn compiled(section: &str) -> Patterns {
    static READ: OnceLock<BTreeMap<String, BTreeMap<String, Vec<String>>>> = OnceLock::new();
    let read = READ.get_or_init(|| toml::from_str(include_str!("tokens.toml")).unwrap_or_default());
    let regex = |all: &Vec<String>| {
        let all: Vec<String> = all.iter().map(|p| format!("(?:{p})")).collect();
        (!all.is_empty()).then(|| Regex::new(&all.join("|")).ok()).flatten()
    };
    let keys = read.get(section).into_iter().flatten();
    keys.filter_map(|(key, all)| Some((key.clone(), regex(all)?))).collect()
}

/// One side's lines with what each byte of them is.
pub(super) struct Source<'a> {
    pub(super) language: Language,
    text: &'a str,
    zones: Vec<Zone>,
    starts: Vec<usize>,
}

/// A sign at its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) line: Line<'a>,
    /// From the sign to the end of its line, without white space: what it says in full.
    pub(super) said: String,
}

impl<'a> Source<'a> {
    pub(super) fn new(language: Language, text: &'a str) -> Source<'a> {
        let mut starts = vec![0];
        starts.extend(text.match_indices('\n').map(|(at, _)| at + 1));
        Source { language, text, zones: zones(text, language.syntax()), starts }
    }

    /// Both sides of a file in a language that is known.
    pub(super) fn sides(file: &'a Changed) -> Option<(Source<'a>, Source<'a>)> {
        let language = Language::of(file.path())?;
        Some((Source::new(language, file.old_text()), Source::new(language, file.new_text())))
    }

    /// The zones of a line.
    pub(super) fn zones_of(&self, line: &Line<'_>) -> &[Zone] {
        let start = self.starts.get(line.number as usize - 1).copied().unwrap_or(self.text.len());
        let end = (start + line.text.len()).min(self.zones.len());
        self.zones.get(start..end).unwrap_or_default()
    }

    /// Whether a line holds code at all.
    pub(super) fn is_code(&self, line: &Line<'_>) -> bool {
        let zones = self.zones_of(line);
        line.text.bytes().zip(zones).any(|(b, z)| *z == Zone::Code && !b.is_ascii_whitespace())
    }

    /// The signs of one sort in some lines.
    pub(super) fn find(&self, key: &str, lines: &[Line<'a>]) -> Vec<Token<'a>> {
        let Some(pattern) = self.language.pattern(key) else { return Vec::new() };
        let except = match key {
            "hijack" => self.language.pattern("hijack_not"),
            _ => None,
        };
        let in_comments = matches!(key, "suppress" | "coverage");
        let mut found = Vec::new();
        for line in lines.iter().filter(|l| !except.is_some_and(|e| e.is_match(l.text))) {
            let zones = self.zones_of(line);
            for at in pattern.find_iter(line.text) {
                let begins = at.start() + at.as_str().len() - at.as_str().trim_start().len();
                let counts = match zones.get(begins) {
                    Some(Zone::Code | Zone::CommentStart) | None => true,
                    Some(Zone::Comment) => in_comments,
                    // names of environment variables
                    Some(Zone::String) => key == "testaware",
                };
                if counts {
                    let rest = &line.text[begins.min(line.text.len())..];
                    let said = rest.chars().filter(|c| !c.is_whitespace()).collect();
                    found.push(Token { line: *line, said });
                    break;
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        let read: BTreeMap<String, BTreeMap<String, Vec<String>>> =
            toml::from_str(include_str!("tokens.toml")).unwrap();
        assert_eq!(read.len(), 8);
        for (language, keys) in &read {
            let compiled = compiled(language);
            for (key, all) in keys {
                for pattern in all {
                    assert!(Regex::new(pattern).is_ok(), "{language} {key}: {pattern}");
                }
                assert_eq!(compiled.contains_key(key), !all.is_empty());
            }
        }
    }

    /// `samples.txt`: language, sort, `+` or `-`, a line.
    #[test]
    fn samples_are_told_as_meant() {
        let by_section = [
            Language::Rust,
            Language::Python,
            Language::JavaScript,
            Language::Go,
            Language::Java,
            Language::C,
            Language::Ruby,
            Language::CSharp,
        ];
        let mut wrong = Vec::new();
        for sample in include_str!("samples.txt").lines() {
            let mut parts = sample.splitn(4, '\t');
            let (name, key, sign, text) = (
                parts.next().unwrap(),
                parts.next().unwrap(),
                parts.next().unwrap(),
                parts.next().unwrap(),
            );
            let language = *by_section.iter().find(|l| l.section() == name).unwrap();
            let source = Source::new(language, text);
            let line = Line { number: 1, text };
            let keys = if key == "suppress" { vec![key, "noisy"] } else { vec![key] };
            let found = keys.iter().any(|key| !source.find(key, &[line]).is_empty());
            if found != (sign == "+") {
                wrong.push(sample);
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn a_sign_that_is_quoted_or_talked_about_is_none() {
        let python = "x = \"# noqa\"\ny = 1  # noqa: E501\n# use pytest.skip() here\n";
        let source = Source::new(Language::Python, python);
        let lines: Vec<Line<'_>> =
            python.lines().zip(1..).map(|(text, number)| Line { number, text }).collect();
        let said: Vec<String> =
            source.find("suppress", &lines).into_iter().map(|t| t.said).collect();
        assert_eq!(said, ["#noqa:E501"]);
        assert!(source.find("skip", &lines).is_empty());
        assert!(source.is_code(&lines[0]) && !source.is_code(&lines[2]));
    }
}
