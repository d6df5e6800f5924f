//! lizard's XML (`lizard --xml`), in the shape of CppNCSS: for each function an item
//! `name(...) at path:line` with values in the order of the labels.

use crate::formats::text::{TextReader, count, head_text, line_number};
use crate::formats::xml::{self, Element, Visitor};
use crate::formats::{Format, FormatKind, Found, paths, reading};
use crate::model::{Figures, FunctionComplexity};

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "lizard-xml",
    kind: FormatKind::Complexity,
    tools: "lizard (lizard --xml), CppNCSS",
    sniff: |head| xml::root(&head_text(head)).is_some_and(|root| root.name == "cppncss"),
    read: |input| reading(input, parse),
};

#[derive(Default)]
struct Report {
    functions: Vec<FunctionComplexity>,
    /// Within the measure of functions, which was there at all.
    within: bool,
    there: bool,
    labels: Vec<String>,
    /// The open item's name, and its values.
    item: Option<(String, Vec<String>)>,
    /// The text of the open label or value.
    text: Option<String>,
}

fn parse(input: &mut TextReader<'_>) -> Found {
    let mut report = Report::default();
    xml::walk(input, &mut report)?;
    if !report.there {
        return Err("no lizard XML: it has no measure of functions".into());
    }
    Ok((Figures { complexity: Some(report.functions), ..Figures::default() }, Vec::new()))
}

impl Visitor for Report {
    fn open(&mut self, e: &Element<'_>, depth: usize) -> Result<(), String> {
        match (depth, e.name()) {
            (1, "cppncss") => {}
            (1, name) => return Err(format!("no lizard XML: its root is {name}")),
            (_, "measure") => {
                self.within = e.attr("type").as_deref() == Some("Function");
                self.there |= self.within;
            }
            (_, "item") if self.within => {
                self.item = Some((e.attr("name").unwrap_or_default(), Vec::new()));
            }
            (_, "label" | "value") if self.within => self.text = Some(String::new()),
            _ => {}
        }
        Ok(())
    }

    fn close(&mut self, name: &str, _depth: usize) -> Result<(), String> {
        match name {
            "label" => self.labels.extend(self.text.take()),
            "value" => {
                if let Some((_, values)) = &mut self.item {
                    values.extend(self.text.take());
                }
            }
            "item" => {
                if let Some((name, values)) = self.item.take() {
                    let function = self.function(&name, &values);
                    self.functions.push(function.ok_or_else(|| format!("not understood: {name}"))?);
                }
            }
            "measure" => self.within = false,
            _ => {}
        }
        Ok(())
    }

    fn text(&mut self, text: &str) {
        if let Some(open) = &mut self.text {
            open.push_str(text);
        }
    }
}

impl Report {
    fn function(&self, item: &str, values: &[String]) -> Option<FunctionComplexity> {
        let (name, place) = item.rsplit_once(" at ")?;
        let (path, line) = place.rsplit_once(':')?;
        let at = self.labels.iter().position(|l| l.trim() == "CCN")?;
        Some(FunctionComplexity {
            path: paths::from_path(path),
            name: name.strip_suffix("(...)").unwrap_or(name).to_owned(),
            line: line_number(line)?,
            cyclomatic: u32::try_from(count(values.get(at)?)?).ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Reading;

    const LABELS: &str = "<labels><label>Nr.</label><label>NCSS</label><label>CCN</label></labels>";

    #[test]
    fn functions() {
        let xml = format!(
            "<cppncss><measure type='Function'>{LABELS}<item name='f(...) at C:\\x\\ab.py:18'>\
             <value>1</value><value>21</value><value>10</value></item>\
             <average label='CCN' value='3.8'/></measure><measure type='File'>{LABELS}\
             <item name='a.py'><value>1</value></item></measure></cppncss>"
        );
        let Reading::Figures(f) = (FORMAT.read)(&mut xml.as_bytes()) else { panic!() };
        let want = FunctionComplexity {
            path: "C:/x/ab.py".into(),
            name: "f".into(),
            line: 18,
            cyclomatic: 10,
        };
        assert_eq!(f.complexity.unwrap(), [want]);
    }

    #[test]
    fn refused() {
        let item = "<item name='f(...) at a.py:1'><value>1</value></item>";
        for xml in [
            "<cppncss/>".to_owned(),
            "<cppncss>".to_owned(),
            "<coverage/>".to_owned(),
            format!("<cppncss><measure type='Function'>{LABELS}{item}</measure></cppncss>"),
        ] {
            assert!(matches!((FORMAT.read)(&mut xml.as_bytes()), Reading::Refused(_)), "{xml}");
        }
    }
}
