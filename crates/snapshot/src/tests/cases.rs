//! Individual cases, each with its own reason.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::PathBuf;
use std::time::Duration;

use super::super::{
    Change, ChangeKind, Hindrance, NotCovered, Obstacle, Present, Retention, Snapshot, SnapshotLimits,
    TakenBack, Uncovered, Undo, UndoAction, UndoError, Undoable, retain, undoable,
};
use super::tree::Place;

fn change(path: PathBuf, kind: ChangeKind, folder: bool) -> Change {
    Change { path, kind, folder, kept: None, linked: None }
}

fn obstacles(error: UndoError) -> Vec<Obstacle> {
    if let UndoError::Refused { obstacles } = error {
        obstacles
    } else {
        panic!("not refused, but {error:?}")
    }
}

#[test]
fn a_call_says_what_it_did() {
    let place = Place::new();
    fs::write(place.path("old"), "1").unwrap();
    fs::write(place.path("gone"), "1").unwrap();
    fs::write(place.path("same"), "1").unwrap();
    let changes = place.run(|root| {
        fs::write(root.join("old"), "22").unwrap();
        fs::remove_file(root.join("gone")).unwrap();
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::write(root.join("a/new"), "").unwrap();
        fs::hard_link(root.join("same"), root.join("a/name")).unwrap();
    });
    let expected = [
        change(place.path("a/b"), ChangeKind::Created, true),
        change(place.path("a/name"), ChangeKind::Created, false),
        change(place.path("a/new"), ChangeKind::Created, false),
        change(place.path("gone"), ChangeKind::Deleted, false),
        change(place.path("old"), ChangeKind::Changed, false),
    ];
    assert_eq!(changes, expected, "one more name is no change of `same`");
    let undo = place.prepare().unwrap();
    let action = |path: &str, action| TakenBack { path: place.path(path), action };
    let expected = [
        action("a", UndoAction::Remove),
        action("a/b", UndoAction::Remove),
        action("a/name", UndoAction::Remove),
        action("a/new", UndoAction::Remove),
        action("gone", UndoAction::Recreate),
        action("old", UndoAction::Restore),
    ];
    assert_eq!(undo.changes(), expected);
}

#[test]
fn a_run_is_undone_once() {
    let place = Place::new();
    place.run(|root| fs::write(root.join("new"), "x").unwrap());
    place.undo().unwrap();
    fs::write(place.path("new"), "a person's").unwrap();
    assert!(matches!(place.undo(), Err(UndoError::Undone)));
    assert_eq!(fs::read(place.path("new")).unwrap(), b"a person's");
}

#[test]
fn what_undo_takes_away_is_kept() {
    let place = Place::new();
    fs::write(place.path("old"), "1").unwrap();
    place.run(|root| {
        fs::write(root.join("old"), "the run's").unwrap();
        fs::write(root.join("new"), "the run's").unwrap();
    });
    place.undo().unwrap();
    let taken = fs::read_dir(place.record.join("taken")).unwrap();
    let taken: Vec<_> = taken.map(|entry| fs::read(entry.unwrap().path()).unwrap()).collect();
    assert_eq!(taken, [b"the run's", b"the run's"]);
}

#[test]
fn what_somebody_changed_since_refuses_the_whole() {
    let place = Place::new();
    for name in ["one", "two"] {
        fs::write(place.path(name), "old").unwrap();
    }
    place.run(|root| {
        for name in ["one", "two"] {
            fs::write(root.join(name), "the run's").unwrap();
        }
        fs::create_dir(root.join("folder")).unwrap();
        fs::write(root.join("removed"), "").unwrap();
    });
    fs::write(place.path("two"), "a person's work").unwrap();
    fs::write(place.path("folder/note"), "a person's").unwrap();
    // Another program reverted this already; nothing is left to do.
    fs::remove_file(place.path("removed")).unwrap();
    let before = place.picture();
    let expected = [
        Obstacle { path: place.path("folder"), why: Hindrance::Holds { entry: "note".into() } },
        Obstacle { path: place.path("two"), why: Hindrance::ChangedSince },
    ];
    assert_eq!(obstacles(place.undo().unwrap_err()), expected);
    assert_eq!(place.picture(), before, "nothing half-done");
    assert_eq!(undoable(&place.record), Undoable::Yes);
    fs::remove_file(place.path("folder/note")).unwrap();
    fs::write(place.path("two"), "old").unwrap();
    assert_eq!(
        obstacles(place.undo().unwrap_err()),
        [Obstacle { path: place.path("two"), why: Hindrance::ChangedSince }],
        "its time is not the old one"
    );
}

