//! Tests of the log file: private, append-only, shared.

use std::fs::{self, OpenOptions};
use std::io::Write as _;

use artoo_auditor::{AuditError, AuditLog, Gap, LOG_NAME, Line, log_exists, verify};
use sha2::Digest as _;

use crate::fixtures::{a_log, append, event, noon};

fn lines(path: &std::path::Path) -> Vec<Line> {
    fs::read_to_string(path).unwrap().lines().filter_map(|line| Line::parse(line.as_bytes())).collect()
}

/// Lesson 22: the ancestor's audit was empty after a restart.
#[test]
fn a_log_goes_on_where_it_ended() {
    let folder = tempfile::tempdir().unwrap();
    for round in 0..3 {
        let (mut log, found) = AuditLog::open(folder.path(), noon()).unwrap();
        assert_eq!(found, []);
        append(&mut log, [event(1, 2 * round + 1), event(1, 2 * round + 2)]);
        // Dropped without a clean stop, as in a killed process.
    }
    let verified = verify(&folder.path().join(LOG_NAME)).unwrap();
    assert_eq!((verified.lines, verified.gaps.len()), (6, 0));
}

#[test]
fn a_killed_process_leaves_a_cut_line_that_stays_and_is_recorded() {
    let folder = tempfile::tempdir().unwrap();
    a_log(folder.path(), 3);
    let path = folder.path().join(LOG_NAME);
    let before = fs::read(&path).unwrap();
    for cut in [1, 20, 200] {
        fs::write(&path, &before).unwrap();
        // The head knows three lines; the fourth was cut.
        let fourth = &before[..cut];
        OpenOptions::new().append(true).open(&path).unwrap().write_all(fourth).unwrap();
        assert_eq!(
            verify(&path).unwrap_err().to_string(),
            "the log is truncated at line 4: line 4 was being written when the process was killed or could not write on"
        );

        let (mut log, found) = AuditLog::open(folder.path(), noon()).unwrap();
        assert!(matches!(&found[..], [Gap::TornLine { bytes, .. }] if *bytes == cut as u64), "{found:?}");
        append(&mut log, [event(1, 4)]);
        drop(log);
        assert!(fs::read(&path).unwrap().starts_with(&[&before[..], fourth].concat()), "only ever appended");
        let verified = verify(&path).unwrap();
        assert_eq!((verified.lines, verified.gaps.len(), verified.tampered().count()), (6, 1, 0));
        fs::write(path.with_extension("head"), head_of(folder.path(), &before)).unwrap();
    }
}

/// The head of a log with this content.
fn head_of(folder: &std::path::Path, content: &[u8]) -> Vec<u8> {
    let other = tempfile::tempdir_in(folder).unwrap();
    fs::write(other.path().join(LOG_NAME), content).unwrap();
    a_log(other.path(), 0);
    let head = fs::read_to_string(other.path().join("audit.head")).unwrap();
    // That log recorded that its head was missing; the head needed here is for the lines before.
    let mut head: serde_json::Value = serde_json::from_str(head.lines().next().unwrap()).unwrap();
    head.as_object_mut().unwrap().remove("check");
    let gap = lines(&other.path().join(LOG_NAME)).pop().unwrap();
    head["lines"] = (gap.number() - 1).into();
    head["bytes"] = content.len().into();
    head["hash"] = gap.prev_hash().into();
    serde_json::to_vec(&head).unwrap()
}

#[test]
fn what_was_cut_off_while_nobody_looked_is_recorded_for_good() {
    let folder = tempfile::tempdir().unwrap();
    a_log(folder.path(), 5);
    let path = folder.path().join(LOG_NAME);
    let text = fs::read_to_string(&path).unwrap();
    let shorter: String = text.split_inclusive('\n').take(3).collect();
    fs::write(&path, shorter).unwrap();
    assert_eq!(
        verify(&path).unwrap_err().to_string(),
        "the log is truncated at line 4: lines 4 to 5 were written, and are missing"
    );

    let (mut log, found) = AuditLog::open(folder.path(), noon()).unwrap();
    assert!(matches!(found[..], [Gap::HeadMismatch { expected_lines: 5, .. }]));
    append(&mut log, [event(1, 6)]);
    assert_eq!(verify(&path).unwrap().tampered().count(), 1);

    fs::remove_file(path.with_extension("head")).unwrap();
    assert_eq!(
        verify(&path).unwrap_err().to_string(),
        "the 5 lines are a whole chain, but the head file is missing or damaged"
    );
    let (_, found) = AuditLog::open(folder.path(), noon()).unwrap();
    assert_eq!(found, [Gap::HeadMissing]);
    assert_eq!(verify(&path).unwrap().tampered().count(), 2);
}

