//! LLVM's rule for lines: which are mapped, and how often each ran, from the segments of a file
//! (`LineCoverageStats` in LLVM's `CoverageMapping.cpp`).

/// A place in the source at which the count of what follows changes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Segment {
    /// Line, from 1.
    pub(super) line: u32,
    /// How often what follows ran.
    pub(super) count: u64,
    /// Whether `count` says something: skipped code has none.
    pub(super) has_count: bool,
    /// A region starts here, and not only ends.
    pub(super) entry: bool,
    /// What follows is space between statements.
    pub(super) gap: bool,
}

/// No statement spans so many lines.
const MAX_GAP: u32 = 1_000_000;

/// Calls `each` with every mapped line and its count; false where the segments are not in order.
pub(super) fn lines(segments: &[Segment], mut each: impl FnMut(u32, u64)) -> bool {
    let mut wrapped: Option<Segment> = None;
    for here in segments.chunk_by(|a, b| a.line == b.line) {
        let Some((first, last)) = here.first().zip(here.last()) else { continue };
        if let Some(before) = wrapped {
            if first.line <= before.line || first.line - before.line > MAX_GAP {
                return false;
            }
            if before.has_count {
                (before.line + 1..first.line).for_each(|line| each(line, before.count));
            }
        }
        if let Some(count) = count(here, wrapped) {
            each(first.line, count);
        }
        wrapped = Some(*last);
    }
    true
}

/// The count of a line with these segments on it, after the one that holds on from a line before.
fn count(here: &[Segment], wrapped: Option<Segment>) -> Option<u64> {
    let starts = |s: &&Segment| !s.gap && s.has_count && s.entry;
    let skipped = here.first().is_some_and(|s| !s.has_count && s.entry);
    let begun = here.iter().any(|s| s.has_count && s.entry);
    let mapped = begun || !skipped && wrapped.is_some_and(|w| w.has_count);
    mapped.then(|| {
        let most = here.iter().filter(starts).map(|s| s.count).max().unwrap_or(0);
        most.max(wrapped.map_or(0, |w| w.count))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(segments: &[(u32, u64, &str)]) -> Option<Vec<(u32, u64)>> {
        let segments: Vec<_> = segments
            .iter()
            .map(|(line, count, flags)| Segment {
                line: *line,
                count: *count,
                has_count: flags.contains('c'),
                entry: flags.contains('e'),
                gap: flags.contains('g'),
            })
            .collect();
        let mut all = Vec::new();
        lines(&segments, |line, count| all.push((line, count))).then_some(all)
    }

    #[test]
    fn the_rule() {
        for (segments, want) in [
            (vec![], vec![]),
            // a function of three lines, and nothing after it
            (
                vec![(1, 2, "ce"), (3, 0, ""), (9, 1, "ce"), (9, 0, "")],
                vec![(1, 2), (2, 2), (3, 2), (9, 1)],
            ),
            // of what starts on a line and what holds on, the most counts
            (
                vec![(1, 5, "ce"), (2, 0, "ce"), (2, 5, "c"), (3, 0, "")],
                vec![(1, 5), (2, 5), (3, 5)],
            ),
            (
                vec![(1, 0, "ce"), (2, 7, "ce"), (2, 0, "c"), (3, 0, "")],
                vec![(1, 0), (2, 7), (3, 0)],
            ),
            // space between does not raise a count, and its lines count as it does
            (
                vec![(1, 4, "ce"), (2, 9, "ceg"), (4, 0, "ce"), (5, 0, "")],
                vec![(1, 4), (2, 4), (3, 9), (4, 9), (5, 0)],
            ),
            // skipped code is not mapped
            (
                vec![(1, 1, "ce"), (3, 0, "e"), (5, 1, "c"), (6, 0, "")],
                vec![(1, 1), (2, 1), (6, 1)],
            ),
        ] {
            assert_eq!(of(&segments), Some(want), "{segments:?}");
        }
        assert_eq!(of(&[(2, 1, "ce"), (1, 0, "")]), None);
        assert_eq!(of(&[(1, 1, "ce"), (u32::MAX, 0, "")]), None);
    }
}