#[test]
fn files_of_others_in_a_folder_stay_and_the_folder_keeps_their_time() {
    let place = Place::new();
    place.run(|root| fs::write(root.join("new"), "").unwrap());
    fs::write(place.path("a person's"), "").unwrap();
    let time = fs::metadata(&place.root).unwrap().mtime_nsec();
    place.undo().unwrap();
    assert!(!place.path("new").exists() && place.path("a person's").exists());
    assert_eq!(fs::metadata(&place.root).unwrap().mtime_nsec(), time);
}

#[test]
fn changes_between_calls_are_somebody_elses() {
    let place = Place::new();
    fs::write(place.path("mine"), "1").unwrap();
    let snapshot = place.snapshot();
    place.call(&snapshot, |root| fs::write(root.join("the run's"), "1").unwrap());
    fs::write(place.path("mine"), "a person's").unwrap();
    fs::write(place.path("also mine"), "2").unwrap();
    let changes = place.call(&snapshot, |root| fs::write(root.join("mine"), "the run's").unwrap());
    assert_eq!(changes, [change(place.path("mine"), ChangeKind::Changed, false)]);
    snapshot.close().unwrap();
    place.undo().unwrap();
    assert_eq!(fs::read(place.path("mine")).unwrap(), b"a person's", "what the run found when it touched it");
    assert!(place.path("also mine").exists() && !place.path("the run's").exists());
}

#[test]
fn what_somebody_changed_meanwhile_refuses() {
    let place = Place::new();
    let snapshot = place.snapshot();
    place.call(&snapshot, |root| fs::write(root.join("report"), "the run's").unwrap());
    fs::write(place.path("report"), "edited by a person").unwrap();
    place.call(&snapshot, |_| ());
    snapshot.close().unwrap();
    let expected = [Obstacle { path: place.path("report"), why: Hindrance::ChangedMeanwhile }];
    assert_eq!(obstacles(place.undo().unwrap_err()), expected);
}

#[test]
fn calls_side_by_side_share_one_snapshot() {
    let place = Place::new();
    fs::write(place.path("old"), "1").unwrap();
    let before = place.picture();
    let snapshot = place.snapshot();
    let root = std::slice::from_ref(&place.root);
    let first = snapshot.before(root).unwrap();
    fs::write(place.path("first"), "").unwrap();
    let second = snapshot.before(root).unwrap();
    fs::write(place.path("old"), "22").unwrap();
    drop(first); // cancelled
    fs::write(place.path("second"), "").unwrap();
    second.after().unwrap();
    snapshot.close().unwrap();
    place.undo().unwrap();
    assert_eq!(place.picture(), before);
}

#[test]
fn what_a_dropped_call_did_counts_as_the_runs() {
    let place = Place::new();
    let before = place.picture();
    let snapshot = place.snapshot();
    let call = snapshot.before(std::slice::from_ref(&place.root)).unwrap();
    fs::write(place.path("new"), "").unwrap();
    drop(call);
    snapshot.close().unwrap();
    assert_eq!(undoable(&place.record), Undoable::Yes);
    place.undo().unwrap();
    assert_eq!(place.picture(), before);
}

#[test]
fn a_run_that_was_killed_within_a_call_needs_a_word() {
    let place = Place::new();
    fs::write(place.path("old"), "1").unwrap();
    let before = place.picture();
    let snapshot = place.snapshot();
    let call = snapshot.before(std::slice::from_ref(&place.root)).unwrap();
    fs::write(place.path("old"), "22").unwrap();
    fs::write(place.path("new"), "").unwrap();
    assert!(matches!(place.undo(), Err(UndoError::Busy)), "while it is at work");
    std::mem::forget(call);
    // As if the kernel had killed artoo: the lock is released, nothing more is written.
    let copy = place.record.parent().unwrap().join("copy");
    fs::create_dir(&copy).unwrap();
    for name in ["before.jsonl", "changes.jsonl"] {
        fs::copy(place.record.join(name), copy.join(name)).unwrap();
    }
    fs::rename(place.record.join("objects"), copy.join("objects")).unwrap();
    assert_eq!(undoable(&copy), Undoable::Unfinished);
    let roots = std::slice::from_ref(&place.root);
    assert!(matches!(Undo::prepare(&copy, roots, Present::AsRecorded), Err(UndoError::Unfinished)));
    let undo = Undo::prepare(&copy, roots, Present::AsItIs).unwrap();
    assert_eq!(undo.changes().len(), 2);
    undo.apply().unwrap();
    assert_eq!(place.picture(), before);
}

