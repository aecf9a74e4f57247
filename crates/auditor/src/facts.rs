//! Extracts the recorded facts of a message, by kind.
//!
//! A fact is a number, an id, a word of a closed set, or a known name. Text of a user, a model, a tool or a
//! file is never a fact, so no secret can become one. A new kind of message does not compile until its facts
//! are defined here.

use std::collections::BTreeSet;

use artoo_bus::{Refusal, RefusalReason};
use artoo_types::{
    Anomaly, AuditReport, AuditTrigger, CallEnding, CriterionVerdict, Envelope, ExecutionResult, FinalResult,
    Finding, Loss, Message, ModelCall, PeriodicReports, PlanDirective, SubTaskOutcome, ToolCall, ToolHealth,
};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::Vocabulary;

/// The fact that is a whole periodic report.
pub(crate) const WHOLE_REPORT: &str = "report";

/// The facts of a message.
pub type Facts = Map<String, Value>;

/// Extracts the facts of a message.
///
/// Statuses and classes, the numbers of the loss and the directive, the name and the ending of a tool call,
/// the name and the cost of a model call, verdicts with their judge: enough for every report, and no free
/// text.
pub fn facts(envelope: &Envelope, known: &Vocabulary) -> Facts {
    match envelope.message.as_ref() {
        Message::UserRequest(request) => object(json!({
            "bytes": request.text.len(),
            "turns": request.turns.len(),
            "max_replans": request.limits.max_replans,
            "max_retries": request.limits.max_retries,
            "time_budget_ms": request.limits.time_budget_ms,
        })),
        Message::ControlSettings(settings) => object(json!({
            "solver": settings.solver,
            "max_replans": settings.hyperparameters.max_replans,
            "time_budget_ms": settings.hyperparameters.time_budget_ms,
            "deciding_gradient": settings.hyperparameters.deciding_gradient,
            "tools": settings.tools.len(),
        })),
        // A task's label consists of words of the request.
        Message::TaskSpec(_)
        | Message::MemoryQuery(_)
        | Message::DirectAnswer(_)
        | Message::FailureReport(_) => Facts::new(),
        Message::MemoryReply(reply) => {
            let first = reply.recalled.first().map(|known| known.potentials);
            object(json!({
                "pairs": reply.recalled.len(),
                "sops": reply.recalled.iter().map(|known| known.sops.len()).sum::<usize>(),
                "laws": reply.laws.len(),
                "attention": first.map(|known| known.attention),
                "decision": first.map(|known| known.decision),
                "action": first.map(|known| known.action),
            }))
        }
        Message::GuardQuery(query) => {
            object(json!({ "call_id": query.call_id, "tool": known.name(query.call.tool.as_str()) }))
        }
        Message::GuardReply(reply) => {
            let action = reply.guard.as_ref().map(|guard| guard.action);
            object(json!({ "call_id": reply.call_id, "action": action }))
        }
        Message::Plan(plan) => object(json!({
            "round": plan.round,
            "subtasks": plan.subtasks.len(),
            "task_criteria": plan.task_criteria.len(),
            "kept": plan.kept.len(),
        })),
        Message::DispatchManifest(manifest) => object(json!({
            "round": manifest.round,
            "subtasks": manifest.subtask_ids.len(),
            "kept": manifest.kept.len(),
        })),
        Message::SubTask(subtask) => object(json!({
            "subtask_id": subtask.subtask_id,
            "round": subtask.round,
            "sequence": subtask.sequence,
            "criteria": subtask.success_criteria.len(),
        })),
        Message::ToolStarted(started) => object(json!({
            "subtask_id": started.subtask_id,
            "call_id": started.call_id,
            "tool": known.name(started.tool.as_str()),
        })),
        Message::ToolOutput(output) => {
            object(json!({ "call_id": output.call_id, "bytes": output.text.len() }))
        }
        Message::ToolFinished(finished) => {
            let mut facts = tool_call(&finished.call, known);
            facts.insert("subtask_id".to_owned(), value(finished.subtask_id));
            facts
        }
        Message::ClarificationRequested(request) => {
            object(json!({ "round": request.round, "questions": request.questions.len() }))
        }
        Message::ClarificationAnswered(answered) => {
            object(json!({ "round": answered.round, "bytes": answered.answer.len() }))
        }
        Message::PersonNote(note) => object(json!({ "bytes": note.text.len() })),
        Message::PlanApprovalRequested(request) => {
            object(json!({ "round": request.round, "subtasks": request.subtasks.len() }))
        }
        Message::PlanApprovalDecided(decision) => {
            object(json!({ "round": decision.round, "granted": decision.granted }))
        }
        Message::ContinuationRequested(request) => object(json!({
            "number": request.number,
            "turns": request.turns,
            "tokens": request.tokens,
        })),
        Message::ContinuationDecided(decision) => {
            object(json!({ "number": decision.number, "granted": decision.granted }))
        }
        Message::ApprovalRequested(request) => {
            let kinds: BTreeSet<&str> = request.effects.iter().map(|effect| effect.kind.name()).collect();
            object(json!({
                "subtask_id": request.subtask_id,
                "call_id": request.call_id,
                "tool": known.name(request.tool.as_str()),
                "effects": kinds,
                "changes": request.changes.len(),
                "rule": known.name(&request.rule),
                "person": request.person,
            }))
        }
        Message::ApprovalDecided(decision) => object(json!({
            "call_id": decision.call_id,
            "granted": decision.granted,
            "scope": decision.scope,
            "instead": decision.instead.is_some(),
            "rule": decision.rule.as_ref().map(|rule| json!({
                "effects": rule.effects,
                "programs": rule.programs.len(),
                "paths": rule.paths.len(),
            })),
        })),
        Message::ExecutionResult(result) => execution(result),
        Message::VerdictReached(reached) => {
            let mut facts = verdict(&reached.verdict);
            facts.insert("subtask_id".to_owned(), value(reached.subtask_id));
            facts.insert("attempt".to_owned(), value(reached.attempt));
            facts
        }
        Message::CorrectionSignal(correction) => object(json!({
            "subtask_id": correction.subtask_id,
            "attempt": correction.attempt_number,
            "class": correction.failure_class,
        })),
        Message::SubTaskOutcome(outcome) => outcome_facts(outcome),
        Message::OutcomeSummary(summary) => object(json!({
            "outcomes": summary.outcomes.len(),
            "task_verdicts": summary.task_verdicts.len(),
        })),
        Message::ReplanRequest(request) => object(json!({
            "failed": request.failed_outcomes.len(),
            "matched": request.matched_outcomes.len(),
            "task_verdicts": request.task_verdicts.len(),
        })),
        Message::PlanDirective(directive) => plan_directive(directive),
        Message::FailureReportRequest(request) => {
            object(json!({ "unmet": request.unmet.len(), "partial": request.partial.len() }))
        }
        Message::MegramWrite(write) => object(json!({
            "level": write.megram.level,
            "state": write.megram.state,
            "f": write.megram.f,
            "sigma": write.megram.sigma,
            "k": write.megram.k,
        })),
        Message::DreamReport(report) => object(json!({
            "demoted": report.demoted.len(),
            "promoted": report.promoted.len(),
            "forgotten": report.forgotten.len(),
            "examined": report.examined,
            "corrected": report.corrected,
        })),
        Message::FinalResult(result) => final_result(result),
        Message::Fault(fault) => object(json!({ "role": fault.role, "fault": fault.kind })),
        Message::Warning(warning) => {
            let refusal = Refusal::of(envelope);
            let (reason, full) = match refusal.map(|refusal| refusal.reason) {
                None => (None, None),
                Some(RefusalReason::Boundary) => (Some("boundary"), None),
                Some(RefusalReason::SecondFinalResult) => (Some("second_final_result"), None),
                Some(RefusalReason::SecondReport) => (Some("second_report"), None),
                Some(RefusalReason::Overflow(role)) => (Some("overflow"), Some(role)),
            };
            object(json!({
                "role": warning.role,
                "refused": refusal.map(|refusal| refusal.kind),
                "reason": reason,
                "full": full,
            }))
        }
        Message::ModelCall(call) => model_call(call, known),
        Message::AuditQuery(query) => object(json!({ "since": query.since })),
        Message::AuditReport(report) => object(json!({
            "trigger": report.trigger,
            "tasks_observed": report.tasks_observed,
            "until": report.window_end,
            // Nobody asked for a periodic one: what it found is kept here, and read from here.
            WHOLE_REPORT: match report.trigger {
                AuditTrigger::Periodic => value(without_texts(report, known)),
                AuditTrigger::OnDemand => Value::Null,
            },
        })),
    }
}