/// Several processes append to one log; two handles in one process have the same two locks and the same two
/// views.
#[test]
fn writers_that_share_a_log_keep_one_chain() {
    const WRITERS: u64 = 4;
    const BATCHES: u64 = 60;
    let folder = tempfile::tempdir().unwrap();
    let threads: Vec<_> = (1..=WRITERS)
        .map(|writer| {
            let folder = folder.path().to_owned();
            std::thread::spawn(move || {
                let (mut log, found) = AuditLog::open(&folder, noon()).unwrap();
                assert_eq!(found, []);
                for batch in 0..BATCHES {
                    let first = 3 * batch + 1;
                    append(&mut log, (first..first + 3).map(|seq| event(u128::from(writer), seq)));
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    let path = folder.path().join(LOG_NAME);
    let verified = verify(&path).unwrap();
    assert_eq!(verified.lines, WRITERS * BATCHES * 3);
    assert_eq!(verified.gaps, []);
    for writer in 1..=WRITERS {
        let own: Vec<_> = lines(&path)
            .into_iter()
            .filter_map(|line| match line {
                Line::Event(event) if event.run_id == crate::fixtures::run_id(u128::from(writer)) => {
                    Some(event.seq)
                }
                Line::Event(_) | Line::Gap(_) | Line::Seal(_) => None,
            })
            .collect();
        assert_eq!(own, (1..=3 * BATCHES).collect::<Vec<_>>());
    }
}

#[cfg(unix)]
#[test]
fn the_log_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("state/audit");
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    a_log(&folder, 1);
    let log = folder.join(LOG_NAME);
    assert_eq!((mode(&folder), mode(&log), mode(&folder.join("audit.head"))), (0o700, 0o600, 0o600));
    fs::set_permissions(&log, fs::Permissions::from_mode(0o644)).unwrap();
    a_log(&folder, 1);
    assert_eq!(mode(&log), 0o600);
}

#[test]
fn a_log_that_cannot_be_is_an_error_with_a_hint() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join(LOG_NAME)).unwrap();
    let error = AuditLog::open(folder.path(), noon()).unwrap_err();
    assert!(matches!(error, AuditError::Read { .. } | AuditError::NotAFile { .. }), "{error}");
    assert!(error.hint().is_some());

    fs::write(folder.path().join("file"), "").unwrap();
    let error = AuditLog::open(&folder.path().join("file/audit"), noon()).unwrap_err();
    assert!(matches!(error, AuditError::Folder { .. }), "{error}");
}

/// A valid next line of a log, as anyone who can read the log could forge it.
fn forged(path: &std::path::Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let last = text.lines().last().unwrap();
    let mut line: serde_json::Value = serde_json::from_str(last).unwrap();
    line["line"] = (line["line"].as_u64().unwrap() + 1).into();
    line["seq"] = (line["seq"].as_u64().unwrap() + 1).into();
    line["prev_hash"] = hex::encode(sha2::Sha256::digest(last)).into();
    format!("{line}\n")
}

#[test]
fn a_line_that_was_added_is_found_before_and_after_the_next_run() {
    let folder = tempfile::tempdir().unwrap();
    a_log(folder.path(), 3);
    let path = folder.path().join(LOG_NAME);
    let add = || {
        OpenOptions::new().append(true).open(&path).unwrap().write_all(forged(&path).as_bytes()).unwrap();
    };
    add();
    assert_eq!(
        verify(&path).unwrap_err().to_string(),
        "1 lines stand behind the 3 that the head file knows: they were added"
    );
    let (mut log, found) = AuditLog::open(folder.path(), noon()).unwrap();
    assert_eq!(found, [Gap::LinesAdded { expected_lines: 3, added: 1 }]);
    assert_eq!(verify(&path).unwrap().tampered().count(), 1);
    // Also while the log is open.
    append(&mut log, [event(1, 9)]);
    add();
    append(&mut log, [event(1, 11)]);
    assert_eq!(verify(&path).unwrap().tampered().count(), 2);
}

#[test]
fn a_log_that_is_missing_beside_its_head_is_found_before_and_after_the_next_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(LOG_NAME);
    assert!(!log_exists(&path));
    a_log(folder.path(), 3);
    for damaged in [false, true] {
        assert!(log_exists(&path));
        fs::remove_file(&path).unwrap();
        if damaged {
            fs::write(path.with_extension("head"), "?").unwrap();
        }
        assert!(log_exists(&path));
        let said = verify(&path).unwrap_err().to_string();
        assert!(said.starts_with("the log is missing; its head file is there"), "{said}");
        assert_eq!(said.ends_with(" lines"), !damaged, "{said}");
        let (_, found) = AuditLog::open(folder.path(), noon()).unwrap();
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(verify(&path).unwrap().tampered().count(), 1);
    }
}

#[test]
fn a_log_that_is_removed_while_it_is_written_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let (mut log, _) = AuditLog::open(folder.path(), noon()).unwrap();
    append(&mut log, [event(1, 1)]);
    fs::rename(log.path(), folder.path().join("away")).unwrap();
    let mut pending = [event(1, 2)].into();
    let error = log.append(&mut pending).unwrap_err();
    assert!(matches!(error, AuditError::Gone { .. }), "{error}");
    assert_eq!(pending.len(), 1, "it is kept");
}

#[cfg(unix)]
#[test]
fn no_link_in_the_place_of_a_file_is_followed() {
    for name in [LOG_NAME, "audit.head"] {
        for there in [true, false] {
            let folder = tempfile::tempdir().unwrap();
            let elsewhere = folder.path().join("elsewhere");
            if there {
                fs::write(&elsewhere, "as it was").unwrap();
            }
            let data = folder.path().join("data");
            fs::create_dir(&data).unwrap();
            std::os::unix::fs::symlink(&elsewhere, data.join(name)).unwrap();
            AuditLog::open(&data, noon()).unwrap_err();
            assert_eq!(fs::read_to_string(&elsewhere).ok(), there.then(|| "as it was".to_owned()), "{name}");
        }
    }
}
