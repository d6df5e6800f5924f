//! The limits that flags, environment and git's configuration can tighten: one table, read by the
//! loop, by hooks and by `policy`.

use super::env::Environment;
use crate::config;
use crate::git::Config as GitConfig;
use crate::rules::tighten::{Given, strictest, tighten};

/// Finds a variable's text.
type Read = fn(&Environment) -> Option<&String>;

/// One limit.
pub struct Limit {
    /// Its key in `[limits]`.
    pub name: &'static str,
    /// Its flag, where a command has one.
    pub flag: &'static str,
    /// Its environment variable, where there is one.
    variable: Option<(&'static str, Read)>,
    /// Its key in git's configuration.
    key: &'static str,
    /// What is committed.
    committed: fn(&config::Limits) -> u64,
}

/// Dispatches of a run.
pub const MAX_ITER: Limit = Limit {
    name: "max_iter",
    flag: "--max-iter",
    variable: Some(("DEVFORGE_FIX_EVIDENCE_MAX_ITER", |e| e.max_iter.as_ref())),
    key: "evidence.maxIter",
    committed: |l| l.max_iter as u64,
};

/// Tokens of a run.
pub const TOKEN_BUDGET: Limit = Limit {
    name: "token_budget",
    flag: "--token-budget",
    variable: Some(("DEVFORGE_FIX_EVIDENCE_TOKEN_BUDGET", |e| e.token_budget.as_ref())),
    key: "evidence.tokenBudget",
    committed: |l| l.token_budget,
};

/// Dispatches over a branch's life.
pub const MAX_CUMULATIVE_ITER: Limit = Limit {
    name: "max_cumulative_iter",
    flag: "",
    variable: None,
    key: "evidence.maxCumulativeIter",
    committed: |l| l.max_cumulative_iter as u64,
};

/// Markers over a branch's life.
pub const MAX_AUTO_TRIGGERS: Limit = Limit {
    name: "max_auto_triggers",
    flag: "",
    variable: Some(("DEVFORGE_FIX_EVIDENCE_MAX_AUTO_TRIGGERS", |e| e.max_auto_triggers.as_ref())),
    key: "evidence.maxAutoTriggers",
    committed: |l| l.max_auto_triggers as u64,
};

/// All, in the order of the manual.
pub const LIMITS: &[&Limit] = &[&MAX_ITER, &TOKEN_BUDGET, &MAX_CUMULATIVE_ITER, &MAX_AUTO_TRIGGERS];

/// What else than the committed file says something of a limit.
#[derive(Clone, Copy)]
pub struct Sources<'a> {
    /// The flag, if it was typed.
    pub flag: Option<&'a String>,
    /// The environment.
    pub env: &'a Environment,
    /// Git's configuration.
    pub git: &'a GitConfig,
}

impl Limit {
    /// What is committed.
    pub fn committed(&self, limits: &config::Limits) -> u64 {
        (self.committed)(limits)
    }

    /// Whether the committed value is the built-in one.
    pub fn is_default(&self, limits: &config::Limits) -> bool {
        self.committed(limits) == self.committed(&config::Limits::default())
    }

    /// What was given, the strongest source first.
    pub fn given(&self, sources: Sources<'_>) -> Vec<Given> {
        let variable = self.variable.and_then(|(name, read)| Some((name, read(sources.env)?)));
        let key = sources.git.get(self.key).map(|text| (self.key, text.to_string()));
        sources
            .flag
            .map(|text| (self.flag, text.clone()))
            .into_iter()
            .chain(variable.map(|(name, text)| (name, text.clone())))
            .chain(key)
            .map(|(source, text)| Given { source, text })
            .collect()
    }

    /// The value that counts for a command.
    ///
    /// # Errors
    /// One sentence where something given is no number or looser than what is committed.
    pub fn value(&self, limits: &config::Limits, sources: Sources<'_>) -> Result<u64, String> {
        tighten(self.name, self.committed(limits), &self.given(sources))
    }

    /// The value that counts in a hook, which takes the strictest, and what is wrong with the rest.
    pub fn strictest(&self, limits: &config::Limits, sources: Sources<'_>) -> (u64, Vec<String>) {
        let (committed, given) = (self.committed(limits), self.given(sources));
        let wrong = |g: &Given| tighten(self.name, committed, std::slice::from_ref(g)).err();
        (strictest(self.name, committed, &given), given.iter().filter_map(wrong).collect())
    }
}
