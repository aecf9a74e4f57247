//! Sessions: requests are kept, whatever happens to the file.

use std::fs;
use std::path::{Path, PathBuf};

use artoo_redaction::Redactor;
use artoo_runtime::sessions::{
    COMPACT_ABOVE, KEPT_WHOLE, Session, SessionError, SessionTurn, Sessions, TurnEnd,
};
use artoo_snapshot::{Present, Snapshot, SnapshotLimits, Undo};
use artoo_tools::EarlierRun;
use artoo_types::{FileChange, FileChangeKind, Rejection, RunId, SessionId, TerminalState, Turn, short_id};
use chrono::{DateTime, FixedOffset};
use proptest::prelude::*;
use tempfile::TempDir;
use uuid::Uuid;

struct Kept {
    data: TempDir,
    sessions: Sessions,
}

fn kept() -> Kept {
    let data = tempfile::tempdir().unwrap();
    let sessions = Sessions::new(data.path(), Redactor::new().secret("hunter2-hunter2"));
    Kept { data, sessions }
}

fn at(minute: u32) -> DateTime<FixedOffset> {
    format!("2026-03-14T09:{:02}:00+01:00", minute % 60).parse().unwrap()
}

fn run_id() -> RunId {
    RunId::new(Uuid::now_v7())
}

fn end(result: &str) -> TurnEnd {
    TurnEnd {
        directive: Some(TerminalState::Accept),
        exit_code: 0,
        result: result.to_owned(),
        files: Vec::new(),
        tokens: 12,
        elapsed_ms: 340,
        cost: None,
    }
}

fn file(kept: &Kept, id: SessionId) -> PathBuf {
    kept.data.path().join("sessions").join(format!("{id}.jsonl"))
}

fn add(path: &Path, text: &str) {
    let mut content = fs::read_to_string(path).unwrap();
    content.push_str(text);
    fs::write(path, content).unwrap();
}

#[test]
fn a_session_is_read_back_as_it_was_written() {
    let kept = kept();
    let folder = Path::new("/home/ada/letters");
    let session = kept.sessions.begin(folder, at(0)).unwrap();
    let (first, second) = (run_id(), run_id());
    kept.sessions.ask(session.id, first, at(1), "How many letters?\nIn all?").unwrap();
    let counted = TurnEnd {
        files: vec![FileChange {
            path: "/w/list.txt".into(),
            change: FileChangeKind::Created,
            diff: None,
            moved_from: None,
            moves: None,
        }],
        ..end("7")
    };
    kept.sessions.end(session.id, first, counted.clone()).unwrap();
    kept.sessions.ask(session.id, second, at(2), "数一数").unwrap();
    kept.sessions.rename(session.id, " letters of March ").unwrap();

    let turn = |run_id, minute, request: &str, end| SessionTurn {
        run_id,
        at: at(minute),
        request: request.to_owned(),
        end,
        rejected: None,
        compacted: false,
    };
    let expected = Session {
        id: session.id,
        name: Some("letters of March".to_owned()),
        folder: folder.to_owned(),
        began: at(0),
        turns: vec![
            turn(first, 1, "How many letters?\nIn all?", Some(counted)),
            turn(second, 2, "数一数", None),
        ],
        unreadable: 0,
    };
    assert_eq!(kept.sessions.read(session.id).unwrap(), expected);
    assert_eq!(kept.sessions.find("letters of March").unwrap(), expected);
    assert_eq!(kept.sessions.newest_in(folder).unwrap(), Some(expected.clone()));
    assert_eq!(kept.sessions.newest_in(Path::new("/home/ada")).unwrap(), None);
    let told = [
        Turn {
            run_id: Some(first),
            files: vec!["created: /w/list.txt".to_owned()],
            ..Turn::new("How many letters?\nIn all?", "7")
        },
        Turn { run_id: Some(second), ..Turn::new("数一数", "(the run did not come to an end)") },
    ];
    assert_eq!(expected.recent(&[]), told);
}

