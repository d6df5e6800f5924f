//! GitHub's workflow commands as linters write them: `::error file=a.py,line=3,title=x::message`
//! (<https://docs.github.com/actions/reference/workflow-commands-for-github-actions>).

use super::lines::{self, Line, Tool, closing_part, found};
use crate::formats::Format;
use crate::formats::text::line_number;
use crate::model::{Finding, Level};

/// The row of the table.
pub(super) const FORMAT: Format = lines::row::<Github>(
    "github-annotations-text",
    "Ruff, golangci-lint, ESLint and others that annotate on GitHub",
);

#[derive(Default)]
struct Github;

impl Tool for Github {
    const NAME: &'static str = "github";

    fn line(&mut self, line: &str) -> Line {
        let Some(rest) = line.strip_prefix("::") else { return Line::Other };
        match command(rest) {
            Some(finding) => Line::Finding(finding),
            // groups, masks, outputs
            None => Line::Known,
        }
    }
}

fn command(rest: &str) -> Option<Finding> {
    let (head, message) = rest.split_once("::")?;
    let (word, properties) = head.split_once(' ').unwrap_or((head, ""));
    let level = match word {
        "error" => Level::Error,
        "warning" => Level::Warning,
        "notice" => Level::Note,
        _ => return None,
    };
    let property = |name: &str| {
        let mut all = properties.split(',').filter_map(|p| p.trim().split_once('='));
        all.find(|(key, _)| *key == name).map(|(_, value)| unescaped(value)).unwrap_or_default()
    };
    // Ruff's titles are `ruff (E501)`
    let title = property("title");
    let (tool, rule) = match closing_part(&title, '(', ')') {
        Some((tool, rule)) if !tool.contains(' ') && !rule.contains(' ') => (tool, rule),
        _ => (Github::NAME, title.as_str()),
    };
    let line = line_number(&property("line"));
    Some(Finding { line, ..found(tool, level, rule, (&property("file"), &unescaped(message))) })
}

/// Only these five are escaped, and the percent sign itself last.
fn unescaped(text: &str) -> String {
    let pairs = [("%0A", "\n"), ("%0D", "\r"), ("%3A", ":"), ("%2C", ","), ("%25", "%")];
    pairs.iter().fold(text.to_owned(), |t, (from, to)| t.replace(from, to))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Reading;

    #[test]
    fn lines() {
        let text = "::group::x\n::error title=ruff (E501),file=C%3A/a.py,line=3,col=1::a.py: x%0Ay%250A\n\
            ::warning::no place\n::notice file=b,title=a title::z\n::endgroup::\n";
        let Reading::Figures(f) = (FORMAT.read)(&mut text.as_bytes()) else { panic!() };
        let all = f.lint.unwrap().findings;
        let got: Vec<_> =
            all.iter().map(|f| (f.path.as_deref(), f.line, f.rule.as_str())).collect();
        let want =
            [(Some("C:/a.py"), Some(3), "E501"), (None, None, ""), (Some("b"), None, "a title")];
        assert_eq!(got, want);
        assert_eq!((all[0].message.as_str(), all[0].tool.as_str()), ("a.py: x\ny%0A", "ruff"));
    }
}
