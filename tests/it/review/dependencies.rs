//! Advisories against dependencies as a limit: by what each is, whatever it is called.

use super::{check, project};
use crate::support::cmd::review;

/// Prints npm's report out of `audit.json`.
const AUDIT: &str = "cat audit.json\n";

fn report(advisories: &[(&str, &str)]) -> String {
    let row = |(id, severity): &(&str, &str)| {
        format!(
            r#""{id}-pkg":{{"name":"{id}-pkg","severity":"{severity}","via":[{{"source":1,"name":"{id}-pkg","dependency":"{id}-pkg","title":"t","url":"https://github.com/advisories/{id}","severity":"{severity}","range":"*"}}],"effects":[],"range":"*","nodes":[],"fixAvailable":false}}"#
        )
    };
    let rows: Vec<String> = advisories.iter().map(row).collect();
    format!(
        r#"{{"auditReportVersion":2,"vulnerabilities":{{{}}},"metadata":{{}}}}"#,
        rows.join(",")
    )
}

#[test]
fn a_new_grave_one_blocks_and_an_old_one_does_not() {
    let repo = project(|repo| check(repo, "audit", "npm-audit-json", AUDIT));
    let old = ("GHSA-aaaa-bbbb-cccc", "critical");
    repo.git(&["switch", "-q", "main"]);
    repo.write("audit.json", report(&[old]));
    repo.commit("audited");
    repo.git(&["switch", "-q", "topic"]);
    repo.git(&["rebase", "-q", "main"]);
    repo.write("src/b.js", "1\n");
    repo.commit("more");
    let value = review(&repo, &["--json"]).ended(0).json();
    assert_eq!(value["metrics"]["dependencies"]["critical"], 1, "{value:#}");
    repo.write("audit.json", report(&[old, ("GHSA-dddd-eeee-ffff", "high")]));
    repo.commit("one more");
    let done = review(&repo, &[]).ended(1);
    assert!(done.out.contains("vulnerabilities:critical=1,high=1"), "{}", done.out);
    assert!(done.out.contains("GHSA-dddd-eeee-ffff in GHSA-dddd-eeee-ffff-pkg"), "{}", done.out);
    let compared = review(&repo, &["compare", "main", "HEAD", "--json"]).ended(0).json();
    assert_eq!(compared["dependencies"]["new"][0]["id"], "GHSA-dddd-eeee-ffff", "{compared:#}");
}

#[test]
fn one_without_a_severity_is_said() {
    let repo = project(|repo| check(repo, "audit", "npm-audit-json", AUDIT));
    repo.git(&["switch", "-q", "main"]);
    repo.write("audit.json", report(&[]));
    repo.commit("audited");
    repo.git(&["switch", "-q", "topic"]);
    repo.git(&["rebase", "-q", "main"]);
    repo.write("audit.json", report(&[("GHSA-aaaa-bbbb-cccc", "weird")]));
    repo.commit("more");
    let value = review(&repo, &["--json"]).json();
    let warnings = value["verdict"]["warnings"].to_string();
    assert!(warnings.contains("advisories without a severity"), "{value:#}");
}