#[test]
fn a_tool_that_names_its_path_has_that_path_looked_at() {
    let place = Place::new();
    let before = place.picture();
    let snapshot = place.snapshot();
    let path = place.path("a/b/new.txt");
    let call = snapshot.before_path(&place.root, &path).unwrap();
    fs::create_dir_all(place.path("a/b")).unwrap();
    fs::write(&path, "1").unwrap();
    fs::write(place.path("unseen"), "a person's").unwrap();
    assert_eq!(call.after().unwrap(), [change(path, ChangeKind::Created, false)]);
    assert!(snapshot.before_path(&place.root, &place.record).is_err(), "not below its root");
    snapshot.close().unwrap();
    fs::remove_file(place.path("unseen")).unwrap();
    place.undo().unwrap();
    let names =
        |picture: &std::collections::BTreeMap<PathBuf, _>| picture.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&place.picture()), names(&before));
}

#[test]
fn a_named_path_and_a_command_have_one_record() {
    let place = Place::new();
    fs::write(place.path("old"), "1").unwrap();
    let before = place.picture();
    let snapshot = place.snapshot();
    let path = place.path("new.txt");
    let call = snapshot.before_path(&place.root, &path).unwrap();
    fs::write(&path, "1").unwrap();
    call.after().unwrap();
    place.call(&snapshot, |root| {
        fs::rename(&path, root.join("moved.txt")).unwrap();
        fs::remove_file(root.join("old")).unwrap();
    });
    let call = snapshot.before_path(&place.root, &path).unwrap();
    fs::write(&path, "again").unwrap();
    call.after().unwrap();
    snapshot.close().unwrap();
    place.undo().unwrap();
    assert_eq!(place.picture(), before);
}

#[test]
fn a_rewrite_that_gives_the_old_time_back_is_seen() {
    let place = Place::new();
    fs::write(place.path("old"), "1").unwrap();
    let changes = place.run(|root| {
        let time = fs::metadata(root.join("old")).unwrap().modified().unwrap();
        fs::write(root.join("old"), "2").unwrap();
        fs::File::open(root.join("old")).unwrap().set_modified(time).unwrap();
    });
    assert_eq!(changes, [change(place.path("old"), ChangeKind::Changed, false)]);
    place.undo().unwrap();
    assert_eq!(fs::read(place.path("old")).unwrap(), b"1");
}

#[test]
fn other_names_of_a_changed_file_outside_are_put_right_too() {
    let place = Place::new();
    let outside = place.root.parent().unwrap().join("outside");
    fs::write(&outside, "1").unwrap();
    fs::hard_link(&outside, place.path("inside")).unwrap();
    place.run(|root| fs::write(root.join("inside"), "22").unwrap());
    place.undo().unwrap();
    assert_eq!(fs::read(&outside).unwrap(), b"1");
    assert_eq!(fs::metadata(&outside).unwrap().ino(), fs::metadata(place.path("inside")).unwrap().ino());
}

#[test]
fn links_are_never_followed() {
    let place = Place::new();
    let outside = place.root.parent().unwrap().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("secret"), "1").unwrap();
    symlink(&outside, place.path("link")).unwrap();
    let before = place.picture();
    let changes = place.run(|root| {
        fs::write(outside.join("secret"), "22").unwrap();
        fs::remove_file(root.join("link")).unwrap();
        fs::create_dir(root.join("link")).unwrap();
        fs::write(root.join("link/secret"), "").unwrap();
    });
    assert_eq!(changes.len(), 2, "{changes:?}");
    place.undo().unwrap();
    assert_eq!(place.picture(), before);
    assert_eq!(fs::read(outside.join("secret")).unwrap(), b"22", "outside nothing is looked at or changed");
}

