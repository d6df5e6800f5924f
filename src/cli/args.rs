//! The command line as types. The doc comments are the help text and, through the same tree, the man
//! pages.

use std::path::PathBuf;

use crate::hook::settings::{AGENTS, Agent, agent};
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::host::console::ColorWhen;

/// Judge a commit by deterministic evidence
///
/// Runs the configured checks (linters, tests, coverage, complexity) on a commit, compares what they
/// say with the commit's base, and decides: approved, for a reviewer, blocked, or could not be
/// judged. Only a full run on exactly the commit's content is stored as the commit's record; hooks
/// decide from that record.
#[derive(Debug, Parser)]
#[command(name = "git-review-evidence", bin_name = "git review-evidence", version, after_help = EXIT_CODES)]
pub struct Review {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) command: Option<ReviewCommand>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

/// Repair what was judged, step by step, and prove each step by the same evidence
///
/// While the branch's tip is blocked: takes the first reason, sets a checkpoint, lets the first fixer
/// that fits mend it, measures again, and keeps the result or goes back. It never pushes, never
/// edits files itself, and never destroys what is not its own.
#[derive(Debug, Parser)]
#[command(name = "git-fix-evidence", bin_name = "git fix-evidence", version, after_help = EXIT_CODES)]
pub struct Fix {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) command: Option<FixCommand>,
    #[command(flatten)]
    pub(crate) run: FixRunArgs,
}

const EXIT_CODES: &str = "\
Exit codes:
  0  approved; the loop ended in AUTO_APPROVE
  1  blocked; the loop ended ESCALATED
  2  wrong usage or configuration: nothing was done
  3  a hard floor is broken
  4  could not be judged, or there is no record to show
  5  the environment failed: git, disk, a program that cannot be started
  6  the iterations of the run are used up
  7  the tokens of the run are used up
  8  another run holds this branch
  9  a question waits for an answer";

/// Options of every command.
#[derive(Debug, Args)]
pub(crate) struct Common {
    /// Work in this folder instead of the current one
    #[arg(short = 'C', value_name = "DIR", global = true)]
    pub(crate) dir: Option<PathBuf>,
    /// When to use colour
    #[arg(long, value_name = "WHEN", global = true, default_value = "auto")]
    pub(crate) color: ColorWhen,
}

/// Formats of a record's output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// For people
    Text,
    /// The record itself
    Json,
}

/// Commands of `git review-evidence`.
#[derive(Debug, Subcommand)]
pub(crate) enum ReviewCommand {
    /// Measure a commit and judge it against its base (the default)
    Run(RunArgs),
    /// Show the stored record of a commit
    Show(ShowArgs),
    /// Show what changed between two commits, or two reports: new, fixed and moved findings
    Compare(CompareArgs),
    /// Read reports and print the normalised figures as JSON; needs no repository
    Import(ImportArgs),
    /// List the report formats: name, kind, tools that write it
    Formats {
        /// Print a JSON document
        #[arg(long)]
        json: bool,
    },
    /// Say what would keep this repository or machine from working, each with its remedy
    Doctor {
        /// One JSON document on stdout
        #[arg(long)]
        json: bool,
    },
    /// Install the pre-push hook, or the hook of a coding agent
    Install(InstallArgs),
    /// What the hook scripts call
    Hook {
        #[command(subcommand)]
        hook: HookCommand,
    },
}

/// Options of a measuring run.
#[derive(Debug, Default, Args, PartialEq, Eq)]
pub(crate) struct RunArgs {
    /// The commit to measure
    #[arg(value_name = "REV")]
    pub(crate) rev: Option<String>,
    /// Judge against this ref instead of the configured base; the result is printed, not stored
    #[arg(long, value_name = "REF")]
    pub(crate) base: Option<String>,
    /// Run only these checks; the result is printed, not stored
    #[arg(long = "check", value_name = "NAME", num_args = 1..)]
    pub(crate) checks: Vec<String>,
    /// Read this report too (auto:FILE lets the format be found out); the result is printed, not stored
    #[arg(long = "import", value_name = "FORMAT:FILE", num_args = 1..)]
    pub(crate) imports: Vec<String>,
    /// Measure again even where measurements of the same content are kept
    #[arg(long)]
    pub(crate) recompute: bool,
    /// Run no check: use kept measurements only; the result is printed, not stored
    #[arg(long)]
    pub(crate) no_run: bool,
    /// Measure in a fresh linked worktree instead of the checkout
    #[arg(long)]
    pub(crate) isolated: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    /// Print the result only, no progress
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// Where a result goes.
#[derive(Debug, Default, Args, PartialEq, Eq)]
pub(crate) struct OutputArgs {
    /// Format of the result
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<OutputFormat>,
    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
    /// Write the result to this file instead of standard output; folders on the way are made
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

impl OutputArgs {
    pub(crate) fn format(&self) -> OutputFormat {
        if self.json { OutputFormat::Json } else { self.format.unwrap_or(OutputFormat::Text) }
    }
}

/// Options of `show`.
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The commit
    #[arg(value_name = "REV", default_value = "HEAD")]
    pub(crate) rev: String,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    /// Print where the record lies
    #[arg(long)]
    pub(crate) path: bool,
}

/// Options of `compare`.
#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// The first commit, or a report as FORMAT:FILE (auto:FILE lets the format be found out)
    #[arg(value_name = "A")]
    pub(crate) first: String,
    /// The second, of the same sort
    #[arg(value_name = "B")]
    pub(crate) second: String,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Options of `import`.
#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// Reports; auto:FILE (or FILE alone) lets the format be found out
    #[arg(value_name = "FORMAT:FILE", required = true)]
    pub(crate) reports: Vec<String>,
}

