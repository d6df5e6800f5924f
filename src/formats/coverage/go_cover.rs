//! Go's cover profile (`go test -coverprofile`): `mode:` and a line for each block,
//! `file:line.column,line.column statements count`, as `golang.org/x/tools/cover` reads it.
//!
//! A block comes once for each test binary and is merged. A line is covered where one of the blocks
//! that it lies in ran. Go itself counts statements, which are noted apart.

use std::collections::HashMap;

use super::gathered::Gathered;
use crate::formats::text::{TextReader, count, head_text, next_line};
use crate::formats::{Format, FormatKind, Found, paths, reading};

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "go-cover",
    kind: FormatKind::Coverage,
    tools: "go test -coverprofile, go tool covdata",
    sniff,
    read: |input| reading(input, parse),
};

/// No block of a program spans so many lines.
const MAX_BLOCK_LINES: u32 = 100_000;

fn sniff(head: &[u8]) -> bool {
    head_text(head).lines().find(|l| !l.trim().is_empty()).and_then(mode).is_some()
}

/// How blocks are counted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Whether it ran.
    Set,
    /// How often.
    Count,
}

fn mode(line: &str) -> Option<Mode> {
    match line.trim().strip_prefix("mode:")?.trim() {
        "set" => Some(Mode::Set),
        "count" | "atomic" => Some(Mode::Count),
        _ => None,
    }
}

/// First and last line and column.
type Place = (u32, u32, u32, u32);

/// Statements and hits.
type Block = (u64, u64);

fn parse(input: &mut TextReader<'_>) -> Found {
    let (mut line, mut current, mut bad) = (String::new(), None, 0u64);
    let mut files: HashMap<String, HashMap<Place, Block>> = HashMap::new();
    while next_line(input, &mut line).map_err(|e| e.say())? {
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        if line.starts_with("mode:") {
            current = Some(mode(line).ok_or("no Go cover profile: its mode is unknown")?);
            continue;
        }
        // profiles that were put together have a mode each
        let mode = current.ok_or("no Go cover profile: it does not start with its mode")?;
        let Some((path, place, block)) = block(line) else {
            bad += 1;
            continue;
        };
        if !files.contains_key(path) {
            files.insert(path.to_owned(), HashMap::new());
        }
        let Some(blocks) = files.get_mut(path) else { continue };
        let known = blocks.entry(place).or_default();
        let hits = match mode {
            Mode::Set => known.1.max(block.1),
            Mode::Count => known.1.saturating_add(block.1),
        };
        *known = (known.0.max(block.0), hits);
    }
    if current.is_none() {
        return Err("it is empty or cut off".into());
    }
    lines(files, bad)
}

fn block(line: &str) -> Option<(&str, Place, Block)> {
    let (path, rest) = line.rsplit_once(':')?;
    let mut parts = rest.split_whitespace();
    let (from, to) = parts.next()?.split_once(',')?;
    let place = |text: &str| {
        let (line, column) = text.split_once('.')?;
        Some((line.parse::<u32>().ok()?, column.parse::<u32>().ok()?))
    };
    let ((from, from_column), (to, to_column)) = (place(from)?, place(to)?);
    let block = (count(parts.next()?)?, count(parts.next()?)?);
    let fits = !path.is_empty() && parts.next().is_none();
    let sane = from > 0 && from <= to && to - from < MAX_BLOCK_LINES;
    (fits && sane).then_some((path, (from, from_column, to, to_column), block))
}

fn lines(files: HashMap<String, HashMap<Place, Block>>, bad: u64) -> Found {
    let (mut gathered, mut causes) = (Gathered::default(), Vec::new());
    let (mut covered, mut all) = (0u64, 0u64);
    for (path, blocks) in files {
        let file = gathered.file(&paths::from_path(&path));
        for ((from, _, to, _), (statements, hits)) in blocks {
            all = all.saturating_add(statements);
            covered = covered.saturating_add(if hits > 0 { statements } else { 0 });
            for line in from..=to {
                file.at_least(line, hits);
            }
        }
    }
    if bad > 0 {
        causes.push(format!("lines that are no blocks: {bad}"));
    }
    let notes = vec![format!("Go counts statements: {covered} of {all} covered")];
    gathered.found(notes, causes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{LineHits, Reading};

    fn read(text: &str) -> Reading {
        (FORMAT.read)(&mut text.as_bytes())
    }

    #[test]
    fn blocks_are_merged() {
        let text = "mode: atomic\nexample.com/a b/x.go:1.10,3.2 2 0\nexample.com/a b/x.go:3.2,4.3 1 0\n\
            mode: atomic\nexample.com/a b/x.go:1.10,3.2 2 3\nexample.com/a b/x.go:1.10,3.2 2 4\nC:\\y.go:5.1,5.2 1 0";
        assert!(sniff(text.as_bytes()));
        let Reading::Figures(f) = read(text) else { panic!("{:?}", read(text)) };
        assert_eq!(f.notes, ["Go counts statements: 2 of 4 covered"]);
        let files = f.coverage.unwrap().files;
        assert_eq!(files[0].path, "C:/y.go");
        assert_eq!(files[1].path, "example.com/a b/x.go");
        let line = |line, hits| LineHits { line, hits };
        assert_eq!(files[1].lines, [line(1, 7), line(2, 7), line(3, 7), line(4, 0)]);
        let Reading::Figures(f) = read(&text.replace("atomic", "set")) else { panic!() };
        assert_eq!(f.coverage.unwrap().files[1].lines[0], line(1, 4));
    }

    #[test]
    fn foreign_and_damaged() {
        for text in
            ["a.go:1.1,2.2 1 1\n", "mode: fast\n", "TN:\nSF:a\n", "mode", "mode: set\nmode: x\n"]
        {
            assert!(matches!(read(text), Reading::Refused(_)), "{text}");
        }
        for line in [
            "",
            "a.go:1.1,2.2 1",
            "a.go:3.1,2.2 1 1",
            "a.go:1.1,2.2 1 1 1",
            ":1.1,2.2 1 1",
            "a.go:1.1,4294967295.1 1 1",
            "a.go:1.1,2.2 1 -1",
        ] {
            let text = format!("mode: set\n{line}\n");
            assert!(matches!(read(&text), Reading::Degraded(..)), "{text}");
        }
    }
}
