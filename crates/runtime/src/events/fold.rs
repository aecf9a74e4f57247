//! Folds envelopes into event lines.

use std::{collections::BTreeMap, path::PathBuf};

use artoo_types::{
    BuildFolder, CallId, CriterionVerdict, Envelope, Errand, FileChange, FinalResult, Finding, Message,
    ModelCall, PlanDirective, Prices, Role, StructuredOutput, SubTaskId, ToolFinished,
};
use chrono::{DateTime, FixedOffset};

use super::{Cost, Cumulative, Event, InstructionFile, Line, RoleUsage, depth::Depth, notes::Notes};
use crate::exit_code::{denied, exit_code_after, exit_code_of_call};

/// The fold over the envelopes of one run. The same envelopes give the same lines, live or from the journal.
#[derive(Clone, Debug, Default)]
pub struct EventFold {
    lines: u64,
    round: Option<u32>,
    prices: Prices,
    total: Cumulative,
    roles: BTreeMap<Role, Cumulative>,
    depth: Depth,
    files: BTreeMap<PathBuf, FileChange>,
    build_output: Vec<BuildFolder>,
    notes: Notes,
    /// The subtasks of calls that needed consent.
    asking: BTreeMap<CallId, SubTaskId>,
    errand: Errand,
    /// The exit code of a command's last call.
    command: Option<u8>,
    /// Whether consent was missing for anything that the run attempted.
    denied: bool,
    is_over: bool,
}

impl EventFold {
    /// The initial state.
    pub fn new() -> Self {
        Self::default()
    }

