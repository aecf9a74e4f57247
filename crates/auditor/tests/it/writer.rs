//! Tests of the writer thread between the bus and the log.

use std::fs;
use std::sync::{Arc, Mutex};

use artoo_auditor::{
    AuditError, AuditLog, AuditWriter, Gap, LOG_NAME, Line, OnWriteError, Vocabulary, Window, report, verify,
    warning,
};
use artoo_types::{AuditTrigger, MessageKind, Role};

use crate::fixtures::{bus, clock, golden, noon, run_id};

fn silent() -> OnWriteError {
    Box::new(|error: &AuditError| panic!("{error}"))
}

#[test]
fn everything_that_passes_is_in_the_log_in_the_order_of_each_run() {
    let folder = tempfile::tempdir().unwrap();
    let clock = clock();
    let bus = bus(&clock);
    let (log, _) = AuditLog::open(folder.path(), noon()).unwrap();
    let writer = AuditWriter::start(bus.tap(100_000), log, Vocabulary::default(), clock, silent()).unwrap();
    let threads: Vec<_> = (1..=4_u128)
        .map(|n| {
            let bus = bus.clone();
            std::thread::spawn(move || {
                let run = bus.open(run_id(n)).unwrap();
                let executor = run.port(Role::Executor).unwrap();
                for _ in 0..500 {
                    executor.publish(golden(MessageKind::ToolOutput)).unwrap();
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    writer.stop().unwrap();
    let path = folder.path().join(LOG_NAME);
    assert_eq!(verify(&path).unwrap().lines, 2_000);
    let mut last = std::collections::BTreeMap::new();
    for line in fs::read_to_string(&path).unwrap().lines() {
        let Some(Line::Event(event)) = Line::parse(line.as_bytes()) else { panic!("{line}") };
        let seq = last.entry(event.run_id).or_insert(0);
        *seq += 1;
        assert_eq!(event.seq, *seq);
    }
}

/// A process at work keeps the index: the next report need not read what it has read.
#[test]
fn older_lines_are_summed_up_while_no_message_waits() {
    let folder = tempfile::tempdir().unwrap();
    crate::fixtures::a_log(folder.path(), 16_384);
    let path = folder.path().join(LOG_NAME);
    let whole = Window::new(AuditTrigger::OnDemand, None, noon());
    let before = report(&path, &whole).unwrap();
    let clock = clock();
    let bus = bus(&clock);
    let (log, _) = AuditLog::open(folder.path(), noon()).unwrap();
    let writer = AuditWriter::start(bus.tap(9), log, Vocabulary::default(), clock, silent()).unwrap();
    let run = bus.open(run_id(2)).unwrap();
    run.port(Role::Executor).unwrap().publish(golden(MessageKind::ToolOutput)).unwrap();
    writer.stop().unwrap();
    assert_eq!(verify(&path).unwrap().lines, 16_386, "the message and the seal");
    let index = fs::read_to_string(path.with_extension("index")).unwrap();
    assert_eq!(index.lines().count(), 1);
    let after = report(&path, &whole).unwrap();
    assert_eq!((after.tasks_observed, after.anomalies), (before.tasks_observed + 1, before.anomalies));
}

/// A tap that overflows loses messages, and the log says exactly which.
#[test]
fn what_the_tap_lost_is_in_the_log_as_a_gap() {
    let folder = tempfile::tempdir().unwrap();
    let clock = clock();
    let bus = bus(&clock);
    let tap = bus.tap(3);
    let run = bus.open(run_id(1)).unwrap();
    let executor = run.port(Role::Executor).unwrap();
    for _ in 0..10 {
        executor.publish(golden(MessageKind::ToolOutput)).unwrap();
    }
    let (log, _) = AuditLog::open(folder.path(), noon()).unwrap();
    AuditWriter::start(tap, log, Vocabulary::default(), clock, silent()).unwrap().stop().unwrap();
    let verified = verify(&folder.path().join(LOG_NAME)).unwrap();
    assert_eq!(verified.lines, 4);
    assert_eq!(verified.gaps[0].gap, Gap::Lagged { run_id: run_id(1), first_seq: 1, last_seq: 7 });
}

/// The log's folder disappears under the writer: the run continues, the operator is told once, and the thread
/// still ends.
#[test]
fn a_log_that_cannot_be_written_is_reported_once_and_stops_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("audit");
    let clock = clock();
    let bus = bus(&clock);
    let (log, _) = AuditLog::open(&home, noon()).unwrap();
    fs::remove_dir_all(&home).unwrap();

    let told = Arc::new(Mutex::new(Vec::new()));
    let teller = told.clone();
    let on_trouble = Box::new(move |error: &AuditError| teller.lock().unwrap().push(warning(error)));
    let writer = AuditWriter::start(bus.tap(16), log, Vocabulary::default(), clock, on_trouble).unwrap();
    let run = bus.open(run_id(1)).unwrap();
    let executor = run.port(Role::Executor).unwrap();
    for _ in 0..5 {
        executor.publish(golden(MessageKind::ToolOutput)).unwrap();
    }
    assert!(matches!(writer.stop().unwrap_err(), AuditError::Gone { .. }));
    let told = told.lock().unwrap();
    let [warning] = &told[..] else { panic!("{told:?}") };
    assert_eq!(warning.role, Role::Auditor);
    assert!(warning.message.contains("was removed or replaced while it was written"), "{}", warning.message);
}
