//! Tests of the index: it changes the work of a report, and never its result.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};

use artoo_types::{AuditReport, AuditTrigger, MessageKind, Role, RunId};
use chrono::TimeDelta;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::report::walk;
use crate::{AuditLog, Entry, Facts, ReportFold, What, Window, report, reported_until, verify};

/// Lines of a segment in these tests.
const LINES: u64 = 16;

fn noon() -> chrono::DateTime<chrono::FixedOffset> {
    "2026-03-01T12:00:00+01:00".parse().unwrap()
}

/// An entry of a run, so many minutes after noon.
fn entry(minutes: i64, (run, seq): (u128, u64), from: Role, kind: MessageKind, facts: &Value) -> Entry {
    let run_id = RunId::new(uuid::Uuid::from_u128(run));
    let facts: Facts = facts.as_object().cloned().unwrap();
    let what = What::Event { run_id, seq, from, kind, facts };
    Entry { at: noon() + TimeDelta::minutes(minutes), what }
}

/// Messages of a few runs: corrections, failing tools, directives, calls, results; some of them out of order.
fn eventful(count: u64) -> Vec<Entry> {
    let mut seqs = std::collections::BTreeMap::new();
    let entries = (0..count).map(|n| {
        let run = u128::from(n / 40 * 3 + n % 3);
        let seq = seqs.entry(run).and_modify(|seq| *seq += 1).or_insert(1_u64);
        let of = (run, *seq + u64::from(n % 97 == 96));
        let minutes = i64::try_from(n).unwrap() - i64::from(n % 50 == 49) * 30;
        let at = |from, kind, facts: Value| entry(minutes, of, from, kind, &facts);
        match n % 8 {
            0 => at(Role::User, MessageKind::UserRequest, json!({"max_replans": 1, "max_retries": 1})),
            1 => at(Role::AgentValidator, MessageKind::CorrectionSignal, json!({"class": "logical"})),
            2 => {
                let (tool, class) = (format!("tool {}", n % 90), json!((n % 3 > 0).then_some("logical")));
                at(Role::Executor, MessageKind::ToolFinished, json!({"tool": tool, "class": class}))
            }
            3 => {
                let facts = json!({"D": 0.1 * (n % 10) as f64, "grad_goal": 0.3 - 0.2 * (n % 4) as f64, "directive": "break_symmetry"});
                at(Role::Ggs, MessageKind::PlanDirective, facts)
            }
            4 => at(Role::AgentValidator, MessageKind::VerdictReached, json!({"pass": n < 230})),
            5 => at(Role::Executor, MessageKind::Plan, json!({"round": 1})),
            6 => at(Role::Auditor, MessageKind::AuditReport, periodic(minutes, n % 16 == 6)),
            _ => at(Role::Ggs, MessageKind::FinalResult, json!({"directive": "abandon"})),
        }
    });
    entries.collect()
}

fn periodic(minutes: i64, found: bool) -> Value {
    let now = noon() + TimeDelta::minutes(minutes);
    let report = AuditReport {
        omitted: u64::from(found),
        ..AuditReport::empty(AuditTrigger::Periodic, Some(now - TimeDelta::minutes(5)), now)
    };
    json!({"trigger": "periodic", "until": now, "report": report})
}

struct World {
    folder: tempfile::TempDir,
    path: PathBuf,
}

impl World {
    fn new(entries: &[Entry]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(crate::LOG_NAME);
        let world = Self { folder, path };
        world.append(entries);
        world
    }

    fn open(&self) -> AuditLog {
        AuditLog::open(self.folder.path(), noon()).unwrap().0
    }

    fn append(&self, entries: &[Entry]) {
        let mut log = self.open();
        log.append(&mut entries.iter().cloned().collect::<VecDeque<_>>()).unwrap();
    }

    /// Seals as many segments as there are; how many.
    fn seal(&self) -> usize {
        let mut log = self.open();
        (0..).take_while(|_| log.seal(LINES, noon()).unwrap()).count()
    }

    fn index(&self) -> PathBuf {
        Index::path(&self.path)
    }

    /// The report of a window with the index, and how many lines were read.
    fn reported(&self, window: &Window) -> (AuditReport, u64) {
        let mut fold = ReportFold::new(window.clone());
        let read = walk(&self.path, &mut fold).unwrap();
        (fold.finish(), read)
    }