/// A rejection is kept with its turn, also where the turn is shortened, and told to the next request. A rejected run of
/// another session changes nothing, and a file of an earlier release has none.
#[test]
fn a_rejected_turn_is_marked_for_the_next_request() {
    let kept = kept();
    let session = kept.sessions.begin(Path::new("/"), at(0)).unwrap();
    let runs: Vec<RunId> = (0..3).map(|_| run_id()).collect();
    for run in &runs {
        kept.sessions.ask(session.id, *run, at(1), "Make it").unwrap();
        kept.sessions.end(session.id, *run, end("made")).unwrap();
    }
    kept.sessions.reject(session.id, runs[0], Rejection::Corrected).unwrap();
    kept.sessions.reject(session.id, runs[0], Rejection::Undone).unwrap();
    kept.sessions.reject(session.id, runs[2], Rejection::Corrected).unwrap();
    kept.sessions.reject(session.id, run_id(), Rejection::Undone).unwrap();
    let read = kept.sessions.read(session.id).unwrap();
    let told: Vec<Option<Rejection>> = read.recent(&[]).iter().map(|turn| turn.rejected).collect();
    assert_eq!(told, [Some(Rejection::Undone), None, Some(Rejection::Corrected)]);
    for number in 0..=COMPACT_ABOVE {
        kept.sessions.ask(session.id, run_id(), at(2), &format!("request {number}")).unwrap();
    }
    // The file is looked at as a whole every 16 KiB.
    for _ in 0..2 {
        kept.sessions.ask(session.id, run_id(), at(3), &"long ".repeat(4_000)).unwrap();
    }
    let read = kept.sessions.read(session.id).unwrap();
    assert!(read.turns[0].compacted);
    assert_eq!((read.turns[0].rejected, read.unreadable), (Some(Rejection::Undone), 0));
}

#[test]
fn the_next_request_is_told_of_five_turns() {
    let kept = kept();
    let session = kept.sessions.begin(Path::new("/"), at(0)).unwrap();
    for number in 0..8 {
        kept.sessions.ask(session.id, run_id(), at(number), &format!("request {number}")).unwrap();
    }
    let inputs = |session: Session| -> Vec<String> {
        session.recent(&[]).into_iter().map(|turn| turn.input).collect()
    };
    let told = inputs(kept.sessions.read(session.id).unwrap());
    assert_eq!(inputs(kept.sessions.newest_turns(session.id).unwrap()), told);
    assert_eq!(told, ["request 3", "request 4", "request 5", "request 6", "request 7"]);
}

/// The record of a run that created a file.
fn made(kept: &Kept, run: RunId, file: &Path) -> PathBuf {
    let record = kept.data.path().join(format!("runs/{run}/undo"));
    let snapshot = Snapshot::new(record.clone(), Vec::new(), SnapshotLimits::default());
    let call = snapshot.before(&[file.parent().unwrap().to_owned()]).unwrap();
    fs::write(file, "new").unwrap();
    call.after().unwrap();
    snapshot.close().unwrap();
    record
}

