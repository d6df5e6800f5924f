//! Programs, the configuration, and the tools that it names.

use std::time::Duration;

use super::{Look, on_path};
use crate::config::{Config, FILE_NAME, FixerCommand, SandboxLevel};
use crate::git::BaseQuery;
use crate::host::context::Context;
use crate::host::exit::sentence;
use crate::measure::{ConfigSource, Setting};
use crate::process::{Exit, Program, plain};

/// How long a program has to say its version.
const SAYING: Duration = Duration::from_secs(10);

pub(super) fn looks(ctx: &Context) -> Vec<Look> {
    let mut looks = vec![program(ctx, "git-review-evidence"), program(ctx, "git-fix-evidence")];
    let (look, setting) = configuration(ctx);
    looks.extend(look);
    if let Some(setting) = setting {
        looks.extend(tools(ctx, &setting.config));
        looks.push(sandbox(&setting.config));
    }
    looks.extend(environment(ctx));
    looks
}

/// Whether the program on PATH is this one.
fn program(ctx: &Context, name: &'static str) -> Look {
    let own = env!("CARGO_PKG_VERSION");
    let Some(path) = on_path(ctx, name) else {
        return Look::warning(
            "program",
            format!(
                "{name} is not on PATH: 'git {}' and hooks of agents do not find it",
                &name[4..]
            ),
            "put the folder of this program on PATH",
        );
    };
    let asked =
        Program::new([path.as_os_str(), "--version".as_ref()], std::env::temp_dir(), SAYING);
    let said = plain(&asked, b"").ok().filter(|ran| ran.exit == Exit::Code(0));
    let said = said.map(|ran| String::from_utf8_lossy(&ran.stdout).trim().to_string());
    match said.as_deref().and_then(|s| s.rsplit(' ').next()) {
        Some(version) if version == own => {
            Look::ok("program", format!("{} {version}", path.display()))
        }
        said => Look::warning(
            "program",
            format!(
                "{} is version {}, and this one is {own}",
                path.display(),
                said.unwrap_or("that it does not say")
            ),
            "cargo install git-evidence",
        ),
    }
}

fn configuration(ctx: &Context) -> (Vec<Look>, Option<Setting>) {
    let head = match ctx.repo.head() {
        Ok(head) => head,
        Err(e) => {
            let look = Look::problem("configuration", e.to_string(), "git status");
            return (vec![look], None);
        }
    };
    let Some(commit) = &head.commit else {
        let text = "there is no commit yet, so nothing can be judged";
        return (vec![Look::warning("configuration", text, "git commit")], None);
    };
    let query = BaseQuery { branch: head.branch.as_deref(), ..BaseQuery::default() };
    match ctx.setting(commit, query, true) {
        Err(e) => {
            let look = Look::problem("configuration", sentence(&e), "mend what it names");
            (vec![look], None)
        }
        Ok(setting) if setting.source == ConfigSource::None => {
            let text = format!("there is no {FILE_NAME}: pushes pass without a judgement");
            let remedy = "git review-evidence (it prints a configuration that fits)";
            (vec![Look::warning("configuration", text, remedy)], None)
        }
        Ok(setting) => {
            let looks = vec![read_from(&setting), base(&setting)];
            (looks, Some(setting))
        }
    }
}

fn read_from(setting: &Setting) -> Look {
    let word = setting.source.word();
    let text = format!("{FILE_NAME} counts as it stands in: {word}");
    match (setting.source, setting.changed) {
        (ConfigSource::Worktree, _) => Look::warning(
            "configuration",
            format!("{text}; it is not committed, so hooks do not see it"),
            format!("git add {FILE_NAME} && git commit"),
        ),
        (_, true) => Look::warning(
            "configuration",
            format!("{text}; the commit here has another one, which does not count yet"),
            "it counts once it is merged into the base",
        ),
        (_, false) => Look::ok("configuration", text),
    }
}

fn base(setting: &Setting) -> Look {
    match &setting.base {
        Some((base, point)) => {
            Look::ok("configuration", format!("the base is {} ({})", base.name, point.short()))
        }
        None => Look::warning(
            "configuration",
            "no base was found, so nothing is compared and only absolute limits count",
            "git remote set-head origin --auto, or base = \"…\" in the configuration",
        ),
    }
}