    /// The lines that one envelope adds: none, one or two. `run.finished` is the last line: messages sent
    /// while the run was being closed are in the journal, but not in the view.
    pub fn on(&mut self, envelope: &Envelope) -> Vec<Line> {
        if self.is_over {
            return Vec::new();
        }
        self.notes.on(envelope.message.as_ref());
        let mut events: Vec<(Option<SubTaskId>, Event)> = Vec::new();
        match envelope.message.as_ref() {
            Message::UserRequest(request) => {
                self.prices.clone_from(&request.prices);
                self.errand = request.errand;
                events.push((
                    None,
                    Event::RunStarted {
                        request: request.text.clone(),
                        errand: request.errand,
                        working_folder: request.surroundings.working_folder.clone(),
                        workspace: request.surroundings.workspace.clone(),
                        limits: request.limits,
                        prices: request.prices.clone(),
                        instructions: request.instructions.iter().map(InstructionFile::from).collect(),
                    },
                ));
            }
            Message::ClarificationRequested(asked) => events.push((
                None,
                Event::ClarificationRequested { asked: asked.round, questions: asked.questions.clone() },
            )),
            Message::ClarificationAnswered(answered) => {
                let answer = answered.answer.clone();
                events.push((None, Event::ClarificationAnswered { asked: answered.round, answer }));
            }
            Message::TaskSpec(task) if task.intent == task.raw_input.trim() => {}
            Message::TaskSpec(task) => {
                events.push((None, Event::RequestUnderstood { intent: task.intent.clone() }));
            }
            Message::PersonNote(note) => events.push((None, Event::NoteGiven { text: note.text.clone() })),
            Message::MemoryReply(reply) => events.push((
                None,
                Event::MemoryRecalled { recalled: reply.recalled.clone(), laws: reply.laws.clone() },
            )),
            Message::Plan(plan) => {
                self.round = Some(plan.round);
                events.push((
                    None,
                    Event::PlanProposed {
                        task_criteria: plan.task_criteria.clone(),
                        subtasks: plan.subtasks.clone(),
                        kept: plan.kept.clone(),
                        memory: plan.memory.clone(),
                    },
                ));
            }
            Message::PlanApprovalRequested(request) => {
                events.push((None, Event::PlanApprovalRequested { subtasks: request.subtasks.clone() }));
            }
            Message::PlanApprovalDecided(decision) => {
                let reason = decision.reason.clone();
                events.push((None, Event::PlanApprovalDecided { granted: decision.granted, reason }));
            }
            Message::ContinuationRequested(asked) => {
                events.push((None, Event::ContinuationRequested { asked: asked.clone() }));
            }
            Message::ContinuationDecided(decision) => {
                let reason = decision.reason.clone();
                events.push((None, Event::ContinuationDecided { granted: decision.granted, reason }));
            }
            Message::SubTask(subtask) => events.push((
                Some(subtask.subtask_id),
                Event::SubTaskStarted {
                    intent: subtask.intent.clone(),
                    sequence: subtask.sequence,
                    success_criteria: subtask.success_criteria.clone(),
                },
            )),
            Message::ToolStarted(started) => events.push((
                Some(started.subtask_id),
                Event::ToolStarted {
                    call_id: started.call_id,
                    tool: started.tool.clone(),
                    arguments: started.arguments.clone().into(),
                },
            )),
            Message::ToolOutput(output) => events.push((
                Some(output.subtask_id),
                Event::ToolOutput { call_id: output.call_id, text: output.text.clone() },
            )),
            Message::ApprovalRequested(request) => {
                self.asking.insert(request.call_id, request.subtask_id);
                events.push((
                    Some(request.subtask_id),
                    Event::ApprovalRequested {
                        call_id: request.call_id,
                        tool: request.tool.clone(),
                        command: request.command.clone(),
                        effects: request.effects.clone(),
                        changes: request.changes.clone(),
                        commit: request.commit.clone(),
                        moves: request.moves.clone(),
                        rule: request.rule.clone(),
                        reason: request.reason.clone(),
                        person: request.person,
                        because: request.because.clone(),
                    },
                ));
            }
            Message::ApprovalDecided(decision) => events.push((
                self.asking.remove(&decision.call_id),
                Event::ApprovalDecided {
                    call_id: decision.call_id,
                    granted: decision.granted,
                    scope: decision.scope,
                    reason: decision.reason.clone(),
                    instead: decision.instead.clone(),
                    rule: decision.rule.clone(),
                },
            )),
            Message::ToolFinished(finished) => {
                events.push((Some(finished.subtask_id), self.tool_finished(finished)))
            }
            Message::VerdictReached(reached) => events.push((reached.subtask_id, verdict(&reached.verdict))),
            Message::CorrectionSignal(signal) => {
                events.push((Some(signal.subtask_id), Event::Correction { correction: signal.into() }));
            }
            Message::SubTaskOutcome(outcome) => {
                self.denied |= denied(outcome);
                events.push((
                    Some(outcome.subtask_id),
                    Event::SubTaskFinished {
                        status: outcome.status,
                        output: outcome.output.clone(),
                        failure_reason: outcome.failure_reason.clone(),
                    },
                ));
            }
            Message::PlanDirective(directive) => {
                events.extend(directed(directive).map(|event| (None, event)))
            }
            Message::MegramWrite(write) => events.push((
                None,
                Event::MemoryWritten {
                    space: write.megram.space.to_string(),
                    entity: write.megram.entity.to_string(),
                    state: write.megram.state,
                    f: write.megram.f,
                    sigma: write.megram.sigma,
                    k: write.megram.k,
                },
            )),
            Message::ModelCall(call) => {
                self.depth.on(envelope.elapsed_ms, call.elapsed_ms);
                events.push((call.subtask_id, self.usage(call)));
            }
            Message::Warning(warning) => {
                events.push((None, Event::Warning { message: warning.message.clone() }))
            }
            Message::FinalResult(result) => {
                let scored = Event::RoundScored {
                    loss: result.loss,
                    grad_l: result.grad_l,
                    grad_goal: result.grad_goal,
                };
                // What nobody judged has no score.
                if result.fault.is_none() && result.basis.is_evidence() {
                    events.push((None, scored));
                }
                events.push((None, self.finished(result, envelope.elapsed_ms)));
                self.is_over = true;
            }
            Message::ControlSettings(_)
            | Message::MemoryQuery(_)
            // What memory holds against a call is on its record.
            | Message::GuardQuery(_)
            | Message::GuardReply(_)
            | Message::DispatchManifest(_)
            | Message::ExecutionResult(_)
            | Message::OutcomeSummary(_)
            | Message::ReplanRequest(_)
            // The result has the answer.
            | Message::DirectAnswer(_)
            | Message::FailureReportRequest(_)
            | Message::FailureReport(_)
            | Message::Fault(_)
            // The Dreamer belongs to no run.
            | Message::DreamReport(_)
            | Message::AuditQuery(_)
            | Message::AuditReport(_) => {}
        }
        events
            .into_iter()
            .map(|(subtask_id, event)| self.line(envelope, envelope.at, subtask_id, event))
            .collect()
    }

    /// Calls and tokens so far.
    pub fn total(&self) -> &Cumulative {
        &self.total
    }

    fn line(
        &mut self,
        envelope: &Envelope,
        ts: DateTime<FixedOffset>,
        subtask_id: Option<SubTaskId>,
        event: Event,
    ) -> Line {
        self.lines += 1;
        let role = (envelope.from != Role::User).then_some(envelope.from);
        Line {
            v: 1,
            seq: self.lines,
            ts,
            run_id: envelope.run_id,
            role,
            round: self.round,
            subtask_id,
            event,
        }
    }