/// The next request can undo the changes of its own conversation, and nothing else.
#[test]
fn the_next_request_is_told_which_runs_it_can_take_back() {
    let kept = kept();
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let session = kept.sessions.begin(&root, at(0)).unwrap();
    let runs: Vec<RunId> = (0..8).map(|_| run_id()).collect();
    for (number, run) in (0..).zip(&runs) {
        kept.sessions.ask(session.id, *run, at(number), &format!("request {number}")).unwrap();
    }
    kept.sessions.end(session.id, runs[6], end("made")).unwrap();
    // The first is too old, the fourth was killed within a call, the sixth was undone, the last changed
    // nothing.
    made(&kept, runs[0], &root.join("0"));
    let record = kept.data.path().join(format!("runs/{}/undo", runs[3]));
    let killed = Snapshot::new(record, Vec::new(), SnapshotLimits::default());
    std::mem::forget(killed.before(std::slice::from_ref(&root)).unwrap());
    let undone = made(&kept, runs[5], &root.join("5"));
    let undo = Undo::prepare(&undone, std::slice::from_ref(&root), Present::AsRecorded).unwrap();
    undo.apply().unwrap();
    let (fifth, seventh) = (made(&kept, runs[4], &root.join("4")), made(&kept, runs[6], &root.join("6")));

    let read = kept.sessions.read(session.id).unwrap();
    let undoable = read.undoable(kept.data.path());
    let run = |number: usize, record| EarlierRun {
        name: short_id(runs[number]),
        request: format!("request {number}"),
        record,
    };
    assert_eq!(undoable, [run(6, seventh), run(4, fifth)]);
    let results: Vec<(String, Option<String>)> =
        read.recent(&undoable).into_iter().map(|turn| (turn.result, turn.undo)).collect();
    let no_end = || "(the run did not come to an end)".to_owned();
    let expected = [
        (no_end(), None),
        (no_end(), Some(short_id(runs[4]))),
        (no_end(), None),
        ("made".to_owned(), Some(short_id(runs[6]))),
        (no_end(), None),
    ];
    assert_eq!(results, expected);
}

#[test]
fn what_is_cut_off_or_edited_is_counted_and_swallows_nothing_else() {
    let kept = kept();
    let session = kept.sessions.begin(Path::new("/"), at(0)).unwrap();
    let path = file(&kept, session.id);
    kept.sessions.ask(session.id, run_id(), at(1), "first").unwrap();
    add(&path, "{\"v\":1,\"type\":\"turn\",\"run_id\":\"0197");
    kept.sessions.ask(session.id, run_id(), at(2), "second").unwrap();
    add(&path, "not JSON\n\u{0}\n{\"v\":1,\"type\":\"dance\"}\n");
    let mut bytes = fs::read(&path).unwrap();
    bytes.extend(b"\xff\xfe\n");
    fs::write(&path, bytes).unwrap();
    kept.sessions.ask(session.id, run_id(), at(3), "third").unwrap();

    let read = kept.sessions.read(session.id).unwrap();
    let asked: Vec<&str> = read.turns.iter().map(|turn| turn.request.as_str()).collect();
    assert_eq!((asked, read.unreadable), (vec!["first", "second", "third"], 5));
}

#[test]
fn a_file_of_a_newer_release_is_neither_read_nor_written() {
    let kept = kept();
    let session = kept.sessions.begin(Path::new("/"), at(0)).unwrap();
    let path = file(&kept, session.id);
    add(&path, "{\"v\":2,\"type\":\"turn\",\"said\":\"something new\"}\n");
    let before = fs::read(&path).unwrap();
    let newer = |error: SessionError| matches!(error, SessionError::Newer { found: 2, known: 1, .. });
    assert!(newer(kept.sessions.read(session.id).unwrap_err()));
    assert!(newer(kept.sessions.newest_turns(session.id).unwrap_err()));
    assert!(newer(kept.sessions.ask(session.id, run_id(), at(1), "x").unwrap_err()));
    assert_eq!(fs::read(&path).unwrap(), before);
    // An unreadable session hides no other.
    let other = kept.sessions.begin(Path::new("/"), at(5)).unwrap();
    kept.sessions.ask(other.id, run_id(), at(6), "something else").unwrap();
    let listed = kept.sessions.list(10).unwrap();
    assert_eq!(listed.iter().filter(|found| found.is_ok()).count(), 1);
    assert_eq!(kept.sessions.newest_in(Path::new("/")).unwrap().map(|found| found.id), Some(other.id));
}

#[test]
fn a_file_without_its_first_line_is_no_session() {
    let kept = kept();
    let session = kept.sessions.begin(Path::new("/"), at(0)).unwrap();
    for content in ["", "\n", "nothing\n", "{\"v\":1,\"type\":\"name\",\"name\":\"x\"}\n"] {
        fs::write(file(&kept, session.id), content).unwrap();
        let error = kept.sessions.read(session.id).unwrap_err();
        assert!(matches!(error, SessionError::Headless { .. }), "{content:?}: {error}");
        let error = kept.sessions.newest_turns(session.id).unwrap_err();
        assert!(matches!(error, SessionError::Headless { .. }), "{content:?}: {error}");
    }
}

