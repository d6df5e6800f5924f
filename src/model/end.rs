//! Every way a loop can end, with its exact words.

use serde::{Deserialize, Serialize};

macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum $name {
            $($(#[$doc])* #[serde(rename = $word)] $variant,)*
        }
        impl $name {
            /// All of them, in the order of the manual.
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];
            /// The exact word.
            pub fn word(self) -> &'static str {
                match self { $($name::$variant => $word,)* }
            }
        }
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.word())
            }
        }
    };
}
pub(crate) use words;

words! {
    /// How a run of the loop ended.
    Status {
        /// Nothing blocks any more.
        AutoApprove = "AUTO_APPROVE",
        /// A person has to look: see the escalation.
        Escalated = "ESCALATED",
        /// The iterations of this run are used up.
        MaxIterExceeded = "MAX_ITER_EXCEEDED",
        /// The tokens of this run are used up.
        TokenBudgetExceeded = "TOKEN_BUDGET_EXCEEDED",
    }
}

words! {
    /// Why a person has to look.
    Escalation {
        /// A score is under its absolute floor.
        HardFloor = "hard_floor",
        /// The change was made by a bot.
        Bot = "bot",
        /// The commit could not be measured well enough to judge it.
        SeverelyDegraded = "severely_degraded",
        /// Nothing that blocks has a kind for which fixers exist.
        UnknownBlockReason = "unknown_block_reason",
        /// The same reasons as before the last iteration.
        OscillationDetected = "oscillation_detected",
        /// Two iterations made things worse.
        WorseningDetected = "worsening_detected",
        /// The branch has had all its iterations.
        CumulativeIterExceeded = "cumulative_iter_exceeded",
        /// A fixer silenced the check twice.
        GamingDetected = "gaming_detected",
        /// A fixer touched a protected path.
        ProtectedPath = "protected_path",
        /// Something other than this iteration's own commits would have to be moved.
        ScopeBreach = "scope_breach",
        /// Every fixer that fits failed.
        FixerFailed = "fixer_failed",
        /// No fixer is configured for what blocks.
        NoFixer = "no_fixer",
        /// The fixer says that it cannot fix this.
        CannotFix = "cannot_fix",
        /// The fixer says that the finding is none.
        FalsePositive = "false_positive",
        /// What was to be fixed is not measured any more.
        TargetVanished = "target_vanished",
        /// The working tree has changes that are not committed.
        DirtyTree = "dirty_tree",
        /// The branch has no commit that its base lacks.
        NotAhead = "not_ahead",
        /// HEAD is on no branch.
        DetachedHead = "detached_head",
        /// A rebase, merge, cherry-pick, revert, bisect or a lock is in the way.
        InProgressOperation = "in_progress_operation",
        /// Nothing is configured to measure, and there is no record.
        NoEvidence = "no_evidence",
        /// Measuring failed.
        MeasureFailed = "measure_failed",
        /// The decider's verdict, or an artefact that it cannot read, says that a person has to look.
        Decider = "decider",
    }
}

words! {
    /// What became of one dispatch.
    Outcome {
        /// Its commits stay.
        Kept = "kept",
        /// It made things worse and was taken back.
        RolledBack = "rolled_back",
        /// Nothing changed.
        NoChange = "no_change",
        /// It failed.
        Failed = "failed",
        /// It was ended at its deadline.
        Timeout = "timeout",
    }
}
