//! The loop without a repository: a policy and a script of observations, the steps that follow from
//! them and the end (S0-1 … S0-12).

mod drive;
mod ends;
mod limits;
mod properties;
mod script;
mod worse;

use git_evidence::engine::{
    BRANCH_LOOP, CI_HANDOFF, Limits, ONE_SHOT, POLICIES, Policy, SANDBOX_TASK,
};

#[test]
fn the_four_modes_are_data_and_the_contracts_numbers_stand_in_it() {
    let names: Vec<&str> = POLICIES.iter().map(|p| p.name).collect();
    assert_eq!(names, ["run", "ci", "task", "once"]);
    assert_eq!(POLICIES, &[&BRANCH_LOOP, &CI_HANDOFF, &SANDBOX_TASK, &ONE_SHOT]);
    for policy in POLICIES {
        let Policy { input, workplace, consent, accept, otherwise, result, .. } = **policy;
        for text in [input, workplace, consent, accept, otherwise, result] {
            assert!(!text.is_empty(), "{} says everything", policy.name);
        }
    }
    let of_run = Limits {
        max_iter: BRANCH_LOOP.max_iter,
        token_budget: BRANCH_LOOP.token_budget.unwrap(),
        max_cumulative_iter: BRANCH_LOOP.max_cumulative_iter.unwrap(),
    };
    assert_eq!(of_run, script::LIMITS);
    assert_eq!((BRANCH_LOOP.max_reverts, BRANCH_LOOP.oscillation_guard), (Some(2), true));
    assert_eq!((CI_HANDOFF.max_iter, CI_HANDOFF.oscillation_guard), (3, false));
    assert_eq!((SANDBOX_TASK.max_iter, SANDBOX_TASK.time_limit_min), (10, Some(30)));
    assert_eq!((ONE_SHOT.max_iter, ONE_SHOT.max_cumulative_iter), (1, Some(1)));
}