#[test]
fn nothing_secret_is_written_and_nobody_else_may_read_it() {
    use std::os::unix::fs::PermissionsExt as _;
    let kept = kept();
    let session = kept.sessions.begin(Path::new("/"), at(0)).unwrap();
    kept.sessions.ask(session.id, run_id(), at(1), "log in with hunter2-hunter2").unwrap();
    let path = file(&kept, session.id);
    assert!(!fs::read_to_string(&path).unwrap().contains("hunter2"));
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o077, 0);
    assert_eq!(fs::metadata(path.parent().unwrap()).unwrap().permissions().mode() & 0o077, 0);
}

#[test]
fn two_programs_in_one_session_lose_nothing() {
    let kept = kept();
    let session = kept.sessions.begin(Path::new("/"), at(0)).unwrap();
    // A turn of one program may hide from the other that the file has grown by so much, so it grows by that several times.
    const EACH: usize = 400;
    std::thread::scope(|scope| {
        for who in ["a", "b"] {
            let sessions = kept.sessions.clone();
            scope.spawn(move || {
                for number in 0..EACH {
                    sessions.ask(session.id, run_id(), at(1), &format!("{who}{number}")).unwrap();
                }
            });
        }
    });
    // Together they exceed the limit: the file was compacted while both wrote.
    let read = kept.sessions.read(session.id).unwrap();
    let mut asked: Vec<String> = read.turns.iter().map(|turn| turn.request.clone()).collect();
    asked.sort_unstable();
    let mut expected: Vec<String> =
        ["a", "b"].iter().flat_map(|who| (0..EACH).map(move |n| format!("{who}{n}"))).collect();
    expected.sort_unstable();
    assert_eq!(asked, expected);
    assert!(read.turns.iter().any(|turn| turn.compacted));
}

#[test]
fn old_turns_become_short_and_say_where_the_rest_is() {
    let kept = kept();
    let session = kept.sessions.begin(Path::new("/"), at(0)).unwrap();
    kept.sessions.rename(session.id, "long").unwrap();
    let long = "a word and another\n".repeat(50);
    let mut ids = Vec::new();
    // It is looked at every 16 KiB, which are eight such turns.
    const TURNS: usize = COMPACT_ABOVE + 10;
    for number in 0..TURNS {
        let id = run_id();
        ids.push(id);
        kept.sessions.ask(session.id, id, at(1), &format!("{number} {long}")).unwrap();
        kept.sessions.end(session.id, id, end(&long)).unwrap();
    }
    let read = kept.sessions.read(session.id).unwrap();
    assert_eq!(read.turns.iter().map(|turn| turn.run_id).collect::<Vec<_>>(), ids);
    assert_eq!(read.name.as_deref(), Some("long"));
    let short = read.turns.iter().filter(|turn| turn.compacted).count();
    assert!(short > COMPACT_ABOVE - KEPT_WHOLE && TURNS - short >= KEPT_WHOLE, "{short}");
    let (first, last) = (&read.turns[0], &read.turns[TURNS - 1]);
    assert_eq!(first.request, "0 a word and another…");
    assert_eq!(first.end.as_ref().map(|end| end.result.as_str()), Some("a word and another…"));
    assert_eq!(last.end.as_ref().map(|end| end.result.as_str()), Some(long.as_str()));
}

