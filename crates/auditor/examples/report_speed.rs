//! Writes an audit log of a given length, and measures reports of it with and without the index.
//!
//! `cargo run --release -p artoo-auditor --example report_speed -- 1000000`

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "the figures are its output")]

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use artoo_auditor::{
    AuditLog, AuditWriter, Entry, Facts, LOG_NAME, Vocabulary, What, Window, report, verify,
};
use artoo_bus::{Bus, BusLimits, Clock, SystemClock};
use artoo_types::{AuditTrigger, MessageKind, Role, RunId, Warning};
use chrono::{DateTime, FixedOffset, TimeDelta};
use serde_json::json;
use uuid::Uuid;

/// Messages of a run, as the smallest real one has.
const MESSAGES: u64 = 22;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let lines = std::env::args().nth(1).map_or(Ok(1_000_000), |lines| lines.parse::<u64>())?;
    let folder = tempfile::tempdir()?;
    let (path, clock) = (folder.path().join(LOG_NAME), std::sync::Arc::new(SystemClock::new()));
    // A year of runs, the last of them now.
    let apart = TimeDelta::milliseconds(365 * 86_400_000 / i64::try_from(lines)?.max(1));
    let begin = clock.now() - TimeDelta::days(365);
    write(folder.path(), lines, begin, apart)?;
    let windows = [("all", None), ("30 days", Some(30)), ("24 h", Some(1)), ("200 days", Some(200))];
    let measure = |name: &str| -> Result<(), Box<dyn std::error::Error>> {
        for (window, days) in windows {
            let now = clock.now();
            let since = days.map(|days| now - TimeDelta::days(days));
            let started = Instant::now();
            let report = report(&path, &Window::new(AuditTrigger::OnDemand, since, now))?;
            println!(
                "{name}, {window}: {:.2} s, {} runs",
                started.elapsed().as_secs_f64(),
                report.tasks_observed
            );
        }
        Ok(())
    };
    println!("{lines} lines, {:.0} MB", std::fs::metadata(&path)?.len() as f64 / 1e6);
    measure("without the index")?;
    let started = Instant::now();
    // A process at work sums up a stretch after each batch that it writes.
    let bus = Bus::new(clock.clone(), BusLimits::default());
    let (log, _) = AuditLog::open(folder.path(), clock.now())?;
    let on_trouble = Box::new(|error: &artoo_auditor::AuditError| eprintln!("{error}"));
    let writer = AuditWriter::start(bus.tap(4096), log, Vocabulary::default(), clock.clone(), on_trouble)?;
    let run = bus.open(RunId::new(Uuid::now_v7()))?;
    let port = run.port(Role::Planner)?;
    let stretches = lines / 16_384;
    for _ in 0..stretches {
        let sealed = || std::fs::metadata(path.with_extension("index")).map_or(0, |index| index.len());
        let before = sealed();
        port.publish(Warning { role: Role::Planner, message: String::new() })?;
        let asked = Instant::now();
        while sealed() == before && asked.elapsed() < Duration::from_secs(10) {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    writer.stop()?;
    let index = std::fs::metadata(path.with_extension("index"))?.len() as f64 / 1e6;
    println!("summed up in {:.1} s, {stretches} stretches, {index:.1} MB", started.elapsed().as_secs_f64());
    measure("with the index")?;
    let started = Instant::now();
    verify(&path)?;
    println!("verified in {:.2} s, every line", started.elapsed().as_secs_f64());
    Ok(())
}

fn write(
    folder: &std::path::Path,
    lines: u64,
    begin: DateTime<FixedOffset>,
    apart: TimeDelta,
) -> Result<(), Box<dyn std::error::Error>> {
    let (mut log, _) = AuditLog::open(folder, begin)?;
    let mut at = begin;
    let mut run_id = RunId::new(Uuid::now_v7());
    let mut pending = VecDeque::new();
    for n in 0..lines {
        let (seq, from, kind, facts) = message(n);
        if seq == 1 {
            run_id = RunId::new(Uuid::now_v7());
        }
        at += apart;
        let facts: Facts = facts.as_object().cloned().unwrap_or_default();
        pending.push_back(Entry { at, what: What::Event { run_id, seq, from, kind, facts } });
        if pending.len() == 512 || n + 1 == lines {
            log.append(&mut pending)?;
        }
    }
    Ok(())
}

/// The messages of a run that does well, with facts as long as those of real ones.
fn message(n: u64) -> (u64, Role, MessageKind, serde_json::Value) {
    let id = RunId::new(Uuid::from_u128(u128::from(n / MESSAGES)));
    let seq = n % MESSAGES + 1;
    let (from, kind, facts) = match seq {
        1 => {
            let facts = json!({"bytes": 40, "turns": 0, "max_replans": 3, "max_retries": 2, "time_budget_ms": 300_000});
            (Role::User, MessageKind::UserRequest, facts)
        }
        22 => {
            let facts = json!({"D": 0.0, "P": 0.0, "Omega": 0.01, "L": 0.004, "grad_l": 0.0, "grad_goal": 0.0, "prev_directive": "init", "directive": "accept", "replans": 0, "unmet": 0, "partial": 0});
            (Role::Ggs, MessageKind::FinalResult, facts)
        }
        seq if seq % 3 == 0 => {
            let facts = json!({"role": "executor", "subtask_id": id, "model": "other:1f2e3d4c", "ok": true, "usable": true, "prompt_tokens": 1200, "cached_tokens": 800, "completion_tokens": 90, "elapsed_ms": 900, "requests": 1});
            (Role::Executor, MessageKind::ModelCall, facts)
        }
        seq if seq % 3 == 1 => {
            let call_id = RunId::new(Uuid::from_u128(u128::from(n)));
            let facts = json!({"call_id": call_id, "tool": "shell", "ending": "exited", "status": 0, "bytes": 40, "duration_ms": 12, "files": 0, "subtask_id": id});
            (Role::Executor, MessageKind::ToolFinished, facts)
        }
        _ => {
            let facts =
                json!({"pass": true, "judge": "code", "mode": "verifiable", "subtask_id": id, "attempt": 1});
            (Role::AgentValidator, MessageKind::VerdictReached, facts)
        }
    };
    (seq, from, kind, facts)
}
