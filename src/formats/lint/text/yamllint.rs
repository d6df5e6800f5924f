//! yamllint's parsable lines: `path:line:column: [level] message (rule)`
//! (`yamllint -f parsable`, <https://yamllint.readthedocs.io>).

use super::lines::{self, Line, Place, Tool, closing_part, crashed, place};
use crate::formats::Format;
use crate::model::{Finding, Level};

/// The row of the table.
pub(super) const FORMAT: Format =
    lines::row::<YamlLint>("yamllint", "yamllint (yamllint -f parsable)");

#[derive(Default)]
struct YamlLint;

impl Tool for YamlLint {
    const NAME: &'static str = "yamllint";

    fn line(&mut self, line: &str) -> Line {
        match place(line).and_then(|p| problem(&p)) {
            Some(finding) => Line::Finding(finding),
            None if crashed(line) => Line::Broken("yamllint died of an exception".into(), None),
            None => Line::Other,
        }
    }
}

fn problem(place: &Place<'_>) -> Option<Finding> {
    let (word, text) = place.rest.strip_prefix('[')?.split_once("] ")?;
    let level = match word {
        "error" => Level::Error,
        "warning" => Level::Warning,
        _ => return None,
    };
    let (text, rule) = match closing_part(text, '(', ')') {
        Some((text, rule)) if !rule.contains(' ') => (text, rule),
        _ => (text, ""),
    };
    place.column.then(|| place.finding(YamlLint::NAME, level, rule, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Reading, SharedText};

    #[test]
    fn lines() {
        let text = "a.yml:6:2: [warning] missing space (in x) (comments)\n\
            a.yml:7:1: [error] syntax error: expected '<x>' (b c)\n";
        let Reading::Figures(f) = (FORMAT.read)(&mut text.as_bytes()) else { panic!() };
        let got: Vec<_> =
            f.lint.unwrap().findings.into_iter().map(|f| (f.level, f.rule, f.message)).collect();
        let want = [
            (Level::Warning, "comments".into(), "missing space (in x)".to_owned()),
            (Level::Error, SharedText::default(), "syntax error: expected '<x>' (b c)".to_owned()),
        ];
        assert_eq!(got, want);
        let foreign = "a.py:1: [E501] long";
        assert!(matches!((FORMAT.read)(&mut foreign.as_bytes()), Reading::Refused(_)));
    }
}
