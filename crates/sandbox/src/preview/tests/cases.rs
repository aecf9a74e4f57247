//! Each kind of change: reported correctly, not applied without a commit, applied by it.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::PathBuf;
use std::time::Duration;

use artoo_anchored_files::names;
use tokio_util::sync::CancellationToken;

use super::super::{Change, ChangeKind, Entry, EntryKind, PreviewError};
use super::setup::{Place, place};
use crate::Ending;

/// Runs the script and expects this list of changes; then compares the tree before and after the commit.
async fn told(place: &Place, script: &str, expected: &[&str]) {
    let before = place.picture();
    let preview = place.sh(script).await;
    assert_eq!(place.words(&preview.changes), expected, "{script}");
    assert_eq!(place.picture(), before, "{script} changed something");
    drop(preview);
    assert_eq!(place.picture(), before, "{script} changed something");
    assert!(place.store_is_empty(), "{script} left something");
    place.sh(script).await.commit().unwrap();
    assert!(place.store_is_empty(), "{script} left something");
    assert_eq!(
        place.picture().keys().filter(|path| path.to_string_lossy().ends_with(".part")).count(),
        0,
        "{script} left something"
    );
}

/// The last layer takes the store with it, and another preview may be about to lay its own there.
#[tokio::test(flavor = "multi_thread")]
async fn lesson_previews_that_share_a_store_do_not_take_it_from_each_other() {
    let Some(place) = place() else { return };
    let some = async || {
        for _ in 0..40 {
            assert_eq!(place.sh("echo a > a").await.outcome.ending, Ending::Exited(0));
        }
    };
    tokio::join!(some(), some(), some());
}

#[tokio::test]
async fn a_new_file_is_created_and_free() {
    let Some(place) = place() else { return };
    told(
        &place,
        "mkdir -p a/b; echo hello > a/b/c; : > empty",
        &["created a", "created a/b", "created a/b/c", "created empty"],
    )
    .await;
    assert_eq!(fs::read(place.path("a/b/c")).unwrap(), b"hello\n");
    let free = [place.root.clone()];
    assert!(place.sh("echo x > new").await.changes.only_creates_in(&free));
    assert!(place.sh("true; cat a/b/c").await.changes.is_empty());
    for script in [
        "echo x > empty",
        "rm empty",
        "mv empty full",
        "chmod 600 empty",
        "echo x > .profile",
        "ln empty other",
    ] {
        assert!(!place.sh(script).await.changes.only_creates_in(&free), "{script}");
    }
}

#[tokio::test]
async fn a_changed_text_is_told_line_by_line() {
    let Some(place) = place() else { return };
    fs::write(place.path("poem"), "one\ntwo\nthree\n").unwrap();
    let preview = place.sh("sed -i s/two/zwei/ poem").await;
    let entry = |size| Some(Entry { kind: EntryKind::File, mode: 0o644, size, attributes: Vec::new() });
    let expected = Change {
        path: place.path("poem"),
        kind: ChangeKind::Changed,
        before: entry(14),
        after: entry(15),
        moved: None,
        same_file_as: None,
        diff: Some("--- before\n+++ after\n@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three\n".to_owned()),
    };
    assert_eq!(preview.changes.iter().collect::<Vec<_>>(), [&expected]);
    preview.commit().unwrap();
    assert_eq!(fs::read_to_string(place.path("poem")).unwrap(), "one\nzwei\nthree\n");
}

#[tokio::test]
async fn what_is_no_small_text_has_sizes_and_no_diff() {
    let Some(place) = place() else { return };
    fs::write(place.path("binary"), b"\0\xff").unwrap();
    fs::write(place.path("large"), "x\n".repeat(100_000)).unwrap();
    fs::write(place.path("lines"), "\n".repeat(3_000)).unwrap();
    let preview =
        place.sh("printf x >> binary; echo x >> large; echo x >> lines; printf '\\377' > new").await;
    assert_eq!(preview.changes.iter().filter_map(|change| change.diff.as_ref()).count(), 0);
    let sizes = preview.changes.iter().map(|change| change.after.as_ref().unwrap().size);
    assert_eq!(sizes.collect::<Vec<_>>(), [3, 200_002, 3_002, 1]);
}

