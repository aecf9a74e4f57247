//! Short constructors of observations, and strategies for arbitrary ones.

use std::collections::BTreeSet;

use artoo_ggs_core::{
    Bearing, DecidingGradient, FailedCall, FailedSubTask, Hyperparameters, JudgedCriterion, Observation,
    Parameters, Profile, Report, Standing, Weighing,
};
use artoo_types::{BlockedProgram, BlockedTarget, FailureClass, Mode, SubTaskId, ToolName};
use proptest::prelude::*;

pub(crate) fn tool(name: &str) -> ToolName {
    ToolName::new(name)
}

pub(crate) fn target(tool_name: &str, target: &str) -> BlockedTarget {
    BlockedTarget { tool: tool(tool_name), target: target.to_owned() }
}

pub(crate) fn tools(names: &[&str]) -> BTreeSet<ToolName> {
    names.iter().map(|name| tool(name)).collect()
}

/// Programs of `shell`.
pub(crate) fn programs(names: &[&str]) -> BTreeSet<BlockedProgram> {
    let pair = |name: &&str| BlockedProgram { tool: tool("shell"), program: (*name).to_owned() };
    names.iter().map(pair).collect()
}

/// The failing subtask number `number`, which ran these programs with `shell`, in vain.
pub(crate) fn failure_of(number: u128, names: &[&str]) -> FailedSubTask {
    let call = |name: &&str| FailedCall {
        target: target("shell", &format!("{name} x")),
        class: FailureClass::Logical,
    };
    FailedSubTask {
        programs: programs(names),
        failed_calls: names.iter().map(call).collect(),
        ..failure(number, "shell", "", FailureClass::Logical)
    }
}

pub(crate) fn subtask(number: u128) -> SubTaskId {
    SubTaskId::new(uuid::Uuid::from_u128(number))
}

pub(crate) fn met() -> Standing {
    Standing::Met
}

pub(crate) fn unmet(class: FailureClass) -> Standing {
    Standing::Unmet { class, reason: "expected 3, found 2".to_owned(), failures: 1, attempts: 1 }
}

pub(crate) fn skipped() -> Standing {
    Standing::Skipped { reason: "not run".to_owned() }
}

pub(crate) fn criterion(text: &str, standing: Standing) -> JudgedCriterion {
    JudgedCriterion {
        text: text.to_owned(),
        mode: Mode::Verifiable,
        subtask_id: Some(subtask(1)),
        bearing: Bearing::Part,
        standing,
    }
}

/// A gap with criteria `c0`, `c1`, ... with these standings, something to deliver, and four tools.
pub(crate) fn gap(standings: Vec<Standing>) -> Observation {
    Observation {
        report: Report::Gap,
        elapsed_ms: 0,
        criteria: standings
            .into_iter()
            .enumerate()
            .map(|(i, standing)| criterion(&format!("c{i}"), standing))
            .collect(),
        failures: Vec::new(),
        deliverable: true,
        missing_file: None,
        gave_up: None,
        inventory: tools(&["glob", "read_file", "shell", "write_file"]),
        programs: BTreeSet::new(),
    }
}

/// A gap in which `failed` of `all` criteria fail, the first `logical` of them logically.
pub(crate) fn share(failed: usize, logical: usize, all: usize) -> Observation {
    let standing = |i: usize| match i {
        i if i < logical => unmet(FailureClass::Logical),
        i if i < failed => unmet(FailureClass::Environmental),
        _ => met(),
    };
    gap((0..all).map(standing).collect())
}

pub(crate) fn at(elapsed_ms: u64, observation: Observation) -> Observation {
    Observation { elapsed_ms, ..observation }
}

/// The failing subtask number `number`, which started `tool_name` once, with `target_text`, in vain.
pub(crate) fn failure(
    number: u128,
    tool_name: &str,
    target_text: &str,
    class: FailureClass,
) -> FailedSubTask {
    FailedSubTask {
        subtask_id: subtask(number),
        intent: format!("intent {number}"),
        tools: tools(&[tool_name]),
        worked: BTreeSet::new(),
        programs: BTreeSet::new(),
        failed_calls: vec![FailedCall { target: target(tool_name, target_text), class }],
    }
}

pub(crate) fn any_class() -> impl Strategy<Value = FailureClass> {
    prop_oneof![
        Just(FailureClass::Logical),
        Just(FailureClass::Environmental),
        Just(FailureClass::Denied),
        Just(FailureClass::Forbidden),
        Just(FailureClass::Unknown),
    ]
}