#[test]
fn above_the_cap_the_snapshot_says_so_and_undo_refuses_what_it_does_not_have() {
    let place = Place::new();
    fs::write(place.path("small"), "1").unwrap();
    fs::write(place.path("large"), vec![0; 100]).unwrap();
    let limits = SnapshotLimits { bytes: 50, ..SnapshotLimits::default() };
    let snapshot = Snapshot::new(place.record.clone(), Vec::new(), limits);
    place.call(&snapshot, |root| {
        fs::write(root.join("small"), "22").unwrap();
        fs::write(root.join("large"), "22").unwrap();
    });
    let large = place.path("large");
    let why = Uncovered::NoRoom { bytes: 100 };
    assert_eq!(snapshot.not_covered(), [NotCovered { path: large.clone(), why: why.clone() }]);
    snapshot.close().unwrap();
    let why = Hindrance::NotKept { reason: why.to_string() };
    assert_eq!(obstacles(place.undo().unwrap_err()), [Obstacle { path: large, why }]);
    assert_eq!(fs::read(place.path("small")).unwrap(), b"22", "nothing half-done");
}

#[test]
fn a_file_above_the_cap_that_nobody_changed_is_no_obstacle() {
    let place = Place::new();
    fs::write(place.path("large"), vec![0; 100]).unwrap();
    let snapshot = Snapshot::new(
        place.record.clone(),
        Vec::new(),
        SnapshotLimits { bytes: 0, ..SnapshotLimits::default() },
    );
    place.call(&snapshot, |root| fs::write(root.join("new"), "").unwrap());
    snapshot.close().unwrap();
    let undo = place.prepare().unwrap();
    assert_eq!(undo.not_covered().len(), 1);
    undo.apply().unwrap();
    assert!(!place.path("new").exists());
}

#[test]
fn too_many_entries_are_not_looked_at() {
    let place = Place::new();
    for number in 0..20 {
        fs::write(place.path(&number.to_string()), "").unwrap();
    }
    let limits = SnapshotLimits { entries: 10, ..SnapshotLimits::default() };
    let snapshot = Snapshot::new(place.record.clone(), Vec::new(), limits);
    let changes = place.call(&snapshot, |root| fs::write(root.join("new"), "").unwrap());
    assert_eq!(changes, []);
    let lost = NotCovered { path: place.root.clone(), why: Uncovered::TooMany { entries: 10 } };
    assert_eq!(snapshot.not_covered(), [lost]);
    snapshot.close().unwrap();
    assert_eq!(undoable(&place.record), Undoable::Nothing);
}

#[test]
fn a_run_that_makes_too_many_entries_cannot_be_undone() {
    let place = Place::new();
    fs::write(place.path("old"), "1").unwrap();
    let limits = SnapshotLimits { entries: 10, ..SnapshotLimits::default() };
    let snapshot = Snapshot::new(place.record.clone(), Vec::new(), limits);
    place.call(&snapshot, |root| fs::write(root.join("old"), "22").unwrap());
    place.call(&snapshot, |root| (0..20).for_each(|n| fs::write(root.join(n.to_string()), "").unwrap()));
    snapshot.close().unwrap();
    let found = obstacles(place.undo().unwrap_err());
    assert!(matches!(&found[..], [Obstacle { why: Hindrance::NotKept { .. }, .. }]), "{found:?}");
}

#[test]
fn artoos_own_folder_in_a_root_is_left_out() {
    let place = Place::new();
    let record = place.path("data/run/undo");
    let snapshot = Snapshot::new(record.clone(), vec![place.path("data")], SnapshotLimits::default());
    let changes = place.call(&snapshot, |root| fs::write(root.join("data/journal"), "").unwrap());
    assert_eq!(changes, []);
    snapshot.close().unwrap();
    assert_eq!(undoable(&record), Undoable::Nothing);
}

#[test]
fn a_folder_in_the_way_is_found_before_the_first_step() {
    let place = Place::new();
    fs::create_dir(place.path("d")).unwrap();
    fs::write(place.path("d/file"), "1").unwrap();
    place.run(|root| fs::remove_file(root.join("d/file")).unwrap());
    fs::remove_dir(place.path("d")).unwrap();
    let found = obstacles(place.undo().unwrap_err());
    assert_eq!(found, [Obstacle { path: place.path("d"), why: Hindrance::ChangedSince }]);
    fs::remove_dir(&place.root).unwrap();
    assert_eq!(
        obstacles(place.undo().unwrap_err()),
        [Obstacle { path: place.root.clone(), why: Hindrance::NoFolder }]
    );
}