#[tokio::test]
async fn names_are_bytes() {
    let Some(place) = place() else { return };
    let name = std::ffi::OsStr::from_bytes(b"bad\xff\xfe\nname");
    fs::write(place.root.join(name), "x").unwrap();
    let script = b"echo y >> 'bad\xff\xfe\nname'; echo n > 'new\xfe'; rm -f x";
    let (preview, _) = place.said(script, &CancellationToken::new()).await.unwrap();
    let paths: Vec<PathBuf> = preview.changes.iter().map(|change| change.path.clone()).collect();
    let new = std::ffi::OsStr::from_bytes(b"new\xfe");
    assert_eq!(paths, [place.root.join(name), place.root.join(new)]);
    serde_json::to_string(&preview.changes).unwrap();
    preview.commit().unwrap();
    assert_eq!(fs::read(place.root.join(name)).unwrap(), b"xy\n");
    assert_eq!(fs::read(place.root.join(new)).unwrap(), b"n\n");
}

fn tree(place: &Place) {
    fs::create_dir_all(place.path("d/e")).unwrap();
    fs::write(place.path("d/old"), "old").unwrap();
    fs::write(place.path("d/e/deep"), "deep").unwrap();
    fs::write(place.path("file"), "file").unwrap();
    symlink("d/old", place.path("link")).unwrap();
}

#[tokio::test]
async fn everything_that_goes_is_named() {
    let Some(place) = place() else { return };
    tree(&place);
    told(
        &place,
        "rm -r d link",
        &["deleted d", "deleted d/e", "deleted d/e/deep", "deleted d/old", "deleted link"],
    )
    .await;
    assert!(!place.path("d").exists() && place.path("file").exists());
}

#[tokio::test]
async fn a_move_is_told_as_one() {
    let Some(place) = place() else { return };
    tree(&place);
    told(&place, "mv file d/there", &["moved here d/there (file)", "moved away file (d/there)"]).await;
    told(
        &place,
        "mv d f",
        &[
            "deleted d",
            "deleted d/e",
            "moved away d/e/deep (f/e/deep)",
            "moved away d/old (f/old)",
            "moved away d/there (f/there)",
            "created f",
            "created f/e",
            "moved here f/e/deep (d/e/deep)",
            "moved here f/old (d/old)",
            "moved here f/there (d/there)",
        ],
    )
    .await;
    assert_eq!(fs::read(place.path("f/there")).unwrap(), b"file");
}

/// With one system call, as programs do that write a file elsewhere and then replace. A folder cannot be
/// moved that way: `mv` copies.
#[tokio::test]
async fn a_file_is_renamed_from_folder_to_folder() {
    let Some(place) = place() else { return };
    if !artoo_test_needs::has("python3") {
        return;
    }
    tree(&place);
    let preview = place
        .sh("python3 -c 'import os; os.rename(\"file\", \"d/e/there\"); os.link(\"d/old\", \"d/e/twin\")'")
        .await;
    assert_eq!(
        place.words(&preview.changes),
        ["moved here d/e/there (file)", "created d/e/twin = d/old", "moved away file (d/e/there)"]
    );
    preview.commit().unwrap();
    let folder = b"python3 -c 'import os; os.rename(\"d\", \"f\")'";
    let (preview, said) = place.said(folder, &CancellationToken::new()).await.unwrap();
    assert!(said.contains("Invalid cross-device link") && preview.changes.is_empty(), "{said}");
}

/// The new folder hides all of the old one, which the layer expresses by an attribute only.
#[tokio::test]
async fn a_folder_that_is_removed_and_made_again_keeps_nothing() {
    let Some(place) = place() else { return };
    tree(&place);
    told(
        &place,
        "rm -r d; mkdir -p d/e; echo n > d/e/new",
        &["deleted d/e/deep", "created d/e/new", "deleted d/old"],
    )
    .await;
    assert_eq!(fs::read_dir(place.path("d")).unwrap().count(), 1);
    assert_eq!(fs::read_dir(place.path("d/e")).unwrap().count(), 1);
}

#[tokio::test]
async fn a_folder_becomes_a_file_and_a_file_a_folder() {
    let Some(place) = place() else { return };
    tree(&place);
    told(
        &place,
        "rm -r d file link; echo d > d; mkdir file link; echo x > file/x",
        &[
            "changed d",
            "deleted d/e",
            "deleted d/e/deep",
            "deleted d/old",
            "changed file",
            "created file/x",
            "changed link",
        ],
    )
    .await;
    assert_eq!(fs::read(place.path("d")).unwrap(), b"d\n");
    assert!(place.path("file/x").is_file() && place.path("link").is_dir());
}

