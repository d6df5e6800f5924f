//! XML as a stream of elements, lenient where a report is still readable and strict where it is not.
//!
//! Names are matched without prefix. A DTD is passed over, no entity but the five predefined and
//! character references is resolved, nesting is bounded, and a document that ends before its root
//! element is closed is an error: that is how a report that was cut off is told.

use std::borrow::Cow;

use quick_xml::Reader;
use quick_xml::events::attributes::Attribute;
use quick_xml::events::{BytesStart, Event};

use super::text::TextReader;

/// How deep elements may nest.
const MAX_DEPTH: usize = 128;

/// The start of an element.
pub(super) struct Element<'a> {
    start: &'a BytesStart<'a>,
    /// Read once, for most elements are asked for several.
    attributes: Vec<Attribute<'a>>,
}

impl Element<'_> {
    /// Its name without a prefix.
    pub(super) fn name(&self) -> &str {
        local(self.start.name().0)
    }

    /// The value of an attribute, by its name without a prefix.
    pub(super) fn attr(&self, name: &str) -> Option<String> {
        self.with_attr(name, str::to_owned)
    }

    /// What is made of the value of an attribute, which is copied only where it has references.
    pub(super) fn with_attr<T>(&self, name: &str, make: impl FnOnce(&str) -> T) -> Option<T> {
        let found = self.attributes.iter().find(|a| local(a.key.0) == name);
        found.map(|a| make(&unescape(&a.value)))
    }

    /// Like [`Element::attr`]; none where it is blank.
    pub(super) fn filled(&self, name: &str) -> Option<String> {
        self.attr(name).filter(|v| !v.trim().is_empty())
    }
}

/// What a format does with the elements.
pub(super) trait Visitor {
    /// An element starts; `depth` is 1 for the root.
    fn open(&mut self, element: &Element<'_>, depth: usize) -> Result<(), String>;
    /// An element ends.
    fn close(&mut self, name: &str, depth: usize) -> Result<(), String>;
    /// A part of the text within the innermost open element.
    fn text(&mut self, _text: &str) {}
}

/// Walks a document to its end; the error says why it is none.
pub(super) fn walk(input: &mut TextReader<'_>, visitor: &mut impl Visitor) -> Result<(), String> {
    let mut reader = Reader::from_reader(input);
    reader.config_mut().allow_dangling_amp = true;
    let (mut depth, mut seen_root, mut buf) = (0usize, false, Vec::new());
    loop {
        buf.clear();
        reader.get_mut().begin_piece();
        let event = reader.read_event_into(&mut buf).map_err(|e| format!("no XML: {e}"))?;
        match event {
            Event::Start(start) => {
                let element = enter(&start, depth, &mut seen_root)?;
                depth += 1;
                visitor.open(&element, depth)?;
            }
            Event::Empty(start) => {
                visitor.open(&enter(&start, depth, &mut seen_root)?, depth + 1)?;
                visitor.close(local(start.name().0), depth + 1)?;
            }
            Event::End(end) => {
                visitor.close(local(end.name().0), depth)?;
                depth -= 1;
            }
            Event::Text(text) => characters(&text, depth, visitor)?,
            Event::CData(text) => characters(&text, depth, visitor)?,
            Event::GeneralRef(name) => {
                characters(&unescape(&format!("&{};", &*name)), depth, visitor)?;
            }
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
            Event::Eof if depth > 0 => return Err("it is cut off inside an element".into()),
            Event::Eof if !seen_root => return Err("no XML: it has no element".into()),
            Event::Eof => return Ok(()),
        }
    }
}

/// An element that keeps what the start of any has to keep.
fn enter<'s>(
    start: &'s BytesStart<'_>,
    depth: usize,
    seen_root: &mut bool,
) -> Result<Element<'s>, String> {
    if depth == 0 && *seen_root {
        return Err("more than one root element".into());
    }
    if depth >= MAX_DEPTH {
        return Err(format!("elements nest deeper than {MAX_DEPTH}"));
    }
    *seen_root = true;
    let mut attributes = start.attributes();
    let attributes = attributes.with_checks(false).collect::<Result<_, _>>();
    Ok(Element { start, attributes: attributes.map_err(|e| format!("no XML: {e}"))? })
}

fn characters(text: &str, depth: usize, visitor: &mut impl Visitor) -> Result<(), String> {
    if depth > 0 {
        visitor.text(text);
        return Ok(());
    }
    match text.trim_matches(|c: char| c.is_whitespace() || c == '\0').is_empty() {
        true => Ok(()),
        false => Err("no XML: text outside of the root element".into()),
    }
}

/// The first element of a document that may be cut off anywhere, and the name of the first element
/// in it: enough to tell formats apart.
pub(super) struct Root {
    /// Name of the root.
    pub(super) name: String,
    /// Names of its attributes.
    pub(super) attributes: Vec<String>,
    /// Name of its first child.
    pub(super) child: Option<String>,
}

