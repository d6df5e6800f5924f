//! JSON of `govulncheck -json` (golang.org/x/vuln, `internal/govulncheck`): objects one after the other,
//! with nothing between them; also as a list, and the one object of versions before 1.0.
//!
//! Only a vulnerability whose code is called counts: its finding names a function. What is imported
//! or required and never called is counted apart. A scan by modules or packages cannot tell that, so
//! all of its findings count. Go's database names no severity.

use std::collections::{BTreeMap, BTreeSet};
use std::io::BufRead;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::gathered::Gathered;
use super::lenient::{any_of, text};
use super::osv::Entry;
use crate::formats::json::{self, Each, Num, Text};
use crate::formats::text::{TextReader, head_text};
use crate::formats::{Format, FormatKind, Found, reading};
use crate::model::{Severity, advisory};

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "govulncheck-json",
    kind: FormatKind::Dependencies,
    tools: "govulncheck (govulncheck -json)",
    sniff,
    read: |input| reading(input, parse),
};

fn sniff(head: &[u8]) -> bool {
    let text = head_text(head);
    let new = text.contains("\"protocol_version\"") && text.contains("\"govulncheck\"");
    json::shape(&text).is_some_and(|s| {
        let config = s.keys.first().is_some_and(|k| k == "config") && new;
        config || !s.list && (s.has(&["Vulns"]) || s.has(&["Calls", "Imports"]))
    })
}

/// One message of the stream, or the object of old versions.
#[derive(Deserialize)]
struct Message {
    config: Option<Config>,
    osv: Option<Entry>,
    finding: Option<Finding>,
    #[serde(default, rename = "Vulns", deserialize_with = "present")]
    vulns: Option<Vec<Old>>,
}

/// `null` is an empty list, which is not the same as none.
fn present<'de, D: serde::Deserializer<'de>>(d: D) -> Result<Option<Vec<Old>>, D::Error> {
    Option::<Vec<Old>>::deserialize(d).map(|list| Some(list.unwrap_or_default()))
}

#[derive(Deserialize)]
struct Config {
    protocol_version: Option<IgnoredAny>,
    scan_level: Option<Text>,
}

#[derive(Deserialize)]
struct Finding {
    osv: Text,
    fixed_version: Option<Text>,
    #[serde(default)]
    trace: Vec<Frame>,
}

