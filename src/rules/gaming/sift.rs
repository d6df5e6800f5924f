//! Hits, a person's waivers, and what follows from both.

use globset::GlobBuilder;
use serde::{Deserialize, Serialize};

use super::{Hit, Severity, rule};

/// A person's exception of one rule, read from the base's configuration only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiver {
    /// The rule's identifier.
    pub rule: String,
    /// A glob of the paths for which it does not count.
    pub paths: String,
    /// Why, for people.
    pub reason: String,
    /// The last day on which it holds, `YYYY-MM-DD`.
    pub until: String,
}

/// A hit that a waiver excuses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waived {
    /// The hit.
    pub hit: Hit,
    /// The waiver's reason.
    pub reason: String,
}

/// What is left of the hits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sifted {
    /// Those that count, the gravest first.
    pub hits: Vec<Hit>,
    /// Those that a person excused.
    pub waived: Vec<Waived>,
    /// Waivers that would have excused a hit and are over, as sentences.
    pub expired: Vec<String>,
}

impl Sifted {
    /// The hits of this severity.
    pub fn of(&self, severity: Severity) -> impl Iterator<Item = &Hit> {
        self.hits.iter().filter(move |h| h.severity == severity)
    }
}

/// Takes out what waivers excuse. `today` is `YYYY-MM-DD`.
pub fn sift(mut hits: Vec<Hit>, waivers: &[Waiver], today: &str) -> Sifted {
    let mut sifted = Sifted::default();
    hits.sort_by(|a, b| (b.severity, a).cmp(&(a.severity, b)));
    hits.dedup();
    for hit in hits {
        let fits = |w: &&Waiver| w.rule == hit.rule && covers(&w.paths, &hit.path);
        let (valid, over): (Vec<&Waiver>, Vec<&Waiver>) =
            waivers.iter().filter(fits).partition(|w| w.until.as_str() >= today);
        if let Some(waiver) = valid.first() {
            sifted.waived.push(Waived { reason: waiver.reason.clone(), hit });
            continue;
        }
        sifted.expired.extend(
            over.iter()
                .map(|w| format!("the waiver of {} for {} ended on {}", w.rule, w.paths, w.until)),
        );
        sifted.hits.push(hit);
    }
    sifted.expired.sort();
    sifted.expired.dedup();
    sifted
}

fn covers(glob: &str, path: &str) -> bool {
    let built = GlobBuilder::new(glob).literal_separator(true).build();
    built.is_ok_and(|g| g.compile_matcher().is_match(path))
}

/// One hit as a sentence for people and fixers: `AG08 (a skip was added) at tests/a.py:3: …`.
pub fn sentence(hit: &Hit) -> String {
    let name = rule(&hit.rule).map_or("", |r| r.name);
    let place = match (hit.path.as_str(), hit.line) {
        ("", _) => String::new(),
        (path, Some(line)) => format!(" at {path}:{line}"),
        (path, None) => format!(" in {path}"),
    };
    let message = match hit.message.is_empty() {
        true => String::new(),
        false => format!(": {}", hit.message),
    };
    format!("{} ({name}){place}{message}", hit.rule)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiver(rule: &str, paths: &str, until: &str) -> Waiver {
        let text = |t: &str| t.to_string();
        Waiver { rule: text(rule), paths: text(paths), reason: "old".into(), until: text(until) }
    }

    #[test]
    fn a_waiver_excuses_one_rule_in_its_paths_until_its_day() {
        let hits = || vec![Hit::of("AG39", "src/a.py", ""), Hit::of("AG09", "src/a.py", "m")];
        let of = |w: &Waiver| {
            let sifted = sift(hits(), std::slice::from_ref(w), "2026-05-02");
            let left: Vec<String> = sifted.hits.iter().map(|h| h.rule.clone()).collect();
            (left.join(" "), sifted.waived.len(), sifted.expired.len())
        };
        assert_eq!(of(&waiver("AG09", "src/**", "2026-05-02")), ("AG39".into(), 1, 0));
        assert_eq!(of(&waiver("AG09", "src/**", "2026-05-01")), ("AG09 AG39".into(), 0, 1));
        assert_eq!(of(&waiver("AG09", "lib/**", "2026-05-02")), ("AG09 AG39".into(), 0, 0));
        assert_eq!(of(&waiver("AG08", "**", "2026-05-02")), ("AG09 AG39".into(), 0, 0));
    }

    #[test]
    fn a_hit_says_what_and_where() {
        let hit = Hit::of("AG08", "tests/a.py", "@skip").at(3);
        assert_eq!(sentence(&hit), "AG08 (a skip was added) at tests/a.py:3: @skip");
        assert!(sentence(&Hit::of("AG04", "", "3 of 9")).ends_with("were run): 3 of 9"));
    }
}
