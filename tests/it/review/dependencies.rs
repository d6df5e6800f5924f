//! Dependencies as a metric: from an audit's report to the verdict.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{check, project};
use crate::support::cmd::{counted, record_file, review};
use crate::support::repo::TestRepo;

/// Prints npm's audit for `audit.txt` (`advisory package severity`), and counts its runs.
const AUDIT: &str = r#"echo audit >> "$COUNT"
printf '{"auditReportVersion":2,"vulnerabilities":{'
sep=
while read -r id package severity; do
  printf '%s"%s":{"via":[{"source":1,"name":"%s","url":"https://example.org/advisories/%s","severity":"%s"}]}' "$sep" "$package-$id" "$package" "$id" "$severity"
  sep=,
done < audit.txt
printf '},"metadata":{}}\n'
"#;

/// Prints cargo-audit's report of one critical vulnerability of `a`, which has two names.
const OTHER: &str = r#"printf '{"database":{},"lockfile":{},"vulnerabilities":{"found":true,"count":1,"list":[
{"advisory":{"id":"RUSTSEC-1","aliases":["GHSA-1"],"cvss":"CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H"},
"package":{"name":"a","version":"1.0"}}]},"warnings":{"unmaintained":[{"package":{"name":"b"}}]}}'
"#;

/// What the audit says at the base and at the head.
fn audited(format: &str, base: &str, head: &str) -> TestRepo {
    let repo = project(|repo| {
        repo.write("audit.txt", base);
        check(repo, "audit", format, AUDIT)
    });
    repo.write("audit.txt", head);
    repo.write("src/b.py", "x = 1\n");
    repo.commit("head");
    repo
}

fn reasons(record: &Value) -> &Value {
    &record["verdict"]["block_reasons"]
}

#[test]
fn a_new_critical_advisory_blocks() {
    for format in ["npm-audit-json", "auto"] {
        let repo = audited(format, "", "GHSA-1 a critical\nGHSA-2 b moderate\n");
        let record = review(&repo, &["--json"]).ended(1).json();
        assert_eq!(*reasons(&record), json!(["vulnerabilities:critical=1,high=0"]));
        assert_eq!(record["verdict"]["shortfalls"], json!(["GHSA-1 in a"]));
        let metric = &record["metrics"]["dependencies"];
        let counts = ["critical", "high", "medium", "low"].map(|s| metric[s].as_u64());
        assert_eq!(counts, [Some(1), Some(0), Some(1), Some(0)]);
        assert_eq!(metric["findings"][0]["id"], "GHSA-1");
        assert_eq!(metric["findings"][0]["baseline_state"], "new");
        assert!(review(&repo, &[]).ended(1).out.contains("GHSA-1 critical"));
    }
}

#[test]
fn what_the_base_has_too_is_forgiven() {
    let audit = "GHSA-1 a critical\nGHSA-2 b high\n";
    let repo = audited("npm-audit-json", audit, audit);
    let record = review(&repo, &["--json"]).ended(0).json();
    assert_eq!(*reasons(&record), json!([]));
    let findings = &record["metrics"]["dependencies"]["findings"];
    let states = [&findings[0]["baseline_state"], &findings[1]["baseline_state"]];
    assert_eq!(states, ["unchanged", "unchanged"]);
}

#[test]
fn without_holding_the_line_the_limit_is_the_limit() {
    let audit = "GHSA-1 a critical\n";
    let repo = project(|repo| {
        repo.write("audit.txt", audit);
        check(repo, "audit", "npm-audit-json", AUDIT) + "[policy]\nhold_the_line = false\n"
    });
    repo.write("src/b.py", "x = 1\n");
    repo.commit("head");
    let record = review(&repo, &["--json"]).ended(1).json();
    assert_eq!(*reasons(&record), json!(["vulnerabilities:critical=1,high=0"]));
}

#[test]
fn one_mended_does_not_pay_for_a_new_one() {
    let repo = audited("npm-audit-json", "GHSA-1 a critical\n", "GHSA-2 b critical\n");
    let record = review(&repo, &["--json"]).ended(1).json();
    assert_eq!(*reasons(&record), json!(["vulnerabilities:critical=1,high=0"]));
    assert_eq!(record["verdict"]["shortfalls"], json!(["new: GHSA-2 in b"]));
}

