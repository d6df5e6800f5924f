//! The little language of the tables: a script of observations in, a trace of steps and an end out.
//!
//! A script is words with blanks between them, each one observation:
//!
//! ```text
//! ok handoff floor degraded scores   evidence with that decision
//! L3 C50.0 T1 X20 D V1 K1 P5.0 U     evidence that blocks by these reasons (joined by `,`)
//! bot:L3 floor:L3 degraded:L3        the same, made by a bot, under a floor, not well measured
//! +7 =7 !cannot_fix                  the fix made commits for 7 tokens, made none, must end here
//! ~AG08 @AG04                        a rule against gaming fired on the change, on the reports
//! < refused ?measure_failed          taken back, could not be taken back, not measured
//! ```
//!
//! A trace has `M` for measure, a kind for a dispatch, `B` for going back.

use std::collections::VecDeque;

use git_evidence::engine::{
    BRANCH_LOOP, Dispatch, Driver, Fix, FixResult, Gaming, Limits, Machine, Observation, Policy,
    Ports, Totals, View,
};
use git_evidence::model::{BlockReason, Decision, Escalation, Kind};

/// The limits of the contract.
pub(super) const LIMITS: Limits =
    Limits { max_iter: 5, token_budget: 200_000, max_cumulative_iter: 10 };

/// One line of a table.
pub(super) struct Case {
    pub(super) policy: Policy,
    pub(super) limits: Limits,
    pub(super) totals: Totals,
    pub(super) fixers: Vec<Kind>,
    why: &'static str,
    script: String,
    trace: String,
    end: &'static str,
}

/// A run of the branch loop with fixers for every kind and the limits of the contract.
pub(super) fn case(why: &'static str, script: &str, trace: &str, end: &'static str) -> Case {
    Case {
        policy: BRANCH_LOOP,
        limits: LIMITS,
        totals: Totals::default(),
        fixers: Kind::for_fixers().collect(),
        why,
        script: script.to_string(),
        trace: trace.to_string(),
        end,
    }
}

impl Case {
    /// Other limits: a run's iterations and tokens, a branch's iterations.
    pub(super) fn limits(mut self, max_iter: u32, tokens: u64, cumulative: u32) -> Case {
        self.limits = Limits { max_iter, token_budget: tokens, max_cumulative_iter: cumulative };
        self
    }

    /// What the branch has behind it: iterations, reverts, the persisted reasons.
    pub(super) fn behind(mut self, total: u32, reverts: u32, last: Option<&str>) -> Case {
        self.totals.iter_count_total = total;
        self.totals.reverts = reverts;
        self.totals.last_reasons_set = last.map(texts);
        self
    }

    pub(super) fn fixers(mut self, kinds: &[Kind]) -> Case {
        self.fixers = kinds.to_vec();
        self
    }

    pub(super) fn policy(mut self, policy: Policy) -> Case {
        self.policy = policy;
        self
    }

    /// Runs it, compares trace and end, and hands back what was counted and the end's detail.
    pub(super) fn check(self) -> (Totals, String) {
        let machine = Machine::new(self.policy, self.limits, self.totals, &self.fixers);
        let mut ports = Scripted::new(&self.script);
        let mut driver = Driver::new(machine, &mut ports);
        let end = driver.run().unwrap_or_else(|e| panic!("{}: {e}", self.why));
        let totals = driver.machine.totals().clone();
        let word = match end.escalation {
            Some(why) => why.word(),
            None => end.status.word(),
        };
        assert_eq!((ports.trace.join(" "), word), (self.trace, self.end), "{}", self.why);
        assert_eq!(ports.left.len(), 0, "{}: the script goes on: {:?}", self.why, ports.left);
        let steps = ports.trace.len();
        assert_eq!(ports.settled, steps, "{}: saved after every step", self.why);
        (totals, end.detail)
    }
}

/// Ports that answer from a script.
struct Scripted {
    left: VecDeque<Observation>,
    trace: Vec<String>,
    settled: usize,
}

impl Scripted {
    fn new(script: &str) -> Scripted {
        let left = script.split_whitespace().map(observation).collect();
        Scripted { left, trace: Vec::new(), settled: 0 }
    }

    fn take(&mut self, step: &str) -> anyhow::Result<Observation> {
        self.trace.push(step.to_string());
        let trace = self.trace.join(" ");
        self.left.pop_front().ok_or_else(|| anyhow::anyhow!("the script is over: {trace}"))
    }
}

