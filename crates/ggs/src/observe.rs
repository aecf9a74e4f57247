//! Converts a report into the controller's observation.

use std::collections::BTreeSet;

use artoo_ggs_core::{Bearing, FailedCall, FailedSubTask, JudgedCriterion, Observation, Report, Standing};
use artoo_types::{
    BlockedProgram, Check, CriterionVerdict, FailureClass, Finding, Mode, OutcomeStatus, StepKind,
    SubTaskOutcome, ToolName,
};

use crate::failed_calls::{failing_calls, tells};
use crate::means::in_vain;
use crate::{Round, is_deliverable};

/// The observation of a round's verdicts.
///
/// Contradictory reports are read against the run: a failed outcome whose verdicts all pass still counts as
/// one failure, and so does a reported gap that no verdict shows. Otherwise they would vanish from D and the
/// run would end well without a reason.
pub fn observe(
    round: &Round,
    elapsed_ms: u64,
    inventory: &BTreeSet<ToolName>,
    programs: &BTreeSet<BlockedProgram>,
) -> Observation {
    let mut criteria: Vec<_> = round.outcomes.iter().flat_map(criteria_of).collect();
    criteria.extend(round.task_verdicts.iter().map(|verdict| JudgedCriterion {
        text: verdict.criterion.clone(),
        mode: verdict.mode,
        subtask_id: None,
        bearing: if verdict.whole { Bearing::Whole } else { Bearing::Part },
        standing: standing(verdict, &[]),
    }));
    let nothing_unmet = criteria.iter().all(|criterion| criterion.standing == Standing::Met);
    if round.report == Report::Gap && nothing_unmet {
        criteria.push(JudgedCriterion {
            text: "the result as a whole answers the request".to_owned(),
            mode: Mode::Verifiable,
            subtask_id: None,
            bearing: Bearing::Whole,
            standing: once(FailureClass::Unknown, or(&round.words, "something is missing")),
        });
    }
    let outputs = round.outcomes.iter().map(|outcome| &outcome.output).chain(&round.merged_output);
    Observation {
        report: round.report,
        elapsed_ms,
        criteria,
        failures: failures(round),
        deliverable: outputs.into_iter().any(is_deliverable),
        missing_file: round.missing_file.clone(),
        gave_up: round.gave_up.clone(),
        inventory: inventory.clone(),
        programs: programs.clone(),
    }
}

fn criteria_of(outcome: &SubTaskOutcome) -> Vec<JudgedCriterion> {
    let criterion = |text: &str, mode: Mode, standing: Standing| JudgedCriterion {
        text: text.to_owned(),
        mode,
        subtask_id: Some(outcome.subtask_id),
        bearing: bearing(text, outcome, &standing),
        standing,
    };
    let why = |otherwise: &str| or(outcome.failure_reason.as_deref().unwrap_or_default(), otherwise);
    let unjudged = |otherwise: &str| match outcome.status {
        OutcomeStatus::Skipped => Standing::Skipped { reason: why("not run") },
        OutcomeStatus::Matched | OutcomeStatus::Failed | OutcomeStatus::Unjudged => {
            once(FailureClass::Unknown, why(otherwise))
        }
    };
    let mut criteria: Vec<_> = outcome
        .criteria_verdicts
        .iter()
        .map(|verdict| {
            let standing = match outcome.status {
                OutcomeStatus::Skipped => unjudged(""),
                OutcomeStatus::Matched | OutcomeStatus::Failed | OutcomeStatus::Unjudged => {
                    standing_of(verdict, outcome)
                }
            };
            criterion(&verdict.criterion, verdict.mode, standing)
        })
        .collect();
    // A missing verdict is not a pass.
    let missing = outcome.criteria.len().saturating_sub(criteria.len());
    let judged = |text: &str| outcome.criteria_verdicts.iter().any(|verdict| verdict.criterion == text);
    let without = outcome.criteria.iter().filter(|asked| !judged(&asked.text)).take(missing);
    criteria.extend(without.map(|asked| criterion(&asked.text, asked.mode, unjudged("it was not judged"))));
    // A subtask that did not match misses at least one thing, even if no verdict says which.
    let all_met = criteria.iter().all(|criterion| criterion.standing == Standing::Met);
    if outcome.status != OutcomeStatus::Matched && all_met {
        criteria.push(criterion(&outcome.intent, Mode::Verifiable, unjudged("it ended as failed")));
    }
    criteria
}

