//! Tests that a report depends on the log alone: not on which process wrote which line, or was killed.

use std::collections::VecDeque;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use artoo_auditor::{
    AuditLog, Entry, Facts, LOG_NAME, LogReporter, PERIOD, What, Window, report, reported_until,
    run as auditor, verify,
};
use artoo_types::{Anomaly, AuditQuery, AuditReport, AuditTrigger, Message, MessageKind, Role, RunId};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::fixtures::{append, bus, clock, noon, run_id};

fn entry(run_id: RunId, seq: u64, from: Role, kind: MessageKind, facts: Value, minutes: i64) -> Entry {
    let facts: Facts = facts.as_object().cloned().unwrap();
    let at = noon() + chrono::Duration::minutes(minutes);
    Entry { at, what: What::Event { run_id, seq, from, kind, facts } }
}

/// Entries that trigger every check.
fn eventful() -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut say = |run: u128, from, kind, facts| {
        let seq = 1 + entries
            .iter()
            .filter(
                |entry: &&Entry| matches!(&entry.what, What::Event { run_id: of, .. } if *of == run_id(run)),
            )
            .count() as u64;
        entries.push(entry(run_id(run), seq, from, kind, facts, 0));
    };
    for run in 1..=2 {
        say(run, Role::User, MessageKind::UserRequest, json!({"max_replans": 9, "max_retries": 2}));
    }
    say(1, Role::Dispatcher, MessageKind::DispatchManifest, json!({"round": 1, "subtasks": 2, "kept": 0}));
    for n in [1, 1] {
        say(1, Role::Dispatcher, MessageKind::SubTask, json!({"subtask_id": run_id(n)}));
    }
    for n in 0..6 {
        say(2, Role::Executor, MessageKind::ToolFinished, json!({"tool": "shell", "class": "logical"}));
        say(1, Role::Planner, MessageKind::ModelCall, json!({"model": "m", "ok": n > 4, "usable": false}));
    }
    say(1, Role::MetaValidator, MessageKind::ReplanRequest, json!({"failed": 1, "matched": 0}));
    for (d, step) in [(0.8, 0.0), (0.3, -0.4), (0.8, 0.4), (0.8, 0.0)] {
        let facts = json!({"D": d, "grad_goal": step, "directive": "break_symmetry"});
        say(1, Role::Ggs, MessageKind::PlanDirective, facts);
    }
    say(
        1,
        Role::Supervisor,
        MessageKind::Warning,
        json!({"role": "ggs", "refused": "plan", "reason": "boundary"}),
    );
    for _ in 0..2 {
        say(1, Role::Ggs, MessageKind::FinalResult, json!({"D": 0.8, "grad_goal": 0.0}));
    }
    entries
}

fn window(minutes: i64) -> Window {
    Window::new(AuditTrigger::OnDemand, None, noon() + chrono::Duration::minutes(minutes))
}

fn write(folder: &Path, entries: &[Entry]) {
    let (mut log, _) = AuditLog::open(folder, noon()).unwrap();
    append(&mut log, entries.iter().cloned());
    // A killed process runs no destructor.
    std::mem::forget(log);
}

fn reported(folder: &Path) -> AuditReport {
    report(&folder.join(LOG_NAME), &window(100)).unwrap()
}

fn in_one() -> AuditReport {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &eventful());
    reported(folder.path())
}

/// The other tests are only meaningful while these entries trigger every check.
#[test]
fn the_eventful_log_has_something_for_every_watch() {
    let report = in_one();
    let kinds: Vec<&str> = report.anomalies.iter().map(|anomaly| anomaly.kind().name()).collect();
    assert_eq!(
        kinds,
        [
            "second_final_result",
            "fan_in_incomplete",
            "duplicate_id",
            "no_final_result",
            "model_failing",
            "model_unusable",
            "tool_failing",
            "ggs_thrashing",
            "ggs_thrashing",
            "oscillation"
        ]
    );
    assert_eq!((report.boundary_violations.len(), report.gap_trends.len()), (1, 1));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 48, ..ProptestConfig::default() })]

    /// Lesson 22: the ancestor's counts were gone after a restart.
    #[test]
    fn any_number_of_processes_write_one_history(cuts in prop::collection::vec(0..40_usize, 0..6)) {
        let folder = tempfile::tempdir().unwrap();
        let mut rest = &eventful()[..];
        for cut in cuts {
            let (part, later) = rest.split_at(cut.min(rest.len()));
            write(folder.path(), part);
            rest = later;
        }
        write(folder.path(), rest);
        prop_assert_eq!(reported(folder.path()), in_one());
        prop_assert!(verify(&folder.path().join(LOG_NAME)).unwrap().gaps.is_empty());
    }

    /// A process is killed in the middle of a line, before the head knows of it: the next one records that
    /// and continues.
    #[test]
    fn a_process_that_is_killed_in_a_line_loses_that_line_alone(whole in 0..20_usize, cut in 1..60_u64) {
        let folder = tempfile::tempdir().unwrap();
        let (path, head) = (folder.path().join(LOG_NAME), folder.path().join("audit.head"));
        let entries = eventful();
        write(folder.path(), &entries[..whole]);
        let before = (fs::metadata(&path).unwrap().len(), fs::read(&head).unwrap());
        write(folder.path(), &entries[whole..=whole]);
        fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(before.0 + cut).unwrap();
        fs::write(&head, &before.1).unwrap();

        write(folder.path(), &entries[whole..]);
        let mut expected = in_one();
        let torn = Anomaly::LineTorn { line: whole as u64 + 2, bytes: cut };
        expected.anomalies.push(torn);
        prop_assert_eq!(reported(folder.path()), expected);
        prop_assert_eq!(verify(&path).unwrap().gaps.len(), 1);
    }
}

