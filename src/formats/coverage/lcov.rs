//! LCOV tracefiles (`SF`, `DA`, `BRDA`, `end_of_record`).
//!
//! A source file may come in several records, which are merged by line. Declared totals (`LF`, `LH`,
//! `BRF`, `BRH`) are used only for a file without any `DA`; where both are there and differ, a note
//! says so.

use std::collections::HashMap;

use super::by_line::ByLine;
use super::gathered::{Branches, Gathered};
use crate::formats::text::{TextReader, count, head_text};
use crate::formats::{Format, FormatKind, Found, note, paths, reading};
use crate::model::{Figures, Totals};

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "lcov",
    kind: FormatKind::Coverage,
    tools: "lcov, geninfo, cargo llvm-cov, coverage.py, nyc, grcov",
    sniff,
    read: |input| reading(input, parse),
};

fn sniff(head: &[u8]) -> bool {
    let text = head_text(head);
    let mut lines = text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#'));
    let first = lines.next().unwrap_or_default();
    first.starts_with("SF:") || first.starts_with("TN:") && lines.any(|l| l.starts_with("SF:"))
}

/// The open record.
struct Record {
    path: String,
    lines: ByLine<u64>,
    branches: Branches<String>,
    totals: Totals,
}

/// What is known while reading.
#[derive(Default)]
struct Tracefile {
    gathered: Gathered,
    branches: HashMap<String, Branches<String>>,
    open: Option<Record>,
    records: u64,
    /// A test name stands there and no record follows it yet.
    begun: bool,
    bad: u64,
    notes: Vec<String>,
}

fn parse(input: &mut TextReader<'_>) -> Found {
    let (mut file, mut carried) = (Tracefile::default(), String::new());
    while let Some(line) = input.line(&mut carried).map_err(|e| e.say())? {
        file.line(line);
        if file.records == 0 && file.open.is_none() && file.bad > 20 {
            break;
        }
    }
    file.finish()
}

impl Tracefile {
    fn line(&mut self, line: &str) {
        // nearly all lines are of this kind and in this form
        if let (Some((line, hits)), Some(record)) = (plain_da(line), &mut self.open) {
            self.begun = false;
            let sum = record.lines.entry(line);
            *sum = sum.saturating_add(hits);
            return;
        }
        let line = line.trim();
        if line == "end_of_record" {
            return self.end_record();
        }
        let Some((key, value)) = line.split_once(':') else {
            self.bad += u64::from(!line.is_empty() && !line.starts_with('#'));
            return;
        };
        self.begun = key == "TN";
        let understood = match key {
            "SF" => self.begin(value),
            "DA" => self.open.as_mut().and_then(|r| r.da(value)).is_some(),
            "BRDA" => self.open.as_mut().and_then(|r| r.brda(value)).is_some(),
            "LF" => self.total(value, |t| &mut t.lines_found),
            "LH" => self.total(value, |t| &mut t.lines_hit),
            "BRF" => self.total(value, |t| &mut t.branches_found),
            "BRH" => self.total(value, |t| &mut t.branches_hit),
            "TN" | "VER" | "FN" | "FNDA" | "FNF" | "FNH" | "FNL" | "FNA" | "MCDC" | "MCF"
            | "MCH" | "MRF" | "MRH" => true,
            _ => line.starts_with('#'),
        };
        self.bad += u64::from(!understood);
    }

    fn begin(&mut self, name: &str) -> bool {
        // a record without its end is still a record; that it has none is counted
        let closed = self.open.is_none();
        if !closed {
            self.end_record();
        }
        self.open = Some(Record {
            path: paths::from_path(name),
            lines: ByLine::default(),
            branches: Branches::default(),
            totals: Totals::default(),
        });
        closed
    }

    fn total(&mut self, value: &str, field: fn(&mut Totals) -> &mut u64) -> bool {
        match (count(value), &mut self.open) {
            (Some(n), Some(record)) => {
                *field(&mut record.totals) = n;
                true
            }
            _ => false,
        }
    }

    fn end_record(&mut self) {
        let Some(record) = self.open.take() else {
            self.bad += 1;
            return;
        };
        self.records += 1;
        let (found, declared) = (record.lines.len() as u64, record.totals);
        let hit = record.lines.values().filter(|h| **h > 0).count() as u64;
        let file = self.gathered.file(&record.path);
        record.lines.iter().for_each(|(line, hits)| file.add(line, *hits));
        if found == 0 && declared != Totals::default() {
            file.declared(declared);
        }
        let counts = (declared.lines_found, declared.lines_hit);
        if found > 0 && counts != (0, 0) && counts != (found, hit) {
            note(&mut self.notes, || {
                format!(
                    "{}: declares {} of {} lines covered, its lines say {hit} of {found}",
                    record.path, counts.1, counts.0
                )
            });
        }
        if record.branches.is_empty() {
            return;
        }
        self.branches.entry(record.path).or_default().merge(record.branches);
    }

