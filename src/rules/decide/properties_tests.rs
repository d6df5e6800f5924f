//! Whatever the inputs are: what no verdict may say.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::table_tests::{Docs, HEAD};
use super::*;

/// Stands in every field that may not be repeated.
const FREE: &str = "free text of the input";

fn any_finding() -> impl Strategy<Value = Value> {
    let severity = prop::sample::select(vec!["LOW", "LOW", "MEDIUM", "MEDIUM", "HIGH", "CRITICAL"]);
    let class = prop::sample::select(vec!["style", "false_positive", "logic", FREE, "CRITICAL7"]);
    let sha = prop::sample::select(vec![HEAD, HEAD, "b4"]);
    (severity, class, sha, prop::bool::weighted(0.3), 0..3u8).prop_map(
        |(severity, class, sha, dismissed, place)| {
            json!({
                "severity": severity, "classification": class, "reviewed_head_sha": sha,
                "dismissed": dismissed, "file": format!("file-{place}"), "function": "fun",
                "comment": FREE,
            })
        },
    )
}

fn named(mut findings: Vec<Value>) -> Vec<Value> {
    for (at, finding) in findings.iter_mut().enumerate() {
        finding["finding_id"] = json!(format!("id-{at}"));
    }
    findings
}

fn any_actions() -> impl Strategy<Value = Vec<&'static str>> {
    let all = vec!["code_fix", "push", "report", "ping", "merge", "wake", "force_push", "other"];
    prop::sample::subsequence(all, 0..5)
}

prop_compose! {
    fn any_docs()(
        findings in prop::collection::vec(any_finding(), 0..4).prop_map(named),
        history in prop::collection::vec((0..3u64, 0..4u8, 0..3u8), 0..4),
        (round, max, fixed, secrets) in (0..3u64, 0..3u64, prop::bool::weighted(0.8), 0..2u64),
        gates in prop::collection::btree_map("gate-[a-c]", prop::sample::select(vec!["GREEN", "GREEN", "RED", "PENDING"]), 0..3),
        changed in prop::sample::subsequence(vec!["a.rs", "b.rs", "z.rs"], 0..3),
        (requested, next, forbidden) in (any_actions(), any_actions(), any_actions()),
    ) -> Docs {
        let mut docs = Docs::ready()
            .set("task_id", json!(FREE))
            .set("note", json!(FREE))
            .set("remediation_round", json!(round))
            .set("max_rounds", json!(max))
            .set("code_fix_applied", json!(fixed))
            .set("secret_literal_count", json!(secrets))
            .set("gates", json!(gates))
            .set("changed_files", json!(changed))
            .set("requested_actions", json!(requested))
            .set("next_allowed_actions", json!(next))
            .set("forbidden_actions", json!(forbidden));
        docs.0[1]["findings"] = json!(findings);
        docs.0[1]["history"] = history
            .iter()
            .map(|(round, id, place)| json!({
                "round": round, "finding_id": format!("id-{id}"),
                "file": format!("file-{place}"), "function": "fun",
            }))
            .collect();
        docs
    }
}

/// The same document with its keys in the opposite order.
fn backwards(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let entries: Vec<String> = map
                .iter()
                .rev()
                .map(|(key, value)| format!("{}: {}", json!(key), backwards(value)))
                .collect();
            format!("{{ {} }}", entries.join(" , "))
        }
        Value::Array(list) => {
            let items: Vec<String> = list.iter().map(backwards).collect();
            format!("[{}]", items.join(","))
        }
        other => other.to_string(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn no_verdict_is_too_kind(docs in any_docs()) {
        let inputs = docs.read().unwrap();
        let (d, found) = (&inputs.decision, inputs.verdict());
        let counts = |f: &&Finding| !f.dismissed && f.reviewed_head_sha == HEAD;
        let grave = inputs.attribution.findings.iter().filter(counts).any(|f| f.severity >= Severity::High);
        let seven = inputs.attribution.findings.iter().any(|f| f.classification == "CRITICAL7");
        if grave || seven {
            prop_assert_eq!(found.verdict, VerdictWord::ChairRequired);
        }
        if found.verdict == VerdictWord::MergeReadyCandidate {
            prop_assert!(!d.gates.is_empty() && d.gates.values().all(|g| *g == Gate::Green));
            prop_assert!(d.secret_literal_count == 0 && d.code_fix_applied);
            prop_assert!(!d.changed_files.iter().any(|f| f == "z.rs"));
        }
        let after = d.remediation_round + u64::from(found.verdict == VerdictWord::AutoContinue);
        prop_assert_eq!(found.remediation_round_after, after);
        prop_assert!(after <= d.max_rounds.max(d.remediation_round));
        for action in &found.next_allowed_actions {
            prop_assert!(d.next_allowed_actions.contains(action) && !d.forbidden_actions.contains(action));
            prop_assert!(!["push", "ping", "merge", "wake"].contains(&action.as_str()));
        }
        let chair = matches!(found.verdict, VerdictWord::ChairRequired | VerdictWord::LoopBoundary);
        prop_assert_eq!(chair, found.chair_required_reason.is_some());
        prop_assert!(!serde_json::to_string(&found).unwrap().contains(FREE));
    }

    #[test]
    fn order_says_nothing(docs in any_docs()) {
        let found = docs.verdict();
        prop_assert_eq!(&docs.verdict(), &found, "the same again");
        let texts = docs.0.each_ref().map(backwards);
        let same = Inputs::parse(texts.each_ref().map(String::as_bytes)).unwrap();
        prop_assert_eq!(&same.verdict(), &found);
        let mut turned = docs.clone();
        for list in ["findings", "history"] {
            turned.0[1][list].as_array_mut().unwrap().reverse();
        }
        prop_assert_eq!(&turned.verdict(), &found);
    }

    #[test]
    fn no_bytes_make_it_panic_or_decide(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let [_, a, c] = Docs::ready().bytes();
        prop_assert!(Inputs::parse([&bytes, &a, &c]).is_err());
    }
}
