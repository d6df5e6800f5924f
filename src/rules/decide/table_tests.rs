//! Every rule, every pair of rules, every edge, and every input that is none.

use serde_json::{Value, json};

use super::*;

pub(super) const HEAD: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
const OLD: &str = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";

/// The three documents.
#[derive(Debug, Clone)]
pub(super) struct Docs(pub(super) [Value; 3]);

impl Docs {
    /// Everything is in order: rule 8.
    pub(super) fn ready() -> Docs {
        let decision = json!({
            "schema": "bounded_loop_decision_v1", "task_id": "T", "head_sha": HEAD,
            "remediation_round": 1, "max_rounds": 2, "code_fix_applied": true,
            "gates": {"lint": "GREEN", "tests": "GREEN"},
            "expected_files": ["a.rs", "b.rs"], "changed_files": ["a.rs"],
            "requested_actions": ["code_fix"],
            "next_allowed_actions": ["code_fix", "push", "report"],
            "forbidden_actions": ["force_push"], "secret_literal_count": 0,
        });
        let attribution =
            json!({"schema": "finding_attribution_v1", "findings": [], "history": []});
        let wired = json!({"IMPLEMENTED": true, "VERIFIED": true, "WIRED": true, "ACTIVE": true});
        let not = json!({"IMPLEMENTED": true, "VERIFIED": true, "WIRED": false, "ACTIVE": false});
        let capabilities = json!({
            "schema": "automation_capability_matrix_v1",
            "capabilities": {"reporter": wired, "pusher": not},
            "required_for": {"report": "reporter", "push": "pusher", "ping": "nowhere"},
        });
        Docs([decision, attribution, capabilities])
    }

    pub(super) fn set(mut self, key: &str, value: Value) -> Docs {
        self.0[0][key] = value;
        self
    }

    fn add(mut self, list: &str, value: Value) -> Docs {
        self.0[1][list].as_array_mut().unwrap().push(value);
        self
    }

    /// A finding of the head, nobody dismissed it.
    pub(super) fn finding(self, id: &str, severity: &str, class: &str) -> Docs {
        self.finding_at(id, severity, class, (HEAD, false))
    }

    fn finding_at(self, id: &str, severity: &str, class: &str, (sha, gone): (&str, bool)) -> Docs {
        self.add(
            "findings",
            json!({
                "finding_id": id, "severity": severity, "classification": class,
                "dismissed": gone, "reviewed_head_sha": sha,
                "file": format!("{id}.rs"), "function": "f",
            }),
        )
    }

    fn past(self, round: u64, id: &str, file: &str, function: &str) -> Docs {
        let value = json!({"round": round, "finding_id": id, "file": file, "function": function});
        self.add("history", value)
    }

    pub(super) fn bytes(&self) -> [Vec<u8>; 3] {
        self.0.each_ref().map(|v| serde_json::to_vec(v).unwrap())
    }

    pub(super) fn read(&self) -> Result<Inputs, InputError> {
        Inputs::parse(self.bytes().each_ref().map(Vec::as_slice))
    }

    pub(super) fn verdict(&self) -> Verdict {
        self.read().unwrap().verdict()
    }

    #[track_caller]
    fn says(&self, verdict: &str, why: &str) -> Verdict {
        let found = self.verdict();
        assert_eq!(found.headline(), format!("{verdict}: {why}"), "{self:?}");
        let chair = matches!(verdict, "CHAIR_REQUIRED" | "LOOP_BOUNDARY").then_some(why);
        assert_eq!(found.chair_required_reason.as_deref(), chair);
        found
    }
}

