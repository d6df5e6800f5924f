//! The three artefacts as values. Fields that nobody here knows are let be; a field that is missing
//! or of another type is an error, so that nothing is ever decided by a default.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::read::{Fields, InputError, Role, document};
use super::verdict::{Verdict, decide};

/// The state of a gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
#[allow(missing_docs, reason = "the contract's words")]
pub enum Gate {
    Green,
    Red,
    Pending,
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
#[allow(missing_docs, reason = "the contract's words")]
pub enum Severity {
    Low,
    Medium,
    High,
    Critical,
}

impl Severity {
    /// The contract's word.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Low => "LOW",
            Severity::Medium => "MEDIUM",
            Severity::High => "HIGH",
            Severity::Critical => "CRITICAL",
        }
    }
}

/// `bounded_loop_decision_v1`: where the loop stands and what it is about to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// Always `bounded_loop_decision_v1`.
    pub schema: String,
    /// What the loop works on.
    pub task_id: String,
    /// The commit that is decided on.
    pub head_sha: String,
    /// Rounds so far.
    pub remediation_round: u64,
    /// Rounds in all.
    pub max_rounds: u64,
    /// Whether there is a fix.
    pub code_fix_applied: bool,
    /// The gates by name.
    pub gates: BTreeMap<String, Gate>,
    /// What the task was to change.
    pub expected_files: Vec<String>,
    /// What it changed.
    pub changed_files: Vec<String>,
    /// What it asks to do.
    pub requested_actions: Vec<String>,
    /// What it may do next.
    pub next_allowed_actions: Vec<String>,
    /// What it may not do.
    pub forbidden_actions: Vec<String>,
    /// Secret literals that were found; their text is nobody's business.
    pub secret_literal_count: u64,
}

/// One finding of a review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Its name; no two findings share one.
    pub finding_id: String,
    /// How bad it is.
    pub severity: Severity,
    /// What sort it is: `CRITICAL7`, `style`, `false_positive`, or anything else.
    pub classification: String,
    /// A person looked and let it be.
    pub dismissed: bool,
    /// The commit that was reviewed.
    pub reviewed_head_sha: String,
    /// Where it is; empty where it is in no file.
    pub file: String,
    /// And in which function; empty where it is in none.
    pub function: String,
}

/// A finding of a round, the present one included.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "as in Finding")]
pub struct Past {
    pub round: u64,
    pub finding_id: String,
    pub file: String,
    pub function: String,
}

/// `finding_attribution_v1`: what reviews found, now and in every round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attribution {
    /// Always `finding_attribution_v1`.
    pub schema: String,
    /// What is there now.
    pub findings: Vec<Finding>,
    /// Every round up to and including the present one.
    pub history: Vec<Past>,
}

/// How far a capability is. Only `WIRED` counts here, and nothing here can change it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
#[allow(missing_docs, reason = "the contract's words")]
pub struct Capability {
    pub implemented: bool,
    pub verified: bool,
    pub wired: bool,
    pub active: bool,
}

/// `automation_capability_matrix_v1`: what can be done without a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capabilities {
    /// Always `automation_capability_matrix_v1`.
    pub schema: String,
    /// By name.
    pub capabilities: BTreeMap<String, Capability>,
    /// Which capability an action needs; an action that does not stand here needs none.
    pub required_for: BTreeMap<String, String>,
}

impl Decision {
    /// Reads the artefact.
    ///
    /// # Errors
    /// The first field that is missing, of another type, or empty where it may not be.
    pub fn parse(bytes: &[u8]) -> Result<Decision, InputError> {
        let value = document(Role::Decision, bytes)?;
        let f = Fields::of_document(Role::Decision, &value)?;
        Ok(Decision {
            schema: f.text("schema")?,
            task_id: f.name("task_id")?,
            head_sha: f.name("head_sha")?,
            remediation_round: f.count("remediation_round")?,
            max_rounds: f.count("max_rounds")?,
            code_fix_applied: f.flag("code_fix_applied")?,
            gates: gates(&f)?,
            expected_files: f.texts("expected_files")?,
            changed_files: f.texts("changed_files")?,
            requested_actions: f.texts("requested_actions")?,
            next_allowed_actions: f.texts("next_allowed_actions")?,
            forbidden_actions: f.texts("forbidden_actions")?,
            secret_literal_count: f.count("secret_literal_count")?,
        })
    }
}

