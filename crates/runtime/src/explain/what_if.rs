//! Replays a recorded run with other controller parameters, as far as the record allows.

use artoo_ggs::Round;
use artoo_ggs_core::{Decision, Parameters};
use artoo_types::{
    ControlSettings, Envelope, FaultKind, FinalResult, Hyperparameters, Loss, MacroState, Message,
    PlanDirective, RunId, SolverOrigin, TaskId, TerminalState,
};
use serde::Serialize;

use super::{Follows, replay::Replay};
use crate::journal;

/// The outcome of a recorded run under other parameters.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WhatIf {
    /// Version of this format: 1.
    pub v: u32,
    /// The run.
    pub run_id: Option<RunId>,
    /// Its request.
    pub request: Option<String>,
    /// Whose solver decided then. The recomputation uses artoo's own.
    pub solver: SolverOrigin,
    /// The recorded parameters.
    pub recorded: Hyperparameters,
    /// The parameters of the replay.
    pub replayed: Hyperparameters,
    /// Its rounds, up to the first with another decision.
    pub rounds: Vec<ReplayedRound>,
    /// That round. No record exists of what would have followed.
    pub parted: Option<u32>,
    /// Damage of the journal, if any.
    pub damage: Option<String>,
}

/// One round, as decided and as replayed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReplayedRound {
    /// Its number, from 1.
    pub round: u32,
    /// The recorded decision; `None` if the run was interrupted before it was published.
    pub recorded: Option<Score>,
    /// The replayed decision.
    pub replayed: Score,
    /// The reasons, in words.
    pub rationale: String,
    /// Whether the two are identical, including blocked sets.
    pub same: bool,
}

/// A round's score and decision.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Score {
    /// The decision.
    pub decision: MacroState,
    /// The loss.
    pub loss: Loss,
    /// L minus the previous L.
    pub grad_l: f64,
    /// The same for alpha*D + beta*P.
    pub grad_goal: f64,
}

/// The controller settings of a recorded run; `None` if not recorded.
pub fn control_settings(read: &journal::Read) -> Option<&ControlSettings> {
    read.envelopes.iter().find_map(|envelope| envelope.message.payload::<ControlSettings>())
}

/// Decides the recorded rounds again with these parameters. With the recorded parameters every round comes
/// out the same, unless another version or a foreign solver decided. `None` if the journal lacks the
/// controller's inputs.
pub fn what_if(read: &journal::Read, parameters: Parameters) -> Option<WhatIf> {
    let settings = control_settings(read)?;
    let mut replay = Replay::new();
    replay.settings(&ControlSettings { hyperparameters: parameters.into(), ..settings.clone() });
    let page = WhatIf {
        v: 1,
        run_id: read.envelopes.first().map(|envelope| envelope.run_id),
        request: None,
        solver: settings.solver,
        recorded: settings.hyperparameters,
        replayed: parameters.into(),
        rounds: Vec::new(),
        parted: None,
        damage: read.damage.as_ref().map(ToString::to_string),
    };
    let mut account =
        Account { page, replay, task_id: None, open: None, faulted: false, spent: false, story: false };
    for envelope in &read.envelopes {
        account.on(envelope);
    }
    account.close(None);
    Some(account.page)
}

struct Account {
    page: WhatIf,
    replay: Replay,
    task_id: Option<TaskId>,
    /// The decision on the last reported round.
    open: Option<Decision>,
    /// Whether a fault is ending the run, so that no further report is judged.
    faulted: bool,
    /// Whether that fault is an exhausted budget, and whether the planner was asked for the story, which
    /// precedes a decision to abandon.
    spent: bool,
    story: bool,
}

impl Account {
    fn on(&mut self, envelope: &Envelope) {
        let message = envelope.message.as_ref();
        if let Message::UserRequest(request) = message {
            self.page.request = Some(request.text.clone());
        } else if let Message::TaskSpec(spec) = message {
            self.task_id = Some(spec.task_id.clone());
        } else if let Message::ReplanRequest(request) = message {
            self.reported(&request.into(), envelope.elapsed_ms);
        } else if let Message::OutcomeSummary(summary) = message {
            self.reported(&summary.into(), envelope.elapsed_ms);
        } else if let Message::PlanDirective(directive) = message {
            self.directed(directive);
        } else if let Message::FailureReportRequest(_) = message {
            self.story = true;
        } else if let Message::Fault(fault) = message {
            self.faulted = true;
            self.spent |= fault.kind == FaultKind::Budget;
        } else if let Message::FinalResult(result) = message {
            self.ended(result);
        }
    }

    fn reported(&mut self, round: &Round, elapsed_ms: u64) {
        if self.faulted || self.open.is_some() || self.page.parted.is_some() {
            return;
        }
        let observation = self.replay.observe(round, elapsed_ms);
        self.open = self.replay.step(round, &observation);
        self.task_id.get_or_insert_with(|| round.task_id.clone());
    }

    fn directed(&mut self, directive: &PlanDirective) {
        let Some(task_id) = self.task_id.clone() else { return };
        let follows = self.replay.directive(directive, self.open.as_ref(), &task_id);
        let score = Score {
            decision: directive.directive.into(),
            loss: directive.loss,
            grad_l: directive.grad_l,
            grad_goal: directive.grad_goal,
        };
        self.close(Some((score, &follows)));
    }

    fn ended(&mut self, result: &FinalResult) {
        let undecided = result.directive == TerminalState::Abandon && self.spent && !self.story;
        if result.fault.is_some() || undecided {
            return self.close(None);
        }
        let follows = self.replay.result(result, self.open.as_ref());
        // The decision is what it would have been if the result had been confirmed.
        let decided = result.unconfirmed().map_or(result.directive, |_| TerminalState::Accept);
        let (loss, grad_l, grad_goal) = (result.loss, result.grad_l, result.grad_goal);
        self.close(Some((Score { decision: decided.into(), loss, grad_l, grad_goal }, &follows)));
    }

    fn close(&mut self, recorded: Option<(Score, &Follows)>) {
        let Some(decision) = self.open.take() else { return };
        let replayed = Score {
            decision: decision.state.into(),
            loss: decision.loss,
            grad_l: decision.grad_l,
            grad_goal: decision.grad_goal,
        };
        let round = decision.round();
        if recorded.as_ref().is_some_and(|(score, _)| score.decision != replayed.decision) {
            self.page.parted = Some(round);
        }
        self.page.rounds.push(ReplayedRound {
            round,
            recorded: recorded.as_ref().map(|(score, _)| *score),
            replayed,
            rationale: decision.rationale,
            same: recorded.is_some_and(|(_, follows)| matches!(follows, Follows::Yes { .. })),
        });
    }
}
