//! Limits from flags, environment and git's configuration: they can only tighten what the base
//! branch's configuration allows, since raising a limit needs review (S0-16).

/// A value that somebody gave for a limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Given {
    /// Where it was given: `--max-iter`, `DEVFORGE_FIX_EVIDENCE_MAX_ITER`, `evidence.maxIter`.
    pub source: &'static str,
    /// What was written.
    pub text: String,
}

/// The limit that counts, from the committed one and what was given, the strongest source first.
///
/// # Errors
/// One sentence for the first given value that is no number or is looser than the committed limit.
/// A command ends with it; a hook says it and takes [`strictest`].
pub fn tighten(name: &str, committed: u64, given: &[Given]) -> Result<u64, String> {
    let mut value = None;
    for given in given {
        let number = read(given, name)?;
        if number > committed {
            return Err(format!(
                "{} = {number} is looser than {name} = {committed}; to raise it, commit [limits] {name} to \
                 .git-evidence.toml on the base branch",
                given.source
            ));
        }
        value = value.or(Some(number));
    }
    Ok(value.unwrap_or(committed))
}

/// The smallest of the committed limit and every given number that can be read.
pub fn strictest(name: &str, committed: u64, given: &[Given]) -> u64 {
    given.iter().filter_map(|g| read(g, name).ok()).fold(committed, u64::min)
}

fn read(given: &Given, name: &str) -> Result<u64, String> {
    given.text.trim().parse().map_err(|_| {
        format!("{} = '{}' is no number; write a whole number for {name}", given.source, given.text)
    })
}

/// The kill-switch: `1` or unset is on, anything else is off.
pub fn switch(text: Option<&str>) -> bool {
    text.is_none_or(|t| t == "1")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(values: &[(&'static str, &str)]) -> Vec<Given> {
        values.iter().map(|(source, text)| Given { source, text: (*text).to_string() }).collect()
    }

    #[test]
    fn the_strongest_source_wins_and_none_can_loosen() {
        for (values, expected) in [
            (&[][..], Ok(5)),
            (&[("--max-iter", "3")], Ok(3)),
            (&[("--max-iter", "5"), ("ENV", "2")], Ok(5)),
            (&[("ENV", "0")], Ok(0)),
            (&[("--max-iter", "6")], Err("looser")),
            (&[("--max-iter", "3"), ("ENV", "9")], Err("ENV = 9")),
            (&[("ENV", "x")], Err("no number")),
            (&[("ENV", "-1")], Err("no number")),
            (&[("ENV", "")], Err("no number")),
        ] {
            match (tighten("max_iter", 5, &given(values)), expected) {
                (Ok(got), Ok(want)) => assert_eq!(got, want),
                (Err(got), Err(want)) => assert!(got.contains(want), "{got}"),
                (got, want) => panic!("{values:?}: {got:?} instead of {want:?}"),
            }
        }
    }

    #[test]
    fn a_hook_takes_the_strictest_number_that_can_be_read() {
        assert_eq!(strictest("x", 3, &given(&[("A", "9"), ("B", "y"), ("C", "2")])), 2);
        assert_eq!(strictest("x", 3, &given(&[("A", "9")])), 3);
    }

    #[test]
    fn the_switch_is_on_for_one_and_for_nothing() {
        for (text, on) in [
            (None, true),
            (Some("1"), true),
            (Some("0"), false),
            (Some(""), false),
            (Some("true"), false),
        ] {
            assert_eq!(switch(text), on, "{text:?}");
        }
    }
}
