use linerate::store::Log;
use linerate::store::event::{RunResult, RunVerdict};

use crate::fixture::{experiment, invalid, plan, result};

fn log(results: Vec<RunResult>) -> Log {
    let (linerate, started) = ("0.1.0".into(), "2026-11-21T09:30:00.250Z".into());
    Log { experiment: experiment(), plan: plan(), linerate, started, facts: Default::default(), results, complete: false, stopped: None }
}

fn pending(results: Vec<RunResult>) -> Vec<u32> {
    log(results).pending().iter().map(|run| run.id).collect()
}

// A run is done once it has a valid result, whatever came before.
#[test]
fn runs_without_a_valid_result_are_pending_in_plan_order() {
    assert_eq!(pending(vec![]), [0, 1, 2, 3]);
    assert_eq!(pending(vec![result(2, 0, RunVerdict::Valid), result(0, 0, invalid())]), [0, 1, 3]);
    assert_eq!(pending(vec![result(0, 0, invalid()), result(0, 1, RunVerdict::Valid)]), [1, 2, 3]);
}

// With two retries the third invalid attempt is the last; another run's attempts are its own.
#[test]
fn attempts_are_counted_per_run() {
    let tries = |count| (0..count).map(|attempt| result(1, attempt, invalid())).collect::<Vec<_>>();
    assert_eq!(experiment().method.retries, 2);
    assert_eq!(pending(tries(2)), [0, 1, 2, 3]);
    assert_eq!(pending(tries(3)), [0, 2, 3]);
    assert_eq!((log(tries(3)).attempts(1), log(tries(3)).attempts(0)), (3, 0));
}
