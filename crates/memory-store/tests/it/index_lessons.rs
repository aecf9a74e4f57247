//! The engine's defects found in `lessons/storage.md`, and that they do no harm here.

use std::io::Write as _;
use std::path::Path;

use artoo_memory_store::index::{Damage, Entry, IndexError, Page};
use artoo_types::Megram;
use rusty_leveldb::{DB, Options};

use crate::index_fixtures::{Truth, id, live, megram, open, place, position};

fn files(folder: &Path, end: &str) -> Vec<std::path::PathBuf> {
    let all = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<_> = all.filter(|path| path.to_str().unwrap().ends_with(end)).collect();
    found.sort();
    found
}

/// H1: `get` stops at the tombstone of another key, if the filter does not hide it.
#[tokio::test]
async fn lesson_h1_what_was_not_deleted_is_found() {
    let place = place();
    let index = open(place.path()).await.unwrap();
    let mut truth = Truth::default();
    let short = |number| Entry::Live(Megram { content: number_in_words(number), ..megram(number) });
    let entries: Vec<Entry> = (0..3_000).map(short).collect();
    truth.take(&entries);
    index.project(entries, position(1)).await.unwrap();
    index.close().await;
    let index = open(place.path()).await.unwrap(); // so that the tombstones come into a table of their own
    let forgotten: Vec<Entry> = (0..3_000).step_by(50).map(|number| Entry::Forgotten(id(number))).collect();
    truth.take(&forgotten);
    index.project(forgotten, position(2)).await.unwrap();
    index.close().await;

    // The engine's own read method, while it has that defect. When this fails, the seeks may become `get`s.
    let mut db = DB::open(place.path(), Options { reuse_logs: false, ..Options::default() }).unwrap();
    let missed = (0..3_000)
        .filter(|number| number % 50 != 0 && db.get(format!("m|{}", id(*number)).as_bytes()).is_none());
    assert!(missed.count() > 0, "the engine finds everything by now");
    drop(db);

    let index = open(place.path()).await.unwrap();
    truth.is_told_by(&index).await.unwrap();
    index.close().await;
}

fn number_in_words(number: u64) -> String {
    format!("lesson {number}")
}

/// H3: a write after a torn record is never found again, unless a new log is started.
#[tokio::test]
async fn lesson_h3_a_torn_log_costs_its_last_record_and_nothing_that_comes_after() {
    for tear in [3, 200, -4_096] {
        let place = place();
        let index = open(place.path()).await.unwrap();
        let mut truth = Truth::default();
        for number in 1..=40 {
            index.project(live([number]), position(number)).await.unwrap();
            truth.take(&live([number]));
        }
        index.close().await;
        let log = &files(place.path(), ".log")[0];
        let length = std::fs::metadata(log).unwrap().len();
        let file = std::fs::OpenOptions::new().write(true).open(log).unwrap();
        file.set_len(length.saturating_add_signed(-tear)).unwrap();

        let index = open(place.path()).await.unwrap();
        let told = index.position().await.unwrap().unwrap();
        assert_eq!(told.seq, if tear > 0 { 39 } else { 40 }, "its own position says what it lacks");
        for number in told.seq + 1..=540 {
            index.project(live([number]), position(number)).await.unwrap();
            truth.take(&live([number]));
        }
        index.close().await;
        let index = open(place.path()).await.unwrap();
        assert_eq!(index.position().await.unwrap(), Some(position(540)));
        truth.is_told_by(&index).await.unwrap();
        index.close().await;
    }
}

/// H7: an iterator that is open during a write loses entries. None is open here, so pages and writes may take
/// turns.
#[tokio::test]
async fn lesson_h7_pages_and_writes_may_take_turns() {
    let place = place();
    let index = open(place.path()).await.unwrap();
    index.project(live(0..1_000), position(1)).await.unwrap();
    let (mut found, mut written) = (Vec::new(), 1_000);
    loop {
        let page = index.all(Page { after: found.last().copied(), limit: 150 }).await.unwrap();
        if page.is_empty() {
            break;
        }
        found.extend(page.iter().map(|record| record.megram.id));
        if written < 2_000 {
            // Enough to fill tables and to have them compacted between the pages.
            let wide = |number| Entry::Live(Megram { content: "ä".repeat(9_000), ..megram(number) });
            index.project((written..written + 100).map(wide).collect(), position(written)).await.unwrap();
            written += 100;
        }
    }
    assert_eq!(found, (0..written).map(id).collect::<Vec<_>>());
    assert!(files(place.path(), ".ldb").len() > 1);
    index.close().await;
}