/// Looks at the start of a document.
pub(super) fn root(head: &str) -> Option<Root> {
    let mut reader = Reader::from_str(head);
    let mut found: Option<Root> = None;
    // a head is short, so this ends: each event takes bytes or is the last
    loop {
        let Ok(event) = reader.read_event() else { return found };
        let (start, empty) = match event {
            Event::Start(start) => (start, false),
            Event::Empty(start) => (start, true),
            Event::Text(t) if found.is_none() && !t.trim().is_empty() => return None,
            Event::End(_) | Event::Eof => return found,
            _ => continue,
        };
        let name = local(start.name().0).to_owned();
        match &mut found {
            Some(root) => {
                root.child = Some(name);
                return found;
            }
            None => {
                let mut all = start.attributes();
                let all = all.with_checks(false).filter_map(Result::ok);
                let attributes = all.map(|a| local(a.key.0).to_owned()).collect();
                found = Some(Root { name, attributes, child: None });
            }
        }
        if empty {
            return found;
        }
    }
}

fn local(name: &str) -> &str {
    // names are short: a search that has to be set up costs more
    name.bytes().rposition(|b| b == b':').map_or(name, |at| &name[at + 1..])
}

/// Resolves the predefined entities and character references. Any other entity stays as it is
/// written, and a character that XML cannot hold becomes U+FFFD.
pub(super) fn unescape(raw: &str) -> Cow<'_, str> {
    if !raw.contains('&') {
        return Cow::Borrowed(raw);
    }
    let (mut out, mut rest) = (String::with_capacity(raw.len()), raw);
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        // the longest reference is far shorter than this
        let end = rest.bytes().take(16).position(|b| b == b';');
        match end.and_then(|end| Some((end, reference(&rest[1..end])?))) {
            Some((end, c)) => {
                out.push(c);
                rest = &rest[end + 1..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

fn reference(name: &str) -> Option<char> {
    let code = match name {
        "lt" => return Some('<'),
        "gt" => return Some('>'),
        "amp" => return Some('&'),
        "apos" => return Some('\''),
        "quot" => return Some('"'),
        _ => name.strip_prefix('#')?,
    };
    let number = match code.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => code.parse(),
    };
    Some(number.ok().filter(|n| *n != 0).and_then(char::from_u32).unwrap_or('\u{fffd}'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Log(String);

    impl Visitor for Log {
        fn open(&mut self, e: &Element<'_>, depth: usize) -> Result<(), String> {
            self.0 += &format!("<{depth}{} {:?}>", e.name(), e.attr("a"));
            Ok(())
        }
        fn close(&mut self, name: &str, _: usize) -> Result<(), String> {
            self.0 += &format!("</{name}>");
            Ok(())
        }
        fn text(&mut self, text: &str) {
            self.0 += text;
        }
    }

    fn log(xml: &str) -> Result<String, String> {
        let mut input = xml.as_bytes();
        let mut log = Log::default();
        walk(&mut TextReader::new(&mut input), &mut log).map(|()| log.0)
    }

    #[test]
    fn reads_what_is_readable() {
        assert_eq!(
            log("<?xml version='1.0'?><!DOCTYPE r SYSTEM 'https://example.org/x.dtd'><n:r a='1&lt;'><x/>t&#65;&quot;<![CDATA[<&]]></n:r>\n").unwrap(),
            "<1r Some(\"1<\")><2x None></x>tA\"<&</r>"
        );
    }

    #[test]
    fn entities_are_not_resolved() {
        let xml = "<!DOCTYPE r [<!ENTITY e SYSTEM 'file:///etc/passwd'><!ENTITY f 'x'>]><r a='&f;'>&e;&#xD800;&#0;</r>";
        assert_eq!(log(xml).unwrap(), "<1r Some(\"&f;\")>&e;\u{fffd}\u{fffd}</r>");
    }

    #[test]
    fn refuses_what_is_no_document() {
        for xml in
            ["", " ", "text", "<r>", "<r><a></r>", "<r/><r/>", "<r/>x", "<r a=>", "<r a='", "<r"]
        {
            assert!(log(xml).is_err(), "{xml}");
        }
        assert!(log(&"<a>".repeat(200_000)).is_err());
    }

    #[test]
    fn roots() {
        let r = root("\u{feff}<?xml version='1.0'?><!-- a --><p:a x='1' y='2'>\n<b><c").unwrap();
        assert_eq!((r.name.as_str(), r.child.as_deref()), ("a", Some("b")));
        assert_eq!(r.attributes, ["x", "y"]);
        assert!(root("{}").is_none());
        assert!(root("text <a/>").is_none());
    }
}