fn tool_call(call: &ToolCall, known: &Vocabulary) -> Facts {
    let (ending, number) = match call.ending {
        CallEnding::Exited { status } => ("exited", Some(status)),
        CallEnding::Signalled { signal } => ("signalled", Some(signal)),
        CallEnding::Returned => ("returned", None),
        CallEnding::TimedOut => ("timed_out", None),
        CallEnding::Cancelled => ("cancelled", None),
        CallEnding::Refused => ("refused", None),
    };
    object(json!({
        "call_id": call.call_id,
        "tool": known.name(call.tool.as_str()),
        "ending": ending,
        "status": number,
        "class": call.failure.as_ref().map(|failure| failure.class),
        "bytes": call.output.bytes,
        "duration_ms": call.duration_ms,
        "files": call.files.len(),
    }))
}

fn execution(result: &ExecutionResult) -> Facts {
    object(json!({
        "subtask_id": result.subtask_id,
        "attempt": result.attempt,
        "status": result.status,
        "class": result.failure.as_ref().map(|failure| failure.class),
        "infrastructure": result.failure.as_ref().map(|failure| failure.infrastructure),
        "tool_calls": result.tool_calls.len(),
    }))
}

fn verdict(verdict: &CriterionVerdict) -> Facts {
    let class = match verdict.finding {
        Finding::Pass { .. } => None,
        Finding::Fail { failure_class, .. } => Some(failure_class),
    };
    object(json!({ "pass": verdict.passed(), "class": class, "judge": verdict.judge, "mode": verdict.mode }))
}