/// H10: C++ LevelDB locks with `fcntl`, the engine with `flock`; neither sees the other's.
#[tokio::test]
async fn lesson_h10_nobody_opens_it_twice() {
    let place = place();
    let index = open(place.path()).await.unwrap();
    index.project(live(0..10), position(1)).await.unwrap();
    let other_name = place.path().join("../").join(place.path().file_name().unwrap());
    for path in [place.path(), &other_name] {
        let error = open(path).await.err().unwrap();
        assert!(matches!(error, IndexError::Locked { .. }), "{error}");
    }
    for (kind, status) in [("flock", 1), ("fcntl", 1)] {
        assert_eq!(
            try_lock(place.path(), kind),
            status,
            "{kind} of another process, after one of this process was refused"
        );
    }
    index.close().await;
    for kind in ["flock", "fcntl"] {
        assert_eq!(try_lock(place.path(), kind), 0, "{kind}");
    }
    open(place.path()).await.unwrap().close().await;
}

/// Another process tries to lock as LevelDB does: 0 if it succeeds.
fn try_lock(folder: &Path, kind: &str) -> i32 {
    #[expect(
        clippy::disallowed_methods,
        reason = "the lock belongs to a process, so the test needs another one"
    )]
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", &format!("index_lessons::{kind}_in_another_process"), "--nocapture"])
        .current_dir(folder)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    match (text.contains("locked by us"), text.contains("locked by others")) {
        (true, false) => 0,
        (false, true) => 1,
        _ => panic!("{text} {}", String::from_utf8_lossy(&output.stderr)),
    }
}

#[test]
#[ignore = "runs inside lesson_h10_nobody_opens_it_twice"]
fn flock_in_another_process() {
    let file = std::fs::OpenOptions::new().write(true).open("LOCK").unwrap();
    println!("locked by {}", if file.try_lock().is_ok() { "us" } else { "others" });
}

#[test]
#[ignore = "runs inside lesson_h10_nobody_opens_it_twice"]
fn fcntl_in_another_process() {
    let file = std::fs::OpenOptions::new().write(true).open("LOCK").unwrap();
    let locked = rustix::fs::fcntl_lock(&file, rustix::fs::FlockOperation::NonBlockingLockExclusive);
    println!("locked by {}", if locked.is_ok() { "us" } else { "others" });
}

/// H10, in the other direction.
#[tokio::test]
async fn lesson_h10_it_is_not_opened_while_another_program_has_it() {
    let place = place();
    open(place.path()).await.unwrap().close().await;
    for kind in ["flock", "fcntl"] {
        #[expect(
            clippy::disallowed_methods,
            reason = "the lock belongs to a process, so the test needs another one"
        )]
        let mut other = std::process::Command::new(std::env::current_exe().unwrap())
            .args([
                "--ignored",
                "--exact",
                &format!("index_lessons::{kind}_held_by_another_process"),
                "--nocapture",
            ])
            .current_dir(place.path())
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = std::io::BufReader::new(other.stdout.take().unwrap());
        let mut line = String::new();
        while !line.contains("held") {
            line.clear();
            assert!(std::io::BufRead::read_line(&mut said, &mut line).unwrap() > 0, "{kind}");
        }
        let error = open(place.path()).await.err().unwrap();
        assert!(matches!(error, IndexError::Locked { .. }), "{kind}: {error}");
        drop(other.stdin.take());
        other.wait().unwrap();
        open(place.path()).await.unwrap().close().await;
    }
}

#[test]
#[ignore = "runs inside lesson_h10_it_is_not_opened_while_another_program_has_it"]
fn flock_held_by_another_process() {
    let file = std::fs::OpenOptions::new().write(true).open("LOCK").unwrap();
    file.try_lock().unwrap();
    hold();
}