impl Ports for Scripted {
    fn measure(&mut self) -> anyhow::Result<Observation> {
        self.take("M")
    }

    fn dispatch(&mut self, dispatch: &Dispatch) -> anyhow::Result<Observation> {
        match self.take(dispatch.kind.word())? {
            told @ (Observation::Fixed(_) | Observation::Barred(..)) => Ok(told),
            other => anyhow::bail!("dispatched {dispatch:?}, the script says {other:?}"),
        }
    }

    fn roll_back(&mut self) -> anyhow::Result<Observation> {
        self.take("B")
    }

    fn settle(&mut self, _: &Machine) -> anyhow::Result<()> {
        self.settled += 1;
        Ok(())
    }
}

/// One word of a script.
pub(super) fn observation(word: &str) -> Observation {
    let fixed = |tokens: &str, result| {
        let tokens = if tokens.is_empty() { 0 } else { tokens.parse().unwrap() };
        Observation::Fixed(Fix { tokens, result })
    };
    let escalation = |word: &str| {
        *Escalation::ALL.iter().find(|e| e.word() == word).expect("a word of the contract")
    };
    let gaming = |rule: &str| Gaming {
        rules: vec![rule.to_string()],
        word: Escalation::GamingDetected,
        detail: format!("{rule} fired"),
        at_once: rule == "person",
    };
    if let Some(rule) = word.strip_prefix('~') {
        fixed("1", FixResult::Gamed(gaming(rule)))
    } else if let Some(rule) = word.strip_prefix('@') {
        Observation::Gamed(gaming(rule))
    } else if let Some(tokens) = word.strip_prefix('+') {
        fixed(tokens, FixResult::Changed)
    } else if let Some(tokens) = word.strip_prefix('=') {
        fixed(tokens, FixResult::NoChange)
    } else if let Some(why) = word.strip_prefix('!') {
        fixed("1", FixResult::Stop(escalation(why), "said so".to_string()))
    } else if let Some(why) = word.strip_prefix('?') {
        Observation::Barred(escalation(why), "said so".to_string())
    } else {
        match word {
            "<" => Observation::RolledBack,
            "refused" => Observation::RollBackRefused("a ref is in the way".to_string()),
            word => Observation::Evidence(view(word)),
        }
    }
}

/// Evidence.
pub(super) fn view(word: &str) -> View {
    let (mark, list) = word.split_once(':').unwrap_or((word, ""));
    let decision = match mark {
        "ok" => Decision::AutoApprove,
        "handoff" => Decision::ReviewerHandoff,
        "floor" => Decision::BlockHardFloor,
        "degraded" => Decision::SeverelyDegraded,
        _ => Decision::BlockRegression,
    };
    let plain =
        matches!(mark, "ok" | "handoff" | "floor" | "degraded" | "scores" | "bot" | "breach");
    View {
        decision,
        reasons: reasons(if plain { list } else { word }),
        hard_floors: match mark {
            "floor" | "breach" => vec!["security:40.0<60.0".to_string()],
            _ => Vec::new(),
        },
        is_bot: mark == "bot",
        dimensions: if mark == "scores" { vec!["quality".to_string()] } else { Vec::new() },
        sentence: "the sentence of the record".to_string(),
    }
}

/// `L3,C50.0` as reasons.
pub(super) fn reasons(list: &str) -> Vec<BlockReason> {
    list.split(',').filter(|w| !w.is_empty()).map(|w| BlockReason::parse(&reason(w))).collect()
}

/// The sorted texts that the state keeps.
pub(super) fn texts(list: &str) -> Vec<String> {
    let mut texts: Vec<String> = reasons(list).iter().map(ToString::to_string).collect();
    texts.sort();
    texts
}

fn reason(word: &str) -> String {
    let figure = &word[1..];
    match &word[..1] {
        "L" => format!("lint_errors:{figure}>0"),
        "C" => format!("coverage_below_threshold:{figure}<60.0"),
        "E" => format!("coverage_delta:-{figure}<-5.0"),
        "P" => format!("patch_coverage:{figure}<80.0"),
        "T" => format!("test_failures:{figure}>0"),
        "X" => format!("complexity_max:{figure}>15"),
        "K" => format!("ci_critical:{figure}>0"),
        "H" => format!("ci_high:critical=0,high={figure}"),
        "V" => format!("vulnerabilities:critical={figure},high=0"),
        "D" => format!("drift_severity{}", if figure.is_empty() { ":high" } else { "_high" }),
        _ => format!("odd{figure}"),
    }
}
