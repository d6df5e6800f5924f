//! What is a push and what is none, by table.

use std::path::{Component, Path};

use super::*;

/// An act in one line: what, where, and what of.
fn told(act: &Act) -> String {
    match act {
        Act::Push(place, push) => {
            let mut words = vec![format!("push {}", at(place))];
            words.extend(push.remote.clone());
            words.extend(push.refspecs.iter().cloned());
            for (is, word) in [
                (push.all, "[all]"),
                (push.mirror, "[mirror]"),
                (push.tags, "[tags]"),
                (push.delete, "[delete]"),
                (push.dry_run, "[dry]"),
                (push.without_hook, "[hookless]"),
                (push.unreadable, "[?]"),
            ] {
                words.extend(is.then(|| word.to_string()));
            }
            words.join(" ")
        }
        Act::PullRequest(place, pull) => {
            let head = pull.head.as_deref().map(|h| format!(" {h}")).unwrap_or_default();
            let unread = if pull.unreadable { " [?]" } else { "" };
            format!("{} {}{head}{unread}", pull.what, at(place))
        }
        Act::Commit(place) => format!("commit {}", at(place)),
    }
}

/// The folder, seen from `/w`, and what else is known of the place.
fn at(place: &Place) -> String {
    let mut text = match &place.dir {
        None => "?".to_string(),
        Some(dir) => {
            let mut clean = std::path::PathBuf::new();
            for part in dir.components() {
                match part {
                    Component::ParentDir => drop(clean.pop()),
                    Component::CurDir => {}
                    other => clean.push(other),
                }
            }
            match clean.strip_prefix("/w") {
                Ok(rest) if rest == Path::new("") => ".".into(),
                Ok(rest) => rest.display().to_string(),
                Err(_) => clean.display().to_string(),
            }
        }
    };
    for (value, name) in [(&place.git_dir, "git_dir"), (&place.work_tree, "work_tree")] {
        if let Some(path) = value {
            text += &format!("+{name}={}", path.display());
        }
    }
    if let Some(auto) = &place.auto {
        text += &format!("+auto={auto}");
    }
    text += if place.own_settings { "+settings" } else { "" };
    text += if place.after_change { "+changed" } else { "" };
    text
}

fn acts(text: &str) -> Vec<String> {
    let aliases = [
        ("p", "push"),
        ("po", "push origin"),
        ("up", "!git push -u origin HEAD"),
        ("ci", "commit"),
        ("deploy", "!f() { git push \"$@\"; }; f"),
        ("loop", "loop"),
        ("st", "status"),
    ];
    let around = Around {
        cwd: "/w".into(),
        home: Some("/home/me".into()),
        aliases: aliases.map(|(n, v)| (n.to_string(), v.to_string())).into(),
    };
    read(text, &around).acts.iter().map(told).collect()
}

#[track_caller]
fn table(rows: &[(&str, &[&str])]) {
    for (text, expected) in rows {
        assert_eq!(acts(text), *expected, "{text}");
    }
}

#[test]
fn a_push_is_seen_however_it_is_written() {
    table(&[
        ("git push", &["push ."]),
        ("  git   push  ", &["push ."]),
        ("git push origin feature", &["push . origin feature"]),
        ("git push origin +a:b c", &["push . origin +a:b c"]),
        ("git push -u origin HEAD", &["push . origin HEAD"]),
        ("git push --set-upstream origin x --force-with-lease", &["push . origin x"]),
        ("git push -o ci.skip origin x", &["push . origin x"]),
        ("git push --push-option=a -fq origin x", &["push . origin x"]),
        ("git push --repo=up x", &["push . x"]),
        ("git push --repo up", &["push . up"]),
        ("git push --all", &["push . [all]"]),
        ("git push --branches origin", &["push . origin [all]"]),
        ("git push --mirror", &["push . [mirror]"]),
        ("git push --tags", &["push . [tags]"]),
        ("git push origin tag v1", &["push . origin tag v1"]),
        ("git push origin :gone", &["push . origin :gone"]),
        ("git push -d origin x", &["push . origin x [delete]"]),
        ("git push --delete origin x", &["push . origin x [delete]"]),
        ("git push --dry-run", &["push . [dry]"]),
        ("git push -nu origin x", &["push . origin x [dry]"]),
        ("git push --dry", &["push . [dry]"]),
        ("git push --dry-run --no-dry-run", &["push ."]),
        ("git push --no-verify origin x", &["push . origin x [hookless]"]),
        ("git push --no-verif", &["push . [hookless]"]),
        ("git push --no-verbose", &["push ."]),
        ("git push -- origin -x", &["push . origin -x"]),
        ("g\"i\"t pu'sh' \"origin\" 'x y'", &["push . origin x y"]),
        (r"gi\t pus\h", &["push ."]),
        ("git \\\n  push \\\n  origin x", &["push . origin x"]),
        ("$'git' $'\\x70ush'", &["push ."]),
        ("/usr/bin/git push", &["push ."]),
        ("git-push origin", &["push . origin"]),
    ]);
}

