//! What is still to be known on each side, and the three ways to pair it.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Range;

use super::place::{Neighbour, Spot};
use super::{Known, Sign};
use crate::model::{DiffMap, Finding};

/// Above this many possible pairs of one group, order alone decides.
const MOST_PAIRS: usize = 250_000;

/// Both sides, and what is known of them.
pub(super) struct Pool<'a> {
    pub(super) base: Vec<Spot<'a>>,
    pub(super) head: Vec<Spot<'a>>,
    free_base: Vec<bool>,
    found: Vec<Option<Known>>,
    paths: HashMap<&'a str, u32>,
}

impl<'a> Pool<'a> {
    pub(super) fn new(
        base: &[&'a Finding],
        head: &[&'a Finding],
        diff: Option<&'a DiffMap>,
    ) -> Pool<'a> {
        let mut blots = Blots::default();
        let (mut who, mut what, mut paths) = (HashMap::new(), HashMap::new(), HashMap::new());
        let mut numbered = |finding: &'a Finding, mut spot: Spot<'a>| {
            spot.who = number(&mut who, (spot.tool, spot.rule));
            spot.what = number(&mut what, finding.message.as_str());
            spot.at = spot.path.map(|path| number(&mut paths, path));
            spot
        };
        let base: Vec<Spot<'a>> = base
            .iter()
            .map(|f| numbered(f, Spot::base(f, blots.number(&f.message), diff)))
            .collect();
        let head: Vec<Spot<'a>> = head
            .iter()
            .map(|f| numbered(f, Spot::head(f, blots.number(&f.message), diff)))
            .collect();
        let (free_base, found) = (vec![true; base.len()], vec![None; head.len()]);
        let mut pool = Pool { free_base, found, base, head, paths };
        if diff.is_none() {
            pool.see_gone_files();
        }
        pool
    }

    /// Without a diff a file is gone if the head has no finding in it.
    fn see_gone_files(&mut self) {
        let mut there = vec![false; self.paths.len()];
        for at in self.head.iter().filter_map(|s| s.at) {
            there[at as usize] = true;
        }
        for spot in &mut self.base {
            spot.file_gone = spot.at.is_some_and(|at| !there[at as usize]);
        }
    }

    /// Gives a finding of the base a path of the head.
    pub(super) fn follow(&mut self, base: usize, path: &'a str) {
        let at = self.paths.get(path).copied();
        let spot = &mut self.base[base];
        (spot.path, spot.at) = (Some(path), at);
    }

    /// Findings of the base that are not known again, by index.
    pub(super) fn left_of_base(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.base.len()).filter(|i| self.free_base[*i])
    }