/// Queries are read-only: the log, its head, and all later answers stay the same.
#[test]
fn asking_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &eventful());
    let files = || {
        let mut files: Vec<_> =
            fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path()).collect();
        files.sort();
        let state = |path: &std::path::PathBuf| {
            (path.clone(), fs::read(path).unwrap(), fs::metadata(path).unwrap().modified().unwrap())
        };
        files.iter().map(state).collect::<Vec<_>>()
    };
    let (before, first) = (files(), reported(folder.path()));
    for minutes in [0, 60, 600] {
        let since = Some(noon() - chrono::Duration::minutes(minutes));
        let window = Window { since, ..window(minutes) };
        report(&folder.path().join(LOG_NAME), &window).unwrap();
        reported_until(&folder.path().join(LOG_NAME)).unwrap();
    }
    assert_eq!(reported(folder.path()), first);
    assert!(files() == before, "no byte and no time of a file changed");
}

/// The first periodic report of a process begins at the end of another process's last one, and no two reports
/// cover the same messages.
#[tokio::test(start_paused = true)]
async fn periodic_reports_leave_nothing_out_across_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let correction = |seq, minutes| {
        let facts = json!({"subtask_id": run_id(9), "class": "logical"});
        entry(run_id(1), seq, Role::AgentValidator, MessageKind::CorrectionSignal, facts, minutes)
    };
    let until = noon() + chrono::Duration::minutes(10);
    let periodic = json!({"trigger": "periodic", "tasks_observed": 1, "until": until});
    let asked =
        json!({"trigger": "on-demand", "tasks_observed": 1, "until": until + chrono::Duration::minutes(2)});
    let operator = |seq, facts, minutes| {
        entry(RunId::OPERATOR, seq, Role::Auditor, MessageKind::AuditReport, facts, minutes)
    };
    let entries = [
        correction(1, 5),
        operator(1, periodic, 10),
        correction(2, 11),
        operator(2, asked, 12),
        correction(3, 13),
    ];
    write(folder.path(), &entries);

    let clock = clock();
    clock.advance(Duration::from_secs(20 * 60));
    let bus = bus(&clock);
    let operator = bus.open(RunId::OPERATOR).unwrap();
    let reporter = Arc::new(LogReporter::new(folder.path().join(LOG_NAME), None));
    tokio::spawn(auditor(operator.port(Role::Auditor).unwrap(), reporter, clock.clone(), PERIOD));
    let mut user = operator.port(Role::User).unwrap();
    let mut next = async || {
        let envelope = user.recv().await.unwrap();
        let Message::AuditReport(report) = envelope.message.as_ref() else { panic!("{envelope:?}") };
        report.clone()
    };
    let first = next().await;
    assert_eq!((first.trigger, first.window_start), (AuditTrigger::Periodic, Some(until)));
    assert_eq!(
        (first.tasks_observed, first.total_corrections),
        (1, 2),
        "those after the last periodic report"
    );
    clock.advance(PERIOD);
    let second = next().await;
    assert_eq!((second.window_start, second.total_corrections), (Some(first.window_end), 0));
}

#[test]
fn a_log_without_a_periodic_report_is_reported_from_its_first_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(LOG_NAME);
    assert_eq!(reported_until(&path).unwrap(), None);
    write(folder.path(), &eventful());
    assert_eq!(reported_until(&path).unwrap(), Some(noon()));
    // A foreign value there is not a time.
    let strange = json!({"trigger": "periodic", "until": "tomorrow"});
    write(folder.path(), &[entry(RunId::OPERATOR, 1, Role::Auditor, MessageKind::AuditReport, strange, 3)]);
    assert_eq!(reported_until(&path).unwrap(), Some(noon()));
}

/// The tap is the auditor's only input, and a query the operator's only one: both are logged, and nothing
/// that a role sees changes.
#[tokio::test(start_paused = true)]
async fn a_question_reaches_no_role() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &eventful());
    let clock = clock();
    let bus = bus(&clock);
    let operator = bus.open(RunId::OPERATOR).unwrap();
    let run = bus.open(run_id(7)).unwrap();
    let mut observer = run.observe(8);
    let reporter = Arc::new(LogReporter::new(folder.path().join(LOG_NAME), None));
    tokio::spawn(auditor(operator.port(Role::Auditor).unwrap(), reporter, clock, PERIOD));
    let mut user = operator.port(Role::User).unwrap();
    user.publish(AuditQuery { since: None }).unwrap();
    assert_eq!(user.recv().await.unwrap().message.kind(), MessageKind::AuditReport);
    assert!(observer.try_recv().is_none());
    for kind in MessageKind::ALL.iter().copied().filter(|kind| *kind != MessageKind::AuditReport) {
        assert!(!artoo_bus::contract::may_publish(Role::Auditor, kind), "{kind:?}");
        let hears = artoo_bus::contract::receivers(Role::User, kind).contains(Role::Auditor);
        assert_eq!(hears, kind == MessageKind::AuditQuery, "{kind:?}");
    }
}

/// Queued entries may be lost if a process dies; appended ones are not.
#[test]
fn what_was_appended_survives_without_a_sync() {
    let folder = tempfile::tempdir().unwrap();
    let (mut log, _) = AuditLog::open(folder.path(), noon()).unwrap();
    let mut queue: VecDeque<Entry> = eventful().into();
    log.append(&mut queue).unwrap();
    std::mem::forget(log);
    assert_eq!(reported(folder.path()), in_one());
}