#[tokio::test]
async fn modes_times_and_links() {
    let Some(place) = place() else { return };
    tree(&place);
    told(
        &place,
        "chmod 600 file; chmod 700 d/e; chmod 750 .; ln -sfn file link; ln -s nowhere loose; touch -d @1000 d/old; touch -d @2000 d/e/deep; echo deep > d/e/x",
        &[
            "mode, time or attributes ",
            "mode, time or attributes d/e",
            "mode, time or attributes d/e/deep",
            "created d/e/x",
            "mode, time or attributes d/old",
            "mode, time or attributes file",
            "changed link",
            "created loose",
        ],
    )
    .await;
    let mode = |name: &str| fs::metadata(place.path(name)).unwrap().mode() & 0o7777;
    assert_eq!([mode("file"), mode("d/e"), mode(".")], [0o600, 0o700, 0o750]);
    assert_eq!(fs::read_link(place.path("link")).unwrap(), PathBuf::from("file"));
    assert_eq!(fs::metadata(place.path("d/old")).unwrap().mtime(), 1000);
}

#[tokio::test]
async fn a_second_name_is_one() {
    let Some(place) = place() else { return };
    tree(&place);
    told(
        &place,
        "ln file other; echo n > new; ln new newer",
        &["created new", "created newer = new", "created other = file"],
    )
    .await;
    let inode = |name: &str| fs::metadata(place.path(name)).unwrap().ino();
    assert_eq!((inode("file"), inode("new")), (inode("other"), inode("newer")));
}

#[tokio::test]
async fn folders_that_nobody_may_write_are_opened_and_closed_again() {
    let Some(place) = place() else { return };
    tree(&place);
    fs::set_permissions(place.path("d"), fs::Permissions::from_mode(0o555)).unwrap();
    let preview = place.sh("chmod u+w d; echo x > d/new; rm -r d/e; chmod u-w d; mkdir -m 0 shut").await;
    assert_eq!(
        place.words(&preview.changes),
        ["deleted d/e", "deleted d/e/deep", "created d/new", "created shut"]
    );
    preview.commit().unwrap();
    assert_eq!(fs::metadata(place.path("d")).unwrap().mode() & 0o7777, 0o555);
    assert_eq!(fs::metadata(place.path("shut")).unwrap().mode() & 0o7777, 0);
    assert!(place.path("d/new").exists() && !place.path("d/e").exists());
    assert!(place.store_is_empty());
}

#[tokio::test]
async fn a_command_that_is_stopped_tells_what_it_did_so_far() {
    let Some(mut place) = place() else { return };
    tree(&place);
    let before = place.picture();
    place.timeout = Duration::from_secs(3);
    let preview = place.try_sh("rm file; sleep 600").await.unwrap();
    assert_eq!(preview.outcome.ending, Ending::TimedOut);
    assert_eq!(place.words(&preview.changes), ["deleted file"]);
    drop(preview);
    place.timeout = Duration::from_secs(600);
    let cancel = CancellationToken::new();
    let script = b"rm file; echo x > $TMPDIR/ready; sleep 600";
    let (preview, ()) = tokio::join!(place.said(script, &cancel), async {
        until(|| place.tmp.join("ready").exists()).await;
        cancel.cancel();
    });
    let (preview, _) = preview.unwrap();
    assert_eq!(preview.outcome.ending, Ending::Cancelled);
    assert_eq!(place.words(&preview.changes), ["deleted file"]);
    drop(preview);
    assert_eq!(place.picture(), before);
    assert!(place.store_is_empty());
}

#[tokio::test]
async fn a_dropped_future_leaves_nothing() {
    let Some(place) = place() else { return };
    tree(&place);
    let before = place.picture();
    let cancel = CancellationToken::new();
    tokio::select! {
        _ = place.said(b"rm -r d; echo x > $TMPDIR/ready; sleep 600", &cancel) => panic!("it ended"),
        () = until(|| place.tmp.join("ready").exists()) => {}
    }
    until(|| place.store_is_empty()).await;
    assert_eq!(place.picture(), before);
}