#[test]
fn a_push_is_seen_wherever_it_stands() {
    table(&[
        ("true; git push", &["push ."]),
        ("true && git push || echo no", &["push ."]),
        ("false || git push", &["push ."]),
        ("git push&&echo done", &["push ."]),
        ("git push | cat", &["push ."]),
        ("yes |& git push", &["push ."]),
        ("git push 2>&1 | tail -3", &["push ."]),
        ("git push >/dev/null 2>&1 &", &["push ."]),
        ("git push &> log", &["push ."]),
        ("sleep 1 & git push", &["push ."]),
        ("echo a\ngit push\necho b", &["push ."]),
        ("(git push)", &["push ."]),
        ("( cd sub && git push ); git push", &["push sub", "push ."]),
        ("{ git push; }", &["push ."]),
        ("if git diff --quiet; then git push; fi", &["push ."]),
        ("if a; then b; elif c; then git push; else git push x; fi", &["push .", "push . x"]),
        ("while ! git push; do sleep 1; done", &["push ."]),
        ("until git push; do :; done", &["push ."]),
        ("for b in a b; do git push origin $b; done", &["push . origin [?]"]),
        ("for b in one; do git push origin \"$b\"; done", &["push . origin one"]),
        (
            "case x in a|b) git push;; *) git push o;; esac; git push z",
            &["push .", "push . o", "push . z"],
        ),
        ("f() { git push; }; f", &["push ."]),
        ("function f { git push; }", &["push ."]),
        ("! git push", &["push ."]),
        ("x=$(git push 2>&1)", &["push ."]),
        ("echo \"$(git push)\"", &["push ."]),
        ("echo `git push`", &["push ."]),
        ("echo \"`git push`\"", &["push ."]),
        ("echo ${x:-$(git push)}", &["push ."]),
        ("echo $((1 + $(git push)))", &["push ."]),
        ("a=(1 $(git push))", &["push ."]),
        ("diff <(git push) <(true)", &["push ."]),
        ("cat <<EOF\n$(git push)\nEOF", &["push ."]),
        ("cat <<EOF\ntext\nEOF\ngit push", &["push ."]),
        ("echo a > $(git push)", &["push ."]),
        ("echo a # comment\ngit push", &["push ."]),
        ("[ -n \"$x\" ] && git push", &["push ."]),
        ("[[ $x == y ]] && git push", &["push ."]),
        ("trap 'git push' EXIT", &["push ."]),
        ("find . -name x -exec git push \\;", &["push . ;"]),
    ]);
}

#[test]
fn a_push_is_seen_behind_other_programs() {
    table(&[
        ("env git push", &["push ."]),
        ("env -i -u X A=B git push", &["push ."]),
        ("env -C sub git push", &["push sub"]),
        ("env -S 'git push' origin", &["push . origin"]),
        ("command git push", &["push ."]),
        ("exec git push", &["push ."]),
        ("nohup git push &", &["push ."]),
        ("nice -n 10 git push", &["push ."]),
        ("time -p git push", &["push ."]),
        ("timeout 5 git push", &["push ."]),
        ("timeout -k 1 --signal=INT 5m git push", &["push ."]),
        ("sudo -u me -E git push", &["push ."]),
        ("sudo A=B git push", &["push ."]),
        ("doas git push", &["push ."]),
        ("stdbuf -oL git push", &["push ."]),
        ("setsid nohup timeout 3 env git push", &["push ."]),
        ("echo x | xargs git push origin", &["push . origin [?]"]),
        ("echo x | xargs -I{} -n 1 git push origin {}", &["push . origin {} [?]"]),
        ("bash -c 'git push'", &["push ."]),
        ("bash -lc \"cd sub && git push\"", &["push sub"]),
        ("sh -euo pipefail -c 'git push origin x' name", &["push . origin x"]),
        ("/bin/sh -c \"bash -c 'git push'\"", &["push ."]),
        ("eval 'git push'", &["push ."]),
        ("eval git push", &["push ."]),
        ("bash <<'EOF'\ngit push\nEOF", &["push ."]),
        ("bash <<< 'git push'", &["push ."]),
        ("echo 'git push' | sh", &["push ."]),
        ("cat <<EOF | bash\ngit push\nEOF", &["push ."]),
        ("$(echo git) push", &["push ."]),
        ("$(which git) push origin", &["push . origin"]),
        ("$GIT push origin x", &["push . origin x [?]"]),
        ("G=git; $G push", &["push ."]),
        ("CMD='git push origin'; $CMD x", &["push . origin x"]),
        ("git $(echo push)", &["push ."]),
        ("git $SUB origin; # push", &["push . origin [?]"]),
        ("X=push; git $X", &["push ."]),
        ("git submodule foreach 'git push'", &["push ?"]),
    ]);
}

