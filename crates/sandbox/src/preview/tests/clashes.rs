//! Concurrent changes by another program, during the command or between the command and the commit.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use tokio_util::sync::CancellationToken;

use super::super::{Clash, ClashKind, CommitError};
use super::cases::until;
use super::setup::{Place, place};

fn tree(place: &Place) {
    fs::create_dir_all(place.path("d")).unwrap();
    for name in ["changed", "gone", "moded", "d/inside"] {
        fs::write(place.path(name), "as it was").unwrap();
    }
}

fn clashes(refused: Result<(), CommitError>) -> Vec<(PathBuf, ClashKind)> {
    let Err(CommitError::Refused { clashes }) = refused else { panic!("{refused:?}") };
    clashes.into_iter().map(|Clash { path, why }| (path, why)).collect()
}

#[tokio::test]
async fn what_somebody_changed_since_is_listed_and_nothing_is_done() {
    let Some(place) = place() else { return };
    tree(&place);
    let preview = place
        .sh("for f in changed gone moded; do echo x > $f; done; rm -r d; echo n > new; echo o > other")
        .await;
    // Other bytes of the same length, with the old mtime.
    let time = fs::metadata(place.path("changed")).unwrap().modified().unwrap();
    fs::write(place.path("changed"), "it was as").unwrap();
    fs::File::open(place.path("changed")).unwrap().set_modified(time).unwrap();
    fs::remove_file(place.path("gone")).unwrap();
    fs::set_permissions(place.path("moded"), fs::Permissions::from_mode(0o600)).unwrap();
    fs::write(place.path("new"), "somebody else's").unwrap();
    fs::write(place.path("d/late"), "somebody else's").unwrap();
    let before = place.picture();
    let expected = [
        ("changed", ClashKind::ChangedSince),
        ("d", ClashKind::Holds { entry: place.path("d/late") }),
        ("gone", ClashKind::Gone),
        ("moded", ClashKind::ChangedSince),
        ("new", ClashKind::Appeared),
    ];
    assert_eq!(clashes(preview.commit()), expected.map(|(name, why)| (place.path(name), why)));
    assert_eq!(place.picture(), before);
    assert!(place.store_is_empty());
}

#[tokio::test]
async fn a_folder_that_went_or_changed_stands_in_the_way() {
    let Some(place) = place() else { return };
    tree(&place);
    let preview = place.sh("echo x > d/new").await;
    fs::set_permissions(place.path("d"), fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!(clashes(preview.commit()), [(place.path("d"), ClashKind::ChangedSince)]);
    let preview = place.sh("echo x > d/new").await;
    fs::rename(&place.root, place.home().join("elsewhere")).unwrap();
    fs::create_dir(&place.root).unwrap();
    assert_eq!(clashes(preview.commit()), [(place.root.clone(), ClashKind::Gone)]);
    assert_eq!(place.picture().len(), 1);
}

#[tokio::test]
async fn what_somebody_does_elsewhere_in_the_folder_does_not_matter() {
    let Some(place) = place() else { return };
    tree(&place);
    let preview = place.sh("echo x > changed; echo x > d/new").await;
    fs::write(place.path("d/theirs"), "theirs").unwrap();
    fs::write(place.path("gone"), "theirs").unwrap();
    let time = fs::metadata(place.path("d")).unwrap().modified().unwrap();
    preview.commit().unwrap();
    assert_eq!(fs::read(place.path("d/theirs")).unwrap(), b"theirs");
    assert_eq!(fs::read(place.path("d/new")).unwrap(), b"x\n");
    assert!(fs::metadata(place.path("d")).unwrap().modified().unwrap() >= time, "their time was set back");
}

/// The command has read the file, another program writes it, then the command writes what it derived from the
/// old text.
#[tokio::test]
async fn what_somebody_changes_while_the_command_runs_is_not_lost() {
    let Some(place) = place() else { return };
    tree(&place);
    let cancel = CancellationToken::new();
    let script = b"read text < changed; echo x > $TMPDIR/ready
        until test -e $TMPDIR/go; do sleep 0.01; done; echo \"$text!\" > changed; echo n > new";
    let (preview, ()) = tokio::join!(place.said(script, &cancel), async {
        until(|| place.tmp.join("ready").exists()).await;
        fs::write(place.path("changed"), "theirs").unwrap();
        fs::write(place.tmp.join("go"), "").unwrap();
    });
    let (preview, _) = preview.unwrap();
    assert_eq!(clashes(preview.commit()), [(place.path("changed"), ClashKind::ChangedMeanwhile)]);
    assert_eq!(fs::read(place.path("changed")).unwrap(), b"theirs");
    assert!(!place.path("new").exists());
}

#[tokio::test]
async fn of_two_previews_of_the_same_file_one_is_made() {
    let Some(place) = place() else { return };
    tree(&place);
    let (one, two) = tokio::join!(place.sh("echo one > changed"), place.sh("echo two > changed"));
    one.commit().unwrap();
    assert_eq!(clashes(two.commit()), [(place.path("changed"), ClashKind::ChangedSince)]);
    assert_eq!(fs::read(place.path("changed")).unwrap(), b"one\n");
    assert!(place.store_is_empty());
}
