//! `git review-evidence show`: the stored record.

use super::target::target;
use super::{shown, typed};
use crate::cli::args::{OutputFormat, ShowArgs};
use crate::git::BaseQuery;
use crate::host::context::Context;
use crate::host::exit::{Code, Failure};
use crate::report::pretty;

/// The command.
///
/// # Errors
/// Not judged where there is no record, usage where it cannot be used.
pub(super) fn show(context: &Context, args: &ShowArgs) -> anyhow::Result<i32> {
    let target = target(context, Some(&args.rev))?;
    let query = BaseQuery { branch: target.branch.as_deref(), ..BaseQuery::default() };
    let setting = context.setting(&target.commit, query, true)?;
    let place = context.place(&setting.config)?;
    let path = place.path(&target.commit);
    let Some(record) = place.read(&target.commit)? else {
        let rev = if args.rev == "HEAD" { String::new() } else { format!(" {}", args.rev) };
        let text = format!(
            "no record of {} is stored at '{}'; 'git review-evidence{rev}' measures it",
            target.commit.short(),
            path.display()
        );
        return Err(Failure::with(Code::NotJudged, text));
    };
    let text = if args.path {
        format!("{}\n", path.display())
    } else {
        match args.output.format() {
            OutputFormat::Json => {
                // Exactly what lies there, other tools' fields included.
                let bytes = std::fs::read(&path)?;
                pretty(&String::from_utf8_lossy(&bytes))
            }
            OutputFormat::Text => {
                let color = context.console.color && args.output.output.is_none();
                shown(&record, OutputFormat::Text, color)?
            }
        }
    };
    let file = args.output.output.as_deref().map(|path| typed(Some(&context.cwd), path));
    context.console.result_to(file.as_deref(), &text)?;
    Ok(Code::Approved as i32)
}
