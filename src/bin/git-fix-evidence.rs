//! `git fix-evidence`.

fn main() {
    std::process::exit(git_evidence::cli::fix::main());
}