#[test]
fn an_unknown_severity_is_said_and_weighs() {
    let odd = "GHSA-1 a unheard-of\n";
    let repo = audited("npm-audit-json", odd, odd);
    let record = review(&repo, &["--json"]).ended(0).json();
    let warning =
        "advisories of unknown severity, which max_vulnerabilities does not count: GHSA-1 in a";
    assert_eq!(record["verdict"]["warnings"], json!([warning]));
    let metric = &record["metrics"]["dependencies"];
    assert_eq!((&metric["unknown"], &metric["low"]), (&json!(1), &json!(0)));
    assert_eq!(metric["findings"][0]["severity"], "unknown");
    // a new one takes more off the security score than its budget allows
    let repo = audited("npm-audit-json", "", odd);
    let record = review(&repo, &["--json"]).ended(1).json();
    assert_eq!(record["regression_verdict"]["block_dimensions"], json!(["security"]));
    assert_eq!(record["verdict"]["warnings"], json!([warning]));
}

#[test]
fn several_checks_tell_of_one_advisory_once() {
    let repo = project(|repo| {
        repo.write("audit.txt", "");
        check(repo, "audit", "npm-audit-json", AUDIT)
            + &check(
                repo,
                "other",
                "cargo-audit-json",
                &format!("[ -s audit.txt ] || exit 3\n{OTHER}"),
            )
            + "ok_exit = [0]\nrequired = false\n"
    });
    repo.write("audit.txt", "GHSA-1 a high\n");
    repo.commit("head");
    let record = review(&repo, &["--json"]).ended(1).json();
    assert_eq!(*reasons(&record), json!(["vulnerabilities:critical=1,high=0"]));
    let metric = &record["metrics"]["dependencies"];
    assert_eq!(
        (metric["findings"].as_array().map(Vec::len), &metric["ignored"]),
        (Some(1), &json!(1))
    );
    assert_eq!(metric["findings"][0]["aliases"], json!(["RUSTSEC-1"]));
}

#[test]
fn an_audit_that_failed_is_no_clean_one() {
    let repo = project(|repo| {
        let script = "printf '{\"message\": \"405 no audit\", \"error\": {}}'";
        check(repo, "audit", "npm-audit-json", script)
    });
    repo.write("src/b.py", "x = 1\n");
    repo.commit("head");
    let done = review(&repo, &[]).ended(4);
    assert!(done.out.contains("npm could not audit: 405 no audit"), "{}", done.out);
}

/// Makes everything that is kept seem to be this many hours older.
fn age(dir: &Path, hours: i64) {
    for entry in fs::read_dir(dir).unwrap() {
        let path: PathBuf = entry.unwrap().path();
        if path.is_dir() {
            age(&path, hours);
            continue;
        }
        let mut entry: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        let at: jiff::Timestamp = entry["at"].as_str().unwrap().parse().unwrap();
        let then = at.as_second() - hours * 3600;
        entry["at"] = json!(jiff::Timestamp::from_second(then).unwrap().to_string());
        fs::write(&path, entry.to_string()).unwrap();
    }
}

#[test]
fn an_audit_is_made_again_after_a_day() {
    let repo = audited("npm-audit-json", "", "");
    let kept = repo.path.join(".git/evidence/measurements");
    review(&repo, &[]).ended(0);
    assert_eq!(counted(&repo), 2);
    age(&kept, 23);
    review(&repo, &[]).ended(0);
    assert_eq!(counted(&repo), 0);
    age(&kept, 2);
    // nothing may run: what is kept is not to be believed any more
    let done = review(&repo, &["--no-run"]).ended(4);
    assert!(done.out.contains("audit"), "{}", done.out);
    assert_eq!(counted(&repo), 0);
    review(&repo, &[]).ended(0);
    assert_eq!(counted(&repo), 2);
    let sha = repo.git(&["rev-parse", "HEAD"]);
    let record: Value =
        serde_json::from_slice(&fs::read(record_file(&repo, &sha)).unwrap()).unwrap();
    assert!(record["checks"][0]["audited_at"].is_string(), "{record:#}");
}