fn any_standing() -> impl Strategy<Value = Standing> {
    prop_oneof![
        2 => Just(Standing::Met),
        3 => (any_class(), 0_u32..5, 0_u32..5).prop_map(|(class, failures, attempts)| Standing::Unmet {
            class,
            reason: "wrong".to_owned(),
            failures,
            attempts,
        }),
        1 => Just(skipped()),
    ]
}

/// A bearing, and whether it is a step's criterion.
fn any_bearing() -> impl Strategy<Value = (Bearing, bool)> {
    prop_oneof![
        1 => Just((Bearing::Whole, false)),
        1 => Just((Bearing::Part, false)),
        1 => Just((Bearing::Deed, true)),
        2 => Just((Bearing::Part, true)),
        1 => Just((Bearing::Nothing, true)),
    ]
}

fn any_tool() -> impl Strategy<Value = &'static str> {
    prop_oneof![Just("shell"), Just("glob"), Just("read_file")]
}

/// Any observation, contradictory ones included.
pub(crate) fn any_observation() -> impl Strategy<Value = Observation> {
    let criteria = prop::collection::vec((any_standing(), any::<bool>(), any_bearing()), 0..7);
    let failures = prop::collection::vec((0_u128..4, any_tool(), 0_u8..4, any_class()), 0..4);
    let inventory = prop::collection::btree_set(any_tool().prop_map(tool), 0..4);
    let led = prop::collection::vec(prop::sample::select(&["awk", "find", "python3"][..]), 0..3);
    let known = prop::sample::subsequence(&["awk", "find", "python3"][..], 0..=3);
    let missing = prop::option::weighted(0.2, Just("a.txt".to_owned()));
    let said = (any::<bool>(), 0_u64..600_000, any::<bool>(), missing);
    (said, criteria, failures, inventory, led, known).prop_map(
        |((all_met, elapsed_ms, deliverable, missing_file), criteria, failures, inventory, led, known)| {
            Observation {
                report: if all_met { Report::AllMet } else { Report::Gap },
                elapsed_ms,
                criteria: criteria
                    .into_iter()
                    .enumerate()
                    .map(|(i, (standing, plausible, (bearing, of_a_step)))| JudgedCriterion {
                        bearing,
                        subtask_id: of_a_step.then(|| subtask(1)),
                        mode: if plausible { Mode::Plausible } else { Mode::Verifiable },
                        ..criterion(&format!("c{i}"), standing)
                    })
                    .collect(),
                failures: failures
                    .into_iter()
                    .map(|(number, name, input, class)| FailedSubTask {
                        programs: if name == "shell" { programs(&led) } else { BTreeSet::new() },
                        ..failure(number, name, &format!("input {input}"), class)
                    })
                    .collect(),
                deliverable,
                missing_file,
                gave_up: None,
                inventory,
                programs: programs(&known),
            }
        },
    )
}

/// Any observation that asks for another plan: nothing refused, far from done.
pub(crate) fn any_far_observation() -> impl Strategy<Value = Observation> {
    (3_usize..8, 0_usize..8).prop_map(|(failed, logical)| share(failed, logical.min(failed), 8))
}

pub(crate) fn any_parameters() -> impl Strategy<Value = Parameters> {
    let shares = (0.0..=1.0, 0.0..=1.0, 0.0..=1.0, 0.0..=1.0, 0.0..=1.0);
    let weights = (0.01..2.0, 0.0..2.0, 0.0..2.0, 0.001..0.5);
    (shares, weights, 0_u32..6, 1_u64..500_000, 1_u32..4, any::<[bool; 2]>()).prop_map(
        |(
            (replan_weight, time_weight, delta, rho, theta),
            (alpha, beta, lambda, epsilon),
            max_replans,
            ms,
            law2,
            [goal, wish],
        )| {
            Parameters::new(Hyperparameters {
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
                time_budget_ms: ms,
                law2_rounds: law2,
                deciding_gradient: if goal { DecidingGradient::Goal } else { DecidingGradient::Loss },
                weighing: if wish { Weighing::Wish } else { Weighing::Alike },
            })
            .unwrap()
        },
    )
}

pub(crate) fn any_profile() -> impl Strategy<Value = Profile> {
    prop_oneof![Just(Profile::Default), Just(Profile::SpecV08)]
}
