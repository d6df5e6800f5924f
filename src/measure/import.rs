//! Reports that somebody else made: read for a look, never stored as a commit's evidence.

use std::collections::BTreeSet;
use std::path::Path;

use super::kept::Measurement;
use super::reports::{about_this_tree, hollow, read_file};
use crate::model::{CheckStatus, Reading, ReportRef};
use crate::rules::evidence::{Bucket, CheckResult};
use crate::rules::paths::PathMap;
use crate::store::clock;

/// Reads one report file; `format` is a name or `auto`.
///
/// # Errors
/// One sentence where the file cannot be read.
pub fn read_report(format: &str, file: &Path) -> Result<(ReportRef, Reading), String> {
    read_file(format, file, &file.to_string_lossy())
}

/// A report as if a check had written it.
pub(super) fn import(
    format: &str,
    file: &Path,
    top: &Path,
    tracked: &BTreeSet<String>,
) -> Measurement {
    let mut m = Measurement {
        check: format!("import {}", file.display()),
        status: CheckStatus::Failed,
        exit: None,
        seconds: 0.0,
        measured_at: clock::now(),
        version: None,
        reports: Vec::new(),
        figures: None,
        why: None,
        notes: Vec::new(),
        left: Vec::new(),
    };
    match read_report(format, file) {
        Err(why) | Ok((_, Reading::Refused(why))) => m.why = Some(why),
        Ok((report, Reading::Degraded(_, causes))) => {
            m.reports = vec![report];
            m.status = CheckStatus::Degraded;
            m.why = Some(causes.join("; "));
        }
        Ok((report, Reading::Figures(mut figures))) => {
            m.reports = vec![report];
            let roots = [top.to_string_lossy().into_owned()];
            let mut paths = PathMap::new(&roots, tracked);
            m.why =
                about_this_tree(&mut figures, top, &mut paths).err().or_else(|| hollow(&figures));
            if m.why.is_none() {
                m.status = CheckStatus::Measured;
                m.figures = Some(figures);
            }
        }
    }
    m
}

/// As the rules see it.
pub(super) fn result(m: &Measurement) -> CheckResult {
    let figures = match (&m.figures, &m.why) {
        (Some(figures), None) => Ok(figures.clone()),
        (_, why) => Err(why.clone().unwrap_or_default()),
    };
    CheckResult {
        name: m.check.clone(),
        bucket: Bucket::Quality,
        required: true,
        feeds: None,
        version: m.version.clone(),
        figures,
    }
}
