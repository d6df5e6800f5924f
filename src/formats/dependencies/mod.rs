//! Advisories against dependencies.

mod auditjs;
mod cargo_audit;
mod clair;
mod cyclonedx;
mod cyclonedx_xml;
mod dependency_check;
mod gathered;
mod gitlab;
mod govulncheck;
mod grype;
mod lenient;
mod npm;
mod npm_v1;
mod osv;
mod osv_scanner;
mod pip_audit;
mod retirejs;
mod severity;
mod snyk;
mod trivy;
mod yarn;

use crate::formats::Format;

/// The formats of this kind.
pub(super) static FORMATS: &[Format] = &[
    npm::FORMAT,
    npm_v1::NPM,
    npm_v1::PNPM,
    yarn::FORMAT,
    cargo_audit::FORMAT,
    osv_scanner::FORMAT,
    pip_audit::FORMAT,
    grype::FORMAT,
    trivy::FORMAT,
    govulncheck::FORMAT,
    cyclonedx::FORMAT,
    auditjs::FORMAT,
    retirejs::FORMAT,
    snyk::FORMAT,
    dependency_check::FORMAT,
    gitlab::FORMAT,
    clair::FORMAT,
];