    /// The report of a window of a log that has no index.
    fn without_index(&self, window: &Window) -> AuditReport {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join(crate::LOG_NAME);
        fs::copy(&self.path, &log).unwrap();
        report(&log, window).unwrap()
    }

    fn agrees(&self) {
        for window in windows() {
            assert_eq!(self.reported(&window).0, self.without_index(&window), "{window:?}");
        }
    }
}

fn windows() -> Vec<Window> {
    let now = noon() + TimeDelta::days(30);
    let since = [None, Some(0), Some(1), Some(100), Some(203), Some(333), Some(100_000)];
    let window = |since: &Option<i64>| {
        let since = since.map(|minutes| noon() + TimeDelta::minutes(minutes));
        Window::new(AuditTrigger::OnDemand, since, now)
    };
    since.iter().map(window).collect()
}

fn copied(from: &Path) -> Vec<u8> {
    fs::read(from).unwrap()
}

#[test]
fn a_report_by_the_index_is_the_report_of_the_lines() {
    let world = World::new(&eventful(400));
    let sealed = world.seal();
    assert_eq!(sealed, 26, "the seals are lines as well");
    world.append(&eventful(7));
    world.agrees();
    let whole = world.reported(&windows()[0]).0;
    assert!(whole.periodic.made > 0 && whole.findings() > 9 && !whole.drift_alerts.is_empty(), "{whole:?}");
    let until = reported_until(&world.path).unwrap();
    fs::remove_file(world.index()).unwrap();
    assert_eq!(reported_until(&world.path).unwrap(), until);
    assert_eq!(verify(&world.path).unwrap().lines, 400 + 26 + 7, "seals are lines of the chain");
}

/// 4.5 s at 400,000 lines, and twice as long at twice as many.
#[test]
fn a_report_of_a_longer_log_reads_no_more_lines() {
    let read = |count| {
        let world = World::new(&eventful(count));
        world.seal();
        windows().iter().map(|window| world.reported(window).1).max().unwrap()
    };
    let (short, long) = (read(200), read(1_600));
    // The window may begin within three segments, since the clock goes back; the seals are read as well.
    assert!(short <= 6 * LINES && long <= 6 * LINES + 1_600 / LINES, "{short} {long}");
}

#[test]
fn an_index_that_was_changed_hides_nothing() {
    let world = World::new(&eventful(200));
    world.seal();
    let (index, whole) = (copied(&world.index()), windows()[0].clone());
    let truth = world.reported(&whole).0;
    let text = String::from_utf8(index.clone()).unwrap();
    let hidden = text.replace("\"corrections\":2", "\"corrections\":0");
    assert_ne!(hidden, text);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let without_one: String =
        lines.iter().enumerate().filter(|(n, _)| *n != 2).map(|(_, line)| *line).collect();
    let doubled = lines[..2].concat() + &lines[1..].concat();
    for changed in [hidden, without_one, doubled, "nothing\n".to_owned(), text[..text.len() / 2].to_owned()] {
        fs::write(world.index(), changed).unwrap();
        assert_eq!(world.reported(&whole).0, truth);
        // The next seal cuts off what does not count, and goes on from there.
        world.append(&eventful(20));
        assert!(world.seal() > 0);
        world.agrees();
        fs::remove_file(world.index()).unwrap();
        world.seal();
        assert!(world.reported(&whole).1 < 3 * LINES);
        let now = world.reported(&whole).0;
        assert!(now.total_corrections > truth.total_corrections);
        return_to(&world, &index);
    }
}

/// Puts a log with that index back.
fn return_to(world: &World, index: &[u8]) {
    for file in [&world.path, &world.path.with_extension("head")] {
        fs::remove_file(file).unwrap();
    }
    fs::remove_file(world.index()).unwrap();
    world.append(&eventful(200));
    world.seal();
    assert_eq!(copied(&world.index()), index, "the same lines give the same index");
}

