# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_git_fix_evidence_global_optspecs
    string join \n C= color= sha= max-iter= token-budget= dry-run json h/help V/version
end

function __fish_git_fix_evidence_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_git_fix_evidence_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_git_fix_evidence_using_subcommand
    set -l cmd (__fish_git_fix_evidence_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c git-fix-evidence -n "__fish_git_fix_evidence_needs_command" -s C -d 'Work in this folder instead of the current one' -r -F
complete -c git-fix-evidence -n "__fish_git_fix_evidence_needs_command" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c git-fix-evidence -n "__fish_git_fix_evidence_needs_command" -l sha -d 'The tip that was judged; must be the checked-out branch\'s tip' -r
complete -c git-fix-evidence -n "__fish_git_fix_evidence_needs_command" -l max-iter -d 'Dispatches in this run; can only lower the limit' -r
complete -c git-fix-evidence -n "__fish_git_fix_evidence_needs_command" -l token-budget -d 'Tokens in this run; can only lower the limit' -r
complete -c git-fix-evidence -n "__fish_git_fix_evidence_needs_command" -l dry-run -d 'Print the action, the fixer, its exact command or prompt and the limits left; do nothing'
complete -c git-fix-evidence -n "__fish_git_fix_evidence_needs_command" -l json -d 'Print the report as a JSON document'
complete -c git-fix-evidence -n "__fish_git_fix_evidence_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-fix-evidence -n "__fish_git_fix_evidence_needs_command" -s V -l version -d 'Print version'
complete -c git-fix-evidence -n "__fish_git_fix_evidence_needs_command" -f -a "run" -d 'Run the loop (the default)'
complete -c git-fix-evidence -n "__fish_git_fix_evidence_needs_command" -f -a "status" -d 'Show this branch: state, counters, a running or interrupted run, checkpoints'
complete -c git-fix-evidence -n "__fish_git_fix_evidence_needs_command" -f -a "log" -d 'Show every past dispatch, and by fixer and kind what became of them'
complete -c git-fix-evidence -n "__fish_git_fix_evidence_needs_command" -f -a "continue" -d 'After an interruption: put half-done work aside and carry on'
complete -c git-fix-evidence -n "__fish_git_fix_evidence_needs_command" -f -a "abort" -d 'After an interruption: put the branch back to where the run began'
complete -c git-fix-evidence -n "__fish_git_fix_evidence_needs_command" -f -a "undo" -d 'Put the branch back to a checkpoint; the present tip gets one first'
complete -c git-fix-evidence -n "__fish_git_fix_evidence_needs_command" -f -a "reset" -d 'Clear the branch\'s cumulative limits: a person\'s act, asks on a terminal'
complete -c git-fix-evidence -n "__fish_git_fix_evidence_needs_command" -f -a "policy" -d 'Show the modes side by side: every limit and where its value comes from'
complete -c git-fix-evidence -n "__fish_git_fix_evidence_needs_command" -f -a "decide" -d 'Say from three artefacts whether a bounded loop may go on; needs no repository'
complete -c git-fix-evidence -n "__fish_git_fix_evidence_needs_command" -f -a "demo" -d 'Tell the whole story in a throw-away folder, with nothing but sh and git'
complete -c git-fix-evidence -n "__fish_git_fix_evidence_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand run" -l sha -d 'The tip that was judged; must be the checked-out branch\'s tip' -r
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand run" -l max-iter -d 'Dispatches in this run; can only lower the limit' -r
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand run" -l token-budget -d 'Tokens in this run; can only lower the limit' -r
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand run" -s C -d 'Work in this folder instead of the current one' -r -F
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand run" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand run" -l dry-run -d 'Print the action, the fixer, its exact command or prompt and the limits left; do nothing'
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand run" -l json -d 'Print the report as a JSON document'
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand run" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand status" -s C -d 'Work in this folder instead of the current one' -r -F
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand status" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand status" -l json -d 'Print a JSON document'
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand status" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand log" -l explain -d 'Instead: why this run went on or stopped at each step; the beginning of its id is enough' -r
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand log" -s C -d 'Work in this folder instead of the current one' -r -F
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand log" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand log" -l json -d 'Print a JSON document'
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand log" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand continue" -s C -d 'Work in this folder instead of the current one' -r -F
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand continue" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand continue" -l json -d 'Print a JSON document'
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand continue" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand abort" -s C -d 'Work in this folder instead of the current one' -r -F
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand abort" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand abort" -l json -d 'Print a JSON document'
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand abort" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand undo" -s C -d 'Work in this folder instead of the current one' -r -F
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand undo" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand undo" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand reset" -s C -d 'Work in this folder instead of the current one' -r -F
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand reset" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand reset" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand policy" -s C -d 'Work in this folder instead of the current one' -r -F
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand policy" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand policy" -l json -d 'Print a JSON document'
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand policy" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand decide" -l decision -d 'Where the loop stands: bounded_loop_decision_v1' -r -F
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand decide" -l attribution -d 'What reviews found: finding_attribution_v1' -r -F
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand decide" -l capabilities -d 'What can be done without a person: automation_capability_matrix_v1' -r -F
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand decide" -s C -d 'Work in this folder instead of the current one' -r -F
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand decide" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand decide" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand demo" -s C -d 'Work in this folder instead of the current one' -r -F
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand demo" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand demo" -l keep -d 'Keep the folder'
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand demo" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand help; and not __fish_seen_subcommand_from run status log continue abort undo reset policy decide demo help" -f -a "run" -d 'Run the loop (the default)'
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand help; and not __fish_seen_subcommand_from run status log continue abort undo reset policy decide demo help" -f -a "status" -d 'Show this branch: state, counters, a running or interrupted run, checkpoints'
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand help; and not __fish_seen_subcommand_from run status log continue abort undo reset policy decide demo help" -f -a "log" -d 'Show every past dispatch, and by fixer and kind what became of them'
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand help; and not __fish_seen_subcommand_from run status log continue abort undo reset policy decide demo help" -f -a "continue" -d 'After an interruption: put half-done work aside and carry on'
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand help; and not __fish_seen_subcommand_from run status log continue abort undo reset policy decide demo help" -f -a "abort" -d 'After an interruption: put the branch back to where the run began'
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand help; and not __fish_seen_subcommand_from run status log continue abort undo reset policy decide demo help" -f -a "undo" -d 'Put the branch back to a checkpoint; the present tip gets one first'
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand help; and not __fish_seen_subcommand_from run status log continue abort undo reset policy decide demo help" -f -a "reset" -d 'Clear the branch\'s cumulative limits: a person\'s act, asks on a terminal'
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand help; and not __fish_seen_subcommand_from run status log continue abort undo reset policy decide demo help" -f -a "policy" -d 'Show the modes side by side: every limit and where its value comes from'
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand help; and not __fish_seen_subcommand_from run status log continue abort undo reset policy decide demo help" -f -a "decide" -d 'Say from three artefacts whether a bounded loop may go on; needs no repository'
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand help; and not __fish_seen_subcommand_from run status log continue abort undo reset policy decide demo help" -f -a "demo" -d 'Tell the whole story in a throw-away folder, with nothing but sh and git'
complete -c git-fix-evidence -n "__fish_git_fix_evidence_using_subcommand help; and not __fish_seen_subcommand_from run status log continue abort undo reset policy decide demo help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
