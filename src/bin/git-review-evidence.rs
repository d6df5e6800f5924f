//! `git review-evidence`.

fn main() {
    std::process::exit(git_evidence::cli::review_main());
}
