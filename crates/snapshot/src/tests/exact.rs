//! Property tests of everything beyond bytes, modes and times: attributes, access lists, names outside,
//! holes, closed files and folders. Each call names its paths, as the commit of a trial does.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::{Path, PathBuf};

use artoo_anchored_files::changed_trees::{Deed, acl, age, deed, half_as_often, name, path, picture};
use proptest::prelude::*;
use rustix::fs::{XattrFlags, removexattr, setxattr};

use super::super::{Aspect, Named, Undoable, undoable};
use super::tree::Place;

/// Something that a command may do to a tree, besides deeds.
#[derive(Debug, Clone)]
enum Act {
    Deed(Deed),
    Mark(PathBuf, &'static str, Option<Vec<u8>>),
    /// Data at this MiB offset, and a length beyond it.
    Sparse(PathBuf, u64, u64),
    /// Makes it unreadable, even for its owner.
    Close(PathBuf),
    /// Creates a hard link in a folder that is not scanned.
    NameOutside(PathBuf, PathBuf),
}

impl Act {
    /// Errors do not matter.
    fn done_in(&self, root: &Path, outside: &Path) {
        let _ = self.attempt(root, outside);
    }

    fn attempt(&self, root: &Path, outside: &Path) -> io::Result<()> {
        match self {
            Self::Deed(deed) => deed.done_in(root),
            Self::Mark(path, name, Some(value)) if !root.join(path).is_symlink() => {
                setxattr(root.join(path), *name, value, XattrFlags::empty())?;
            }
            Self::Mark(path, name, None) if !root.join(path).is_symlink() => {
                removexattr(root.join(path), *name)?
            }
            Self::Mark(..) => {}
            Self::Sparse(path, at, more) => {
                let file = fs::File::create(root.join(path))?;
                file.write_all_at(b"data", at << 20)?;
                file.set_len((at + more) << 20)?;
            }
            Self::Close(path) => {
                let path = root.join(path);
                let is_dir = path.symlink_metadata()?.is_dir();
                // Only root can walk a closed folder, so that elsewhere the test could not examine it.
                if !path.is_symlink() && (!is_dir || rustix::process::geteuid().is_root()) {
                    fs::set_permissions(path, fs::Permissions::from_mode(0o000))?;
                }
            }
            Self::NameOutside(path, name) => fs::hard_link(root.join(path), outside.join(name))?,
        }
        Ok(())
    }
}

fn act(outside: bool) -> impl Strategy<Value = Act> {
    let value = prop::option::weighted(0.8, prop::collection::vec(any::<u8>(), 0..40));
    let list = prop::option::weighted(
        0.8,
        (1_000..1_004_u32, 0..8_u16).prop_map(|(user, rights)| acl(user, rights)),
    );
    let named = prop::sample::select(vec!["user.a", "user.b"]);
    let lists = prop::sample::select(vec!["system.posix_acl_access", "system.posix_acl_default"]);
    prop_oneof![
        8 => deed().prop_map(Act::Deed),
        2 => (path(), named, value).prop_map(|(path, name, value)| Act::Mark(path, name, value)),
        2 => (path(), lists, list).prop_map(|(path, name, value)| Act::Mark(path, name, value)),
        1 => (path(), 0..3_u64, 0..3_u64).prop_map(|(path, at, more)| Act::Sparse(path, at, more)),
        1 => path().prop_map(Act::Close),
        u32::from(outside) => (path(), name()).prop_map(|(path, name)| Act::NameOutside(path, name)),
    ]
}

/// A root and the folder outside it, after the acts.
fn made(place: &Place, name: &str, found: &[Act]) -> (PathBuf, PathBuf) {
    let beside = place.root.with_file_name(name);
    let (root, outside) = (beside.join("root"), beside.join("outside"));
    fs::create_dir_all(&root).unwrap();
    fs::create_dir(&outside).unwrap();
    found.iter().for_each(|act| act.done_in(&root, &outside));
    age(&root);
    (root, outside)
}

/// The paths that the acts change, determined on a copy of the tree.
fn changed(place: &Place, found: &[Act], done: &[Act]) -> BTreeSet<PathBuf> {
    let (root, outside) = made(place, "twin", found);
    let before = picture(&root);
    done.iter().for_each(|act| act.done_in(&root, &outside));
    let after = picture(&root);
    let all: BTreeSet<_> = before.keys().chain(after.keys()).collect();
    let changed = all.into_iter().filter(|path| before.get(*path) != after.get(*path));
    changed.map(|path| path.strip_prefix(&root).unwrap().to_owned()).collect()
}

/// Reports it if the file system has no access lists; everything else is tested all the same.
fn say_what_is_missing() {
    let file = tempfile::NamedTempFile::new().unwrap();
    if let Err(error) = setxattr(file.path(), "system.posix_acl_access", &acl(1, 4), XattrFlags::empty()) {
        artoo_test_needs::skip(artoo_test_needs::Ability::AccessLists, error);
    }
}

proptest! {
    #![proptest_config(half_as_often())]

    #[test]
    fn named_paths_are_taken_back_exactly(
        found in prop::collection::vec(act(true), 0..25), done in prop::collection::vec(act(false), 0..12),
        killed in prop::option::of(0..30_usize),
    ) {
        say_what_is_missing();
        let place = Place::new();
        let paths = changed(&place, &found, &done);
        let (root, outside) = made(&place, "real", &found);
        let (before, before_outside) = (picture(&root), picture(&outside));
        let snapshot = place.snapshot();
        let paths = paths.iter().map(|path| root.join(path)).collect();
        let call = snapshot.before_paths(&[Named { root: root.clone(), paths }]).unwrap();
        prop_assert_eq!(snapshot.not_covered(), []);
        done.iter().for_each(|act| act.done_in(&root, &outside));
        call.after().unwrap();
        snapshot.close().unwrap();
        if undoable(&place.record) == Undoable::Nothing {
            prop_assert_eq!(picture(&root), before);
            return Ok(());
        }
        if let Some(mut left) = killed {
            let _ = place.prepare_in(&root).unwrap().apply_while(&mut || {
                left = left.checked_sub(1).ok_or(io::ErrorKind::Interrupted)?;
                Ok(())
            });
        }
        let is_done = undoable(&place.record) == Undoable::Undone;
        let deviations = if is_done { Vec::new() } else { place.prepare_in(&root).unwrap().apply().unwrap() };
        // A removed name cannot be linked to an unknown one again, and that is reported.
        let lost: BTreeSet<_> = deviations.iter().map(|one| one.path.clone()).collect();
        for one in &deviations {
            prop_assert_eq!(one.aspect, Aspect::Links, "{:?}", one);
            prop_assert!(has_name_in(&found, &one.path, &root), "{:?} of {:?}", one, found);
        }
        let apart = |mut picture: std::collections::BTreeMap<PathBuf, artoo_anchored_files::changed_trees::Seen>| {
            picture.values_mut().for_each(|one| one.same_as = one.same_as.take().filter(|_| lost.is_empty()));
            picture
        };
        prop_assert_eq!(apart(picture(&root)), apart(before));
        prop_assert_eq!(apart(picture(&outside)), apart(before_outside));
    }
}

/// Whether any file got a name outside.
fn has_name_in(found: &[Act], path: &Path, root: &Path) -> bool {
    path.starts_with(root) && found.iter().any(|act| matches!(act, Act::NameOutside(..)))
}

#[test]
fn the_acts_do_what_they_say() {
    let place = Place::new();
    let acts = [
        Act::Sparse("s".into(), 1, 2),
        Act::Mark("s".into(), "user.a", Some(b"x".to_vec())),
        Act::NameOutside("s".into(), "n".into()),
        Act::Close("s".into()),
    ];
    let (root, outside) = made(&place, "real", &acts);
    let seen = &picture(&root)[&root.join("s")];
    assert_eq!(seen.attributes["user.a"], b"x");
    assert!(seen.blocks.unwrap() < 64 && seen.mode & 0o777 == 0);
    assert!(outside.join(OsStr::new("n")).exists());
}
