//! A rejected result of the whole: the outcomes that it rests on are not kept for the next plan.

use artoo_types::{CallId, CriterionVerdict, Evidence, Finding, OutcomeStatus, SubTaskOutcome};

/// Fails the outcomes at whose calls an unmet verdict on the task points: a rejected result is not kept for the
/// next plan. If there is only one outcome, an unmet whole is about that one, and an unmet criterion of the task
/// needs no step to blame.
pub(crate) fn refuse(outcomes: &mut [SubTaskOutcome], verdict: &CriterionVerdict) {
    let Finding::Fail { failure_class: _, reason, evidence, also } = &verdict.finding else { return };
    let is_alone = outcomes.len() == 1;
    if is_alone && !verdict.whole {
        return;
    }
    let first = evidence.as_ref().and_then(Evidence::call);
    let is_pointed_at = |call: CallId| first == Some(call) || also.contains(&call);
    let is_meant = |outcome: &&mut SubTaskOutcome| {
        is_alone || outcome.tool_calls.iter().any(|call| is_pointed_at(call.call_id))
    };
    let mut first: Option<u32> = None;
    for outcome in outcomes.iter_mut().filter(is_meant) {
        first = Some(first.map_or(outcome.sequence, |first| first.min(outcome.sequence)));
        fail(outcome, reason);
    }
    let Some(first) = first else { return };
    // A later step that called nothing has nothing but the results that were refused.
    let rests_on_it =
        |outcome: &&mut SubTaskOutcome| outcome.sequence > first && outcome.tool_calls.is_empty();
    outcomes.iter_mut().filter(rests_on_it).for_each(|outcome| fail(outcome, reason));
}

/// Its check verdicts stay as they are: the next plan is told what the whole lacks.
fn fail(outcome: &mut SubTaskOutcome, reason: &str) {
    outcome.status = OutcomeStatus::Failed;
    outcome.failure_reason = Some(reason.to_owned());
}

#[cfg(test)]
mod tests {
    use artoo_types::{Criterion, FailureClass, Judge, Mode, RunId, SubTaskId};
    use uuid::Uuid;

    use super::*;

    fn call_id(number: u128) -> CallId {
        CallId::new(Uuid::from_u128(number))
    }

    /// Matched steps 1, 2 and 3 with one call each.
    fn steps() -> Vec<SubTaskOutcome> {
        (1..=3)
            .map(|number| {
                let id = SubTaskId::new(Uuid::from_u128(number));
                let run = RunId::new(Uuid::nil());
                let mut call = artoo_judging::conformance::call(1, "3", true);
                call.call_id = call_id(number);
                SubTaskOutcome {
                    tool_calls: vec![call],
                    ..SubTaskOutcome::new(id, run, "Count", OutcomeStatus::Matched)
                }
            })
            .collect()
    }

    #[test]
    fn each_step_that_an_unmet_part_points_at_is_refused() {
        let evidence = Some(Evidence::ToolCall { call_id: call_id(1), excerpt: "3".to_owned() });
        let finding = Finding::Fail {
            failure_class: FailureClass::Logical,
            reason: "half of it is guessed".to_owned(),
            evidence,
            also: vec![call_id(3)],
        };
        let criterion = Criterion::new("The request as a whole", Mode::Verifiable);
        let mut outcomes = steps();
        let sum = SubTaskOutcome { tool_calls: Vec::new(), sequence: 2, ..outcomes[1].clone() };
        outcomes.push(sum);
        refuse(&mut outcomes, &CriterionVerdict::of(&criterion, Judge::Model, finding));
        let kept: Vec<bool> =
            outcomes.iter().map(|outcome| outcome.status == OutcomeStatus::Matched).collect();
        assert_eq!(
            kept,
            [false, true, false, false],
            "the last one called nothing, so it summed up what is refused"
        );
    }
}
