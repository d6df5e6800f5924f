//! The four modes as data. What differs between them is written down here once, can be printed side
//! by side (`git fix-evidence policy`) and compared in review.

/// One mode. Numbers are the built-in limits; a configuration of the base branch may set others
/// where the mode has a key for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// How the mode is called on the command line.
    pub name: &'static str,
    /// What it starts from.
    pub input: &'static str,
    /// Dispatches in one run.
    pub max_iter: u32,
    /// Dispatches over the life of a branch; none where runs do not add up.
    pub max_cumulative_iter: Option<u32>,
    /// Tokens in one run; none where only time limits it.
    pub token_budget: Option<u64>,
    /// Minutes for the whole run; none where only the fixers' own deadlines count.
    pub time_limit_min: Option<u32>,
    /// Iterations taken back before it gives up; none where the first one ends it.
    pub max_reverts: Option<u32>,
    /// Stops when the reasons are those from before the last iteration.
    pub oscillation_guard: bool,
    /// Where it works.
    pub workplace: &'static str,
    /// Who agrees to a change.
    pub consent: &'static str,
    /// When a change stays.
    pub accept: &'static str,
    /// What becomes of a change that may not stay.
    pub otherwise: &'static str,
    /// What is left at the end.
    pub result: &'static str,
}

/// `git fix-evidence`.
pub const BRANCH_LOOP: Policy = Policy {
    name: "run",
    input: "block reasons of the record",
    max_iter: 5,
    max_cumulative_iter: Some(10),
    token_budget: Some(200_000),
    time_limit_min: None,
    max_reverts: Some(2),
    oscillation_guard: true,
    workplace: "the branch",
    consent: "none inside the loop",
    accept: "not worse than before",
    otherwise: "back to the checkpoint",
    result: "commits on the branch, never pushed",
};

/// `git fix-evidence ci`.
pub const CI_HANDOFF: Policy = Policy {
    name: "ci",
    input: "failed checks and their log",
    max_iter: 3,
    max_cumulative_iter: None,
    token_budget: Some(200_000),
    time_limit_min: None,
    max_reverts: None,
    oscillation_guard: false,
    workplace: "the pull request's branch",
    consent: "by class and iteration",
    accept: "the patch is clean and agreed to",
    otherwise: "a diagnosis for a person",
    result: "a commit and an audit log",
};

/// `git fix-evidence task`.
pub const SANDBOX_TASK: Policy = Policy {
    name: "task",
    input: "an issue",
    max_iter: 10,
    max_cumulative_iter: None,
    token_budget: Some(200_000),
    time_limit_min: Some(30),
    max_reverts: None,
    oscillation_guard: true,
    workplace: "a linked worktree on auto/<issue>-<slug>",
    consent: "kinds and priorities of proposals",
    accept: "every check green, nothing protected touched",
    otherwise: "stop, keep the branch",
    result: "a branch and a draft pull request",
};

/// `git fix-evidence once`.
pub const ONE_SHOT: Policy = Policy {
    name: "once",
    input: "every proved finding",
    max_iter: 1,
    max_cumulative_iter: Some(1),
    token_budget: Some(200_000),
    time_limit_min: Some(20),
    max_reverts: None,
    oscillation_guard: false,
    workplace: "a fresh checkout in a box",
    consent: "a person merges",
    accept: "the same checks prove it",
    otherwise: "rejected, nothing kept",
    result: "a separate branch or suggestions",
};

/// All modes, in the order of the manual.
pub const POLICIES: &[&Policy] = &[&BRANCH_LOOP, &CI_HANDOFF, &SANDBOX_TASK, &ONE_SHOT];
