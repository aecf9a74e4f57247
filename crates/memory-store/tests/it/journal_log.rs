//! The journal as a process uses it: accepted events are written by another thread, or by another process.

use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use artoo_memory_store::disk::{Disk, RealDisk};
use artoo_memory_store::journal::{Entry, JournalError, Notice, Position};
use artoo_memory_store::{Claim, Counts, Log, Opened, Role};
use proptest::prelude::*;

use crate::faulty_disk::{Fault, FaultyDisk};
use crate::journal_fixtures::{FOLDER, at, disk, event, written};

/// Longer than any of this takes.
const PATIENCE: Duration = Duration::from_secs(60);

fn open(folder: &Path, from: Position) -> Opened {
    Claim::take(folder, Arc::new(RealDisk)).unwrap().open(from).unwrap()
}

fn open_on(disk: &FaultyDisk) -> Opened {
    Claim::take(Path::new(FOLDER), Arc::new(disk.clone())).unwrap().open(Position::START).unwrap()
}

fn append(log: &Log, numbers: impl IntoIterator<Item = u64>) {
    numbers.into_iter().for_each(|number| log.append(at(), event(number)).unwrap());
}

fn numbered(numbers: impl IntoIterator<Item = u64>) -> Vec<(u64, Entry)> {
    numbers.into_iter().map(|number| (number, Entry::Event(event(number)))).collect()
}

#[tokio::test]
async fn what_was_flushed_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let Opened { log, entries, notices } = open(folder.path(), Position::START);
    assert_eq!((entries, notices, log.role()), (Vec::new(), Vec::new(), Role::Owner));
    append(&log, 1..=600);
    log.flush().await.unwrap();
    assert_eq!(log.counts(), Counts { accepted: 600, durable: 600, lost: 0 });
    // This process's own writes are not news to it.
    assert_eq!((log.follow().unwrap(), log.head().seq), (Vec::new(), 600));
    log.note_snapshot(at(), 600, [1; 32]).unwrap();
    let head = log.head();
    assert_eq!(log.close(PATIENCE).unwrap().durable, 601);
    let again = open(folder.path(), head);
    assert_eq!(again.entries, [(601, Entry::Snapshot { seq: 600, hash: [1; 32] })]);
    assert_eq!(again.log.verify().unwrap().events, 601);
}

#[tokio::test]
async fn a_second_process_sends_and_follows() {
    let folder = tempfile::tempdir().unwrap();
    let owner = open(folder.path(), Position::START).log;
    append(&owner, [1]);
    owner.flush().await.unwrap();
    let Opened { log: client, entries, .. } = open(folder.path(), Position::START);
    assert_eq!((entries, client.role()), (numbered([1]), Role::Client));
    let socket = std::fs::metadata(folder.path().join("owner.sock")).unwrap();
    assert_eq!(socket.permissions().mode() & 0o777, 0o600);

    append(&client, [2, 3]);
    client.flush().await.unwrap();
    append(&owner, [4]);
    owner.flush().await.unwrap();
    // Its own are included, since this is the first call.
    assert_eq!(owner.follow().unwrap(), numbered(1..=4));
    assert_eq!(client.follow().unwrap(), numbered([2, 3, 4]));
    assert_eq!((client.follow().unwrap(), owner.follow().unwrap()), (Vec::new(), Vec::new()));
    assert_eq!(client.head(), owner.head());

    assert_eq!(client.erase(BTreeSet::from([2])).unwrap(), 1);
    assert!(matches!(client.drop_before(2), Err(JournalError::Owner { .. })));
    append(&client, [5]);
    client.flush().await.unwrap();
    assert_eq!(client.follow().unwrap(), numbered([5]));
    assert_eq!(owner.follow().unwrap(), numbered([5]));
    owner.close(PATIENCE).unwrap();
    client.close(PATIENCE).unwrap();
    assert_eq!(open(folder.path(), Position::START).entries, numbered([1, 3, 4, 5]));
}

#[tokio::test]
async fn when_the_owner_goes_another_takes_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let owner = open(folder.path(), Position::START).log;
    let clients: Vec<Log> = (0..3).map(|_| open(folder.path(), Position::START).log).collect();
    for (number, client) in (1..).zip(&clients) {
        append(client, [number]);
        client.flush().await.unwrap();
    }
    owner.close(PATIENCE).unwrap();
    append(&clients[1], [4]);
    clients[1].flush().await.unwrap();
    assert_eq!(clients[1].role(), Role::Owner);
    assert_eq!(clients[1].follow().unwrap(), numbered(1..=4));
    append(&clients[0], [5]);
    clients[0].flush().await.unwrap();
    assert_eq!((clients[0].role(), clients[0].follow().unwrap()), (Role::Client, numbered(1..=5)));
    assert_eq!(clients[1].follow().unwrap(), numbered([5]));
    assert_eq!(clients[2].follow().unwrap(), numbered(1..=5));
}

#[tokio::test]
async fn a_reader_that_was_left_behind_is_told_to_read_the_snapshot() {
    let folder = tempfile::tempdir().unwrap();
    let owner = open(folder.path(), Position::START).log;
    let long = |number| written(number, "x".repeat(5 << 20));
    owner.append(at(), long(1)).unwrap();
    owner.flush().await.unwrap();
    let late = open(folder.path(), Position::START).log;
    for number in 2..=4 {
        owner.append(at(), long(number)).unwrap();
        owner.flush().await.unwrap();
    }
    assert_eq!(owner.drop_before(4).unwrap(), 3);
    assert!(matches!(late.follow(), Err(JournalError::Reload { seq: 1 })));
    let missing = open(folder.path(), Position::START).notices;
    assert_eq!(
        missing,
        [Notice::Missing { path: folder.path().join("journal/00000000000000000004.log"), lost: 1..=3 }]
    );
}