#[derive(Deserialize)]
struct Frame {
    module: Option<Text>,
    version: Option<Text>,
    function: Option<Text>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Old {
    #[serde(rename = "OSV")]
    osv: Entry,
    mod_path: Option<Text>,
    found_in: Option<Text>,
    fixed_in: Option<Text>,
    call_sink: Option<Num>,
    /// In between: modules with their packages, each with the calls.
    modules: Option<Vec<OldModule>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct OldModule {
    path: Option<Text>,
    found_version: Option<Text>,
    fixed_version: Option<Text>,
    packages: Option<Vec<OldPackage>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct OldPackage {
    call_stacks: Option<Vec<IgnoredAny>>,
}

/// What is known of a vulnerability in a module.
#[derive(Default)]
struct Hit {
    called: bool,
    versions: BTreeSet<String>,
    fixed: BTreeSet<String>,
}

#[derive(Default)]
struct Scan {
    known: bool,
    /// Calls were not looked at.
    coarse: bool,
    entries: BTreeMap<String, (Vec<String>, Severity)>,
    hits: BTreeMap<(String, String), Hit>,
}

impl Scan {
    fn message(&mut self, message: Message) {
        if let Some(config) = message.config {
            self.known |= config.protocol_version.is_some();
            self.coarse = config.scan_level.is_some_and(|l| l.0 == "module" || l.0 == "package");
        }
        if let Some(entry) = message.osv {
            self.entry(&entry);
        }
        if let Some(finding) = message.finding {
            let first = finding.trace.into_iter().next();
            let (module, version, function) =
                first.map_or((None, None, None), |f| (f.module, f.version, f.function));
            let called = function.is_some();
            self.hit(finding.osv.0, [module, version, finding.fixed_version], called);
        }
        if let Some(vulns) = message.vulns {
            self.known = true;
            vulns.into_iter().for_each(|old| self.old(old));
        }
    }

    fn entry(&mut self, entry: &Entry) {
        self.entries.insert(entry.id.0.clone(), (entry.names().collect(), entry.severity()));
    }

    fn old(&mut self, old: Old) {
        self.entry(&old.osv);
        let id = old.osv.id.0;
        let called = old.call_sink.and_then(|n| n.0).is_some_and(|n| n > 0);
        if old.mod_path.is_some() {
            self.hit(id.clone(), [old.mod_path, old.found_in, old.fixed_in], called);
        }
        for module in old.modules.into_iter().flatten() {
            let stacks = |p: &OldPackage| p.call_stacks.as_ref().is_some_and(|s| !s.is_empty());
            let called = module.packages.iter().flatten().any(stacks);
            let [path, found, fixed] = [module.path, module.found_version, module.fixed_version];
            self.hit(id.clone(), [path, found, fixed], called);
        }
    }

    /// Module, version, and the version that mends it.
    fn hit(&mut self, id: String, of: [Option<Text>; 3], called: bool) {
        let [module, version, fixed] = of.map(text);
        let hit = self.hits.entry((id, module)).or_default();
        hit.called |= called;
        hit.versions.extend(Some(version).filter(|v| !v.is_empty()));
        hit.fixed.extend(Some(fixed).filter(|v| !v.is_empty()));
    }

    fn finish(self) -> Found {
        if !self.known {
            return Err("no govulncheck report: key \"config\" is missing".into());
        }
        let mut gathered = Gathered::default();
        for ((id, module), hit) in self.hits {
            if !hit.called && !self.coarse {
                gathered.ignore(|| format!("imported and not called: {id} in {module}"));
                continue;
            }
            let (names, bad) = match self.entries.get(&id) {
                Some((names, bad)) => (names.clone(), *bad),
                None => (vec![id], Severity::Unknown),
            };
            let found = gathered.add(names, &module, bad);
            let versions: Vec<String> = hit.versions.into_iter().collect();
            found.version = (!versions.is_empty()).then(|| versions.join(advisory::AND));
            found.fixed_in = any_of(&hit.fixed.into_iter().collect::<Vec<_>>());
        }
        Ok(gathered.finish())
    }
}

fn parse(input: &mut TextReader<'_>) -> Found {
    let mut scan = Scan::default();
    if starts_with_list(input)? {
        json::whole(
            input,
            Each::new(|message| {
                scan.message(message);
                Ok(())
            }),
        )?;
        return scan.finish();
    }
    for message in serde_json::Deserializer::from_reader(input).into_iter::<Message>() {
        match message {
            Ok(message) => scan.message(message),
            Err(e) if e.is_eof() => return Err("it is empty or cut off".into()),
            Err(e) => return Err(e.to_string()),
        }
    }
    scan.finish()
}

/// Passes over blanks.
fn starts_with_list(input: &mut TextReader<'_>) -> Result<bool, String> {
    loop {
        let bytes = input.fill_buf().map_err(|e| format!("it could not be read: {e}"))?;
        let blank = bytes.iter().take_while(|b| b.is_ascii_whitespace()).count();
        if blank < bytes.len() || bytes.is_empty() {
            return Ok(bytes.get(blank) == Some(&b'['));
        }
        input.consume(blank);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Reading;

    fn figures(json: &str) -> (Vec<String>, u64) {
        let reading = (FORMAT.read)(&mut json.as_bytes());
        let Reading::Figures(f) = reading else { panic!("{reading:?}") };
        let d = f.dependencies.unwrap();
        (d.advisories.iter().map(|a| format!("{} {}", a.id, a.package)).collect(), d.ignored)
    }

    const MESSAGES: [&str; 5] = [
        r#"{"config": {"protocol_version": "v1.0.0", "scanner_name": "govulncheck", "scan_level": "symbol"}}"#,
        r#"{"osv": {"id": "GO-1", "aliases": ["CVE-1"]}}"#,
        r#"{"finding": {"osv": "GO-1", "trace": [{"module": "m", "version": "v1"}]}}"#,
        r#"{"finding": {"osv": "GO-1", "fixed_version": "v2", "trace": [{"module": "m", "version": "v1", "package": "p", "function": "F"}]}}"#,
        r#"{"finding": {"osv": "GO-2", "trace": [{"module": "m", "package": "p"}]}}"#,
    ];

    #[test]
    fn only_called_code_counts() {
        let want = (vec!["CVE-1 m".to_owned()], 1);
        assert_eq!(figures(&MESSAGES.join("\n")), want);
        assert_eq!(figures(&MESSAGES.join("")), want);
        assert_eq!(figures(&format!(" [{}]", MESSAGES.join(","))), want);
        let coarse = MESSAGES.join("").replace("symbol", "package");
        assert_eq!(figures(&coarse).0.len(), 2);
    }

    #[test]
    fn before_1_0() {
        let old = r#"{"Vulns": [{"OSV": {"id": "GO-1"}, "ModPath": "stdlib", "CallSink": 3},
            {"OSV": {"id": "GO-1"}, "ModPath": "stdlib", "CallSink": 0},
            {"OSV": {"id": "GO-2"}, "ModPath": "stdlib", "CallSink": 0},
            {"OSV": {"id": "GO-3"}, "Modules": [{"Path": "m", "Packages": [{"CallStacks": [{}]}]}]}], "Modules": []}"#;
        assert_eq!(figures(old), (vec!["GO-1 stdlib".into(), "GO-3 m".into()], 1));
        assert_eq!(figures(r#"{"Calls": {}, "Imports": {}, "Vulns": null}"#), (Vec::new(), 0));
    }

    #[test]
    fn foreign_and_cut() {
        let whole = MESSAGES.join("");
        for json in ["{}", "[]", "{\"osv\": {\"id\": \"GO-1\"}}", "x", &whole[..whole.len() - 3]] {
            let reading = (FORMAT.read)(&mut json.as_bytes());
            assert!(matches!(reading, Reading::Refused(_)), "{json}: {reading:?}");
        }
    }
}