#[test]
fn what_only_looks_like_one_is_none() {
    let none: &[&str] = &[
        "",
        "echo git push",
        "echo 'git push'",
        "# git push",
        "ls # && git push",
        "grep \"git push\" f",
        "git stash push",
        "git stash push -m x",
        "git subtree push",
        "git log --grep 'git push'",
        "git push --help",
        "git push -h",
        "git help push",
        "git --help push",
        "git --version push",
        "man git push",
        "cat <<EOF\ngit push\nEOF",
        "cat <<'EOF' > f\n$(git push)\nEOF",
        "cat <<-EOF\n\tgit push\n\tEOF",
        "python - <<EOF\ngit push\nEOF",
        "$EDITOR push.txt",
        "vim push",
        "docker push image",
        "npm run push",
        "command -v git push",
        "git config alias.x push",
        "git remote set-url --push origin x",
        "'git push'",
        "git 'push origin'",
        "A='git push'",
        "printf '%s' 'git push'",
        "gh pr list",
        "gh pr view --web",
        "gh issue create --title 'pr create'",
        "gh pr create --help",
        "gh pr create --dry-run",
        "glab mr list",
        "echo gh pr create",
        "cd 'git push'",
        "git st",
        "git loop",
        "bash script.sh git push",
        "ssh host",
    ];
    for text in none {
        assert_eq!(acts(text), Vec::<String>::new(), "{text}");
    }
    assert_eq!(acts("git commit -m \"git push\""), ["commit ."]);
    assert_eq!(acts("git commit -m \"$(cat <<'EOF'\ngit push\nEOF\n)\""), ["commit ."]);
}

#[test]
fn the_folder_is_followed() {
    table(&[
        ("git -C sub push", &["push sub"]),
        ("git -C a -C b push", &["push a/b"]),
        ("git -C a -C /x push", &["push /x"]),
        ("git -C a/../b push", &["push b"]),
        ("git -c a.b=c --no-pager -p push", &["push ."]),
        ("git --git-dir=g --work-tree w push", &["push .+git_dir=g+work_tree=w"]),
        ("GIT_DIR=g git push", &["push .+git_dir=g"]),
        ("export GIT_DIR=g; git push", &["push .+git_dir=g"]),
        ("git --namespace n --exec-path=/x --bare push", &["push ."]),
        ("cd sub && git push", &["push sub"]),
        ("cd sub; cd ..; git push", &["push ."]),
        ("cd sub; cd -; git push", &["push ."]),
        ("cd; git push", &["push /home/me"]),
        ("cd ~/x && git push", &["push /home/me/x"]),
        ("cd \"$HOME/x\" && git push", &["push /home/me/x"]),
        ("cd $UNKNOWN && git push", &["push ?"]),
        ("cd $UNKNOWN && git -C /x push", &["push /x"]),
        ("cd \"$(git rev-parse --show-toplevel)\" && git push", &["push ?"]),
        ("pushd sub; git push; popd; git push", &["push sub", "push ."]),
        ("D=sub; cd $D && git push", &["push sub"]),
        ("read D; cd $D && git push", &["push ?"]),
        ("cd sub | git push", &["push ."]),
        ("x=$(cd sub; pwd); git push", &["push ."]),
    ]);
}

#[test]
fn the_branch_is_read_from_what_is_known() {
    table(&[
        ("git push origin $(git branch --show-current)", &["push . origin HEAD"]),
        (
            "B=`git rev-parse --abbrev-ref HEAD`; git push origin \"$B\":x",
            &["push . origin HEAD:x"],
        ),
        ("B=feature && git push origin $B", &["push . origin feature"]),
        ("git push origin \"$B\"", &["push . origin [?]"]),
        ("git push $R main", &["push . main [?]"]),
        ("git push origin \"$(cat f)\"", &["push . origin [?]"]),
    ]);
}