    fn tool_finished(&mut self, finished: &ToolFinished) -> Event {
        let call = &finished.call;
        self.command = Some(exit_code_of_call(call));
        for file in &call.files {
            let change = file.after(self.files.remove(&file.path));
            self.files.extend(change.map(|change| (file.path.clone(), change)));
        }
        self.build_output.extend(call.build_output.iter().cloned());
        Event::ToolFinished {
            call_id: call.call_id,
            tool: call.tool.clone(),
            ending: call.ending.clone(),
            failure: call.failure.clone(),
            duration_ms: call.duration_ms,
            shown: call.output.shown.clone(),
            bytes: call.output.bytes,
            dropped_bytes: call.output.dropped_bytes,
            files: call.files.clone(),
            build_output: call.build_output.clone(),
            held: call.held.clone(),
        }
    }

    fn usage(&mut self, call: &ModelCall) -> Event {
        let amount = self.prices.of(call);
        let cost = amount.map(|amount| Cost { amount, currency: self.prices.currency.clone() });
        for sum in [&mut self.total, self.roles.entry(call.role).or_default()] {
            sum.add(call, cost.as_ref());
        }
        Event::Usage {
            model: call.model.clone(),
            prompt_tokens: call.prompt_tokens,
            cached_tokens: call.cached_tokens,
            completion_tokens: call.completion_tokens,
            elapsed_ms: call.elapsed_ms,
            estimated: call.estimated,
            error: call.error.clone(),
            cost,
            cumulative: self.total.clone(),
        }
    }

    fn finished(&self, result: &FinalResult, elapsed_ms: u64) -> Event {
        let (structured, structured_error) = match &result.structured {
            None => (None, None),
            Some(StructuredOutput::Value(value)) => (Some(value.clone()), None),
            Some(StructuredOutput::Missing(why)) => (None, Some(why.as_str().into())),
        };
        Event::RunFinished {
            errand: self.errand,
            directive: result.fault.is_none().then_some(result.directive),
            confidence: result.confidence.clone().map(Box::new),
            error: result.fault.clone(),
            summary: result.summary.clone(),
            output: result.output.clone(),
            basis: result.basis,
            structured: structured.map(Box::new),
            structured_error,
            unmet: result.unmet.clone(),
            loss: Box::new(result.loss),
            grad_l: result.grad_l,
            grad_goal: result.grad_goal,
            replans: result.replans,
            prev_directive: result.prev_directive,
            partial: result.partial.clone(),
            files: self.files.values().cloned().collect(),
            build_output: BuildFolder::of_run(&self.build_output),
            unused_notes: self.notes.unused(),
            usage: self.total.clone(),
            depth: self.depth.longest(),
            roles: self
                .roles
                .iter()
                .map(|(role, usage)| RoleUsage { role: *role, usage: usage.clone() })
                .collect(),
            elapsed_ms,
            exit_code: match (self.errand, self.command) {
                (Errand::Command, Some(code)) if result.fault.is_none() => code,
                (Errand::Command | Errand::Task, _) => exit_code_after(result, self.denied),
            },
        }
    }
}

fn verdict(verdict: &CriterionVerdict) -> Event {
    let (pass, class, reason, evidence) = match &verdict.finding {
        Finding::Pass { evidence } => (true, None, None, Some(evidence.clone())),
        Finding::Fail { failure_class, reason, evidence, also: _ } => {
            (false, Some(*failure_class), Some(reason.clone()), evidence.clone())
        }
    };
    Event::Verdict {
        criterion: verdict.criterion.clone(),
        mode: verdict.mode,
        pass,
        judge: verdict.judge,
        class,
        reason,
        evidence,
    }
}

fn directed(directive: &PlanDirective) -> [Event; 2] {
    [
        Event::RoundScored { loss: directive.loss, grad_l: directive.grad_l, grad_goal: directive.grad_goal },
        Event::Directive {
            prev: directive.prev_directive,
            current: directive.directive.into(),
            blocked_tools: directive.blocked_tools.clone(),
            blocked_targets: directive.blocked_targets.clone(),
            blocked_programs: directive.blocked_programs.clone(),
            blocked_approaches: directive.blocked_approaches.clone(),
            failure_class: directive.failure_class,
            failed_criterion: directive.failed_criterion.clone(),
            rationale: directive.rationale.clone(),
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_of_a_file_add_up() {
        use artoo_types::FileChangeKind::{self, Changed, Created, Deleted};
        let sum = |changes: &[FileChangeKind]| {
            let files = changes.iter().map(|change| FileChange::new("/f", *change));
            files.fold(None, |sum, file| file.after(sum)).map(|file| file.change)
        };
        assert_eq!(sum(&[Created, Changed, Changed]), Some(Created));
        assert_eq!(sum(&[Created, Deleted]), None);
        assert_eq!(sum(&[Created, Deleted, Created]), Some(Created));
        assert_eq!(sum(&[Deleted, Created]), Some(Changed));
        assert_eq!(sum(&[Changed, Deleted]), Some(Deleted));
        assert_eq!(sum(&[Deleted, Created, Deleted]), Some(Deleted));
    }
}
