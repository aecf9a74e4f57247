//! Decides whether a plan may be dispatched at once or needs a person's approval. Pure: plans and decisions
//! in, messages out.
//!
//! Source: `docs/deviations.md`, "Consent to a plan".

use std::collections::BTreeSet;

use artoo_types::{
    Fault, FaultKind, Message, Plan, PlanApprovalDecided, PlanApprovalRequested, PlannedSubTask, Remedy, Role,
};

use crate::dispatch::ignored;

/// Whose approval a plan needs before it is dispatched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Consent {
    /// No approval needed.
    NotNeeded,
    /// The person's, who is present.
    Asked,
    /// The person's, who is absent: the answer is no.
    Missing,
}

impl Consent {
    /// From the builder's setting and the request.
    pub(crate) fn of(ask_before_plans: bool, person_present: bool) -> Self {
        match (ask_before_plans, person_present) {
            (false, _) => Self::NotNeeded,
            (true, true) => Self::Asked,
            (true, false) => Self::Missing,
        }
    }
}

/// The gate between R2's plans and their dispatch.
#[derive(Debug)]
pub(crate) struct PlanGate {
    consent: Consent,
    /// The plan that waits for an answer.
    waiting: Option<Plan>,
    agreed: BTreeSet<Shown>,
}

/// A subtask as the person saw it: its intent and its criteria, but not its group, because a replan without
/// the matched subtasks renumbers its groups.
type Shown = (String, Vec<String>);

impl PlanGate {
    /// Nothing approved yet.
    pub(crate) fn new(consent: Consent) -> Self {
        Self { consent, waiting: None, agreed: BTreeSet::new() }
    }

    /// The message to send instead of dispatching the plan; `None` if it may be dispatched. A plan whose
    /// subtasks were all approved before is not asked about again.
    pub(crate) fn on_plan(&mut self, plan: &Plan) -> Option<Message> {
        let is_new = || plan.subtasks.iter().any(|subtask| !self.agreed.contains(&shown(subtask)));
        match self.consent {
            Consent::NotNeeded => None,
            Consent::Missing => Some(refused(plan.round, "nobody is there to agree to it").into()),
            Consent::Asked if self.waiting.as_ref().is_some_and(|asked| plan.round <= asked.round) => {
                Some(ignored(plan.round).into())
            }
            Consent::Asked if is_new() => {
                self.waiting = Some(plan.clone());
                Some(PlanApprovalRequested { round: plan.round, subtasks: plan.subtasks.clone() }.into())
            }
            Consent::Asked => None,
        }
    }

    /// The approved plan, or the fault that ends the run; `None` if the answer belongs to no open question.
    pub(crate) fn on_decision(&mut self, decision: &PlanApprovalDecided) -> Option<Result<Plan, Fault>> {
        let plan = self.waiting.take_if(|plan| plan.round == decision.round)?;
        if !decision.granted {
            return Some(Err(refused(plan.round, &decision.reason)));
        }
        self.agreed.extend(plan.subtasks.iter().map(shown));
        Some(Ok(plan))
    }
}

fn shown(subtask: &PlannedSubTask) -> Shown {
    let criteria = subtask.success_criteria.iter().map(|criterion| criterion.text.clone());
    (subtask.intent.clone(), criteria.collect())
}

fn refused(round: u32, reason: &str) -> Fault {
    Fault {
        role: Role::User,
        kind: FaultKind::Refused,
        message: format!("nothing of plan {round} was run: {reason}"),
        hint: Some("say what should be done differently, or agree to it".to_owned()),
        remedy: Some(Remedy::AgreeToPlan),
    }
}

#[cfg(test)]
mod tests {
    use artoo_types::{Criterion, MessageKind, Mode, TaskId};

    use super::*;

    fn plan(round: u32, intents: &[&str]) -> Plan {
        let subtask = |(sequence, intent): (u32, &&str)| PlannedSubTask {
            context: format!("written for plan {round}"),
            ..PlannedSubTask::new(
                sequence,
                (*intent).to_owned(),
                vec![Criterion::new("It is a number", Mode::Plausible)],
            )
        };
        Plan::new(TaskId::from_text("count"), round, (1..).zip(intents).map(subtask).collect())
    }

    fn decision(round: u32, granted: bool) -> PlanApprovalDecided {
        PlanApprovalDecided { round, granted, reason: "because".to_owned() }
    }

    fn said(message: Option<Message>) -> Option<MessageKind> {
        message.as_ref().map(Message::kind)
    }

    #[test]
    fn without_need_of_consent_every_plan_passes() {
        let mut gate = PlanGate::new(Consent::of(false, true));
        assert_eq!(gate.on_plan(&plan(1, &["a"])), None);
        assert_eq!(gate.on_decision(&decision(1, true)), None);
    }

    #[test]
    fn without_anybody_no_plan_passes() {
        let mut gate = PlanGate::new(Consent::of(true, false));
        assert_eq!(said(gate.on_plan(&plan(1, &["a"]))), Some(MessageKind::Fault));
        assert_eq!(gate.on_decision(&decision(1, true)), None, "a yes comes from somebody who was asked");
    }

    #[test]
    fn a_new_subtask_is_a_new_question_and_an_old_one_is_none() {
        let mut gate = PlanGate::new(Consent::of(true, true));
        let first = plan(1, &["a", "b"]);
        assert_eq!(
            gate.on_plan(&first),
            Some(PlanApprovalRequested { round: 1, subtasks: first.subtasks.clone() }.into())
        );
        assert_eq!(gate.on_decision(&decision(2, true)), None);
        assert_eq!(gate.on_decision(&decision(1, true)), Some(Ok(first)));
        assert_eq!(gate.on_decision(&decision(1, true)), None, "an answer counts once");
        // The matched subtasks are gone, and the rest was approved, whatever its group and context.
        assert_eq!(gate.on_plan(&plan(2, &["b"])), None);
        let third = plan(3, &["b", "c"]);
        assert_eq!(said(gate.on_plan(&third)), Some(MessageKind::PlanApprovalRequested));
        let fault = gate.on_decision(&decision(3, false)).unwrap().unwrap_err();
        assert_eq!(
            (fault.kind, fault.message.as_str()),
            (FaultKind::Refused, "nothing of plan 3 was run: because")
        );
        // A refused subtask was not approved.
        assert_eq!(said(gate.on_plan(&plan(4, &["c"]))), Some(MessageKind::PlanApprovalRequested));
    }

    /// Asking twice would stop the run's clock twice, and one answer would not restart it.
    #[test]
    fn a_plan_that_comes_again_while_it_is_asked_about_is_no_second_question() {
        let mut gate = PlanGate::new(Consent::Asked);
        let plan = plan(1, &["a"]);
        assert_eq!(said(gate.on_plan(&plan)), Some(MessageKind::PlanApprovalRequested));
        assert_eq!(said(gate.on_plan(&plan)), Some(MessageKind::Warning));
        assert_eq!(gate.on_decision(&decision(1, true)), Some(Ok(plan)));
    }

    #[test]
    fn other_criteria_are_another_subtask() {
        let mut gate = PlanGate::new(Consent::Asked);
        gate.on_plan(&plan(1, &["a"]));
        gate.on_decision(&decision(1, true));
        let mut second = plan(2, &["a"]);
        second.subtasks[0].success_criteria[0].text = "It is any word".to_owned();
        assert_eq!(said(gate.on_plan(&second)), Some(MessageKind::PlanApprovalRequested));
    }
}
