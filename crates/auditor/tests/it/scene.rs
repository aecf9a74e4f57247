//! Test fixture: messages of a real bus as log lines, and lines that no bus would produce.

use artoo_auditor::{Line, ReportFold, Vocabulary, Window, facts};
use artoo_bus::{Bus, Observed, RunBus, Tap};
use artoo_types::{AuditEvent, AuditReport, AuditTrigger, Message, MessageKind, Role};
use serde_json::{Value, json};

use crate::fixtures::{bus, clock, golden, golden_with, noon, run_id};

/// A bus with a tap, and the report on its messages.
pub(crate) struct Scene {
    pub(crate) clock: std::sync::Arc<artoo_bus::ManualClock>,
    bus: Bus,
    tap: Tap,
    pub(crate) lines: Vec<Line>,
}

impl Scene {
    pub(crate) fn new() -> Self {
        let clock = clock();
        let bus = bus(&clock);
        Self { clock, tap: bus.tap(10_000), bus, lines: Vec::new() }
    }

    /// A scene on a given bus; its clock stands still.
    pub(crate) fn on(bus: Bus) -> Self {
        Self { clock: clock(), tap: bus.tap(10_000), bus, lines: Vec::new() }
    }

    pub(crate) fn run(&self, n: u128) -> RunBus {
        self.bus.open(run_id(n)).unwrap()
    }

    /// Appends the lines that the writer would make of the messages so far.
    fn log(&mut self) {
        while let Some(observed) = self.tap.try_recv() {
            let Observed::Message(envelope) = observed else { panic!("{observed:?}") };
            self.lines.push(Line::Event(AuditEvent {
                line: self.lines.len() as u64 + 1,
                at: envelope.at,
                run_id: envelope.run_id,
                seq: envelope.seq,
                from: envelope.from,
                kind: envelope.message.kind(),
                facts: facts(&envelope, &Vocabulary::default()),
                prev_hash: String::new(),
            }));
        }
    }

    pub(crate) fn report_since(
        &mut self,
        since: Option<chrono::DateTime<chrono::FixedOffset>>,
    ) -> AuditReport {
        self.log();
        let now = artoo_bus::Clock::now(&*self.clock);
        let mut fold = ReportFold::new(Window::new(AuditTrigger::OnDemand, since, now));
        self.lines.iter().for_each(|line| fold.line(line));
        fold.finish()
    }

    pub(crate) fn report(&mut self) -> AuditReport {
        self.report_since(None)
    }
}

pub(crate) fn directive(directive: &str, d: f64, grad_goal: f64) -> Message {
    let fields = json!({
        "directive": directive, "grad_goal": grad_goal, "loss": {"D": d, "P": 1.0, "Omega": 0.1, "L": 0.5},
    });
    golden_with(MessageKind::PlanDirective, fields)
}

/// The end of a run without a fault.
pub(crate) fn no_fault() -> Message {
    golden_with(MessageKind::FinalResult, json!({"fault": null}))
}

pub(crate) fn say(run: &RunBus, role: Role, messages: impl IntoIterator<Item = Message>) {
    let port = run.port(role).unwrap();
    for message in messages {
        port.publish(message).unwrap();
    }
}

pub(crate) fn a_whole_run(scene: &Scene, n: u128) -> RunBus {
    let run = scene.run(n);
    say(&run, Role::User, [golden(MessageKind::UserRequest)]);
    say(&run, Role::Executor, [golden_with(MessageKind::ExecutionResult, json!({"status": "failed"}))]);
    let correction = |(n, class): (u128, &str)| {
        golden_with(MessageKind::CorrectionSignal, json!({"subtask_id": run_id(n), "failure_class": class}))
    };
    let corrections = [(1, "logical"), (1, "environmental"), (2, "unknown")].map(correction);
    say(&run, Role::AgentValidator, corrections);
    say(&run, Role::Ggs, [directive("refine", 0.8, 0.0), no_fault()]);
    run
}

pub(crate) fn line(seq: u64, from: Role, kind: MessageKind, facts: Value) -> Line {
    Line::Event(AuditEvent {
        line: seq,
        at: noon(),
        run_id: run_id(7),
        seq,
        from,
        kind,
        facts: facts.as_object().cloned().unwrap(),
        prev_hash: String::new(),
    })
}

pub(crate) fn fold(lines: impl IntoIterator<Item = Line>, minutes: i64) -> AuditReport {
    let mut fold = ReportFold::new(Window::new(
        AuditTrigger::OnDemand,
        None,
        noon() + chrono::Duration::minutes(minutes),
    ));
    lines.into_iter().for_each(|line| fold.line(&line));
    fold.finish()
}
