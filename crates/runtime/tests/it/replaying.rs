//! Replays recorded runs with other controller parameters.

use artoo_ggs_core::{Hyperparameters, Parameters, Profile};
use artoo_runtime::{
    explain::{WhatIf, control_settings, what_if},
    journal::{Read, RunState},
};
use artoo_types::{MacroState, MessageKind};
use proptest::prelude::*;

use crate::{recomputed::courses, scripted_plans::Course};

async fn recorded(course: Course) -> Read {
    let envelopes = course.run().await.envelopes;
    Read { envelopes, damage: None, state: RunState::Finished }
}

fn numbers(read: &Read) -> Hyperparameters {
    control_settings(read).unwrap().hyperparameters
}

fn with(read: &Read, values: Hyperparameters) -> WhatIf {
    what_if(read, Parameters::new(values).unwrap()).unwrap()
}

/// The recorded decisions follow from the recorded inputs, to the last bit.
#[tokio::test(start_paused = true)]
async fn with_the_same_numbers_every_decision_comes_out_the_same() {
    let mut rounds = 0;
    for course in courses() {
        let read = recorded(course).await;
        let page = with(&read, numbers(&read));
        let told = page.rounds.iter().filter(|round| round.recorded.is_some());
        rounds += told.clone().count();
        assert!(told.clone().all(|round| round.same && round.recorded == Some(round.replayed)), "{page:#?}");
        assert_eq!((page.parted, page.recorded), (None, page.replayed));
    }
    assert!(rounds > courses().len(), "{rounds}");
}

/// One criterion of four is unmet: close enough, unless delta is 0.
#[tokio::test(start_paused = true)]
async fn the_first_decision_that_differs_is_the_last_that_is_told() {
    let read = recorded(Course::new(&["say a; say b; say c; say d wrongly"])).await;
    let own = numbers(&read);
    let recorded = with(&read, own).rounds[0].replayed.decision;
    assert_eq!(recorded, MacroState::Success);
    let strict = with(&read, Hyperparameters { delta: 0.0, ..own });
    let decisions: Vec<_> = strict
        .rounds
        .iter()
        .map(|round| (round.round, round.recorded.unwrap().decision, round.replayed.decision))
        .collect();
    assert_eq!((decisions.len(), strict.parted), (1, Some(1)), "{decisions:?}");
    assert_ne!(decisions[0].1, decisions[0].2);

    // Another weight changes the score, and nothing else of this run depends on it.
    let heavier = with(&read, Hyperparameters { alpha: 0.9, ..own });
    let round = &heavier.rounds[0];
    assert!(
        heavier.parted.is_none() && !round.same && round.replayed.loss.l > round.recorded.unwrap().loss.l
    );
}

#[tokio::test(start_paused = true)]
async fn without_settings_on_record_there_is_nothing_to_tell() {
    let mut read = recorded(Course::new(&["say apple"])).await;
    read.envelopes.retain(|envelope| envelope.message.kind() != MessageKind::ControlSettings);
    assert_eq!(what_if(&read, Profile::Default.parameters()), None);
}

fn any_numbers() -> impl Strategy<Value = Hyperparameters> {
    let weights = (0.01..10.0, 0.0..10.0, 0.0..10.0, 0.0..=1.0, 0.0..=1.0, 0.001..1.0);
    let thresholds = (0.0..=1.0, 0.0..=1.0, 0.0..=1.0, 0_u32..5, 1_u64..1_000_000, 1_u32..4);
    (weights, thresholds).prop_map(|(weights, thresholds)| {
        let (alpha, beta, lambda, replan_weight, time_weight, epsilon) = weights;
        let (delta, rho, theta, max_replans, time_budget_ms, law2_rounds) = thresholds;
        Hyperparameters {
            alpha,
            beta,
            lambda,
            replan_weight,
            time_weight,
            epsilon,
            delta,
            rho,
            theta,
            max_replans,
            time_budget_ms,
            law2_rounds,
            ..Hyperparameters::default()
        }
    })
}

/// For any parameters: the same course up to the first differing decision, and nothing beyond it.
#[test]
fn nothing_is_told_beyond_the_parting() {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    let reads: Vec<Read> = runtime.block_on(async {
        let mut reads = Vec::new();
        for course in courses() {
            reads.push(recorded(course).await);
        }
        reads
    });
    let all: Vec<usize> = reads.iter().map(|read| with(read, numbers(read)).rounds.len()).collect();
    proptest!(|(values in any_numbers())| {
        for (read, all) in reads.iter().zip(&all) {
            let page = with(read, values);
            let differs = page.rounds.iter().position(|round| {
                round.recorded.is_some_and(|recorded| recorded.decision != round.replayed.decision)
            });
            match page.parted {
                Some(round) => {
                    prop_assert_eq!(differs, Some(page.rounds.len() - 1));
                    prop_assert_eq!(page.rounds.last().unwrap().round, round);
                }
                None => prop_assert_eq!((differs, page.rounds.len()), (None, *all)),
            }
        }
    });
}
