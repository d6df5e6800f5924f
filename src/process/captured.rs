//! Output kept in bounded memory.

use crate::model::sanitize_bytes;

/// Bytes kept of the beginning of an output, and as many of its end.
pub const CAPTURE_EACH: usize = 1 << 20;

/// The beginning and the end of an output. Where nothing was left out, the two together are it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Captured {
    /// The first bytes, at most [`CAPTURE_EACH`].
    pub head: Vec<u8>,
    /// The last bytes that are not in `head`, at most [`CAPTURE_EACH`].
    pub tail: Vec<u8>,
    /// How many bytes were written in all.
    pub bytes: u64,
}

impl Captured {
    /// How many bytes between head and tail were not kept.
    pub fn omitted(&self) -> u64 {
        self.bytes - (self.head.len() + self.tail.len()) as u64
    }

    /// The output as text that is safe to show (see [`sanitize`](crate::model::sanitize)), with a line
    /// that says how much was left out.
    pub fn text(&self) -> String {
        if self.omitted() == 0 {
            let whole: Vec<u8> = [self.head.as_slice(), self.tail.as_slice()].concat();
            return sanitize_bytes(&whole);
        }
        let head = sanitize_bytes(&self.head);
        let tail = sanitize_bytes(&self.tail);
        format!("{head}\n[… {} bytes left out …]\n{tail}", self.omitted())
    }
}

/// Something that receives output piece by piece. It never refuses: what it cannot keep it drops
/// and remembers, so that the writing program is never blocked by us.
pub(super) trait Take {
    /// Receives the next bytes.
    fn take(&mut self, bytes: &[u8]);

    /// Whether the program has to be ended because of what it wrote.
    fn has_enough(&self) -> bool {
        false
    }
}

/// Keeps head and tail, drops the middle.
#[derive(Debug)]
pub(super) struct HeadTail {
    each: usize,
    kept: Captured,
}

impl HeadTail {
    pub(super) fn new(each: usize) -> HeadTail {
        HeadTail { each, kept: Captured::default() }
    }

    pub(super) fn finish(mut self) -> Captured {
        self.trim();
        self.kept
    }

    fn trim(&mut self) {
        let surplus = self.kept.tail.len().saturating_sub(self.each);
        self.kept.tail.drain(..surplus);
    }
}

impl Take for HeadTail {
    fn take(&mut self, bytes: &[u8]) {
        self.kept.bytes += bytes.len() as u64;
        let room = self.each - self.kept.head.len();
        let (head, tail) = bytes.split_at(room.min(bytes.len()));
        self.kept.head.extend_from_slice(head);
        self.kept.tail.extend_from_slice(tail);
        // moved only when it has doubled, so that a flood costs a constant per byte
        if self.kept.tail.len() > 2 * self.each {
            self.trim();
        }
    }
}

/// Keeps everything up to a limit.
#[derive(Debug)]
pub(super) struct Whole {
    pub(super) bytes: Vec<u8>,
    limit: usize,
    over: bool,
}

impl Whole {
    pub(super) fn new(limit: usize) -> Whole {
        Whole { bytes: Vec::new(), limit, over: false }
    }
}

impl Take for Whole {
    fn take(&mut self, bytes: &[u8]) {
        let room = self.limit - self.bytes.len();
        self.over |= bytes.len() > room;
        self.bytes.extend_from_slice(&bytes[..room.min(bytes.len())]);
    }

    fn has_enough(&self) -> bool {
        self.over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(each: usize, pieces: &[&[u8]]) -> Captured {
        let mut taker = HeadTail::new(each);
        pieces.iter().for_each(|piece| taker.take(piece));
        taker.finish()
    }

    #[test]
    fn short_output_is_whole() {
        for pieces in [&[b"ab".as_slice(), b"cdef"][..], &[b"abcdef"], &[b"a", b"", b"bcdef"]] {
            let kept = kept(4, pieces);
            assert_eq!((kept.head.as_slice(), kept.tail.as_slice()), (&b"abcd"[..], &b"ef"[..]));
            assert_eq!((kept.bytes, kept.omitted()), (6, 0));
            assert_eq!(kept.text(), "abcdef");
        }
    }

    #[test]
    fn long_output_keeps_both_ends_and_counts_the_rest() {
        let piece = b"0123456789";
        let kept = kept(4, &[piece, piece, piece]);
        assert_eq!((kept.head.as_slice(), kept.tail.as_slice()), (&b"0123"[..], &b"6789"[..]));
        assert_eq!((kept.bytes, kept.omitted()), (30, 22));
        assert_eq!(kept.text(), "0123\n[… 22 bytes left out …]\n6789");
    }

    #[test]
    fn memory_stays_bounded_in_a_flood() {
        let mut taker = HeadTail::new(100);
        for _ in 0..10_000 {
            taker.take(&[b'x'; 77]);
            assert!(taker.kept.tail.len() <= 277);
        }
    }

    #[test]
    fn a_character_cut_by_the_head_is_whole_in_the_text() {
        assert_eq!(kept(1, &["é".as_bytes()]).text(), "é");
    }

    #[test]
    fn whole_stops_at_its_limit() {
        let mut taker = Whole::new(4);
        taker.take(b"1234");
        assert!(!taker.has_enough());
        taker.take(b"5");
        assert!(taker.has_enough());
        assert_eq!(taker.bytes, b"1234");
    }
}
