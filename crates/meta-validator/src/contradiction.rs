//! Contradicting answers: their passes are withdrawn, since none of them can count as checked.

use std::collections::BTreeSet;

use artoo_types::{
    Check, Criterion, CriterionVerdict, Evidence, FailureClass, Finding, Judge, OutcomeStatus, SubTaskOutcome,
};

use crate::doubts::Refused;

/// Withdraws the passes of derivations whose answers disagree.
///
/// Each derivation met its own criteria, for example that its output is a number. Once another derivation
/// gives a different number, that says nothing any more: at most one of them is right, and it is unknown
/// which. Left as passes, they would make D smaller, and a question without an answer would end as `success`
/// beside questions that have one.
pub(crate) fn take_back(
    outcomes: &mut [SubTaskOutcome],
    task_criteria: &[Criterion],
    task_verdicts: &[CriterionVerdict],
) {
    for (criterion, verdict) in task_criteria.iter().zip(task_verdicts) {
        let Some(Check::SameAnswer { subtasks }) = &criterion.check else { continue };
        if verdict.passed() {
            continue;
        }
        for position in subtasks {
            let Some(outcome) = outcomes.get_mut(*position) else { continue };
            fail_passes(
                outcome,
                FailureClass::Logical,
                "another way to derive the same answer gave a different one",
            );
        }
    }
}

/// The same if the gate fired before the answers were compared: an answer that was to be derived twice, and
/// that no other derivation confirmed, is not delivered as checked. A single derivation may be wrong; two
/// that disagree are.
pub(crate) fn doubt(outcomes: &mut [SubTaskOutcome], task_criteria: &[Criterion]) {
    for criterion in task_criteria {
        let Some(Check::SameAnswer { subtasks }) = &criterion.check else { continue };
        let matched: BTreeSet<usize> = subtasks
            .iter()
            .copied()
            .filter(|position| {
                outcomes.get(*position).is_some_and(|outcome| outcome.status == OutcomeStatus::Matched)
            })
            .collect();
        let answers: Vec<&str> =
            matched.iter().filter_map(|position| outcomes.get(*position)?.output.as_str()).collect();
        if artoo_checks::agreed_answer(&answers).is_some() {
            continue;
        }
        let (class, reason) = if matched.len() > 1 {
            (FailureClass::Logical, "another way to derive the same answer gave a different one")
        } else {
            (FailureClass::Unknown, "no other way to derive the same answer confirmed it")
        };
        for position in matched {
            let Some(outcome) = outcomes.get_mut(position) else { continue };
            fail_passes(outcome, class, reason);
        }
    }
}

/// Fails the outcome at which an unmet verdict on the whole points: a rejected result is not kept for the
/// next plan. If there is only one outcome, it is that one. Returns the rejected answers.
pub(crate) fn refuse(outcomes: &mut [SubTaskOutcome], whole: &CriterionVerdict) -> Vec<Refused> {
    let Finding::Fail { failure_class, reason, evidence } = &whole.finding else { return Vec::new() };
    let is_alone = outcomes.len() == 1;
    let pointed = match evidence {
        Some(Evidence::ToolCall { call_id, .. }) => Some(*call_id),
        Some(Evidence::Observation { .. }) | None => None,
    };
    let is_meant = |outcome: &&mut SubTaskOutcome| {
        is_alone || outcome.tool_calls.iter().any(|call| Some(call.call_id) == pointed)
    };
    let mut refused = Vec::new();
    for outcome in outcomes.iter_mut().filter(is_meant) {
        if let (Judge::Model, Some(answer)) = (whole.judge, outcome.output.as_str())
            && *failure_class != FailureClass::Unknown
        {
            refused.push(Refused { answer: answer.to_owned(), reason: reason.clone() });
        }
        // Its check verdicts stay as they are: the next plan is told what the whole lacks.
        outcome.status = OutcomeStatus::Failed;
        outcome.failure_reason = Some(reason.clone());
    }
    refused
}

fn fail_passes(outcome: &mut SubTaskOutcome, failure_class: FailureClass, reason: &str) {
    for own in outcome.criteria_verdicts.iter_mut().filter(|own| own.passed()) {
        own.judge = Judge::Rule;
        own.finding = Finding::Fail { failure_class, reason: reason.to_owned(), evidence: None };
    }
}

#[cfg(test)]
mod tests {
    use artoo_types::{Evidence, Mode, RunId, SubTaskId};

    use super::*;

    fn verdict(passes: bool) -> CriterionVerdict {
        let evidence = Evidence::Observation { text: "3".to_owned() };
        let finding = match passes {
            true => Finding::Pass { evidence },
            false => Finding::Fail {
                failure_class: FailureClass::Logical,
                reason: "3 and 4".to_owned(),
                evidence: None,
            },
        };
        CriterionVerdict {
            criterion: "a number".to_owned(),
            mode: Mode::Verifiable,
            judge: Judge::Check,
            whole: false,
            finding,
        }
    }

    fn outcome() -> SubTaskOutcome {
        SubTaskOutcome {
            subtask_id: SubTaskId::new(uuid::Uuid::nil()),
            parent_task_id: RunId::OPERATOR,
            sequence: 1,
            intent: "count".to_owned(),
            kind: artoo_types::StepKind::FindOut,
            criteria: Vec::new(),
            status: OutcomeStatus::Matched,
            output: serde_json::json!("3"),
            failure_reason: None,
            gave_up: None,
            gap_trajectory: Vec::new(),
            criteria_verdicts: vec![verdict(true)],
            samples: None,
            tool_calls: Vec::new(),
        }
    }

    fn same(subtasks: &[usize]) -> Criterion {
        let check = Some(Check::SameAnswer { subtasks: subtasks.to_vec() });
        Criterion { text: "they agree".to_owned(), mode: Mode::Verifiable, check }
    }

    #[test]
    fn only_derivations_that_disagree_lose_their_passes() {
        let criteria = [same(&[0, 2]), same(&[1, 3, 9])];
        let mut outcomes = vec![outcome(), outcome(), outcome(), outcome()];
        take_back(&mut outcomes, &criteria, &[verdict(true), verdict(false)]);
        let passes: Vec<bool> =
            outcomes.iter().map(|outcome| outcome.criteria_verdicts[0].passed()).collect();
        assert_eq!(passes, [true, false, true, false]);
    }

    #[test]
    fn what_no_other_derivation_confirmed_is_in_doubt() {
        let answered =
            |answer: &str, status| SubTaskOutcome { output: serde_json::json!(answer), status, ..outcome() };
        let passes = |outcomes: [SubTaskOutcome; 3]| {
            let mut outcomes = outcomes;
            doubt(&mut outcomes, &[same(&[0, 1])]);
            outcomes.map(|outcome| outcome.criteria_verdicts[0].passed())
        };
        let (yes, no) = (OutcomeStatus::Matched, OutcomeStatus::Failed);
        let other = || answered("7", yes);
        assert_eq!(passes([answered("3", yes), answered("3", yes), other()]), [true, true, true]);
        assert_eq!(passes([answered("3", yes), answered("4", yes), other()]), [false, false, true]);
        assert_eq!(passes([answered("3", yes), answered("3", no), other()]), [false, true, true]);
    }
}