#[test]
#[ignore = "runs inside lesson_h10_it_is_not_opened_while_another_program_has_it"]
fn fcntl_held_by_another_process() {
    let file = std::fs::OpenOptions::new().write(true).open("LOCK").unwrap();
    rustix::fs::fcntl_lock(&file, rustix::fs::FlockOperation::NonBlockingLockExclusive).unwrap();
    hold();
}

fn hold() {
    println!("held");
    std::io::stdout().flush().unwrap();
    std::io::stdin().read_line(&mut String::new()).unwrap();
}

/// H13: without `CURRENT`, the engine starts over and deletes every table.
#[tokio::test]
async fn lesson_h13_files_without_current_are_not_taken_for_nothing() {
    let place = place();
    let index = open(place.path()).await.unwrap();
    index.project(live(0..500), position(1)).await.unwrap();
    index.compact().await.unwrap();
    index.close().await;
    let current = place.path().join("CURRENT");
    let text = std::fs::read(&current).unwrap();
    std::fs::remove_file(&current).unwrap();
    let error = open(place.path()).await.err().unwrap();
    assert!(matches!(error, IndexError::Damaged { damage: Damage::NoCurrent, .. }), "{error}");
    for wrong in
        ["", "MANIFEST-000001", "/etc/passwd\n", "../MANIFEST-000001\n", "\n", "MANIFEST-\n", "\u{0}"]
    {
        std::fs::write(&current, wrong).unwrap();
        let error = open(place.path()).await.err().unwrap();
        assert!(
            matches!(error, IndexError::Damaged { damage: Damage::File { .. }, .. }),
            "{wrong:?}: {error}"
        );
    }
    std::fs::write(&current, text).unwrap();
    let mut truth = Truth::default();
    truth.take(&live(0..500));
    let index = open(place.path()).await.unwrap();
    truth.is_told_by(&index).await.unwrap();
    index.close().await;
}

/// H6: deleted or replaced entries stay in the files. After a compaction no copy of forgotten words is left,
/// on any level.
#[tokio::test]
async fn lesson_h6_forgotten_words_are_in_no_file() {
    let place = place();
    let index = open(place.path()).await.unwrap();
    let whose = |number: u64| Megram { content: secret(number), ..megram(number) };
    let wide = |number: u64| Megram { content: secret(number).repeat(250), ..megram(number) };
    let (mut truth, mut sequence) = (Truth::default(), 0);
    let mut project = async |entries: Vec<Entry>| {
        sequence += 1;
        truth.take(&entries);
        index.project(entries, position(sequence)).await.unwrap();
    };
    // Some on a deep level, some higher up, some in the log; most were replaced once.
    project((0..40).map(|number| Entry::Live(whose(number))).collect()).await;
    index.compact().await.unwrap();
    project((1_000..1_600).map(|number| Entry::Live(wide(number))).collect()).await;
    project((20..60).map(|number| Entry::Live(whose(number))).collect()).await;
    index.compact().await.unwrap();
    project((60..90).map(|number| Entry::Live(whose(number))).collect()).await;
    let held = |number: u64| texts_of(place.path()).any(|text| text.contains(&secret(number)[3..17]));
    assert_eq!(
        (0..90).filter(|number| !held(*number)).collect::<Vec<_>>(),
        [0u64; 0],
        "the test finds words where they are"
    );

    project((0..90).step_by(2).map(|number| Entry::Forgotten(id(number))).collect()).await;
    index.compact().await.unwrap();
    for number in 0..90 {
        assert_eq!(held(number), number % 2 == 1, "{number}");
    }
    truth.is_told_by(&index).await.unwrap();
    assert_eq!(index.position().await.unwrap().map(|at| at.seq), Some(5));
    index.close().await;
}

/// Words of so many different characters that compression leaves them intact except at their ends.
fn secret(number: u64) -> String {
    let mut state = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let next = || {
        state = (state ^ (state >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9).rotate_left(31);
        char::from(b'!' + (state >> 40) as u8 % 94)
    };
    std::iter::repeat_with(next).filter(|c| !matches!(c, '"' | '\\')).take(20).collect()
}

fn texts_of(folder: &Path) -> impl Iterator<Item = String> {
    // Not the lock's: closing a handle of it would release the lock.
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let bytes = names.filter(|path| !path.ends_with("LOCK")).map(|path| std::fs::read(path).unwrap());
    bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}
