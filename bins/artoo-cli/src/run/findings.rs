//! What the auditor finds out of order in this run, for the person who started it.
//!
//! Computed by the auditor's own fold from the messages that the view sees anyway: reading the whole log at the end of each run would
//! take longer with every run. What needs the log, as how roles behave over time, `artoo audit report` tells.

use artoo_auditor::{Fold, Line, Vocabulary, Window, facts};
use artoo_bus::{Clock, Observed, SystemClock};
use artoo_types::{AnomalyKind, AuditEvent, AuditTrigger};

/// So many are told; more are counted.
const TOLD: usize = 5;

/// The findings of one run so far.
pub(super) struct Findings {
    known: Vocabulary,
    /// `None` once messages were lost: what is not there would be taken for what did not happen.
    fold: Option<Fold>,
    lines: u64,
}

impl Findings {
    /// None yet. `names` are those of models and tools, which are said in clear.
    pub(super) fn new(names: impl IntoIterator<Item = String>) -> Self {
        let window = Window::new(AuditTrigger::OnDemand, None, SystemClock::new().now());
        Self { known: Vocabulary::new(names), fold: Some(Fold::new(window)), lines: 0 }
    }

    /// Takes note of what the view sees.
    pub(super) fn on(&mut self, observed: &Observed) {
        let envelope = match observed {
            Observed::Message(envelope) => envelope,
            Observed::Lagged(_) => {
                self.fold = None;
                return;
            }
        };
        let Some(fold) = &mut self.fold else { return };
        self.lines += 1;
        fold.line(&Line::Event(AuditEvent {
            line: self.lines,
            at: envelope.at,
            run_id: envelope.run_id,
            seq: envelope.seq,
            from: envelope.from,
            kind: envelope.message.kind(),
            facts: facts(envelope, &self.known),
            prev_hash: String::new(),
        }));
    }

    /// What a person should know of, in sentences, the most important first. Afterwards there is nothing more to tell.
    pub(super) fn sentences(&mut self) -> Vec<String> {
        let Some(report) = self.fold.take().map(Fold::finish) else { return Vec::new() };
        let violations = report.boundary_violations.iter().map(ToString::to_string);
        let anomalies = report.anomalies.iter().filter(|anomaly| concerns_a_person(anomaly.kind()));
        let mut sentences: Vec<String> = violations.chain(anomalies.map(ToString::to_string)).collect();
        let more = sentences.len().saturating_sub(TOLD);
        sentences.truncate(TOLD);
        if more > 0 {
            sentences.push(format!("{more} more: artoo audit report"));
        }
        sentences
    }
}

fn concerns_a_person(kind: AnomalyKind) -> bool {
    match kind {
        AnomalyKind::SecondFinalResult
        | AnomalyKind::FanInIncomplete
        | AnomalyKind::DuplicateId
        | AnomalyKind::LimitExceeded
        | AnomalyKind::MailboxOverflow
        | AnomalyKind::ModelFailing
        | AnomalyKind::ModelUnusable
        | AnomalyKind::ToolFailing => true,
        // How the loss moved is the result's to tell, and `artoo runs explain` tells why.
        AnomalyKind::GgsThrashing | AnomalyKind::Oscillation | AnomalyKind::NoImprovement => false,
        // Of a log, which is not read here, or of a run that has not ended.
        AnomalyKind::LogUnreadable
        | AnomalyKind::LogChanged
        | AnomalyKind::LineUnreadable
        | AnomalyKind::MessagesMissing
        | AnomalyKind::NoFinalResult
        | AnomalyKind::MessagesLost
        | AnomalyKind::LineTorn
        | AnomalyKind::LogBehind => false,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use artoo_bus::{Lag, Refusal, RefusalReason};
    use artoo_types::{Envelope, Message, MessageKind, ModelCall, Role, RunId, Warning};

    use super::*;

    fn seen(messages: Vec<(Role, Message)>) -> Findings {
        let run_id: RunId = serde_json::from_str("\"0197c0de-0000-7000-8000-000000000001\"").unwrap();
        let mut findings = Findings::new(["small".to_owned()]);
        for (seq, (from, message)) in (1..).zip(messages) {
            findings.on(&Observed::Message(Arc::new(Envelope {
                seq,
                run_id,
                at: "2026-03-01T12:00:00+01:00".parse().unwrap(),
                elapsed_ms: seq,
                from,
                message: Arc::new(message),
            })));
        }
        findings
    }

    fn call(model: &str, error: Option<&str>) -> (Role, Message) {
        let call = ModelCall {
            role: Role::Planner,
            subtask_id: None,
            model: model.to_owned(),
            prompt_tokens: 1,
            cached_tokens: 0,
            completion_tokens: 1,
            estimated: false,
            elapsed_ms: 1,
            requests: 1,
            usable: None,
            error: error.map(str::to_owned),
        };
        (Role::Planner, call.into())
    }

    fn refused(kind: MessageKind) -> (Role, Message) {
        let refusal = Refusal { role: Role::Executor, kind, reason: RefusalReason::Boundary };
        (Role::Supervisor, Warning { role: Role::Executor, message: refusal.to_string() }.into())
    }

    #[test]
    fn a_run_in_which_all_went_well_has_none() {
        assert_eq!(seen(vec![call("small", None); 9]).sentences(), [""; 0]);
    }

    #[test]
    fn what_breaks_a_contract_comes_before_what_fails_often() {
        let mut messages = vec![call("small", Some("no")); 5];
        messages.push(refused(MessageKind::FinalResult));
        let mut findings = seen(messages);
        let told = findings.sentences();
        let [violation, failing] = told.as_slice() else { panic!("{told:?}") };
        assert!(violation.contains("executor") && violation.contains("final_result"), "{violation}");
        assert!(failing.contains("small") && failing.contains('5'), "{failing}");
        assert_eq!(findings.sentences(), [""; 0], "told once");
    }

    #[test]
    fn of_many_some_are_told_and_the_others_counted() {
        let told = seen(vec![refused(MessageKind::Plan); 8]).sentences();
        assert_eq!((told.len(), told[5].as_str()), (6, "3 more: artoo audit report"));
    }

    #[test]
    fn where_messages_were_lost_nothing_is_said() {
        let mut findings = seen(vec![refused(MessageKind::Plan)]);
        findings.on(&Observed::Lagged(Lag { ranges: Vec::new() }));
        assert_eq!(findings.sentences(), [""; 0]);
    }
}