    fn finish(mut self) -> Found {
        let cut = self.open.is_some() || self.begun;
        if self.open.is_some() {
            self.end_record();
        }
        if self.records == 0 {
            return Err("no LCOV: it has no SF record, or is empty".into());
        }
        let mut causes = Vec::new();
        if cut {
            causes.push("it ends inside a record: it is cut off".to_owned());
        }
        if self.bad > 0 {
            causes.push(format!("lines that are no LCOV records: {}", self.bad));
        }
        for (name, branches) in self.branches {
            branches.put(self.gathered.file(&name));
        }
        let coverage = Some(self.gathered.finish());
        Ok((Figures { coverage, notes: self.notes, ..Figures::default() }, causes))
    }
}

impl Record {
    /// `line,hits[,checksum]`; negative hits are void, which is none.
    fn da(&mut self, value: &str) -> Option<()> {
        let mut parts = value.split(',');
        let line: u32 = parts.next()?.trim().parse().ok()?;
        let hits = parts.next()?.trim();
        let hits = match hits.strip_prefix('-') {
            Some(number) => count(number).map(|_| 0)?,
            None => count(hits)?,
        };
        if line > 0 {
            let sum = self.lines.entry(line);
            *sum = sum.saturating_add(hits);
        }
        Some(())
    }

    /// `line,block,branch,taken`: the branch may be a text with commas, `-` is not taken.
    fn brda(&mut self, value: &str) -> Option<()> {
        let (line, rest) = value.split_once(',')?;
        let (branch, taken) = rest.rsplit_once(',')?;
        branch.split_once(',')?;
        let line: u32 = line.trim().parse().ok()?;
        let taken = match taken.trim() {
            "-" => false,
            negative if negative.starts_with('-') => count(&negative[1..]).map(|_| false)?,
            number => count(number)? > 0,
        };
        if line > 0 {
            self.branches.add(line, branch.to_owned(), taken);
        }
        Some(())
    }
}

/// `DA:line,hits` with plain numbers that fit; anything else is for [`Record::da`].
fn plain_da(line: &str) -> Option<(u32, u64)> {
    let rest = line.as_bytes().strip_prefix(b"DA:")?;
    let comma = rest.iter().take(11).position(|b| *b == b',')?;
    let (line, hits) = (digits(&rest[..comma])?, digits(&rest[comma + 1..])?);
    u32::try_from(line).ok().filter(|n| *n > 0).map(|line| (line, hits))
}

fn digits(bytes: &[u8]) -> Option<u64> {
    // so many digits always fit
    if bytes.is_empty() || bytes.len() > 18 || !bytes.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(bytes.iter().fold(0, |n, b| n * 10 + u64::from(b - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{FileCoverage, LineBranches, LineHits, Reading};

    fn read(text: &str) -> Reading {
        (FORMAT.read)(&mut text.as_bytes())
    }

    fn files(text: &str) -> Vec<FileCoverage> {
        match read(text) {
            Reading::Figures(f) => f.coverage.unwrap().files,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn records_of_one_file_are_merged() {
        let f = files(
            "TN:\nSF:./src\\a.c\nDA:2,1\nDA:1,0\nBRDA:1,0,0,1\nBRDA:1,0,1,-\nend_of_record\n\
             SF:src/a.c\nDA:1,18446744073709551615,sum\nDA:2,-4\nBRDA:1,0,1,2\nBRDA:2,e0,jump to 3, 4,0\nend_of_record",
        );
        assert_eq!(f.len(), 1);
        assert_eq!(f[0].path, "src/a.c");
        assert_eq!(
            f[0].lines,
            [LineHits { line: 1, hits: u64::MAX }, LineHits { line: 2, hits: 1 }]
        );
        assert_eq!(
            f[0].branches,
            [
                LineBranches { line: 1, hit: 2, found: 2 },
                LineBranches { line: 2, hit: 0, found: 1 }
            ]
        );
    }

    #[test]
    fn totals_only_without_lines() {
        let f = files(
            "SF:a\nLF:10\nLH:4\nBRF:2\nBRH:1\nend_of_record\nSF:b\nDA:1,1\nLF:9\nLH:9\nend_of_record\n",
        );
        assert_eq!((f[0].totals().lines_found, f[0].totals().branches_hit), (10, 1));
        assert_eq!((f[1].totals, f[1].totals().lines_found), (None, 1));
        let Reading::Figures(figures) = read("SF:b\nDA:1,1\nLF:9\nLH:9\nend_of_record\n") else {
            panic!()
        };
        assert_eq!(figures.notes.len(), 1);
    }

    #[test]
    fn what_is_cut_or_foreign() {
        for text in ["TN:\n", "I'm no info file\n", "DA:1,1\n", "end_of_record\n"] {
            assert!(matches!(read(text), Reading::Refused(_)), "{text}");
        }
        for text in [
            "SF:a\nDA:1,1\n",
            "SF:a\nDA:1,1\nSF:b\nDA:1,1\nend_of_record\n",
            "SF:a\nDA:x,1\nend_of_record\n",
            "SF:a\nDA:1,1\nend_of_record\nrubbish\n",
        ] {
            assert!(matches!(read(text), Reading::Degraded(..)), "{text}");
        }
    }
}