#[test]
fn ten_thousand_sessions_are_listed_by_their_newest() {
    let kept = kept();
    let folder = kept.data.path().join("sessions");
    fs::create_dir(&folder).unwrap();
    for number in 0..10_000 {
        let id = Uuid::now_v7();
        let head = format!(
            "{{\"v\":1,\"type\":\"session\",\"id\":\"{id}\",\"folder\":\"/{number}\",\"began\":\"2026-03-14T09:00:00+01:00\"}}\n\
             {{\"v\":1,\"type\":\"turn\",\"run_id\":\"{id}\",\"at\":\"2026-03-14T09:00:00+01:00\",\"request\":\"x\"}}\n"
        );
        fs::write(folder.join(format!("{id}.jsonl")), head).unwrap();
    }
    fs::write(folder.join("notes.txt"), "not a session").unwrap();
    let newest = kept.sessions.begin(Path::new("/newest"), at(1)).unwrap();
    kept.sessions.ask(newest.id, run_id(), at(2), "the newest").unwrap();
    kept.sessions.begin(Path::new("/nothing was asked here"), at(3)).unwrap();
    let listed: Vec<SessionId> =
        kept.sessions.list(3).unwrap().into_iter().map(|found| found.unwrap().id).collect();
    assert_eq!((listed.len(), listed[0]), (3, newest.id));
    let unknown = kept.sessions.find("no such name").unwrap_err();
    assert!(matches!(unknown, SessionError::Unknown { .. }));
    let ambiguous = kept.sessions.find("0").unwrap_err();
    assert!(matches!(ambiguous, SessionError::Ambiguous { .. }));
}

#[test]
fn a_name_is_one_line_that_says_something() {
    let kept = kept();
    let session = kept.sessions.begin(Path::new("/"), at(0)).unwrap();
    for name in ["", "  ", "two\nlines", "bell\u{7}", &"x".repeat(101)] {
        let error = kept.sessions.rename(session.id, name).unwrap_err();
        assert!(matches!(error, SessionError::Name { .. }), "{name:?}");
    }
    kept.sessions.delete(session.id).unwrap();
    let gone = kept.sessions.ask(session.id, run_id(), at(1), "x").unwrap_err();
    assert!(matches!(gone, SessionError::Unknown { .. }));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// Hostile files: reading never panics, and lines appended afterwards can be read.
    #[test]
    fn the_newest_turns_are_the_same_from_the_end_as_from_the_beginning(
        parts in proptest::collection::vec((0_usize..5, 0_usize..3_000), 0..60),
    ) {
        let kept = kept();
        let session = kept.sessions.begin(Path::new("/"), at(0)).unwrap();
        let mut ids = vec![run_id()];
        for (what, length) in parts {
            let text = "x ".repeat(length);
            let of = *ids.get(ids.len().saturating_sub(1 + what)).unwrap();
            match what {
                0 => {
                    ids.push(run_id());
                    kept.sessions.ask(session.id, *ids.last().unwrap(), at(1), &text).unwrap();
                }
                1 | 2 => kept.sessions.end(session.id, of, end(&text)).unwrap(),
                3 => kept.sessions.reject(session.id, of, Rejection::Undone).unwrap(),
                _ => add(&file(&kept, session.id), &format!("{text}\n")),
            }
            let (whole, newest) =
                (kept.sessions.read(session.id).unwrap(), kept.sessions.newest_turns(session.id).unwrap());
            prop_assert_eq!(whole.recent(&[]), newest.recent(&[]));
            prop_assert_eq!(whole.undoable(kept.data.path()), newest.undoable(kept.data.path()));
            prop_assert_eq!(whole.folder, newest.folder);
        }
    }

    #[test]
    fn whatever_stands_in_the_file_the_next_turn_is_kept(noise in proptest::collection::vec(any::<u8>(), 0..400)) {
        let kept = kept();
        let session = kept.sessions.begin(Path::new("/"), at(0)).unwrap();
        let path = file(&kept, session.id);
        let mut bytes = fs::read(&path).unwrap();
        bytes.extend(&noise);
        fs::write(&path, bytes).unwrap();
        if kept.sessions.ask(session.id, run_id(), at(1), "still here").is_ok() {
            let read = kept.sessions.read(session.id).unwrap();
            prop_assert_eq!(read.turns.last().map(|turn| turn.request.as_str()), Some("still here"));
        }
    }
}
