//! The marker that asks a coding agent to start the loop: whether it may be emitted (S0-14) and how
//! often (S0-15).

use crate::model::{CommitId, Decision};

/// How long after a counted marker other hooks that see the same branch and commit repeat it
/// without counting: one `git push` runs the agent's hook and git's own.
const WINDOW_SECONDS: i64 = 10;

/// What the hook knows when it blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Situation {
    /// The decision on the blocked commit.
    pub decision: Decision,
    /// Hard floors are broken: no fixer can mend these.
    pub hard_floor_broken: bool,
    /// The change was made by a bot.
    pub is_bot: bool,
    /// No kill-switch is set: configuration, environment, the agent's command.
    pub auto_on: bool,
    /// The push comes from inside a running loop.
    pub inside_loop: bool,
}

/// Why no marker is emitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Silence {
    /// The decision is another than `BLOCK_REGRESSION`: nothing blocks, or the loop would escalate.
    Decision,
    /// A hard floor is broken.
    HardFloor,
    /// A bot's change.
    Bot,
    /// Switched off.
    SwitchedOff,
    /// A loop is running already.
    InsideLoop,
}

/// Whether a marker may be emitted at all; the cap is [`count_marker`]'s. The block stays in
/// either case.
///
/// # Errors
/// The first rule that forbids it.
pub fn may_emit(situation: &Situation) -> Result<(), Silence> {
    if situation.decision != Decision::BlockRegression {
        return Err(Silence::Decision);
    }
    if situation.hard_floor_broken {
        return Err(Silence::HardFloor);
    }
    if situation.is_bot {
        return Err(Silence::Bot);
    }
    if !situation.auto_on {
        return Err(Silence::SwitchedOff);
    }
    if situation.inside_loop {
        return Err(Silence::InsideLoop);
    }
    Ok(())
}

/// The line that the agent's model reads.
pub fn marker(sha: &CommitId) -> String {
    format!("AUTO_FIX_TRIGGER:/forge-fix-evidence:sha={sha}")
}

/// How many markers a branch has had, and the last one that counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Autocount {
    /// Markers that counted.
    pub count: u64,
    /// The commit and the second (since 1970) of the last one.
    pub last: Option<(CommitId, i64)>,
}

/// What to do with a marker that may be emitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// Emit it; it counted.
    Emit,
    /// Emit it; it is the one that was counted a moment ago.
    Repeat,
    /// Emit none.
    Capped,
}

/// Counts a marker for `sha`, emitted at `now` (seconds since 1970); `max` may be counted in all.
///
/// The window begins with the counted marker and does not slide, so that hooks calling again and
/// again cannot stay uncounted for ever. A clock that went back ends it, for the same reason.
pub fn count_marker(
    counter: &Autocount,
    sha: &CommitId,
    now: i64,
    max: u64,
) -> (Counted, Autocount) {
    let in_window = counter.last.as_ref().is_some_and(|(last, at)| {
        last == sha && now >= *at && now.saturating_sub(*at) <= WINDOW_SECONDS
    });
    if in_window && counter.count <= max {
        return (Counted::Repeat, counter.clone());
    }
    if counter.count >= max {
        return (Counted::Capped, counter.clone());
    }
    let next = Autocount { count: counter.count + 1, last: Some((sha.clone(), now)) };
    (Counted::Emit, next)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sha(digit: &str) -> CommitId {
        CommitId::parse(&digit.repeat(40)).unwrap()
    }

    fn plain() -> Situation {
        Situation {
            decision: Decision::BlockRegression,
            hard_floor_broken: false,
            is_bot: false,
            auto_on: true,
            inside_loop: false,
        }
    }

    #[test]
    fn a_marker_is_emitted_for_a_plain_regression_only() {
        for (situation, expected) in [
            (plain(), Ok(())),
            (Situation { hard_floor_broken: true, ..plain() }, Err(Silence::HardFloor)),
            (Situation { is_bot: true, ..plain() }, Err(Silence::Bot)),
            (Situation { auto_on: false, ..plain() }, Err(Silence::SwitchedOff)),
            (Situation { inside_loop: true, ..plain() }, Err(Silence::InsideLoop)),
        ] {
            assert_eq!(may_emit(&situation), expected, "{situation:?}");
        }
        for &decision in Decision::ALL {
            let expected = match decision {
                Decision::BlockRegression => Ok(()),
                _ => Err(Silence::Decision),
            };
            assert_eq!(may_emit(&Situation { decision, ..plain() }), expected, "{decision}");
        }
    }

    #[test]
    fn the_marker_carries_the_whole_id_of_either_length() {
        let short = "a".repeat(40);
        assert_eq!(marker(&sha("a")), format!("AUTO_FIX_TRIGGER:/forge-fix-evidence:sha={short}"));
        let long = CommitId::parse(&"b".repeat(64)).unwrap();
        assert!(marker(&long).ends_with(&"b".repeat(64)));
    }

    #[test]
    fn counting_by_table() {
        let at = |count, now| Autocount { count, last: Some((sha("a"), now)) };
        for (counter, id, now, max, expected) in [
            (Autocount::default(), "a", 100, 3, (Counted::Emit, 1)),
            (Autocount::default(), "a", 100, 0, (Counted::Capped, 0)),
            // the same commit inside the window, at its end, and past it
            (at(1, 100), "a", 100, 3, (Counted::Repeat, 1)),
            (at(1, 100), "a", 110, 3, (Counted::Repeat, 1)),
            (at(1, 100), "a", 111, 3, (Counted::Emit, 2)),
            // another commit, and a clock that went back, count
            (at(1, 100), "b", 101, 3, (Counted::Emit, 2)),
            (at(1, 100), "a", 99, 3, (Counted::Emit, 2)),
            // the last allowed one is repeated, the next is not emitted
            (at(3, 100), "a", 105, 3, (Counted::Repeat, 3)),
            (at(3, 100), "b", 105, 3, (Counted::Capped, 3)),
            (at(3, 100), "a", 200, 3, (Counted::Capped, 3)),
            // a limit that was lowered since
            (at(3, 100), "a", 105, 2, (Counted::Capped, 3)),
            (at(1, 100), "a", 105, 0, (Counted::Capped, 1)),
            (at(u64::MAX, i64::MIN), "b", i64::MAX, u64::MAX, (Counted::Capped, u64::MAX)),
        ] {
            let (counted, next) = count_marker(&counter, &sha(id), now, max);
            assert_eq!((counted, next.count), expected, "{counter:?} {id} {now} {max}");
        }
    }

    proptest::proptest! {
        #[test]
        fn never_more_than_max_count_and_the_window_does_not_slide(
            steps in proptest::collection::vec((0u8..3, -20i64..20), 0..60),
            max in 0u64..5,
        ) {
            let mut counter = Autocount::default();
            let (mut now, mut emitted, mut counted_at) = (1000i64, 0u64, i64::MIN);
            for (id, step) in steps {
                now += step;
                let (what, next) = count_marker(&counter, &sha(["a", "b", "c"][id as usize]), now, max);
                match what {
                    Counted::Emit => { emitted += 1; counted_at = now; }
                    Counted::Repeat => proptest::prop_assert!((0..=10).contains(&(now - counted_at))),
                    Counted::Capped => proptest::prop_assert_eq!(emitted, max),
                }
                if what != Counted::Emit {
                    proptest::prop_assert_eq!(&next, &counter);
                }
                counter = next;
            }
            proptest::prop_assert!(emitted <= max && counter.count == emitted);
        }
    }
}
