//! Tests of the actor on a real bus.

use std::sync::Arc;
use std::time::Duration;

use artoo_auditor::{
    AuditError, AuditLog, AuditWriter, LogReporter, PERIOD, Reporter, Vocabulary, Window, run as auditor,
};
use artoo_bus::{Clock, SystemClock};
use artoo_types::{AuditQuery, AuditReport, AuditTrigger, Message, MessageKind, Role, RunId};
use async_trait::async_trait;

use crate::fixtures::{bus, clock, golden, noon, run_id};

fn report(message: &Message) -> &AuditReport {
    let Message::AuditReport(report) = message else { panic!("{message:?}") };
    report
}

/// An answer covers everything published before the query, although another thread writes the log.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_covers_what_came_before_the_question() {
    let folder = tempfile::tempdir().unwrap();
    let clock = Arc::new(SystemClock::new());
    let bus = artoo_bus::Bus::new(clock.clone(), Default::default());
    let (log, _) = AuditLog::open(folder.path(), clock.now()).unwrap();
    let path = log.path().to_owned();
    let on_trouble = Box::new(|error: &AuditError| panic!("{error}"));
    let writer =
        AuditWriter::start(bus.tap(4_096), log, Vocabulary::default(), clock.clone(), on_trouble).unwrap();
    let operator = bus.open(RunId::OPERATOR).unwrap();
    let reporter = Arc::new(LogReporter::new(path, Some(writer.progress())));
    let actor = tokio::spawn(auditor(operator.port(Role::Auditor).unwrap(), reporter, clock, PERIOD));
    let mut user = operator.port(Role::User).unwrap();

    for n in 1..=20 {
        let run = bus.open(run_id(n)).unwrap();
        run.port(Role::AgentValidator).unwrap().publish(golden(MessageKind::CorrectionSignal)).unwrap();
        user.publish(AuditQuery { since: None }).unwrap();
        let answer = user.recv().await.unwrap();
        assert_eq!(answer.from, Role::Auditor);
        let report = report(&answer.message);
        assert_eq!((report.tasks_observed, report.total_corrections), (n as u64, n as u64));
        assert_eq!((report.trigger, report.anomalies.len()), (AuditTrigger::OnDemand, 0));
    }
    operator.close();
    actor.await.unwrap();
    writer.stop().unwrap();
}

/// Records its queries.
#[derive(Default)]
struct Asked(std::sync::Mutex<Vec<Window>>);

#[async_trait]
impl Reporter for Asked {
    async fn report(&self, window: Window, _after: Option<u64>) -> Result<AuditReport, AuditError> {
        self.0.lock().unwrap().push(window);
        Err(AuditError::NotAFile { path: "/a/audit.jsonl".into() })
    }
}

#[tokio::test(start_paused = true)]
async fn it_reports_every_five_minutes_about_the_last_five_and_always_answers() {
    let clock = clock();
    let bus = bus(&clock);
    let operator = bus.open(RunId::OPERATOR).unwrap();
    let asked = Arc::new(Asked::default());
    tokio::spawn(auditor(operator.port(Role::Auditor).unwrap(), asked.clone(), clock.clone(), PERIOD));
    let mut user = operator.port(Role::User).unwrap();
    for _ in 0..2 {
        tokio::task::yield_now().await;
        clock.advance(PERIOD);
        let answer = user.recv().await.unwrap();
        assert_eq!(report(&answer.message).trigger, AuditTrigger::Periodic);
        assert!(report(&answer.message).anomalies[0].to_string().contains("is not a regular file"));
    }
    user.publish(AuditQuery { since: None }).unwrap();
    user.recv().await.unwrap();
    let windows: Vec<_> =
        asked.0.lock().unwrap().iter().map(|window| (window.trigger, window.since)).collect();
    assert_eq!(
        windows,
        [
            (AuditTrigger::Periodic, Some(noon())),
            (AuditTrigger::Periodic, Some(noon() + chrono::Duration::from_std(PERIOD).unwrap())),
            (AuditTrigger::OnDemand, None),
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn it_ends_with_the_operators_run() {
    let clock = clock();
    let bus = bus(&clock);
    let operator = bus.open(RunId::OPERATOR).unwrap();
    let port = operator.port(Role::Auditor).unwrap();
    let actor = tokio::spawn(auditor(port, Arc::new(Asked::default()), clock, Duration::from_secs(1)));
    operator.close();
    actor.await.unwrap();
}
