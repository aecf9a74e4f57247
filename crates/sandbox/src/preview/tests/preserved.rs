//! What a commit preserves of existing files, and what it rolls back on failure.

use std::fs;
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use artoo_anchored_files::changed_trees::{Deed, acl, deeds, picture};
use artoo_snapshot::{Present, Snapshot, SnapshotLimits, Undo};
use proptest::prelude::*;
use rustix::fs::{XattrFlags, setxattr};
use tokio_util::sync::CancellationToken;

use super::super::commit::commit_while;
use super::super::{CommitError, Preview, PreviewError};
use super::properties::script;
use super::setup::{Place, place};

fn mark(path: &Path, name: &str, value: &[u8]) {
    setxattr(path, name, value, XattrFlags::empty()).unwrap();
}

/// Whether the file system supports access lists; reports it if not.
fn has_access_lists(root: &Path) -> bool {
    let probe = root.join("probe");
    fs::write(&probe, "").unwrap();
    let answer = setxattr(&probe, "system.posix_acl_access", &acl(12_345, 6), XattrFlags::empty());
    fs::remove_file(&probe).unwrap();
    if let Err(error) = answer {
        artoo_test_needs::skip(artoo_test_needs::Ability::AccessLists, error);
    }
    answer.is_ok()
}

#[tokio::test]
async fn attributes_and_access_lists_come_along() {
    let Some(place) = place() else { return };
    if !has_access_lists(&place.root) {
        return;
    }
    let plain = place.outside.clone();
    for root in [&place.root, &plain] {
        fs::create_dir(root.join("shared")).unwrap();
        mark(&root.join("shared"), "system.posix_acl_default", &acl(12_345, 7));
        for name in ["changed", "moved", "moded", "replaced"] {
            let path = root.join(name);
            fs::write(&path, name).unwrap();
            mark(&path, "user.mark", name.as_bytes());
            mark(&path, "system.posix_acl_access", &acl(12_345, 6));
        }
    }
    let script = "echo x >> changed; mv moved shared/moved; chmod 600 moded; echo n > shared/new; mkdir shared/d; rm replaced; echo r > replaced";
    let preview = place.sh(script).await;
    assert_eq!(
        place.words(&preview.changes),
        [
            "changed changed",
            "mode, time or attributes moded",
            "moved away moved (shared/moved)",
            "changed replaced",
            "created shared/d",
            "moved here shared/moved (moved)",
            "created shared/new",
        ]
    );
    preview.commit().unwrap();
    place.plainly(&plain, script.as_bytes()).await;
    let attributes = |root: &Path| {
        let seen = picture(root).into_iter();
        let below = |path: std::path::PathBuf| path.strip_prefix(root).unwrap().to_owned();
        seen.map(|(path, seen)| (below(path), (seen.mode, seen.attributes))).collect::<Vec<_>>()
    };
    assert_eq!(attributes(&place.root), attributes(&plain));
    assert!(!picture(&plain)[&plain.join("changed")].attributes.is_empty());
}

#[tokio::test]
async fn a_sparse_file_stays_sparse() {
    let Some(place) = place() else { return };
    let image = fs::File::create(place.path("image")).unwrap();
    image.set_len(16 << 20).unwrap();
    image.write_all_at(b"data", 5 << 20).unwrap();
    let blocks = image.metadata().unwrap().blocks();
    place
        .sh("printf more | dd of=image bs=1 seek=9000000 conv=notrunc 2>/dev/null; truncate -s 8M new")
        .await
        .commit()
        .unwrap();
    let image = fs::metadata(place.path("image")).unwrap();
    assert_eq!((image.len(), image.blocks()), (16 << 20, 2 * blocks), "one more block of data");
    let mut more = [0; 4];
    fs::File::open(place.path("image")).unwrap().read_exact_at(&mut more, 9_000_000).unwrap();
    assert_eq!(&more, b"more");
    assert_eq!(fs::metadata(place.path("new")).unwrap().blocks(), 0);
}

#[tokio::test]
async fn more_entries_than_are_told_end_the_preview() {
    let Some(place) = place() else { return };
    let before = place.picture();
    let refused = place.try_sh("seq 60000 | xargs touch").await;
    assert!(matches!(refused, Err(PreviewError::TooMany { most: 50_000 })), "{refused:?}");
    assert_eq!(place.picture(), before);
    assert!(place.store_is_empty());
}

