//! What the JSON reports of test runners share: the tests' own output may stand before the document,
//! and files are named by absolute paths, which say where the tests ran and not what they are.

use std::io::BufRead;

use serde::de::DeserializeSeed;

use super::cases::Raw;
use crate::formats::json::{self, Shape};
use crate::formats::text::{TextReader, head_text};

/// What the document shows in the first bytes of a report.
pub(super) fn shape(head: &[u8]) -> Option<Shape> {
    let text = head_text(head);
    let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    let mut documents = starts.map(|at| &text[at..]).filter(|rest| rest.starts_with('{'));
    json::shape(documents.next()?).filter(|shape| !shape.list)
}

/// Reads the document, from the first line that starts one.
pub(super) fn read<S>(input: &mut TextReader<'_>, seed: S) -> Result<(), String>
where
    S: for<'de> DeserializeSeed<'de, Value = ()>,
{
    let failed = |e: std::io::Error| format!("it could not be read: {e}");
    let mut line_start = true;
    loop {
        let text = input.fill_buf().map_err(failed)?;
        match (text.first(), text.iter().position(|b| *b == b'\n')) {
            (None, _) => break,
            (Some(b'{'), _) if line_start => break,
            (_, Some(end)) => {
                line_start = true;
                input.consume(end + 1);
            }
            (_, None) => {
                line_start = false;
                let all = text.len();
                input.consume(all);
            }
        }
    }
    json::whole(input, seed)
}

/// Takes the folder that all files are in off their names.
pub(super) fn without_common_folder(all: &mut [Raw]) {
    let mut files = all.iter().map(|raw| raw.file.as_str()).filter(|file| !file.is_empty());
    let Some(first) = files.next() else { return };
    let mut common = first.rfind('/').map_or(0, |at| at + 1);
    for file in files {
        while common > 0 && !file.starts_with(&first[..common]) {
            common = first[..common - 1].rfind('/').map_or(0, |at| at + 1);
        }
    }
    for raw in all.iter_mut().filter(|raw| !raw.file.is_empty()) {
        raw.file.drain(..common);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::json::{Fields, Object, skip};
    use crate::model::TestStatus;
    use serde::de::MapAccess;

    #[derive(Default)]
    struct Keys(usize);
    impl<'de> Object<'de> for Keys {
        fn field<A: MapAccess<'de>>(&mut self, _: &str, map: &mut A) -> Result<(), A::Error> {
            self.0 += 1;
            skip(map)
        }
    }

    #[test]
    fn output_before_the_document() {
        for (text, want) in [
            ("{\"a\":1}", Some(1)),
            ("a line {\nanother\n{\"a\":1,\n\"b\":2}\n", Some(2)),
            ("a line", None),
            ("{ a: 1 }\n{\"a\":1}", None),
            ("{\"a\":1} text", None),
        ] {
            let (mut bytes, mut keys) = (text.as_bytes(), Keys::default());
            let found = read(&mut TextReader::new(&mut bytes), Fields(&mut keys));
            assert_eq!(found.is_ok().then_some(keys.0), want, "{text}");
        }
        assert!(shape(b"log\n{\"a\":1,\"b").unwrap().has(&["a"]));
        assert!(shape(b"[{\"a\":1}]").is_none());
    }

    #[test]
    fn files() {
        let mut all: Vec<Raw> = ["/x/ab/c.js", "/x/a/d.js", ""]
            .into_iter()
            .map(|file| {
                let mut raw = Raw::new("t".into(), TestStatus::Passed, None);
                raw.file = file.into();
                raw
            })
            .collect();
        without_common_folder(&mut all);
        let files: Vec<_> = all.iter().map(|r| r.file.as_str()).collect();
        assert_eq!(files, ["ab/c.js", "a/d.js", ""]);
        all.truncate(1);
        without_common_folder(&mut all);
        assert_eq!(all[0].file, "c.js");
    }
}