#[test]
fn aliases_are_followed() {
    table(&[
        ("git p", &["push ."]),
        ("git po x", &["push . origin x"]),
        ("git -C sub up", &["push sub origin HEAD"]),
        ("git ci -m x", &["commit ."]),
        ("git deploy", &["push . [?]"]),
        ("git -c alias.x=push x origin", &["push . origin"]),
        ("git -c alias.y='!git push o' y", &["push . o"]),
    ]);
    let seen = read("git unknown-word a; git status", &Around::default());
    assert_eq!((seen.acts.len(), seen.aliased.len()), (0, 1));
}

#[test]
fn the_switch_and_settings_in_the_text_are_seen() {
    let switch = "DEVFORGE_FIX_EVIDENCE_AUTO";
    for (text, expected) in [
        (format!("{switch}=0 git push"), "push .+auto=0"),
        (format!("env {switch}=0 git push"), "push .+auto=0"),
        (format!("export {switch}=0; git push"), "push .+auto=0"),
        (format!("{switch}=0; git push"), "push .+auto=0"),
        (format!("{switch}=1 git push"), "push .+auto=1"),
        (format!("{switch}=$X git push"), "push .+auto="),
        (format!("{switch}=0 bash -c 'git push'"), "push .+auto=0"),
        (format!("{switch}=0 true; git push"), "push ."),
        ("git -c core.hooksPath=/dev/null push".into(), "push .+settings"),
        ("GIT_CONFIG_COUNT=1 git push".into(), "push .+settings"),
    ] {
        assert_eq!(acts(&text), [expected], "{text}");
    }
}

#[test]
fn a_push_after_a_change_says_so() {
    table(&[
        ("git add -A && git commit -m x && git push", &["commit .", "push .+changed"]),
        ("git switch -c x; git push -u origin x", &["push .+changed origin x"]),
        ("git fix-evidence --sha x && git push", &["push .+changed"]),
        ("git status; git branch -vv; git fetch; git push", &["push ."]),
        ("git commit --dry-run", &[]),
    ]);
}

#[test]
fn pull_requests_are_seen() {
    table(&[
        ("gh pr create --fill", &["gh pr create ."]),
        ("gh pr new -t x -b y", &["gh pr new ."]),
        ("gh pr create --head me:feature --base main", &["gh pr create . feature"]),
        ("gh pr create -H feature", &["gh pr create . feature"]),
        ("gh pr create --head=\"$B\"", &["gh pr create . [?]"]),
        ("gh pr create -H $(git branch --show-current)", &["gh pr create ."]),
        ("gh pr edit 12 --title x", &["gh pr edit ."]),
        ("cd sub && gh -R o/r pr create", &["gh pr create sub"]),
        ("glab mr create -s feature", &["glab mr create . feature"]),
        ("glab mr update 3 --ready", &["glab mr update ."]),
        ("gh pr create --body \"$(cat <<'EOF'\nit's (a) body\nEOF\n)\"", &["gh pr create ."]),
        ("git push && gh pr create", &["push .", "gh pr create ."]),
    ]);
}

#[test]
fn what_is_too_deep_is_taken_for_a_push() {
    let mut text = "git push".to_string();
    for _ in 0..12 {
        text = format!("sh -c {}", crate::model::shell_word(&text));
    }
    assert_eq!(acts(&text), ["push . [?]"]);
    let deep = format!("{}git push{}", "(".repeat(200), ")".repeat(200));
    assert_eq!(acts(&deep), ["push . [?]"]);
    assert_eq!(acts(&format!("{}x{}", "$(".repeat(200), ")".repeat(200))), Vec::<String>::new());
}

proptest::proptest! {
    /// Whatever is typed is read to an end, and a push on a line of its own before it is seen.
    #[test]
    fn every_text_is_read(rest in "[ -~\n]{0,80}|[(){}$`'\"\\\\;&|<>#!a-e= \n]{0,60}") {
        let found = acts(&format!("git push first\n{rest}"));
        proptest::prop_assert_eq!(found.first().map(String::as_str), Some("push . first"));
    }
}

#[test]
fn what_tries_to_hide_a_push_does_not() {
    table(&[
        ("env -S'git push origin f'", &["push . origin f"]),
        ("env --split-string='git push origin f'", &["push . origin f"]),
        ("((x=1<<2))\ngit push origin f", &["push . origin f"]),
        ("cat <<E\ngit push\nE\n", &[]),
        ("git config core.hooksPath /dev/null; git push", &["push .+settings"]),
        ("rm .git/hooks/pre-push && git push", &["push .+settings"]),
        ("git review-evidence install --uninstall; git push", &["push .+settings"]),
    ]);
}