#[test]
fn a_kept_content_that_was_altered_is_not_put_back() {
    let place = Place::new();
    fs::write(place.path("old"), "1").unwrap();
    place.run(|root| fs::write(root.join("old"), "22").unwrap());
    let object = fs::read_dir(place.record.join("objects")).unwrap().next().unwrap().unwrap().path();
    fs::write(object, "something else").unwrap();
    let found = obstacles(place.undo().unwrap_err());
    assert!(matches!(&found[..], [Obstacle { why: Hindrance::NotKept { .. }, .. }]), "{found:?}");
    assert_eq!(fs::read(place.path("old")).unwrap(), b"22");
}

#[test]
fn the_record_is_closed_to_others() {
    let place = Place::new();
    fs::write(place.path("old"), "1").unwrap();
    place.run(|root| fs::write(root.join("old"), "22").unwrap());
    let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(place.record.clone()), 0o700);
    assert_eq!(mode(place.record.join("objects")), 0o700);
    for name in ["before.jsonl", "changes.jsonl"] {
        assert_eq!(mode(place.record.join(name)), 0o600);
    }
}

#[test]
fn the_oldest_contents_go_first() {
    let place = Place::new();
    fs::write(place.path("old"), vec![7; 1000]).unwrap();
    let runs: Vec<Place> = (0..4).map(|number| place.another_run(number)).collect();
    for (number, run) in runs.iter().enumerate() {
        run.run(|root| fs::write(root.join("old"), vec![number as u8; 1000]).unwrap());
    }
    let day = Duration::from_secs(24 * 60 * 60);
    let aged = || runs.iter().zip([3, 2, 1, 0]).map(|(run, age)| (run.record.clone(), day * age)).collect();
    let retention = Retention { max_age: day * 2, max_bytes: 2_500 };
    assert_eq!(retain(aged(), retention).unwrap(), 2, "one is too old, one does not fit");
    let states: Vec<_> = runs.iter().map(|run| undoable(&run.record)).collect();
    assert_eq!(states, [Undoable::Expired, Undoable::Expired, Undoable::Yes, Undoable::Yes]);
    assert!(matches!(runs[0].undo(), Err(UndoError::Expired)));
    assert_eq!(retain(aged(), retention).unwrap(), 0, "once");
    let at_work = place.another_run(9);
    let snapshot = at_work.snapshot();
    let call = snapshot.before(std::slice::from_ref(&place.root)).unwrap();
    assert_eq!(retain(vec![(at_work.record.clone(), day * 9)], retention).unwrap(), 0, "it is at work");
    call.after().unwrap();
}

#[test]
fn what_was_found_is_told_from_what_was_made() {
    let place = Place::new();
    let root = [place.root.clone()];
    for path in ["repo/.git/x", "gone/.git/x", "deep/in/.git/x", "no.git"] {
        fs::create_dir_all(place.path(path)).unwrap();
    }
    fs::write(place.path("deep/.git"), "a file of this name").unwrap();
    let snapshot = place.snapshot();
    let name = std::ffi::OsStr::new(".git");
    assert_eq!(snapshot.found(name), None, "nothing was looked at");
    let call = snapshot.before(&root).unwrap();
    let found = |paths: &[&str]| Some(paths.iter().map(|path| place.path(path)).collect::<Vec<_>>());
    assert_eq!(snapshot.found(name), found(&["deep/.git", "deep/in/.git", "gone/.git", "repo/.git"]));
    fs::create_dir_all(place.path("made/.git")).unwrap();
    fs::remove_dir_all(place.path("gone")).unwrap();
    call.after().unwrap();
    assert_eq!(snapshot.found(name), found(&["deep/.git", "deep/in/.git", "repo/.git"]));
    // Between two calls, another program creates one.
    fs::create_dir_all(place.path("theirs/.git")).unwrap();
    snapshot.before(&root).unwrap().after().unwrap();
    assert_eq!(snapshot.found(name), found(&["deep/.git", "deep/in/.git", "repo/.git", "theirs/.git"]));
}

#[test]
fn what_was_not_looked_at_is_not_known() {
    let place = Place::new();
    fs::create_dir_all(place.path("repo/.git")).unwrap();
    let snapshot = Snapshot::new(
        place.record.clone(),
        Vec::new(),
        SnapshotLimits { entries: 1, ..SnapshotLimits::default() },
    );
    snapshot.before(std::slice::from_ref(&place.root)).unwrap().after().unwrap();
    assert_eq!(snapshot.found(std::ffi::OsStr::new(".git")), None);
}