    /// Findings of the head that are not known, by index.
    pub(super) fn left_of_head(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.head.len()).filter(|i| self.found[*i].is_none())
    }

    pub(super) fn finish(self) -> Vec<Option<Known>> {
        self.found
    }

    fn pair(&mut self, base: usize, head: usize, by: Sign) {
        self.free_base[base] = false;
        self.found[head] = Some(Known { base, by });
    }

    /// What is left on both sides, by key; groups that only one side has are left out.
    fn groups<K: Ord>(&self, key: impl Fn(&Spot<'a>) -> Option<K>) -> Groups {
        let keyed = |spots: &[Spot<'a>], left: &mut dyn Iterator<Item = usize>| {
            let mut all: Vec<(K, usize)> =
                left.filter_map(|i| Some((key(&spots[i])?, i))).collect();
            all.sort_unstable();
            all
        };
        let base = keyed(&self.base, &mut self.left_of_base());
        let head = keyed(&self.head, &mut self.left_of_head());
        let (mut both, mut b, mut h) = (Vec::new(), 0, 0);
        while let (Some((old, _)), Some((new, _))) = (base.get(b), head.get(h)) {
            match old.cmp(new) {
                Ordering::Less => b += 1,
                Ordering::Greater => h += 1,
                Ordering::Equal => {
                    let size = |all: &[(K, usize)]| all.iter().take_while(|e| e.0 == *old).count();
                    let (olds, news) = (size(&base[b..]), size(&head[h..]));
                    both.push((b..b + olds, h..h + news));
                    (b, h) = (b + olds, h + news);
                }
            }
        }
        let plain = |all: Vec<(K, usize)>| all.into_iter().map(|(_, i)| i).collect();
        Groups { base: plain(base), head: plain(head), both }
    }

    /// Pairs what has the same key and is alone with it on each side.
    pub(super) fn only_one<K: Ord>(&mut self, by: Sign, key: impl Fn(&Spot<'a>) -> Option<K>) {
        self.only_one_if(by, key, |_, _| true);
    }

    /// The same, where the two may be one at all.
    pub(super) fn only_one_if<K: Ord>(
        &mut self,
        by: Sign,
        key: impl Fn(&Spot<'a>) -> Option<K>,
        may: impl Fn(&Spot<'a>, &Spot<'a>) -> bool,
    ) {
        let Groups { base, head, both } = self.groups(key);
        for (olds, news) in both {
            if let ([b], [h]) = (&base[olds], &head[news])
                && may(&self.base[*b], &self.head[*h])
            {
                self.pair(*b, *h, by);
            }
        }
    }

    /// Pairs what has the same key, in order of place, as near to each other as can be: of several
    /// equal findings the one that is new is the one that lies farthest from the old ones.
    pub(super) fn nearest<K: Ord>(&mut self, by: Sign, key: impl Fn(&Spot<'a>) -> Option<K>) {
        let Groups { base: mut olds, head: mut news, both } = self.groups(key);
        for (base, head) in both {
            let (base, head) = (&mut olds[base], &mut news[head]);
            if let ([b], [h]) = (&*base, &*head) {
                self.pair(*b, *h, by);
                continue;
            }
            let (b, h) = (&self.base, &self.head);
            base.sort_by_key(|i| (b[*i].path, b[*i].line, *i));
            head.sort_by_key(|i| (h[*i].path, h[*i].line, *i));
            for (b, h) in self.in_order(base, head) {
                self.pair(b, h, by);
            }
        }
    }

    /// All of the shorter side, each with one of the longer, in order, the sum of the distances as
    /// small as can be.
    fn in_order(&self, base: &[usize], head: &[usize]) -> Vec<(usize, usize)> {
        let all = base.iter().copied().zip(head.iter().copied());
        if base.len() == head.len() || base.len().saturating_mul(head.len()) > MOST_PAIRS {
            return all.collect();
        }
        let line = |spot: &Spot<'_>| i64::from(spot.shifted.or(spot.line).unwrap_or(0));
        let old: Vec<i64> = base.iter().map(|i| line(&self.base[*i])).collect();
        let new: Vec<i64> = head.iter().map(|i| line(&self.head[*i])).collect();
        match old.len() < new.len() {
            true => align(&old, &new).into_iter().map(|(o, n)| (base[o], head[n])).collect(),
            false => align(&new, &old).into_iter().map(|(n, o)| (base[o], head[n])).collect(),
        }
    }

    /// Tells each unknown finding of the base where its line is now, by the nearest known one of its
    /// file.
    pub(super) fn shift(&mut self, side: Neighbour) {
        let mut known: Vec<((u32, u32), u32)> = Vec::new();
        for (head, found) in self.head.iter().zip(&self.found) {
            let Some(known_as) = found else { continue };
            let base = &self.base[known_as.base];
            if let (Some(at), Some(old), Some(new), true) =
                (base.at, base.line, head.line, base.at == head.at)
            {
                known.push(((at, old), new));
            }
        }
        // of several at one place the last one counts
        known.sort_by_key(|(place, _)| *place);
        for (base, _) in self.base.iter_mut().zip(&self.free_base).filter(|(_, free)| **free) {
            let (Some(at), Some(line)) = (base.at, base.line) else {
                base.shifted = None;
                continue;
            };
            let upto = known.partition_point(|(place, _)| *place <= (at, line));
            let near = match side {
                Neighbour::Before => upto.checked_sub(1).map(|n| known[n]),
                Neighbour::After => {
                    let from = match upto.checked_sub(1).map(|n| known[n].0) {
                        Some(place) if place == (at, line) => upto - 1,
                        _ => upto,
                    };
                    // the first place from here on, by the last that stands there
                    let next = known.get(from).map(|(place, _)| *place);
                    next.map(|next| {
                        let size = known[from..].iter().take_while(|e| e.0 == next).count();
                        known[from + size - 1]
                    })
                }
            };
            let near = near.filter(|((file, _), _)| *file == at);
            let moved =
                near.map(|((_, old), new)| i64::from(line) + i64::from(new) - i64::from(old));
            base.shifted = moved.and_then(|line| u32::try_from(line).ok());
        }
    }
}

/// What is left on each side in order of its key, and the stretches whose key is the same.
struct Groups {
    base: Vec<usize>,
    head: Vec<usize>,
    both: Vec<(Range<usize>, Range<usize>)>,
}

/// Pairs each of the shorter, sorted list with one of the longer, in order, with the least sum of
/// distances.
fn align(short: &[i64], long: &[i64]) -> Vec<(usize, usize)> {
    let width = long.len() + 1;
    // least[i * width + j]: the first i of the short ones among the first j of the long ones
    let mut least = vec![i64::MAX; (short.len() + 1) * width];
    least[..width].fill(0);
    for i in 1..=short.len() {
        for j in i..=long.len() {
            let taken = least[(i - 1) * width + j - 1];
            let taken = taken.saturating_add((short[i - 1] - long[j - 1]).abs());
            let passed = least[i * width + j - 1];
            least[i * width + j] = taken.min(passed);
        }
    }
    let (mut pairs, mut j) = (Vec::with_capacity(short.len()), long.len());
    for i in (1..=short.len()).rev() {
        while j > i && least[i * width + j] == least[i * width + j - 1] {
            j -= 1;
        }
        pairs.push((i - 1, j - 1));
        j -= 1;
    }
    pairs
}

/// The number that stands for a value.
fn number<K: Hash + Eq>(numbers: &mut HashMap<K, u32>, key: K) -> u32 {
    let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
    *numbers.entry(key).or_insert(next)
}

/// Messages with their digits blotted out, numbered.
#[derive(Default)]
struct Blots {
    numbers: HashMap<String, u32>,
    text: String,
}

impl Blots {
    fn number(&mut self, message: &str) -> u32 {
        self.text.clear();
        let mut rest = message;
        while let Some(at) = rest.bytes().position(|b| b.is_ascii_digit()) {
            self.text.push_str(&rest[..at]);
            // a mark that the message itself has there stands for both
            if !self.text.ends_with('#') {
                self.text.push('#');
            }
            rest = rest[at..].trim_start_matches(|c: char| c.is_ascii_digit());
        }
        self.text.push_str(rest);
        if let Some(known) = self.numbers.get(&self.text) {
            return *known;
        }
        let next = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        self.numbers.insert(self.text.clone(), next);
        next
    }
}

#[cfg(test)]
mod tests {
    use super::align;

    #[test]
    fn the_one_that_is_left_out_lies_farthest() {
        assert_eq!(align(&[10, 20], &[10, 15, 20]), [(1, 2), (0, 0)]);
        assert_eq!(align(&[5], &[1, 4, 9]), [(0, 1)]);
        assert_eq!(align(&[], &[1]), []);
        assert_eq!(align(&[1, 2], &[8, 9, 10]), [(1, 1), (0, 0)]);
    }
}
