//! One manual page from a command tree, with the tables of exit codes and variables.

use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use git_evidence::host::env::VARIABLES;
use git_evidence::host::exit::Code;

/// A section of `clap_mangen`.
type Section = fn(&Man, &mut dyn std::io::Write) -> std::io::Result<()>;

/// The page of a command, its subcommands included.
pub(super) fn page(command: &Command, see_also: &str) -> String {
    let version = command.get_version().unwrap_or_default();
    let named = command.clone().subcommand_value_name("command");
    let man = Man::new(named.disable_help_subcommand(true))
        .source(format!("git-evidence {version}"))
        .manual("git-evidence manual");
    let mut text = Roff::new().render();
    for section in [
        Man::render_title as Section,
        Man::render_name_section,
        Man::render_synopsis_section,
        Man::render_description_section,
        Man::render_options_section,
    ] {
        text.push_str(&part(&man, section));
    }
    let mut roff = Roff::new();
    roff.control("SH", ["COMMANDS"]);
    text.push_str(&roff_text(&roff));
    let name = command.get_bin_name().expect("the programs have a name for git").to_string();
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        subcommand(&mut text, &name, sub);
    }
    text.push_str(&roff_text(&tables(see_also)));
    text
}

/// What a roff document says, without the preamble that only the page needs once.
fn roff_text(roff: &Roff) -> String {
    roff.render().strip_prefix(&Roff::new().render()).expect("it begins so").to_string()
}

/// One section of a page, without the preamble.
fn part(man: &Man, section: Section) -> String {
    let mut buffer = Vec::new();
    section(man, &mut buffer).unwrap();
    let text = String::from_utf8(buffer).unwrap();
    text.strip_prefix(&Roff::new().render()).expect("it begins so").to_string()
}

/// A subcommand and those below it. Options of every command stand in OPTIONS alone.
fn subcommand(text: &mut String, above: &str, command: &Command) {
    let name = format!("{above} {}", command.get_name());
    let mut heading = Roff::new();
    heading.control("SS", [name.as_str()]);
    text.push_str(&roff_text(&heading));
    let bare = command.clone().bin_name(name.clone()).disable_help_flag(true);
    let man = Man::new(bare.disable_help_subcommand(true).disable_version_flag(true));
    let mut sections: Vec<Section> =
        vec![Man::render_synopsis_section, Man::render_description_section];
    if command.get_arguments().next().is_some() {
        sections.push(Man::render_options_section);
    }
    for (i, section) in sections.into_iter().enumerate() {
        if i > 0 {
            text.push_str(".PP\n");
        }
        // its heading is one of the whole page
        text.extend(part(&man, section).split_inclusive('\n').filter(|l| !l.starts_with(".SH")));
    }
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        subcommand(text, &name, sub);
    }
}

fn tables(see_also: &str) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["EXIT STATUS"]);
    for code in Code::ALL {
        roff.control("TP", []);
        roff.text([bold((*code as i32).to_string())]);
        roff.text([roman(code.meaning())]);
    }
    roff.control("TP", []);
    roff.text([bold("128 + N")]);
    roff.text([roman("ended by signal N")]);
    roff.control("SH", ["ENVIRONMENT"]);
    for variable in VARIABLES {
        roff.control("TP", []);
        roff.text([bold(variable.name)]);
        roff.text([roman(variable.meaning)]);
    }
    roff.control("SH", ["FILES"]);
    roff.control("TP", []);
    roff.text([bold(".git-evidence.toml")]);
    roff.text([roman("the configuration, read from the merge-base with the base branch")]);
    roff.control("SH", ["SEE ALSO"]);
    roff.text([bold(see_also), roman("(1)")]);
    roff
}
