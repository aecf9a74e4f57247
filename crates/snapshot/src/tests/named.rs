//! Calls that name their paths.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::PathBuf;

use artoo_anchored_files::changed_trees::picture;

use super::super::{
    Aspect, ChangeKind, Deviation, Named, NotCovered, Present, Snapshot, SnapshotLimits, Uncovered, Undo,
    Undoable, undoable,
};
use super::tree::Place;

fn named(place: &Place, names: &[&str]) -> Vec<Named> {
    vec![Named { root: place.root.clone(), paths: names.iter().map(|name| place.path(name)).collect() }]
}

#[test]
fn ten_of_a_hundred_thousand_are_taken_back_and_the_rest_is_not_looked_at() {
    let place = Place::new();
    for folder in 0..100 {
        fs::create_dir(place.path(&folder.to_string())).unwrap();
        for file in 0..1_000 {
            fs::write(place.path(&format!("{folder}/{file}")), "old").unwrap();
        }
    }
    let names: Vec<String> = (0..10).map(|number| format!("{}/{number}", number * 7)).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    // Scanning more than these would find too many entries.
    let limits = SnapshotLimits { entries: 100, ..SnapshotLimits::default() };
    let snapshot = Snapshot::new(place.record.clone(), Vec::new(), limits);
    let before = picture(&place.root);
    let call = snapshot.before_paths(&named(&place, &names)).unwrap();
    for name in &names[1..] {
        fs::write(place.path(name), "the run's").unwrap();
    }
    fs::remove_file(place.path(names[0])).unwrap();
    assert_eq!(call.after().unwrap().len(), 10);
    assert_eq!(snapshot.not_covered(), []);
    snapshot.close().unwrap();
    let lines = fs::read_to_string(place.record.join("before.jsonl")).unwrap();
    assert_eq!(lines.lines().count(), 10 + 10 + 1, "the files, their folders and the root");
    assert_eq!(
        fs::read_dir(place.record.join("objects")).unwrap().count(),
        1,
        "equal contents are kept once"
    );
    place.undo().unwrap();
    assert_eq!(picture(&place.root), before);
}

#[test]
fn calls_that_name_their_paths_and_calls_that_do_not_share_a_record() {
    let place = Place::new();
    for name in ["a", "b", "c"] {
        fs::write(place.path(name), "old").unwrap();
    }
    let before = place.picture();
    let snapshot = place.snapshot();
    let call = snapshot.before_paths(&named(&place, &["a", "new/deep"])).unwrap();
    fs::write(place.path("a"), "1").unwrap();
    fs::create_dir(place.path("new")).unwrap();
    fs::write(place.path("new/deep"), "1").unwrap();
    call.after().unwrap();
    place.call(&snapshot, |root| {
        fs::rename(root.join("a"), root.join("b")).unwrap();
        fs::remove_dir_all(root.join("new")).unwrap();
    });
    let call = snapshot.before_paths(&named(&place, &["a", "c"])).unwrap();
    fs::write(place.path("a"), "3").unwrap();
    fs::remove_file(place.path("c")).unwrap();
    let kinds: Vec<_> = call.after().unwrap().into_iter().map(|change| (change.path, change.kind)).collect();
    assert_eq!(kinds, [(place.path("a"), ChangeKind::Created), (place.path("c"), ChangeKind::Deleted)]);
    snapshot.close().unwrap();
    place.undo().unwrap();
    assert_eq!(place.picture(), before);
}

#[test]
fn what_a_dropped_call_named_is_looked_at_by_the_next() {
    let place = Place::new();
    fs::write(place.path("a"), "old").unwrap();
    let before = place.picture();
    let snapshot = place.snapshot();
    let call = snapshot.before_paths(&named(&place, &["a"])).unwrap();
    fs::write(place.path("a"), "the run's").unwrap();
    drop(call);
    snapshot.close().unwrap();
    assert_eq!(undoable(&place.record), Undoable::Yes);
    place.undo().unwrap();
    assert_eq!(place.picture(), before);
}

#[test]
fn a_call_that_names_nothing_looks_at_nothing() {
    let place = Place::new();
    let snapshot = place.snapshot();
    let call = snapshot.before_paths(&[]).unwrap();
    fs::write(place.path("unseen"), "").unwrap();
    assert_eq!(call.after().unwrap(), []);
}

#[test]
fn what_does_not_fit_is_said_before_and_nothing_is_kept_for_it() {
    let place = Place::new();
    for (name, size) in [("small", 10), ("large", 100), ("unnamed", 1_000)] {
        fs::write(place.path(name), vec![1; size]).unwrap();
    }
    let limits = SnapshotLimits { bytes: 50, entries: 2 };
    let snapshot = Snapshot::new(place.record.clone(), Vec::new(), limits);
    let left_over = snapshot.without_room_for(&named(&place, &["small", "large", "new"])).unwrap();
    let large = NotCovered { path: place.path("large"), why: Uncovered::NoRoom { bytes: 100 } };
    assert_eq!(left_over, std::slice::from_ref(&large));
    assert!(!place.record.exists(), "a question keeps nothing");
    drop(snapshot.before_paths(&named(&place, &["small"])).unwrap());
    assert_eq!(snapshot.without_room_for(&named(&place, &["small", "large"])).unwrap(), [large]);
    // A command that ran without a trial: its root cannot be undone.
    let root = std::slice::from_ref(&place.root);
    let too_many = NotCovered { path: place.root.clone(), why: Uncovered::TooMany { entries: 2 } };
    assert_eq!(snapshot.without_room(root).unwrap(), [too_many]);
}