fn tools(ctx: &Context, config: &Config) -> Vec<Look> {
    let mut looks = Vec::new();
    for check in &config.checks {
        let Some(word) = first_word(&check.run) else { continue };
        let what = format!("check '{}'", check.name);
        looks.push(tool(ctx, &word, &what, check.required));
    }
    for fixer in &config.fixers {
        let word = match &fixer.command {
            FixerCommand::Run(run) => first_word(run),
            FixerCommand::Agent(name) => Some(name.clone()),
        };
        let Some(word) = word else { continue };
        looks.push(tool(ctx, &word, &format!("fixer '{}'", fixer.name), false));
    }
    looks
}

fn tool(ctx: &Context, word: &str, what: &str, required: bool) -> Look {
    let here = ctx.repo.top.as_deref().filter(|_| word.contains('/')).map(|top| top.join(word));
    let found = match here {
        Some(file) => file.is_file().then_some(file),
        None => on_path(ctx, word),
    };
    let remedy = format!("install {word}, or put it on PATH");
    match found {
        Some(path) => Look::ok("tool", format!("{what}: {}", path.display())),
        None if required => {
            let text = format!("{what} runs '{word}', which is not here: no commit can be judged");
            Look::problem("tool", text, remedy)
        }
        None => Look::warning("tool", format!("{what} runs '{word}', which is not here"), remedy),
    }
}

/// The program that a shell command starts first; none where only the shell itself can know.
fn first_word(run: &str) -> Option<String> {
    const OF_THE_SHELL: &[&str] = &[
        "if", "for", "while", "until", "case", "{", "(", "!", "[", "cd", "test", "set", "export",
        ".", "source", "exec", "eval", "trap", "true", "false", "echo", "printf", "command",
    ];
    let line = run.lines().map(str::trim).find(|l| !l.is_empty() && !l.starts_with('#'))?;
    let word = line.split_whitespace().find(|w| {
        let name = w.split('=').next().unwrap_or_default();
        let assigns =
            w.contains('=') && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        !assigns
    })?;
    let plain = word.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-+/".contains(&b));
    (plain && !OF_THE_SHELL.contains(&word)).then(|| word.to_string())
}

fn sandbox(config: &Config) -> Look {
    match config.sandbox.fixers {
        SandboxLevel::Off => {
            Look::ok("sandbox", "fixers and checks run without a box ([sandbox] fixers = \"off\")")
        }
        SandboxLevel::Full => Look::problem(
            "sandbox",
            "[sandbox] fixers = \"full\" cannot be had in this version, so no fixer would run",
            "[sandbox] fixers = \"off\"",
        ),
    }
}

fn environment(ctx: &Context) -> Vec<Look> {
    let mut looks = Vec::new();
    let named = [
        ("DEVFORGE_FIX_EVIDENCE_MAX_ITER", &ctx.env.max_iter),
        ("DEVFORGE_FIX_EVIDENCE_TOKEN_BUDGET", &ctx.env.token_budget),
        ("DEVFORGE_FIX_EVIDENCE_MAX_AUTO_TRIGGERS", &ctx.env.max_auto_triggers),
    ];
    for (name, value) in named {
        if let Some(value) = value.as_deref().filter(|v| v.parse::<u64>().is_err()) {
            let text = format!("{name} is '{value}', which is no number");
            looks.push(Look::problem("environment", text, format!("unset {name}")));
        }
    }
    if !ctx.env.auto {
        looks.push(Look::warning(
            "environment",
            "DEVFORGE_FIX_EVIDENCE_AUTO is off: blocked pushes start no repair by themselves",
            "unset DEVFORGE_FIX_EVIDENCE_AUTO",
        ));
    }
    looks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_of_a_command_line() {
        for (run, want) in [
            ("ruff check .", Some("ruff")),
            ("A=1 B_2=x ./tools/lint -q", Some("./tools/lint")),
            ("\n# why\npytest -q", Some("pytest")),
            ("cd web && npm test", None),
            ("$TOOL x", None),
            ("if true; then x; fi", None),
            ("", None),
        ] {
            assert_eq!(first_word(run).as_deref(), want, "{run}");
        }
    }
}
