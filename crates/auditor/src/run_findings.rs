//! What is out of order in one run, for the person who started it.
//!
//! Computed by the auditor's own fold from the messages that the view sees anyway: reading the whole log at the end of each run would
//! take longer with every run. What needs the log, as how roles behave over time, `artoo audit report` tells.

use std::collections::BTreeSet;

use artoo_bus::Observed;
use artoo_types::{AnomalyKind, AuditEvent, AuditTrigger, MessageKind};
use chrono::{DateTime, FixedOffset};

use crate::{Line, ReportFold, Vocabulary, Window, facts};

/// The findings of one run so far.
pub struct RunFindings {
    known: Vocabulary,
    /// `None` once messages were lost: what is not there would be taken for what did not happen.
    fold: Option<ReportFold>,
    lines: u64,
    /// The kinds of what was said of the way of the run.
    said: BTreeSet<AnomalyKind>,
}

impl RunFindings {
    /// None yet, of a run that begins now. `names` are those of models and tools, which are said in clear.
    pub fn new(names: impl IntoIterator<Item = String>, now: DateTime<FixedOffset>) -> Self {
        let window = Window::new(AuditTrigger::OnDemand, None, now);
        Self {
            known: Vocabulary::new(names),
            fold: Some(ReportFold::new(window)),
            lines: 0,
            said: BTreeSet::new(),
        }
    }

    /// Takes note of what the view sees. Returns what a person should know at once: that the run does not come closer to its goal, once for
    /// each way of that.
    pub fn on(&mut self, observed: &Observed) -> Vec<String> {
        let envelope = match observed {
            Observed::Message(envelope) => envelope,
            Observed::Lagged(_) => {
                self.fold = None;
                return Vec::new();
            }
        };
        let Some(fold) = &mut self.fold else { return Vec::new() };
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
        if envelope.message.kind() != MessageKind::PlanDirective {
            return Vec::new();
        }
        let new = fold.astray().into_iter().filter(|anomaly| self.said.insert(anomaly.kind()));
        // There is one run here, which need not be named.
        let name = format!("run {}: ", envelope.run_id);
        new.map(|anomaly| anomaly.to_string().replacen(&name, "", 1)).collect()
    }

    /// What a person should know of, in sentences, the most important first. Afterwards there is nothing more to tell.
    pub fn sentences(&mut self) -> Vec<String> {
        let Some(report) = self.fold.take().map(ReportFold::finish) else { return Vec::new() };
        let violations = report.boundary_violations.iter().map(ToString::to_string);
        let anomalies = report.anomalies.iter().filter(|anomaly| concerns_a_person(anomaly.kind()));
        violations.chain(anomalies.map(ToString::to_string)).collect()
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
        // Told as they come; how the loss moved is the result's to tell, and `artoo runs explain` tells why.
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

    fn now() -> DateTime<FixedOffset> {
        "2026-03-01T12:00:00+01:00".parse().unwrap()
    }

    fn seen(messages: Vec<(Role, Message)>) -> RunFindings {
        let mut findings = RunFindings::new(["small".to_owned()], now());
        told(&mut findings, messages);
        findings
    }

    /// What is said at once of each of these messages.
    fn told(findings: &mut RunFindings, messages: Vec<(Role, Message)>) -> Vec<Vec<String>> {
        let run_id: RunId = serde_json::from_str("\"0197c0de-0000-7000-8000-000000000001\"").unwrap();
        let envelope = |(seq, (from, message))| {
            Observed::Message(Arc::new(Envelope {
                seq,
                run_id,
                at: now(),
                elapsed_ms: seq,
                from,
                message: Arc::new(message),
            }))
        };
        (1..).zip(messages).map(|numbered| findings.on(&envelope(numbered))).collect()
    }

    fn directive(word: &str, d: f64, moved: f64) -> (Role, Message) {
        let sample = include_str!("../../types/tests/golden/plan_directive.json");
        let mut directive: serde_json::Value = serde_json::from_str(sample).unwrap();
        directive["directive"] = word.into();
        directive["loss"]["D"] = d.into();
        directive["grad_goal"] = moved.into();
        let directive: artoo_types::PlanDirective = serde_json::from_value(directive).unwrap();
        (Role::Ggs, directive.into())
    }

    #[test]
    fn a_run_that_does_not_come_closer_is_told_as_it_goes_and_once() {
        let mut findings = seen(Vec::new());
        let rounds = [("refine", 0.5, 0.0), ("break_symmetry", 0.5, 0.0), ("break_symmetry", 0.5, 0.0)];
        let rounds = rounds.into_iter().chain([("break_symmetry", 0.5, 0.0)]);
        let said = told(&mut findings, rounds.map(|(word, d, moved)| directive(word, d, moved)).collect());
        let expected: [&[&str]; 4] = [
            &[],
            &[],
            &[
                "break_symmetry twice in a row, and D did not fall (0.50, 0.50)",
                "3 plans and no improvement: stable (D 0.50, 0.50, 0.50)",
            ],
            &[],
        ];
        assert_eq!(said, expected);
    }

    #[test]
    fn a_run_that_goes_to_and_fro_is_told() {
        let mut findings = seen(Vec::new());
        let rounds = [("refine", 0.8, 0.0), ("refine", 0.4, -0.4), ("change_path", 0.8, 0.4)];
        let said = told(&mut findings, rounds.map(|(word, d, moved)| directive(word, d, moved)).into());
        assert_eq!(said.concat(), ["D went and came back (0.80, 0.40, 0.80)"]);
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
    fn where_messages_were_lost_nothing_is_said() {
        let mut findings = seen(vec![refused(MessageKind::Plan)]);
        findings.on(&Observed::Lagged(Lag { ranges: Vec::new() }));
        assert_eq!(findings.sentences(), [""; 0]);
    }
}
