//! pydocstyle's pairs of lines: `path:line in public function `f`:`, then, indented, `D103: message`
//! (<https://www.pydocstyle.org>). It has no severities.

use super::lines::{self, Line, Tool, crashed, found, number};
use crate::formats::Format;
use crate::model::{Finding, Level};

/// The row of the table.
pub(super) const FORMAT: Format = lines::row::<PyDocStyle>("pydocstyle", "pydocstyle");

#[derive(Default)]
struct PyDocStyle {
    place: Option<(String, Option<u32>)>,
}

impl Tool for PyDocStyle {
    const NAME: &'static str = "pydocstyle";

    fn line(&mut self, line: &str) -> Line {
        if !line.starts_with(' ') {
            self.place = place(line);
            return match &self.place {
                Some(_) => Line::Known,
                None if crashed(line) => {
                    Line::Broken("pydocstyle died of an exception".into(), None)
                }
                None => Line::Other,
            };
        }
        let (Some((path, row)), Some((code, text))) = (&self.place, line.trim().split_once(": "))
        else {
            return Line::Known;
        };
        let digits = code.strip_prefix('D').unwrap_or_default();
        if digits.len() != 3 || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Line::Known;
        }
        Line::Finding(Finding { line: *row, ..found(Self::NAME, Level::Error, code, (path, text)) })
    }
}

/// `a.py:18 in private nested class `meta`:`
fn place(line: &str) -> Option<(String, Option<u32>)> {
    let at = line.find(".py:")? + ".py".len();
    let (row, rest) = number(&line[at + 1..])?;
    let about = rest.starts_with(" in ") || rest.starts_with(" at module level");
    let row = u32::try_from(row).ok().filter(|n| *n > 0);
    (about && rest.ends_with(':')).then(|| (line[..at].to_owned(), row))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Reading;

    #[test]
    fn pairs() {
        let text = "a.py:1 at module level:\n        D100: Missing: x\nC:\\b.py:18 in class `m`:\n        D101: y\n";
        let Reading::Figures(f) = (FORMAT.read)(&mut text.as_bytes()) else { panic!() };
        let got: Vec<_> = f
            .lint
            .unwrap()
            .findings
            .into_iter()
            .map(|f| (f.path.unwrap(), f.line, f.rule))
            .collect();
        let want = [("a.py", 1, "D100"), ("C:/b.py", 18, "D101")];
        assert_eq!(got, want.map(|(p, n, r)| (p.into(), Some(n), r.into())));
        assert!(matches!((FORMAT.read)(&mut &b"a.py:1:1: F401 x"[..]), Reading::Refused(_)));
    }
}