/// To keep a file that its owner may not read, a snapshot changes its mode for a moment.
#[tokio::test]
async fn a_closed_file_is_kept_and_changed() {
    let Some(place) = place() else { return };
    fs::write(place.path("closed"), "secret").unwrap();
    fs::set_permissions(place.path("closed"), fs::Permissions::from_mode(0o000)).unwrap();
    let before = closed_picture(&place);
    let preview = place.sh("chmod 600 closed; echo x >> closed; chmod 0 closed").await;
    let snapshot = snapshot(&place);
    let call = snapshot.before_paths(&preview.touched()).unwrap();
    assert_eq!(snapshot.not_covered(), []);
    preview.commit().unwrap();
    call.after().unwrap();
    snapshot.close().unwrap();
    undo(&place, Present::AsRecorded);
    assert_eq!(closed_picture(&place), before);
}

/// Opens the file for the comparison only.
fn closed_picture(place: &Place) -> (u32, i64, Vec<u8>) {
    let path = place.path("closed");
    let found = fs::metadata(&path).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o400)).unwrap();
    let content = fs::read(&path).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(found.mode())).unwrap();
    (found.mode(), found.mtime_nsec(), content)
}

fn snapshot(place: &Place) -> Snapshot {
    Snapshot::new(place.home().join("undo"), Vec::new(), SnapshotLimits::default())
}

fn undo(place: &Place, present: Present) {
    let roots = std::slice::from_ref(&place.root);
    let undo = Undo::prepare(&place.home().join("undo"), roots, present).unwrap();
    assert_eq!(undo.apply().unwrap(), []);
}

/// A preview of these deeds; `None` if refused because of hard links.
fn tried(place: &Place, found: &[Deed], done: &[Deed]) -> Option<Preview> {
    found.iter().for_each(|deed| deed.done_in(&place.root));
    let lines: Vec<u8> = done.iter().map(script).collect::<Vec<_>>().join(&b'\n');
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    match runtime.block_on(place.said(&lines, &CancellationToken::new())) {
        Ok((preview, _)) => Some(preview),
        Err(PreviewError::HardLinks { .. }) => None,
        Err(error) => panic!("{error:?}"),
    }
}

/// Fails, or ends like a killed process, before the step with this number.
fn until(steps: usize, mut end: impl FnMut() -> io::Error) -> impl FnMut() -> io::Result<()> {
    let mut left = steps;
    move || {
        left = left.checked_sub(1).ok_or_else(&mut end)?;
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases / 4, ..ProptestConfig::default() })]

    #[test]
    fn a_commit_that_fails_anywhere_leaves_the_tree_as_it_was(
        found in deeds(20), done in deeds(12), steps in 0..30_usize,
    ) {
        let Some(place) = place() else { return Ok(()) };
        let Some(preview) = tried(&place, &found, &done) else { return Ok(()) };
        let before = place.picture();
        match commit_while(&preview.overlay_dirs, &preview.read, &mut until(steps, || io::ErrorKind::StorageFull.into())) {
            Ok(()) => {}
            Err(CommitError::Step { .. }) => prop_assert_eq!(place.picture(), before),
            Err(error) => panic!("{error:?}"),
        }
    }

    #[test]
    fn a_commit_is_taken_back_by_the_paths_that_it_touched(found in deeds(20), done in deeds(12)) {
        let Some(place) = place() else { return Ok(()) };
        let Some(preview) = tried(&place, &found, &done) else { return Ok(()) };
        let before = place.picture();
        let snapshot = snapshot(&place);
        let call = snapshot.before_paths(&preview.touched()).unwrap();
        preview.commit().unwrap();
        let changed = !call.after().unwrap().is_empty();
        snapshot.close().unwrap();
        if changed || place.picture() != before {
            undo(&place, Present::AsRecorded);
        }
        prop_assert_eq!(place.picture(), before);
    }

    #[test]
    fn a_commit_that_is_killed_anywhere_is_taken_back(found in deeds(20), done in deeds(12), steps in 0..30_usize) {
        let Some(place) = place() else { return Ok(()) };
        let Some(preview) = tried(&place, &found, &done) else { return Ok(()) };
        let before = place.picture();
        let snapshot = snapshot(&place);
        let call = snapshot.before_paths(&preview.touched()).unwrap();
        let killed = catch_unwind(AssertUnwindSafe(|| {
            commit_while(&preview.overlay_dirs, &preview.read, &mut until(steps, || panic!("killed")))
        }));
        drop((call, snapshot));
        // A commit that completed was not killed; the process then died right after it.
        prop_assert!(killed.is_err() || killed.is_ok_and(|made| made.is_ok()));
        undo(&place, Present::AsItIs);
        prop_assert_eq!(place.picture(), before);
    }
}
