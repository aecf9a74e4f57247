//! The journal thread with unwritable files, and at its own end.

use std::{
    fs::OpenOptions,
    path::Path,
    sync::{Arc, mpsc},
    time::Duration,
};

use artoo_redaction::Redactor;
use artoo_types::{Envelope, Message, Role, RunId, Warning};

use super::{FILE_NAME, Journal, RecordFailure, RunJournal, RunState, read};

fn run_id() -> RunId {
    RunId::new(uuid::Uuid::from_u128(7))
}

fn envelope(seq: u64, text: &str) -> Arc<Envelope> {
    let message = Arc::new(Message::from(Warning { role: Role::Planner, message: text.to_owned() }));
    let at = chrono::DateTime::parse_from_rfc3339("2026-01-01T00:00:00Z").unwrap();
    Arc::new(Envelope { seq, run_id: run_id(), at, elapsed_ms: 0, from: Role::Planner, message })
}

fn journal() -> Journal {
    Journal::start(Redactor::new().secret("hunter22")).unwrap()
}

/// A journal in an existing file.
fn into(journal: &Journal, folder: &Path, file: &Path) -> (RunJournal, mpsc::Receiver<RecordFailure>) {
    let file = OpenOptions::new().append(true).create(true).open(file).unwrap();
    let (failed, failures) = mpsc::channel();
    let run = journal.adopt(run_id(), folder, file, move |error| failed.send(error).unwrap()).unwrap();
    (run, failures)
}

#[tokio::test]
async fn what_is_closed_is_readable_and_redacted() {
    let folder = tempfile::tempdir().unwrap();
    let journal = journal();
    let run = journal.open(folder.path(), run_id(), |error| panic!("{error}")).unwrap();
    let mut record = run.recorder();
    for seq in 1..=3 {
        record(&envelope(seq, "the word is hunter22"));
    }
    let path = run.folder().join(FILE_NAME);
    run.close().await.unwrap();
    let found = read(&path).unwrap();
    assert_eq!(found.damage, None);
    let expected: Vec<Envelope> =
        (1..=3).map(|seq| Envelope::clone(&envelope(seq, "the word is [redacted: secret]"))).collect();
    assert_eq!(found.envelopes, expected);
    journal.sync().await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_full_disk_is_told_once_and_again_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let journal = journal();
    let (run, failures) = into(&journal, folder.path(), Path::new("/dev/full"));
    let mut record = run.recorder();
    record(&envelope(1, "first"));
    let failure = failures.recv_timeout(Duration::from_secs(60)).unwrap();
    assert!(matches!(failure, RecordFailure::Full { .. }), "{failure}");
    record(&envelope(2, "second"));
    assert!(matches!(run.close().await.unwrap_err(), RecordFailure::Full { .. }));
    assert!(failures.recv().is_err(), "told once");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_run_that_is_over_before_its_first_flush_hears_of_it_when_it_closes() {
    let folder = tempfile::tempdir().unwrap();
    let journal = journal();
    let (run, _failures) = into(&journal, folder.path(), Path::new("/dev/full"));
    run.recorder()(&envelope(1, "only"));
    assert!(matches!(run.close().await.unwrap_err(), RecordFailure::Full { .. }));
}

#[test]
fn what_bears_the_name_of_a_run_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (runs, elsewhere) = (folder.path().join("runs"), folder.path().join("elsewhere"));
    std::fs::create_dir_all(&runs).unwrap();
    std::fs::create_dir(&elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, runs.join(run_id().to_string())).unwrap();
    assert!(journal().open(&runs, run_id(), |_| {}).is_err());
    assert_eq!(std::fs::read_dir(&runs).unwrap().count(), 1);
    assert_eq!(std::fs::read_dir(&elsewhere).unwrap().count(), 0, "a link is not followed");
    std::fs::remove_dir_all(&runs).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &runs).unwrap();
    assert!(journal().open(&runs, run_id(), |_| {}).is_err());
    assert_eq!(std::fs::read_dir(&elsewhere).unwrap().count(), 0, "nor is one above it");
}

#[tokio::test]
async fn without_its_thread_a_journal_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let journal = journal();
    let (run, failures) = into(&journal, folder.path(), &folder.path().join(FILE_NAME));
    drop(journal);
    assert!(failures.recv().is_err(), "the run's side sees that nobody will report any more");
    assert!(run.close().await.is_err());
}

#[tokio::test]
async fn dropping_the_journal_writes_what_is_queued() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE_NAME);
    let journal = journal();
    let (run, _failures) = into(&journal, folder.path(), &path);
    let mut record = run.recorder();
    (1..=100).for_each(|seq| record(&envelope(seq, "queued")));
    drop(journal);
    assert_eq!(read(&path).unwrap().envelopes.len(), 100);
}

/// Writing to a removed file does not fail: the periodic check finds it, even while nothing is written.
#[tokio::test]
async fn a_folder_that_disappears_is_told_with_its_path() {
    let folder = tempfile::tempdir().unwrap();
    for moved in [false, true] {
        let journal = journal();
        let (failed, failures) = mpsc::channel();
        let run = journal.open(folder.path(), run_id(), move |error| failed.send(error).unwrap()).unwrap();
        run.recorder()(&envelope(1, "first"));
        let path = run.folder().to_owned();
        if moved {
            std::fs::rename(&path, folder.path().join("elsewhere")).unwrap();
        } else {
            std::fs::remove_dir_all(&path).unwrap();
        }
        let failure = failures.recv_timeout(Duration::from_secs(60)).unwrap();
        assert_eq!(
            failure.to_string(),
            format!("the run's folder {} disappeared while the run worked", path.display())
        );
        assert!(matches!(run.close().await.unwrap_err(), RecordFailure::Gone { .. }));
    }
}

#[test]
fn the_lock_says_whether_the_writer_lives() {
    let folder = tempfile::tempdir().unwrap();
    let journal = journal();
    let run = journal.open(folder.path(), run_id(), |error| panic!("{error}")).unwrap();
    let path = run.folder().join(FILE_NAME);
    assert_eq!(read(&path).unwrap().state, RunState::Running);
    drop(run);
    // Everything queued is done when the threads are gone.
    drop(journal);
    assert_eq!(read(&path).unwrap().state, RunState::Killed);
    super::note_unrecorded(path.parent().unwrap(), "the disk is full");
    assert_eq!(read(&path).unwrap().state, RunState::Unrecorded);
}