fn outcome_facts(outcome: &SubTaskOutcome) -> Facts {
    object(json!({
        "subtask_id": outcome.subtask_id,
        "sequence": outcome.sequence,
        "status": outcome.status,
        "attempts": outcome.gap_trajectory.len(),
        "passed": outcome.criteria_verdicts.iter().filter(|verdict| verdict.passed()).count(),
        "criteria": outcome.criteria_verdicts.len(),
        "tool_calls": outcome.tool_calls.len(),
    }))
}

fn plan_directive(directive: &PlanDirective) -> Facts {
    let mut facts = loss(directive.loss, directive.grad_l, directive.grad_goal);
    facts.extend(object(json!({
        "round": directive.round,
        "prev_directive": directive.prev_directive,
        "directive": directive.directive,
        "class": directive.failure_class,
        "blocked_tools": directive.blocked_tools.len(),
        "blocked_targets": directive.blocked_targets.len(),
        "blocked_programs": directive.blocked_programs.len(),
    })));
    facts
}

fn final_result(result: &FinalResult) -> Facts {
    let mut facts = loss(result.loss, result.grad_l, result.grad_goal);
    facts.extend(object(json!({
        "prev_directive": result.prev_directive,
        "directive": result.directive,
        "basis": result.basis,
        "replans": result.replans,
        "unmet": result.unmet.len(),
        "partial": result.partial.len(),
        "fault": result.fault.as_ref().map(|fault| fault.kind),
        "fault_role": result.fault.as_ref().map(|fault| fault.role),
    })));
    facts
}

/// A report with no text but names that are known: whoever replaces the reporter may have put anything there.
fn without_texts(report: &AuditReport, known: &Vocabulary) -> AuditReport {
    let anomaly = |anomaly: &Anomaly| match anomaly.clone() {
        Anomaly::LogUnreadable { .. } => Anomaly::LogUnreadable { reason: String::new() },
        Anomaly::ModelFailing { model, calls, failed } => {
            Anomaly::ModelFailing { model: known.name(&model), calls, failed }
        }
        Anomaly::ModelUnusable { model, shaped, unusable } => {
            Anomaly::ModelUnusable { model: known.name(&model), shaped, unusable }
        }
        Anomaly::ToolFailing { tool, calls, failed } => {
            Anomaly::ToolFailing { tool: known.name(&tool), calls, failed }
        }
        same @ (Anomaly::LogChanged { .. }
        | Anomaly::LineUnreadable { .. }
        | Anomaly::MessagesMissing { .. }
        | Anomaly::SecondFinalResult { .. }
        | Anomaly::FanInIncomplete { .. }
        | Anomaly::DuplicateId { .. }
        | Anomaly::LimitExceeded { .. }
        | Anomaly::NoFinalResult { .. }
        | Anomaly::MailboxOverflow { .. }
        | Anomaly::GgsThrashing { .. }
        | Anomaly::Oscillation { .. }
        | Anomaly::NoImprovement { .. }
        | Anomaly::MessagesLost { .. }
        | Anomaly::LineTorn { .. }
        | Anomaly::LogBehind) => same,
    };
    let ToolHealth { tools, models, .. } = &report.tool_health;
    AuditReport {
        anomalies: report.anomalies.iter().map(anomaly).collect(),
        tool_health: ToolHealth {
            tools: tools.iter().map(|(name, record)| (known.name(name), *record)).collect(),
            models: models.iter().map(|(name, record)| (known.name(name), *record)).collect(),
            ..report.tool_health
        },
        periodic: PeriodicReports::default(),
        ..report.clone()
    }
}

fn loss(loss: Loss, grad_l: f64, grad_goal: f64) -> Facts {
    object(json!({
        "D": loss.d, "P": loss.p, "Omega": loss.omega, "L": loss.l, "grad_l": grad_l, "grad_goal": grad_goal,
    }))
}

fn model_call(call: &ModelCall, known: &Vocabulary) -> Facts {
    object(json!({
        "role": call.role,
        "subtask_id": call.subtask_id,
        "model": known.name(&call.model),
        "ok": call.error.is_none(),
        "usable": call.usable,
        "prompt_tokens": call.prompt_tokens,
        "cached_tokens": call.cached_tokens,
        "completion_tokens": call.completion_tokens,
        "elapsed_ms": call.elapsed_ms,
        "requests": call.requests,
    }))
}

/// The non-null fields of an object.
fn object(value: Value) -> Facts {
    match value {
        Value::Object(fields) => fields.into_iter().filter(|(_, value)| !value.is_null()).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Facts::new(),
    }
}

/// The value as JSON; null on failure, which cannot happen for our enums and ids.
fn value(fact: impl Serialize) -> Value {
    serde_json::to_value(fact).unwrap_or(Value::Null)
}
