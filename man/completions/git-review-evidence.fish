# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_git_review_evidence_global_optspecs
    string join \n C= color= base= check= import= recompute no-run isolated format= json o/output= q/quiet h/help V/version
end

function __fish_git_review_evidence_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_git_review_evidence_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_git_review_evidence_using_subcommand
    set -l cmd (__fish_git_review_evidence_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c git-review-evidence -n "__fish_git_review_evidence_needs_command" -s C -d 'Work in this folder instead of the current one' -r -F
complete -c git-review-evidence -n "__fish_git_review_evidence_needs_command" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c git-review-evidence -n "__fish_git_review_evidence_needs_command" -l base -d 'Judge against this ref instead of the configured base; the result is printed, not stored' -r
complete -c git-review-evidence -n "__fish_git_review_evidence_needs_command" -l check -d 'Run only these checks; the result is printed, not stored' -r
complete -c git-review-evidence -n "__fish_git_review_evidence_needs_command" -l import -d 'Read this report too (auto:FILE lets the format be found out); the result is printed, not stored' -r
complete -c git-review-evidence -n "__fish_git_review_evidence_needs_command" -l format -d 'Format of the result' -r -f -a "text\t'For people'
json\t'The record itself'"
complete -c git-review-evidence -n "__fish_git_review_evidence_needs_command" -s o -l output -d 'Write the result to this file instead of standard output; folders on the way are made' -r -F
complete -c git-review-evidence -n "__fish_git_review_evidence_needs_command" -l recompute -d 'Measure again even where measurements of the same content are kept'
complete -c git-review-evidence -n "__fish_git_review_evidence_needs_command" -l no-run -d 'Run no check: use kept measurements only; the result is printed, not stored'
complete -c git-review-evidence -n "__fish_git_review_evidence_needs_command" -l isolated -d 'Measure in a fresh linked worktree instead of the checkout'
complete -c git-review-evidence -n "__fish_git_review_evidence_needs_command" -l json -d 'The same as --format json'
complete -c git-review-evidence -n "__fish_git_review_evidence_needs_command" -s q -l quiet -d 'Print the result only, no progress'
complete -c git-review-evidence -n "__fish_git_review_evidence_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-review-evidence -n "__fish_git_review_evidence_needs_command" -s V -l version -d 'Print version'
complete -c git-review-evidence -n "__fish_git_review_evidence_needs_command" -a "run" -d 'Measure a commit and judge it against its base (the default)'
complete -c git-review-evidence -n "__fish_git_review_evidence_needs_command" -a "show" -d 'Show the stored record of a commit'
complete -c git-review-evidence -n "__fish_git_review_evidence_needs_command" -a "compare" -d 'Show what changed between two commits, or two reports: new, fixed and moved findings'
complete -c git-review-evidence -n "__fish_git_review_evidence_needs_command" -a "import" -d 'Read reports and print the normalised figures as JSON; needs no repository'
complete -c git-review-evidence -n "__fish_git_review_evidence_needs_command" -a "formats" -d 'List the report formats: name, kind, tools that write it'
complete -c git-review-evidence -n "__fish_git_review_evidence_needs_command" -a "doctor" -d 'Say what would keep this repository or machine from working, each with its remedy'
complete -c git-review-evidence -n "__fish_git_review_evidence_needs_command" -a "install" -d 'Install the pre-push hook, or the hook of a coding agent'
complete -c git-review-evidence -n "__fish_git_review_evidence_needs_command" -a "hook" -d 'What the hook scripts call'
complete -c git-review-evidence -n "__fish_git_review_evidence_needs_command" -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand run" -l base -d 'Judge against this ref instead of the configured base; the result is printed, not stored' -r
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand run" -l check -d 'Run only these checks; the result is printed, not stored' -r
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand run" -l import -d 'Read this report too (auto:FILE lets the format be found out); the result is printed, not stored' -r
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand run" -l format -d 'Format of the result' -r -f -a "text\t'For people'
json\t'The record itself'"
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand run" -s o -l output -d 'Write the result to this file instead of standard output; folders on the way are made' -r -F
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand run" -s C -d 'Work in this folder instead of the current one' -r -F
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand run" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand run" -l recompute -d 'Measure again even where measurements of the same content are kept'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand run" -l no-run -d 'Run no check: use kept measurements only; the result is printed, not stored'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand run" -l isolated -d 'Measure in a fresh linked worktree instead of the checkout'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand run" -l json -d 'The same as --format json'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand run" -s q -l quiet -d 'Print the result only, no progress'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand run" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand show" -l format -d 'Format of the result' -r -f -a "text\t'For people'
json\t'The record itself'"
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand show" -s o -l output -d 'Write the result to this file instead of standard output; folders on the way are made' -r -F
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand show" -s C -d 'Work in this folder instead of the current one' -r -F
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand show" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand show" -l json -d 'The same as --format json'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand show" -l path -d 'Print where the record lies'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand compare" -l format -d 'Format of the result' -r -f -a "text\t'For people'
json\t'The record itself'"
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand compare" -s o -l output -d 'Write the result to this file instead of standard output; folders on the way are made' -r -F
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand compare" -s C -d 'Work in this folder instead of the current one' -r -F
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand compare" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand compare" -l json -d 'The same as --format json'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand compare" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand import" -s C -d 'Work in this folder instead of the current one' -r -F
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand import" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand import" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand formats" -s C -d 'Work in this folder instead of the current one' -r -F
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand formats" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand formats" -l json -d 'Print a JSON document'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand formats" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand doctor" -s C -d 'Work in this folder instead of the current one' -r -F
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand doctor" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand doctor" -l json -d 'One JSON document on stdout'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand doctor" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand install" -l agent -d 'The hook of a coding agent, in its settings in this checkout' -r
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand install" -l plugin -d 'Write a plugin for Claude Code into this folder: hooks, skill, command and launchers' -r -F
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand install" -s C -d 'Work in this folder instead of the current one' -r -F
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand install" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand install" -l pre-push -d 'The git hook that judges a push (the default)'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand install" -l agents-md -d 'Print a block for AGENTS.md, for agents without a plugin'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand install" -l uninstall -d 'Take back what was installed, byte for byte'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand install" -l dry-run -d 'Show what would be written, and write nothing'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand install" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand hook; and not __fish_seen_subcommand_from pre-push claude codex gemini copilot cursor plain auto warm help" -s C -d 'Work in this folder instead of the current one' -r -F
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand hook; and not __fish_seen_subcommand_from pre-push claude codex gemini copilot cursor plain auto warm help" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand hook; and not __fish_seen_subcommand_from pre-push claude codex gemini copilot cursor plain auto warm help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand hook; and not __fish_seen_subcommand_from pre-push claude codex gemini copilot cursor plain auto warm help" -f -a "pre-push" -d 'Called by git before a push; reads git\'s lines on standard input'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand hook; and not __fish_seen_subcommand_from pre-push claude codex gemini copilot cursor plain auto warm help" -f -a "claude" -d 'Called by Claude Code before and after a tool; reads its JSON on standard input'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand hook; and not __fish_seen_subcommand_from pre-push claude codex gemini copilot cursor plain auto warm help" -f -a "codex" -d 'Called by Codex'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand hook; and not __fish_seen_subcommand_from pre-push claude codex gemini copilot cursor plain auto warm help" -f -a "gemini" -d 'Called by Gemini CLI'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand hook; and not __fish_seen_subcommand_from pre-push claude codex gemini copilot cursor plain auto warm help" -f -a "copilot" -d 'Called by Copilot CLI'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand hook; and not __fish_seen_subcommand_from pre-push claude codex gemini copilot cursor plain auto warm help" -f -a "cursor" -d 'Called by Cursor'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand hook; and not __fish_seen_subcommand_from pre-push claude codex gemini copilot cursor plain auto warm help" -f -a "plain" -d 'Called by any program: {"command", "cwd"} in, decision, reason and additional_context out'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand hook; and not __fish_seen_subcommand_from pre-push claude codex gemini copilot cursor plain auto warm help" -f -a "auto" -d 'Called by any of these agents; which one is found out from what it sends'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand hook; and not __fish_seen_subcommand_from pre-push claude codex gemini copilot cursor plain auto warm help" -f -a "warm" -d 'Started by these hooks in the background after a commit: makes its record beforehand'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand hook; and not __fish_seen_subcommand_from pre-push claude codex gemini copilot cursor plain auto warm help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand hook; and __fish_seen_subcommand_from pre-push" -s C -d 'Work in this folder instead of the current one' -r -F
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand hook; and __fish_seen_subcommand_from pre-push" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand hook; and __fish_seen_subcommand_from pre-push" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand hook; and __fish_seen_subcommand_from claude" -s C -d 'Work in this folder instead of the current one' -r -F
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand hook; and __fish_seen_subcommand_from claude" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand hook; and __fish_seen_subcommand_from claude" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand hook; and __fish_seen_subcommand_from codex" -s C -d 'Work in this folder instead of the current one' -r -F
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand hook; and __fish_seen_subcommand_from codex" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand hook; and __fish_seen_subcommand_from codex" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand hook; and __fish_seen_subcommand_from gemini" -s C -d 'Work in this folder instead of the current one' -r -F
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand hook; and __fish_seen_subcommand_from gemini" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand hook; and __fish_seen_subcommand_from gemini" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand hook; and __fish_seen_subcommand_from copilot" -s C -d 'Work in this folder instead of the current one' -r -F
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand hook; and __fish_seen_subcommand_from copilot" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand hook; and __fish_seen_subcommand_from copilot" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand hook; and __fish_seen_subcommand_from cursor" -s C -d 'Work in this folder instead of the current one' -r -F
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand hook; and __fish_seen_subcommand_from cursor" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand hook; and __fish_seen_subcommand_from cursor" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand hook; and __fish_seen_subcommand_from plain" -s C -d 'Work in this folder instead of the current one' -r -F
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand hook; and __fish_seen_subcommand_from plain" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand hook; and __fish_seen_subcommand_from plain" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand hook; and __fish_seen_subcommand_from auto" -s C -d 'Work in this folder instead of the current one' -r -F
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand hook; and __fish_seen_subcommand_from auto" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand hook; and __fish_seen_subcommand_from auto" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand hook; and __fish_seen_subcommand_from warm" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand hook; and __fish_seen_subcommand_from warm" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand hook; and __fish_seen_subcommand_from help" -f -a "pre-push" -d 'Called by git before a push; reads git\'s lines on standard input'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand hook; and __fish_seen_subcommand_from help" -f -a "claude" -d 'Called by Claude Code before and after a tool; reads its JSON on standard input'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand hook; and __fish_seen_subcommand_from help" -f -a "codex" -d 'Called by Codex'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand hook; and __fish_seen_subcommand_from help" -f -a "gemini" -d 'Called by Gemini CLI'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand hook; and __fish_seen_subcommand_from help" -f -a "copilot" -d 'Called by Copilot CLI'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand hook; and __fish_seen_subcommand_from help" -f -a "cursor" -d 'Called by Cursor'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand hook; and __fish_seen_subcommand_from help" -f -a "plain" -d 'Called by any program: {"command", "cwd"} in, decision, reason and additional_context out'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand hook; and __fish_seen_subcommand_from help" -f -a "auto" -d 'Called by any of these agents; which one is found out from what it sends'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand hook; and __fish_seen_subcommand_from help" -f -a "warm" -d 'Started by these hooks in the background after a commit: makes its record beforehand'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand hook; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand help; and not __fish_seen_subcommand_from run show compare import formats doctor install hook help" -f -a "run" -d 'Measure a commit and judge it against its base (the default)'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand help; and not __fish_seen_subcommand_from run show compare import formats doctor install hook help" -f -a "show" -d 'Show the stored record of a commit'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand help; and not __fish_seen_subcommand_from run show compare import formats doctor install hook help" -f -a "compare" -d 'Show what changed between two commits, or two reports: new, fixed and moved findings'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand help; and not __fish_seen_subcommand_from run show compare import formats doctor install hook help" -f -a "import" -d 'Read reports and print the normalised figures as JSON; needs no repository'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand help; and not __fish_seen_subcommand_from run show compare import formats doctor install hook help" -f -a "formats" -d 'List the report formats: name, kind, tools that write it'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand help; and not __fish_seen_subcommand_from run show compare import formats doctor install hook help" -f -a "doctor" -d 'Say what would keep this repository or machine from working, each with its remedy'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand help; and not __fish_seen_subcommand_from run show compare import formats doctor install hook help" -f -a "install" -d 'Install the pre-push hook, or the hook of a coding agent'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand help; and not __fish_seen_subcommand_from run show compare import formats doctor install hook help" -f -a "hook" -d 'What the hook scripts call'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand help; and not __fish_seen_subcommand_from run show compare import formats doctor install hook help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand help; and __fish_seen_subcommand_from hook" -f -a "pre-push" -d 'Called by git before a push; reads git\'s lines on standard input'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand help; and __fish_seen_subcommand_from hook" -f -a "claude" -d 'Called by Claude Code before and after a tool; reads its JSON on standard input'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand help; and __fish_seen_subcommand_from hook" -f -a "codex" -d 'Called by Codex'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand help; and __fish_seen_subcommand_from hook" -f -a "gemini" -d 'Called by Gemini CLI'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand help; and __fish_seen_subcommand_from hook" -f -a "copilot" -d 'Called by Copilot CLI'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand help; and __fish_seen_subcommand_from hook" -f -a "cursor" -d 'Called by Cursor'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand help; and __fish_seen_subcommand_from hook" -f -a "plain" -d 'Called by any program: {"command", "cwd"} in, decision, reason and additional_context out'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand help; and __fish_seen_subcommand_from hook" -f -a "auto" -d 'Called by any of these agents; which one is found out from what it sends'
complete -c git-review-evidence -n "__fish_git_review_evidence_using_subcommand help; and __fish_seen_subcommand_from hook" -f -a "warm" -d 'Started by these hooks in the background after a commit: makes its record beforehand'