#[test]
fn a_root_that_holds_too_much_keeps_what_is_named() {
    let place = Place::new();
    (0..20).for_each(|number| fs::write(place.path(&number.to_string()), "old").unwrap());
    let before = place.picture();
    let limits = SnapshotLimits { entries: 10, ..SnapshotLimits::default() };
    let snapshot = Snapshot::new(place.record.clone(), Vec::new(), limits);
    place.call(&snapshot, |_| ());
    let call = snapshot.before_paths(&named(&place, &["7"])).unwrap();
    fs::write(place.path("7"), "the run's").unwrap();
    drop(call);
    drop(snapshot);
    // The process was killed. The rest was not scanned, so it is not attributed to the run.
    let roots = std::slice::from_ref(&place.root);
    let undo = Undo::prepare(&place.record, roots, Present::AsItIs).unwrap();
    assert_eq!(undo.changes().len(), 1);
    assert_eq!(undo.apply().unwrap(), []);
    assert_eq!(place.picture(), before);
}

#[test]
fn one_name_of_several_is_joined_with_the_others_again() {
    let place = Place::new();
    fs::create_dir(place.path("d")).unwrap();
    fs::write(place.path("a"), "old").unwrap();
    fs::hard_link(place.path("a"), place.path("d/b")).unwrap();
    let before = place.picture();
    let snapshot = place.snapshot();
    let call = snapshot.before_paths(&named(&place, &["a"])).unwrap();
    fs::remove_file(place.path("a")).unwrap();
    fs::write(place.path("a"), "another file").unwrap();
    call.after().unwrap();
    snapshot.close().unwrap();
    place.undo().unwrap();
    assert_eq!(place.picture(), before);
}

#[test]
fn a_name_that_nobody_can_find_is_said_to_be_lost() {
    let place = Place::new();
    let outside = place.root.with_file_name("outside");
    fs::write(&outside, "old").unwrap();
    fs::hard_link(&outside, place.path("a")).unwrap();
    place.run(|root| fs::remove_file(root.join("a")).unwrap());
    let deviations = place.prepare().unwrap().apply().unwrap();
    assert_eq!(deviations, [Deviation { path: place.path("a"), aspect: Aspect::Links }]);
    assert_eq!(fs::read(place.path("a")).unwrap(), b"old");
}

#[test]
fn looking_moves_no_time_of_access() {
    let place = Place::new();
    fs::create_dir(place.path("d")).unwrap();
    fs::write(place.path("d/file"), "content").unwrap();
    let paths = [place.root.clone(), place.path("d"), place.path("d/file")];
    let old = |path: &PathBuf| {
        // So old that every read would update it.
        let time = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000);
        fs::File::open(path).unwrap().set_times(fs::FileTimes::new().set_accessed(time)).unwrap();
    };
    let accessed = |path: &PathBuf| fs::metadata(path).unwrap().atime();
    paths.iter().for_each(old);
    place.run(|_| ());
    let undo = Undo::prepare(&place.record, std::slice::from_ref(&place.root), Present::AsRecorded);
    drop(undo);
    assert_eq!(paths.each_ref().map(accessed), [1_000; 3]);
    fs::read(place.path("d/file")).unwrap();
    assert!(
        accessed(&paths[2]) > 1_000,
        "the file system counts accesses, so that the above means something"
    );
}

#[test]
fn a_file_that_its_owner_may_not_read_is_kept_where_it_is_named() {
    let place = Place::new();
    fs::write(place.path("closed"), "secret").unwrap();
    fs::set_permissions(place.path("closed"), fs::Permissions::from_mode(0o000)).unwrap();
    let snapshot = place.snapshot();
    let whole = snapshot.before(std::slice::from_ref(&place.root)).unwrap();
    whole.after().unwrap();
    let missed = snapshot.not_covered();
    if rustix::process::geteuid().is_root() {
        eprintln!("\n*** SKIPPED in part: root can read every file ***\n");
        assert_eq!(missed, []);
    } else {
        assert!(matches!(&missed[..], [NotCovered { why: Uncovered::Unreadable { .. }, .. }]), "{missed:?}");
    }
    let call = snapshot.before_paths(&named(&place, &["closed"])).unwrap();
    assert_eq!(snapshot.not_covered(), []);
    assert_eq!(fs::metadata(place.path("closed")).unwrap().mode() & 0o777, 0);
    fs::remove_file(place.path("closed")).unwrap();
    call.after().unwrap();
    snapshot.close().unwrap();
    place.undo().unwrap();
    let path = place.path("closed");
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o400)).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"secret");
}
