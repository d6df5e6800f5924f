//! `git fix-evidence decide`: three artefacts in, one verdict out; needs no repository.

use std::io::Read;
use std::path::Path;

use super::args::DecideArgs;
use crate::host::console::Console;
use crate::host::exit::{Code, Failure};
use crate::rules::decide::{Inputs, Role};

/// Larger inputs are no artefacts.
const LARGEST: u64 = 16 << 20;

/// The command. What it prints is a verdict or nothing.
///
/// # Errors
/// Usage with input, file and field.
pub(super) fn decide(
    console: Console,
    dir: Option<&Path>,
    args: &DecideArgs,
) -> anyhow::Result<i32> {
    let files = [&args.decision, &args.attribution, &args.capabilities];
    if files.iter().filter(|f| is_stdin(f)).count() > 1 {
        return Err(Failure::usage("standard input (-) can be one of the three only"));
    }
    let named = |role: Role| {
        let [decision, attribution, capabilities] = files;
        let file = match role {
            Role::Decision => decision,
            Role::Attribution => attribution,
            Role::Capabilities => capabilities,
        };
        match is_stdin(file) {
            true => format!("--{role} (standard input)"),
            false => format!("--{role} '{}'", file.display()),
        }
    };
    let mut bytes: [Vec<u8>; 3] = Default::default();
    for ((role, file), slot) in Role::ALL.into_iter().zip(files).zip(&mut bytes) {
        *slot = read(dir, file).map_err(|why| Failure::usage(format!("{}: {why}", named(role))))?;
    }
    let inputs = Inputs::parse(bytes.each_ref().map(Vec::as_slice))
        .map_err(|e| Failure::usage(format!("{}: {}", named(e.role), e.sentence())))?;
    console.result(&(serde_json::to_string_pretty(&inputs.verdict())? + "\n"))?;
    Ok(Code::Approved as i32)
}

fn is_stdin(file: &Path) -> bool {
    file == Path::new("-")
}

fn read(dir: Option<&Path>, file: &Path) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let ended = if is_stdin(file) {
        std::io::stdin().lock().take(LARGEST + 1).read_to_end(&mut bytes)
    } else {
        let path = dir.map_or_else(|| file.to_path_buf(), |dir| dir.join(file));
        std::fs::File::open(path).and_then(|f| f.take(LARGEST + 1).read_to_end(&mut bytes))
    };
    ended.map_err(|e| format!("it cannot be read: {e}"))?;
    if bytes.len() as u64 > LARGEST {
        return Err(format!("it is larger than {} MiB", LARGEST >> 20));
    }
    Ok(bytes)
}