fn gates(f: &Fields<'_>) -> Result<BTreeMap<String, Gate>, InputError> {
    let words = [("GREEN", Gate::Green), ("RED", Gate::Red), ("PENDING", Gate::Pending)];
    let (gates, names) = f.table("gates")?;
    names.into_iter().map(|name| Ok((name.clone(), gates.word(name, &words)?))).collect()
}

impl Attribution {
    /// Reads the artefact.
    ///
    /// # Errors
    /// As [`Decision::parse`]; two findings of one name too.
    pub fn parse(bytes: &[u8]) -> Result<Attribution, InputError> {
        let value = document(Role::Attribution, bytes)?;
        let f = Fields::of_document(Role::Attribution, &value)?;
        let mut findings: Vec<Finding> = Vec::new();
        for object in f.objects("findings")? {
            let next = finding(&object)?;
            if findings.iter().any(|f| f.finding_id == next.finding_id) {
                return Err(object.wrong("finding_id", "another finding has the same"));
            }
            findings.push(next);
        }
        let history = f.objects("history")?.iter().map(past).collect::<Result<_, _>>()?;
        Ok(Attribution { schema: f.text("schema")?, findings, history })
    }
}

fn finding(f: &Fields<'_>) -> Result<Finding, InputError> {
    let words = [Severity::Low, Severity::Medium, Severity::High, Severity::Critical];
    Ok(Finding {
        finding_id: f.name("finding_id")?,
        severity: f.word("severity", &words.map(|s| (s.word(), s)))?,
        classification: f.text("classification")?,
        dismissed: f.flag("dismissed")?,
        // An empty one would make a finding stale that nobody ever dated.
        reviewed_head_sha: f.name("reviewed_head_sha")?,
        file: f.text("file")?,
        function: f.text("function")?,
    })
}

fn past(f: &Fields<'_>) -> Result<Past, InputError> {
    Ok(Past {
        round: f.count("round")?,
        finding_id: f.name("finding_id")?,
        file: f.text("file")?,
        function: f.text("function")?,
    })
}

impl Capabilities {
    /// Reads the artefact.
    ///
    /// # Errors
    /// As [`Decision::parse`].
    pub fn parse(bytes: &[u8]) -> Result<Capabilities, InputError> {
        let value = document(Role::Capabilities, bytes)?;
        let f = Fields::of_document(Role::Capabilities, &value)?;
        let (matrix, names) = f.table("capabilities")?;
        let one = |name: &String| Ok((name.clone(), capability(&matrix.entry(name)?)?));
        let capabilities = names.into_iter().map(one).collect::<Result<_, InputError>>()?;
        let (needed, actions) = f.table("required_for")?;
        let one = |action: &String| Ok((action.clone(), needed.name(action)?));
        let required_for = actions.into_iter().map(one).collect::<Result<_, InputError>>()?;
        Ok(Capabilities { schema: f.text("schema")?, capabilities, required_for })
    }
}

fn capability(f: &Fields<'_>) -> Result<Capability, InputError> {
    Ok(Capability {
        implemented: f.flag("IMPLEMENTED")?,
        verified: f.flag("VERIFIED")?,
        wired: f.flag("WIRED")?,
        active: f.flag("ACTIVE")?,
    })
}

/// All three.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inputs {
    /// Where the loop stands.
    pub decision: Decision,
    /// What was found.
    pub attribution: Attribution,
    /// What can be done.
    pub capabilities: Capabilities,
}

impl Inputs {
    /// Reads all three, in the order of [`Role::ALL`].
    ///
    /// # Errors
    /// The first that is wrong.
    pub fn parse(bytes: [&[u8]; 3]) -> Result<Inputs, InputError> {
        Ok(Inputs {
            decision: Decision::parse(bytes[0])?,
            attribution: Attribution::parse(bytes[1])?,
            capabilities: Capabilities::parse(bytes[2])?,
        })
    }

    /// See [`decide`].
    pub fn verdict(&self) -> Verdict {
        decide(&self.decision, &self.attribution, &self.capabilities)
    }
}
