//! ESLint's stylish output: a line with the file's path, then its messages, indented
//! (<https://eslint.org/docs/latest/use/formatters>).
//!
//! It closes with the number of problems, and writes nothing where there is none.

use super::lines::{self, Closes, Line, Tool, found, number, number_after};
use crate::formats::{Format, paths};
use crate::model::{Finding, Level};

/// The row of the table.
pub(super) const FORMAT: Format = lines::row::<Stylish>("eslint-stylish", "ESLint");

#[derive(Default)]
struct Stylish {
    file: Option<String>,
}

impl Tool for Stylish {
    const NAME: &'static str = "eslint";
    const CLOSES: Closes = Closes::Always;

    fn line(&mut self, line: &str) -> Line {
        if let Some(problems) = line.strip_prefix(['✖', '×']) {
            return problem_count(problems.trim_start())
                .map_or(Line::Other, |n| Line::Closing(Some(n)));
        }
        if line.starts_with(' ') {
            let file = self.file.as_deref();
            return match file.and_then(|file| message(file, line.trim_start())) {
                Some(finding) => Line::Finding(finding),
                None if line.contains(" potentially fixable with the ") => Line::Known,
                None => Line::Other,
            };
        }
        if failed(line) {
            return Line::Broken("eslint failed".into(), None);
        }
        // ESLint names files by their absolute paths, or the standard input
        let path = line.replace('\\', "/");
        if paths::is_absolute(&path) || matches!(line, "<text>" | "<input>") {
            self.file = Some(path);
            return Line::Known;
        }
        Line::Other
    }
}

fn message(file: &str, line: &str) -> Option<Finding> {
    let (row, rest) = number(line)?;
    let (_, rest) = number(rest.strip_prefix(':')?)?;
    let (word, rest) = rest.trim_start().split_once("  ")?;
    let level = match word {
        "error" => Level::Error,
        "warning" => Level::Warning,
        _ => return None,
    };
    let text = rest.trim();
    let (text, rule) = match text.rsplit_once("  ") {
        Some((text, rule)) if !rule.contains(' ') => (text.trim_end(), rule),
        _ => (text, ""),
    };
    let line = u32::try_from(row).ok().filter(|n| *n > 0);
    Some(Finding { line, ..found(Stylish::NAME, level, rule, (file, text)) })
}

/// The number in `3 problems`, whatever follows in brackets.
pub(super) fn problem_count(line: &str) -> Option<u64> {
    let (n, rest) = number(line)?;
    let rest = rest.strip_prefix(if n == 1 { " problem" } else { " problems" })?;
    let whole = rest.is_empty() || rest.starts_with(" (") && rest.ends_with(')');
    whole.then_some(n)
}

/// What ESLint says when it could not do its work.
pub(super) fn failed(line: &str) -> bool {
    number_after(line, "ESLint: ").is_some() || line.starts_with("Oops! Something went wrong!")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Reading;

    fn read(text: &str) -> Reading {
        (FORMAT.read)(&mut text.as_bytes())
    }

    const TEXT: &str = "\n/p/a b.js\n   3:10  error    'x' is  unused   no-unused-vars\n  \
        10:1   warning  Parsing error: a b\n\nC:\\p\\b.ts\n  0:0  warning  File ignored\n\n";

    #[test]
    fn messages() {
        let closing = "✖ 3 problems (1 error, 2 warnings)\n  1 error and 0 warnings potentially \
            fixable with the `--fix` option.\n";
        let Reading::Figures(f) = read(&format!("{TEXT}{closing}")) else { panic!() };
        assert!(f.notes.is_empty());
        let got: Vec<_> = f.lint.unwrap().findings;
        assert_eq!(got[0].message, "'x' is  unused");
        let got: Vec<_> =
            got.iter().map(|f| (f.path.as_deref(), f.line, f.rule.as_str())).collect();
        let want = [
            (Some("/p/a b.js"), Some(3), "no-unused-vars"),
            (Some("/p/a b.js"), Some(10), ""),
            (Some("C:/p/b.ts"), None, ""),
        ];
        assert_eq!(got, want);
    }

    #[test]
    fn cut_off_or_failed() {
        for text in [TEXT, &format!("{TEXT}✖ 3 problems (1 er"), "Oops! Something went wrong! :("]
        {
            assert!(matches!(read(text), Reading::Degraded(..)), "{text}");
        }
        for text in ["/p/a.js\n", "  1:1  error  x  y\n", "a"] {
            assert!(matches!(read(text), Reading::Refused(_)), "{text}");
        }
        assert!(matches!(read(""), Reading::Figures(_)));
    }
}
