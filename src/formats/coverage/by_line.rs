//! Values by line number. Reports list lines from top to bottom, so that an ordered list, which costs
//! no more than a push, holds nearly all; what comes out of order goes to a tree beside it.

use std::collections::BTreeMap;

/// Values by line, each line once.
#[derive(Debug)]
pub(in crate::formats) struct ByLine<V> {
    /// Ascending.
    run: Vec<(u32, V)>,
    /// Lines that are not in the list and were passed by it when they came.
    rest: BTreeMap<u32, V>,
}

impl<V> Default for ByLine<V> {
    fn default() -> Self {
        ByLine { run: Vec::new(), rest: BTreeMap::new() }
    }
}

impl<V: Default> ByLine<V> {
    /// The value of a line, the default where it is new.
    pub(in crate::formats) fn entry(&mut self, line: u32) -> &mut V {
        let last = self.run.last().map(|(last, _)| *last);
        let at = match last {
            Some(last) if last == line => self.run.len() - 1,
            Some(last) if last > line => match self.run.binary_search_by_key(&line, |e| e.0) {
                Ok(at) => at,
                Err(_) => return self.rest.entry(line).or_default(),
            },
            _ => {
                self.run.push((line, V::default()));
                self.run.len() - 1
            }
        };
        &mut self.run[at].1
    }
}

impl<V> ByLine<V> {
    /// How many lines.
    pub(in crate::formats) fn len(&self) -> usize {
        self.run.len() + self.rest.len()
    }

    /// Whether there is none.
    pub(in crate::formats) fn is_empty(&self) -> bool {
        self.run.is_empty()
    }

    /// Lines with their values, in no order.
    pub(in crate::formats) fn iter(&self) -> impl Iterator<Item = (u32, &V)> {
        self.run.iter().map(|(n, v)| (*n, v)).chain(self.rest.iter().map(|(n, v)| (*n, v)))
    }

    /// Their values, in no order.
    pub(in crate::formats) fn values(&self) -> impl Iterator<Item = &V> {
        self.iter().map(|(_, v)| v)
    }

    /// From top to bottom.
    pub(in crate::formats) fn into_sorted(self) -> Vec<(u32, V)> {
        let mut all = self.run;
        if !self.rest.is_empty() {
            all.extend(self.rest);
            // two ordered runs are merged in one pass
            all.sort_by_key(|(line, _)| *line);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_is_a_map(lines in prop::collection::vec((0u32..40, 0u64..9), 0..80)) {
            let (mut by_line, mut map) = (ByLine::<u64>::default(), BTreeMap::<u32, u64>::new());
            for (line, n) in lines {
                *by_line.entry(line) += n;
                *map.entry(line).or_default() += n;
            }
            prop_assert_eq!(by_line.len(), map.len());
            prop_assert_eq!(by_line.is_empty(), map.is_empty());
            prop_assert_eq!(by_line.values().sum::<u64>(), map.values().sum::<u64>());
            prop_assert_eq!(by_line.into_sorted(), map.into_iter().collect::<Vec<_>>());
        }
    }
}