/// Waits for a condition that must become true. The limit is generous: it only keeps a failing test from
/// hanging.
pub(super) async fn until(mut look: impl FnMut() -> bool) {
    for _ in 0..12_000 {
        if look() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("waited in vain");
}

#[tokio::test]
async fn a_large_folder_is_not_copied() {
    let Some(place) = place() else { return };
    for number in 0..500 {
        fs::write(place.path(&number.to_string()), "x").unwrap();
    }
    let preview = place.sh("cat * > /dev/null; echo y > 77").await;
    let upper = artoo_anchored_files::open_root(&preview.overlay_dirs.layers[0].upper).unwrap();
    assert_eq!(names(&upper).unwrap(), ["77"]);
}

#[tokio::test]
async fn several_roots_and_roots_within_roots() {
    let Some(mut place) = place() else { return };
    let inner = place.path("inner");
    fs::create_dir(&inner).unwrap();
    place.roots = vec![inner.clone(), place.root.clone(), place.outside.clone()];
    let preview = place.sh("echo x > inner/a; echo x > b; echo x > \"$1/c\"").await;
    let paths: Vec<_> = preview.changes.iter().map(|change| change.path.clone()).collect();
    assert_eq!(paths, [place.outside.join("c"), place.path("b"), inner.join("a")]);
    assert!(!preview.changes.only_creates_in(std::slice::from_ref(&inner)));
    assert!(preview.changes.only_creates_in(&place.roots));
    preview.commit().unwrap();
    assert!(inner.join("a").exists() && place.path("b").exists() && place.outside.join("c").exists());
    assert!(place.store_is_empty());
}

#[tokio::test]
async fn version_control_is_in_the_list_as_such() {
    let Some(place) = place() else { return };
    fs::create_dir_all(place.path(".git/hooks")).unwrap();
    let preview = place.sh("echo x > .git/hooks/pre-commit; echo y > file").await;
    let git = [place.path(".git")];
    let touched: Vec<_> = preview.changes.touching(&git).map(|change| change.path.clone()).collect();
    assert_eq!(touched, [place.path(".git/hooks/pre-commit")]);
    assert!(!preview.changes.only_creates_in(&place.roots));
}

#[tokio::test]
async fn what_a_layer_cannot_tell_has_no_preview() {
    let Some(place) = place() else { return };
    tree(&place);
    fs::hard_link(place.path("file"), place.path("twin")).unwrap();
    let before = place.picture();
    for script in ["echo x >> file", "chmod 600 twin", "mv twin three", "cp file new; rm file", "touch file"]
    {
        let refused = place.try_sh(script).await;
        assert!(matches!(refused, Err(PreviewError::HardLinks { .. })), "{script}: {refused:?}");
    }
    let removed = place.sh("rm twin").await;
    assert_eq!(place.words(&removed.changes), ["deleted twin"]);
    let both = place.sh("rm twin file; echo x > new").await;
    assert_eq!(place.words(&both.changes), ["deleted file", "created new", "deleted twin"]);
    drop((removed, both));
    let refused = place.try_sh("mkfifo pipe").await;
    assert!(matches!(refused, Err(PreviewError::Special { .. })), "{refused:?}");
    assert_eq!(place.picture(), before);
    assert!(place.store_is_empty());
}

/// The other names stay as the command saw them.
#[tokio::test]
async fn a_caller_may_decide_about_hard_links_itself() {
    let Some(place) = place() else { return };
    fs::write(place.path("file"), "old").unwrap();
    for twin in ["twin", "third"] {
        fs::hard_link(place.path("file"), place.path(twin)).unwrap();
    }
    let preview = place.sh_with_links("echo new > file; chmod 600 twin; ln third fourth").await;
    assert_eq!(preview.linked(), [place.path("file"), place.path("twin")]);
    preview.commit().unwrap();
    let read = |name: &str| fs::read_to_string(place.path(name)).unwrap();
    assert_eq!([read("file"), read("twin"), read("third"), read("fourth")], ["new\n", "old", "old", "old"]);
    let look = |name: &str| fs::metadata(place.path(name)).unwrap();
    assert_eq!((look("twin").mode() & 0o777, look("third").mode() & 0o777 == 0o600), (0o600, false));
    assert_eq!(look("third").ino(), look("fourth").ino());
    assert!(place.store_is_empty());
}