/// Options of `install`.
#[derive(Debug, Args)]
pub(crate) struct InstallArgs {
    /// The git hook that judges a push (the default)
    #[arg(long)]
    pub(crate) pre_push: bool,
    /// The hook of a coding agent, in its settings in this checkout
    #[arg(long, value_name = "NAME", value_parser = agent_name)]
    pub(crate) agent: Option<&'static Agent>,
    /// Write a plugin for Claude Code into this folder: hooks, skill, command and launchers
    #[arg(long, value_name = "DIR", conflicts_with_all = ["agent", "pre_push", "uninstall"])]
    pub(crate) plugin: Option<PathBuf>,
    /// Print a block for AGENTS.md, for agents without a plugin
    #[arg(long, conflicts_with_all = ["agent", "pre_push", "uninstall", "plugin"])]
    pub(crate) agents_md: bool,
    /// Take back what was installed, byte for byte
    #[arg(long)]
    pub(crate) uninstall: bool,
    /// Show what would be written, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

fn agent_name(typed: &str) -> Result<&'static Agent, String> {
    let names: Vec<&str> = AGENTS.iter().map(|a| a.name).collect();
    agent(typed).ok_or_else(|| format!("known are {}", names.join(", ")))
}

/// Hooks.
#[derive(Debug, Subcommand)]
pub(crate) enum HookCommand {
    /// Called by git before a push; reads git's lines on standard input
    PrePush {
        /// The remote's name
        remote: Option<String>,
        /// The remote's URL
        url: Option<String>,
    },
    /// Called by Claude Code before and after a tool; reads its JSON on standard input
    Claude,
    /// Called by Codex
    Codex,
    /// Called by Gemini CLI
    Gemini,
    /// Called by Copilot CLI
    Copilot,
    /// Called by Cursor
    Cursor,
    /// Called by any program: {"command", "cwd"} in, decision, reason and additional_context out
    Plain,
    /// Called by any of these agents; which one is found out from what it sends
    Auto,
    /// Started by these hooks in the background after a commit: makes its record beforehand
    #[command(hide = true)]
    Warm {
        /// A folder of the checkout
        dir: PathBuf,
    },
}

/// Commands of `git fix-evidence`.
#[derive(Debug, Subcommand)]
pub(crate) enum FixCommand {
    /// Run the loop (the default)
    Run(FixRunArgs),
    /// Show this branch: state, counters, a running or interrupted run, checkpoints
    Status {
        /// Print a JSON document
        #[arg(long)]
        json: bool,
    },
    /// Show every past dispatch, and by fixer and kind what became of them
    Log {
        /// Instead: why this run went on or stopped at each step; the beginning of its id is enough
        #[arg(long, value_name = "RUN")]
        explain: Option<String>,
        /// Print a JSON document
        #[arg(long)]
        json: bool,
    },
    /// After an interruption: put half-done work aside and carry on
    Continue {
        /// Print a JSON document
        #[arg(long)]
        json: bool,
    },
    /// After an interruption: put the branch back to where the run began
    Abort {
        /// Print a JSON document
        #[arg(long)]
        json: bool,
    },
    /// Put the branch back to a checkpoint; the present tip gets one first
    Undo {
        /// Its number, as `status` shows it; without one the nearest behind the tip
        checkpoint: Option<String>,
    },
    /// Clear the branch's cumulative limits: a person's act, asks on a terminal
    Reset {
        /// The branch; without one the present one
        branch: Option<String>,
    },
    /// Show the modes side by side: every limit and where its value comes from
    Policy {
        /// Print a JSON document
        #[arg(long)]
        json: bool,
    },
    /// Say from three artefacts whether a bounded loop may go on; needs no repository
    ///
    /// A function of its three inputs and nothing else. It prints a verdict
    /// (bounded_loop_verdict_v1) and exits 0, or names the input and the field that is wrong and exits
    /// 2. One of the three may be -, standard input. No verdict means "merge".
    Decide(DecideArgs),
    /// Tell the whole story in a throw-away folder, with nothing but sh and git
    Demo {
        /// Keep the folder
        #[arg(long)]
        keep: bool,
    },
}

/// Inputs of the decider.
#[derive(Debug, Args)]
pub(crate) struct DecideArgs {
    /// Where the loop stands: bounded_loop_decision_v1
    #[arg(long, value_name = "FILE")]
    pub(crate) decision: PathBuf,
    /// What reviews found: finding_attribution_v1
    #[arg(long, value_name = "FILE")]
    pub(crate) attribution: PathBuf,
    /// What can be done without a person: automation_capability_matrix_v1
    #[arg(long, value_name = "FILE")]
    pub(crate) capabilities: PathBuf,
}

/// Options of the loop.
#[derive(Debug, Default, Args, PartialEq, Eq)]
pub(crate) struct FixRunArgs {
    /// The tip that was judged; must be the checked-out branch's tip
    #[arg(long, value_name = "SHA")]
    pub(crate) sha: Option<String>,
    /// Dispatches in this run; can only lower the limit
    #[arg(long, value_name = "N")]
    pub(crate) max_iter: Option<String>,
    /// Tokens in this run; can only lower the limit
    #[arg(long, value_name = "N")]
    pub(crate) token_budget: Option<String>,
    /// Print the action, the fixer, its exact command or prompt and the limits left; do nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print the report as a JSON document
    #[arg(long)]
    pub(crate) json: bool,
}