/// Somebody changes a sum and its seal: the line behind the seal tells.
#[test]
fn a_seal_that_was_changed_with_its_sum_does_not_count() {
    let world = World::new(&eventful(64));
    world.seal();
    world.append(&eventful(3));
    let whole = windows()[0].clone();
    let truth = world.reported(&whole).0;
    let text = fs::read_to_string(world.index()).unwrap();
    let first = text.lines().next().unwrap();
    let sum = first.split_once(' ').unwrap().1;
    let hidden = sum.replace("\"corrections\":2", "\"corrections\":0");
    assert_ne!(hidden, sum);
    fs::write(world.index(), text.replace(sum, &hidden)).unwrap();
    let log = fs::read_to_string(&world.path).unwrap();
    let forged = log.replace(&line_hash(sum.as_bytes()), &line_hash(hidden.as_bytes()));
    assert_ne!(forged, log);
    fs::write(&world.path, forged).unwrap();
    assert_eq!(world.reported(&whole).0, truth);
    verify(&world.path).unwrap_err();
}

#[test]
fn a_log_that_was_cut_or_replaced_is_read_anew() {
    let world = World::new(&eventful(200));
    world.seal();
    let bytes = copied(&world.path);
    for cut in [bytes.len() - 1, bytes.len() / 2, bytes.len() / 3, 0] {
        fs::write(&world.path, &bytes[..cut]).unwrap();
        world.agrees();
    }
    fs::write(&world.path, &bytes).unwrap();
    // A line in the middle is gone: its segment and those behind it no longer count.
    let text = String::from_utf8(bytes).unwrap();
    let without: String =
        text.split_inclusive('\n').enumerate().filter(|(n, _)| *n != 70).map(|(_, line)| line).collect();
    fs::write(&world.path, without).unwrap();
    world.agrees();
    let other = World::new(&eventful(100).split_off(40));
    fs::copy(world.index(), other.index()).unwrap();
    other.agrees();
}

#[test]
fn lines_that_cannot_be_read_are_in_every_report() {
    let world = World::new(&eventful(20));
    for garbage in ["nothing\n", "{}\n", "cut"] {
        let mut bytes = copied(&world.path);
        bytes.extend(garbage.as_bytes());
        fs::write(&world.path, bytes).unwrap();
        world.append(&eventful(20));
    }
    world.seal();
    world.append(&eventful(20));
    world.agrees();
    let unreadable = |window: &Window| {
        let report = world.reported(window).0;
        report.anomalies.iter().filter(|one| one.kind().name() == "line_unreadable").count()
    };
    assert!(windows().iter().all(|window| unreadable(window) == 2));
}

/// A process is killed between the seal and the entry, or in the middle of the entry.
#[test]
fn a_seal_without_its_sum_is_made_again() {
    let world = World::new(&eventful(40));
    assert_eq!(world.seal(), 2);
    let index = copied(&world.index());
    for kept in [index.len() - 10, index.len() / 2, 0] {
        fs::write(world.index(), &index[..kept]).unwrap();
        world.agrees();
        assert!(world.seal() > 0);
        world.agrees();
        assert!(world.reported(&windows()[0]).1 < LINES + 8);
        verify(&world.path).unwrap();
    }
}

#[test]
fn processes_that_seal_at_the_same_time_seal_each_line_once() {
    let world = World::new(&[]);
    std::thread::scope(|threads| {
        for writer in 0..3_u128 {
            let world = &world;
            threads.spawn(move || {
                let mut log = world.open();
                for seq in 1..=200 {
                    let facts = json!({"class": "logical"});
                    let kind = MessageKind::CorrectionSignal;
                    let entry = entry(0, (writer + 1, seq), Role::AgentValidator, kind, &facts);
                    log.append(&mut VecDeque::from([entry])).unwrap();
                    log.seal(LINES, noon()).unwrap();
                }
            });
        }
    });
    world.seal();
    world.agrees();
    let (whole, read) = world.reported(&windows()[0]);
    assert_eq!((whole.total_corrections, whole.tasks_observed, whole.findings()), (600, 3, 0));
    assert!(read < 2 * LINES, "{read}");
    assert!(verify(&world.path).unwrap().gaps.is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 48, ..ProptestConfig::default() })]

    /// Whatever byte of the index is changed, and wherever it is cut.
    #[test]
    fn no_byte_of_the_index_can_hide_anything(at in any::<prop::sample::Index>(), byte in any::<u8>(), cut: bool) {
        let world = World::new(&eventful(100));
        world.seal();
        let truth = world.without_index(&windows()[0]);
        let mut index = copied(&world.index());
        let at = at.index(index.len());
        if cut { index.truncate(at) } else { index[at] = byte }
        fs::write(world.index(), index).unwrap();
        prop_assert_eq!(world.reported(&windows()[0]).0, truth);
    }
}