/// A criterion whose text matches no verdict on the request is an ordinary part.
fn bearing(text: &str, outcome: &SubTaskOutcome, standing: &Standing) -> Bearing {
    let asked = outcome.criteria.iter().find(|asked| asked.text == text);
    let says_nothing =
        asked.and_then(|asked| asked.check.as_ref()).is_some_and(Check::says_nothing_of_the_request);
    match outcome.kind {
        _ if says_nothing && *standing == Standing::Met => Bearing::Nothing,
        StepKind::Create | StepKind::Change | StepKind::Link => Bearing::Deed,
        StepKind::FindOut => Bearing::Part,
    }
}

fn standing_of(verdict: &CriterionVerdict, outcome: &SubTaskOutcome) -> Standing {
    let failed_in: Vec<_> = outcome
        .gap_trajectory
        .iter()
        .map(|attempt| attempt.unmet_criteria.contains(&verdict.criterion))
        .collect();
    standing(verdict, &failed_in)
}

/// `failed_in` says for each attempt of this plan whether the criterion failed in it.
fn standing(verdict: &CriterionVerdict, failed_in: &[bool]) -> Standing {
    match &verdict.finding {
        Finding::Pass { .. } => Standing::Met,
        Finding::Fail { failure_class, reason, .. } => Standing::Unmet {
            class: *failure_class,
            reason: reason.clone(),
            failures: count(failed_in.iter().filter(|failed| **failed).count()),
            attempts: count(failed_in.len()),
        },
    }
}

fn once(class: FailureClass, reason: String) -> Standing {
    Standing::Unmet { class, reason, failures: 1, attempts: 1 }
}

/// A last verdict that the history lacks is still one failed attempt.
fn count(attempts: usize) -> u32 {
    u32::try_from(attempts.max(1)).unwrap_or(u32::MAX)
}

/// The subtasks to which the gap is attributed: the failed ones. If all matched and the task as a whole is
/// not met, all those whose answers it consists of; otherwise another plan could do the same again, and
/// nothing would be blocked.
fn failures(round: &Round) -> Vec<FailedSubTask> {
    let failed = |outcome: &&SubTaskOutcome| outcome.status == OutcomeStatus::Failed;
    let all_matched = round.outcomes.iter().all(|outcome| outcome.status == OutcomeStatus::Matched);
    if round.report == Report::Gap && all_matched && misses_the_whole(round) {
        round.outcomes.iter().map(failed_subtask).collect()
    } else {
        round.outcomes.iter().filter(failed).map(failed_subtask).collect()
    }
}

/// Whether the combined outputs miss a criterion of the task, for a known reason. An unknown reason, or a
/// person's refusal, says nothing about the means.
fn misses_the_whole(round: &Round) -> bool {
    round.task_verdicts.iter().any(|verdict| match &verdict.finding {
        Finding::Pass { .. } => false,
        Finding::Fail { failure_class, .. } => tells(*failure_class),
    })
}

fn failed_subtask(outcome: &SubTaskOutcome) -> FailedSubTask {
    let (in_vain, others) = in_vain(outcome);
    let tools: BTreeSet<ToolName> = in_vain.iter().map(|means| means.tool.clone()).collect();
    let worked = others.into_iter().map(|means| means.tool).filter(|tool| !tools.contains(tool)).collect();
    FailedSubTask {
        subtask_id: outcome.subtask_id,
        intent: outcome.intent.clone(),
        tools,
        worked,
        programs: in_vain.into_iter().filter_map(|means| means.program).collect(),
        failed_calls: failing_calls(outcome)
            .into_iter()
            .map(|failing| FailedCall { target: failing.target, class: failing.failure.class })
            .collect(),
    }
}

fn or(text: &str, otherwise: &str) -> String {
    if text.trim().is_empty() { otherwise.to_owned() } else { text.trim().to_owned() }
}