#[tokio::test]
async fn a_path_may_be_longer_than_an_address() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("x".repeat(200));
    let owner = open(&folder, Position::START).log;
    let client = open(&folder, Position::START).log;
    append(&client, [1]);
    client.flush().await.unwrap();
    assert_eq!(owner.follow().unwrap(), numbered([1]));
}

#[tokio::test]
async fn a_batch_that_cannot_be_written_is_counted_and_told() {
    let disk = disk();
    let log = open_on(&disk).log;
    append(&log, [1]);
    log.flush().await.unwrap();
    // There is no folder for a socket.
    assert!(matches!(log.take_notices().as_slice(), [Notice::Alone { .. }]));
    disk.set_free(1000);
    append(&log, [2]);
    let told = log.flush().await.unwrap_err();
    assert!(matches!(told, JournalError::Lost { count: 1, .. }), "{told}");
    insta::assert_snapshot!(told, @"1 of the events since the last flush are not on disk: 1000 bytes are free where /data/memory is; 16777338 are needed");
    disk.set_free(u64::MAX);
    append(&log, [3]);
    log.flush().await.unwrap();
    assert_eq!(log.counts(), Counts { accepted: 3, durable: 2, lost: 1 });
    drop(log);
    let there = open_on(&disk).entries;
    assert_eq!(there, [(1, Entry::Event(event(1))), (2, Entry::Event(event(3)))]);
}

#[tokio::test]
async fn a_committer_that_panics_loses_what_it_says() {
    let disk = disk();
    let log = open_on(&disk).log;
    append(&log, [1]);
    log.flush().await.unwrap();
    disk.fail_after(1, Fault::Panic);
    append(&log, [2]);
    assert!(matches!(log.flush().await, Err(JournalError::Lost { count: 1, .. })));
    assert!(matches!(log.append(at(), event(3)), Err(JournalError::Failed { .. })));
    assert_eq!(log.counts(), Counts { accepted: 2, durable: 1, lost: 1 });
    // The lock was released.
    assert_eq!(open_on(&disk).entries, numbered([1]));
}

#[tokio::test]
async fn without_locks_memory_is_read() {
    let disk = disk();
    let owner = open_on(&disk).log;
    append(&owner, [1]);
    owner.close(PATIENCE).unwrap();
    for prepare in [FaultyDisk::without_locks, FaultyDisk::read_only] {
        let disk = disk.copied();
        prepare(&disk);
        let opened = open_on(&disk);
        assert_eq!(opened.entries, numbered([1]));
        assert!(matches!(opened.log.role(), Role::Reader { .. }));
        let refused = opened.log.append(at(), event(2));
        assert!(matches!(refused, Err(JournalError::ReadOnly { .. })), "{refused:?}");
        opened.log.flush().await.unwrap();
        opened.log.close(PATIENCE).unwrap();
    }
}

/// An unreachable owner: the queue has a limit, and so has the wait.
#[test]
fn a_queue_has_an_end() {
    let disk = disk();
    let owner = disk.try_lock(&Path::new(FOLDER).join("owner.lock")).unwrap().unwrap();
    let client = open_on(&disk).log;
    let refused = (1..100_000).find_map(|number| client.append(at(), event(number)).err()).unwrap();
    assert!(matches!(refused, JournalError::Full { waiting: 16_384 }), "{refused}");
    let accepted = client.counts().accepted;
    let told = client.close(Duration::ZERO).unwrap_err();
    assert!(matches!(told, JournalError::Lost { count, .. } if count == accepted), "{told}");
    drop(owner);
    assert_eq!(disk.files(Path::new(FOLDER)), Vec::<PathBuf>::new());
}

/// Meaningless bytes are not answered, and do not affect other clients.
fn assert_stands(bytes: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    let owner = open(folder.path(), Position::START).log;
    // The socket is open once the first event is on disk.
    append(&owner, [1]);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(owner.flush()).unwrap();
    assert_eq!(owner.follow().unwrap(), []);
    let mut caller = UnixStream::connect(folder.path().join("owner.sock")).unwrap();
    caller.write_all(bytes).unwrap();
    caller.shutdown(std::net::Shutdown::Write).unwrap();
    let mut answer = Vec::new();
    // The owner may hang up before it has read everything.
    drop(caller.read_to_end(&mut answer));
    let refused = b"means nothing to it";
    assert!(answer.is_empty() || answer.windows(refused.len()).any(|part| part == refused), "{answer:?}");
    let client = open(folder.path(), Position::START).log;
    append(&client, [2]);
    runtime.block_on(client.flush()).unwrap();
    assert_eq!(owner.follow().unwrap(), numbered([2]));
}

#[test]
fn a_caller_may_say_anything() {
    let huge = u32::MAX.to_le_bytes();
    let other_version = [2, 0, 0, 0, 99, 0];
    // A commit of one event of three bytes.
    let junk_event = [8, 0, 0, 0, 1, 0, 1, 0, 3, 9, 9, 9];
    for bytes in [&huge[..], &other_version, &junk_event, &[0; 64], &[]] {
        assert_stands(bytes);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_caller_may_say_any_bytes(length in 0_u8..40, bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
        let mut message = u32::from(length).to_le_bytes().to_vec();
        message.push(1);
        // No erasure is among them: its variant would be 1.
        message.push(0);
        message.extend(bytes);
        assert_stands(&message);
    }
}