/// What makes a rule true, with its verdict and word; rule 8 is [`Docs::ready`].
type Making = (&'static str, fn(Docs) -> Docs, &'static str, &'static str);

fn rules() -> Vec<Making> {
    vec![
        ("1a", |d| d.finding("c7", "LOW", "CRITICAL7"), "CHAIR_REQUIRED", "CRITICAL7"),
        ("1b", |d| d.finding("h", "HIGH", "logic"), "CHAIR_REQUIRED", "NEW_HIGH_OR_CRITICAL"),
        (
            "2",
            |d| d.set("changed_files", json!(["a.rs", "c.rs"])),
            "CHAIR_REQUIRED",
            "OUT_OF_SCOPE",
        ),
        (
            "3",
            |d| d.finding("r", "LOW", "style").past(1, "r", "x", "").past(2, "r", "y", ""),
            "LOOP_BOUNDARY",
            "SAME_BLOCKER_REPEATED",
        ),
        ("4", |d| d.finding("m", "MEDIUM", "logic"), "AUTO_CONTINUE", "MEDIUM_WITHIN_ROUNDS"),
        (
            "5",
            |d| d.finding("m5", "MEDIUM", "logic").set("remediation_round", json!(2)),
            "DEFER_EVIDENCE_RESOLVE",
            "ROUNDS_USED_UP",
        ),
        (
            "6",
            |d| d.finding("s", "MEDIUM", "style"),
            "DEFER_EVIDENCE_RESOLVE",
            "ONLY_STYLE_OR_FALSE_POSITIVE",
        ),
        (
            "7",
            |d| d.set("requested_actions", json!(["push"])),
            "BLOCKED_BY_CAPABILITY",
            "CAPABILITY_NOT_WIRED",
        ),
        ("8", |d| d, "MERGE_READY_CANDIDATE", "ALL_GATES_GREEN"),
    ]
}

#[test]
fn every_rule_alone_and_the_earlier_of_every_two() {
    let rules = rules();
    for (_, make, verdict, why) in &rules {
        make(Docs::ready()).says(verdict, why);
    }
    for (at, (first, make, verdict, why)) in rules.iter().enumerate() {
        for (second, make_second, _, _) in &rules[at + 1..] {
            // With no round left, rule 4 is not true: these two exclude each other.
            if (*first, *second) != ("4", "5") {
                let both = make(make_second(Docs::ready()));
                both.says(verdict, why);
                make_second(make(Docs::ready())).says(verdict, why);
            }
        }
    }
}

#[test]
fn what_counts_as_fresh() {
    let ready = ("MERGE_READY_CANDIDATE", "ALL_GATES_GREEN");
    let high = ("CHAIR_REQUIRED", "NEW_HIGH_OR_CRITICAL");
    let seven = ("CHAIR_REQUIRED", "CRITICAL7");
    for (severity, class, sha, dismissed, (verdict, why)) in [
        ("HIGH", "logic", HEAD, false, high),
        ("CRITICAL", "logic", HEAD, false, high),
        // a severity is waived by a person only, not by a class
        ("HIGH", "false_positive", HEAD, false, high),
        ("HIGH", "logic", OLD, false, ready),
        ("CRITICAL", "logic", OLD, false, ready),
        ("HIGH", "logic", HEAD, true, ready),
        ("MEDIUM", "logic", OLD, false, ready),
        ("MEDIUM", "logic", HEAD, true, ready),
        ("MEDIUM", "style", OLD, false, ready),
        ("LOW", "logic", HEAD, false, ready),
        // a class is not a severity: any of it counts
        ("LOW", "CRITICAL7", OLD, false, seven),
        ("LOW", "CRITICAL7", HEAD, true, seven),
        ("LOW", "Critical7", HEAD, false, seven),
        // the head, written short or in capitals, is the head
        ("HIGH", "logic", &HEAD[..10], false, high),
        ("HIGH", "logic", &HEAD.to_uppercase(), false, high),
        ("HIGH", "logic", &HEAD[..6], false, ready),
        ("HIGH", "logic", "aaaaaaaaaab", false, ready),
    ] {
        Docs::ready().finding_at("x", severity, class, (sha, dismissed)).says(verdict, why);
    }
}

#[test]
fn what_is_out_of_scope() {
    for (key, value, seen) in [
        ("changed_files", json!(["a.rs", "z.rs"]), "not among the expected files: z.rs"),
        ("changed_files", json!(["./a.rs"]), "not among the expected files: ./a.rs"),
        ("expected_files", json!([]), "not among the expected files: a.rs"),
        ("requested_actions", json!(["force_push"]), "for the chair alone: force_push"),
        ("requested_actions", json!([" Force_Push"]), "for the chair alone: Force_Push"),
        ("requested_actions", json!(["activ\u{200b}ation"]), "for the chair alone: activation"),
    ] {
        let verdict = Docs::ready().set(key, value).says("CHAIR_REQUIRED", "OUT_OF_SCOPE");
        assert!(verdict.reasons[1].ends_with(seen), "{verdict:?}");
    }
    for action in ["credential_change", "permission_change", "activation", "systemd", "wake"] {
        let docs = Docs::ready().set("requested_actions", json!(["code_fix", action]));
        docs.says("CHAIR_REQUIRED", "OUT_OF_SCOPE");
    }
    Docs::ready().set("changed_files", json!([])).says("MERGE_READY_CANDIDATE", "ALL_GATES_GREEN");
}

/// What it is, the history, and what is said of it.
type History = (&'static str, fn(Docs) -> Docs, (&'static str, &'static str));

#[test]
fn what_repeats() {
    let low = |d: Docs| d.finding("n", "LOW", "logic");
    let again = ("LOOP_BOUNDARY", "SAME_BLOCKER_REPEATED");
    let ready = ("MERGE_READY_CANDIDATE", "ALL_GATES_GREEN");
    let cases: [History; 8] = [
        ("by name", |d| d.past(1, "n", "x", "y").past(2, "n", "z", "y"), again),
        ("by place", |d| d.past(1, "p", "n.rs", "f").past(2, "q", "n.rs", "f"), again),
        ("not in a row", |d| d.past(0, "n", "n.rs", "f").past(7, "n", "n.rs", "f"), again),
        ("once", |d| d.past(1, "n", "n.rs", "f"), ready),
        ("twice in one round", |d| d.past(1, "n", "n.rs", "f").past(1, "n", "n.rs", "f"), ready),
        ("another function", |d| d.past(1, "p", "n.rs", "g").past(2, "q", "n.rs", "f"), ready),
        (
            "half by name, half by place",
            |d| d.past(1, "n", "x", "f").past(2, "q", "n.rs", "f"),
            ready,
        ),
        ("another's", |d| d.past(1, "o", "o.rs", "f").past(2, "o", "o.rs", "f"), ready),
    ];
    for (_, history, (verdict, why)) in cases {
        low(history(Docs::ready())).says(verdict, why);
    }
    // What is gone, or of another head, comes back from nowhere.
    let gone = Docs::ready().finding_at("n", "LOW", "logic", (OLD, false));
    let gone = gone.past(1, "n", "x", "y").past(2, "n", "x", "y");
    gone.says("MERGE_READY_CANDIDATE", "ALL_GATES_GREEN");
    // Nor has what is in no file a place.
    let mut nowhere = low(Docs::ready()).past(1, "p", "", "").past(2, "q", "", "");
    nowhere.0[1]["findings"][0]["file"] = json!("");
    nowhere.0[1]["findings"][0]["function"] = json!("");
    nowhere.says("MERGE_READY_CANDIDATE", "ALL_GATES_GREEN");
}

#[test]
fn rounds() {
    let max = u64::MAX;
    for (round, most, verdict, after) in [
        (0, 2, "AUTO_CONTINUE", 1),
        (1, 2, "AUTO_CONTINUE", 2),
        (2, 2, "DEFER_EVIDENCE_RESOLVE", 2),
        (3, 2, "DEFER_EVIDENCE_RESOLVE", 3),
        (0, 0, "DEFER_EVIDENCE_RESOLVE", 0),
        (max - 1, max, "AUTO_CONTINUE", max),
        (max, max, "DEFER_EVIDENCE_RESOLVE", max),
    ] {
        let docs = Docs::ready().finding("m", "MEDIUM", "logic");
        let docs = docs.set("remediation_round", json!(round)).set("max_rounds", json!(most));
        let found = docs.verdict();
        assert_eq!((found.verdict.word(), found.remediation_round_after), (verdict, after));
    }
}

#[test]
fn style_and_low_and_medium_together() {
    let style = |d: Docs| d.finding("s", "LOW", "style").finding("f", "MEDIUM", "false_positive");
    style(Docs::ready()).says("DEFER_EVIDENCE_RESOLVE", "ONLY_STYLE_OR_FALSE_POSITIVE");
    let medium = style(Docs::ready()).finding("m", "MEDIUM", "logic");
    medium.says("AUTO_CONTINUE", "MEDIUM_WITHIN_ROUNDS");
    // A LOW of another class is left too, so that it is not only style; and it holds nothing up.
    let low = style(Docs::ready()).finding("l", "LOW", "logic");
    low.says("MERGE_READY_CANDIDATE", "ALL_GATES_GREEN");
}

#[test]
fn capabilities_and_gates() {
    for (actions, blocked) in [
        (json!(["push"]), true),
        (json!(["PUSH"]), true),
        (json!(["ping"]), true),
        (json!(["report", "push"]), true),
        (json!(["report"]), false),
        (json!(["nobody_knows"]), false),
        (json!([]), false),
    ] {
        let found = Docs::ready().set("requested_actions", actions.clone()).verdict();
        assert_eq!(found.verdict == VerdictWord::BlockedByCapability, blocked, "{actions}");
    }
    for (key, value, lacks) in [
        ("gates", json!({}), "no gate is named"),
        ("gates", json!({"a": "GREEN", "b": "RED"}), "gates that are RED: b"),
        ("gates", json!({"a": "PENDING"}), "gates that are PENDING: a"),
        ("code_fix_applied", json!(false), "no code fix is applied"),
        ("secret_literal_count", json!(1), "1 secret literals"),
    ] {
        let verdict = Docs::ready().set(key, value).says("CHAIR_REQUIRED", "NO_RULE_MATCHED");
        assert_eq!(verdict.reasons[1..], [lacks.to_string()]);
    }
}

#[test]
fn the_document_is_the_contracts() {
    let text = serde_json::to_string(&Docs::ready().verdict()).unwrap();
    assert_eq!(
        text,
        r#"{"schema":"bounded_loop_verdict_v1","verdict":"MERGE_READY_CANDIDATE","reasons":["ALL_GATES_GREEN"],"next_allowed_actions":["code_fix","report"],"forbidden_actions":["force_push"],"remediation_round_after":1,"chair_required_reason":null}"#
    );
}

#[test]
fn what_is_never_allowed_next() {
    let all = json!([
        "code_fix",
        "merge",
        "Auto_Merge",
        "push",
        "ping",
        "report",
        "wake",
        "force_push",
        "report"
    ]);
    let docs = Docs::ready().set("next_allowed_actions", all);
    assert_eq!(docs.verdict().next_allowed_actions, ["code_fix", "report"]);
    let medium = docs.clone().finding("m", "MEDIUM", "logic").verdict();
    assert_eq!(medium.next_allowed_actions, ["code_fix", "report"]);
    // "No code change": the fix is not allowed either.
    for docs in [
        docs.clone().finding("h", "HIGH", "x"),
        docs.clone().finding("s", "LOW", "style"),
        docs.set("remediation_round", json!(2)).finding("m", "MEDIUM", "x"),
    ] {
        assert_eq!(docs.verdict().next_allowed_actions, ["report"]);
    }
}

#[test]
fn what_nobody_knows_is_let_be() {
    let mut docs = Docs::ready();
    for doc in &mut docs.0 {
        doc["of_a_later_version"] = json!({"x": [1, null, -2.5]});
    }
    docs.0[2]["capabilities"]["reporter"]["SINCE"] = json!("yesterday");
    docs.says("MERGE_READY_CANDIDATE", "ALL_GATES_GREEN");
}

#[test]
fn what_is_no_input() {
    let wrong = |bytes: [&[u8]; 3]| Inputs::parse(bytes).unwrap_err().to_string();
    let docs = Docs::ready().finding("x", "LOW", "logic").finding("y", "LOW", "logic");
    let [d, a, c] = docs.bytes();
    assert_eq!(wrong([b"", &a, &c]), "decision: it is empty");
    assert_eq!(wrong([&d, b"[]", &c]), "attribution: an object ({…}) is expected, not a list");
    assert!(wrong([&d, &a, b"{\"schema\":"]).starts_with("capabilities: it is no JSON: EOF"));
    let text = String::from_utf8(d.clone()).unwrap();
    let twice = text.replacen("\"lint\":", "\"lint\":\"RED\",\"lint\":", 1);
    let error = wrong([twice.as_bytes(), &a, &c]);
    assert!(error.starts_with("decision: it is no JSON: the key 'lint' stands twice"), "{error}");
    let deep = [vec![b'['; 5000], vec![b']'; 5000]].concat();
    assert!(wrong([&deep, &a, &c]).contains("recursion limit"));
    for (doc, path, value, says) in [
        (0, "/schema", json!("bounded_loop_decision_v2"), "schema: 'bounded_loop_decision_v1' is"),
        (0, "/head_sha", json!(""), "head_sha: it is empty"),
        (0, "/remediation_round", json!(-1), "number from 0 on is expected, not a negative number"),
        (0, "/max_rounds", json!(1.5), "max_rounds: a whole number from 0 on is expected"),
        (0, "/gates/lint", json!("green"), "gates.lint: one of GREEN, RED, PENDING is expected"),
        (0, "/changed_files/0", json!(3), "changed_files[0]: a text is expected, not a number"),
        (1, "/findings/0/severity", json!("high"), "findings[0].severity: one of LOW, MEDIUM"),
        (1, "/findings/1/finding_id", json!("x"), "findings[1].finding_id: another finding has"),
        (1, "/findings/0/reviewed_head_sha", json!(" "), "reviewed_head_sha: it is empty"),
        (1, "/findings/0", json!("x"), "findings[0]: an object ({…}) is expected, not a text"),
        (2, "/capabilities/pusher/WIRED", json!("no"), "capabilities.pusher.WIRED: true or false"),
        (2, "/required_for/push", json!(null), "required_for.push: a text is expected, not null"),
    ] {
        let mut docs = docs.clone();
        *docs.0[doc].pointer_mut(path).unwrap() = value;
        let error = docs.read().unwrap_err();
        assert_eq!(error.role, Role::ALL[doc]);
        assert!(error.sentence().contains(says), "{path}: {error}");
    }
}
