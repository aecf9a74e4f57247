//! Questions to the user that are open, and the statements that their answers become.

use std::collections::BTreeMap;

use artoo_types::{
    ApprovalDecided, ApprovalRequested, CallId, ClarificationAnswered, ClarificationRequested,
    ConsentDecision, Role, SubTaskId, UserStatement,
};

/// The open questions of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct OpenQuestions {
    clarifications: BTreeMap<(Option<SubTaskId>, u32), (Role, Vec<String>)>,
    approvals: BTreeMap<CallId, ApprovalRequested>,
}

impl OpenQuestions {
    pub(crate) fn asked(&mut self, asked: &ClarificationRequested, by: Role) {
        self.clarifications.insert((asked.subtask_id, asked.round), (by, asked.questions.clone()));
    }

    pub(crate) fn answered(&mut self, answered: &ClarificationAnswered) -> Option<UserStatement> {
        let (asked_by, questions) = self.clarifications.remove(&(answered.subtask_id, answered.round))?;
        let answer = answered.answer.trim().to_owned();
        Some(UserStatement::Answer { asked_by, questions, answer })
    }

    pub(crate) fn requested(&mut self, request: &ApprovalRequested) {
        self.approvals.insert(request.call_id, request.clone());
    }

    pub(crate) fn decided(&mut self, decision: &ApprovalDecided) -> Option<UserStatement> {
        let request = self.approvals.remove(&decision.call_id)?;
        Some(UserStatement::Consent(ConsentDecision {
            tool: request.tool,
            command: request.command,
            effects: request.effects,
            granted: decision.granted,
            scope: decision.scope,
            asked: request.person,
            reason: decision.reason.clone(),
            instead: decision.instead.clone(),
        }))
    }
}
