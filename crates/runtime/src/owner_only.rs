//! Owner-only permissions of artoo's data folders and files, and rejection of foreign links.

use std::{
    fs::{DirBuilder, File, Metadata, OpenOptions, Permissions},
    io,
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};

use rustix::{fs::OFlags, process::geteuid};

use crate::{runs, sessions};

/// The permission bits of group and others.
const OTHERS: u32 = 0o077;

/// The entries that artoo creates in a data folder.
const NAMES: [&str; 11] = [
    runs::NAME,
    sessions::NAME,
    "history",
    "instructions",
    "models",
    "memory",
    "memory-folders",
    artoo_auditor::LOG_NAME,
    "audit.head",
    TRIAL_RECORD,
    RETENTION_STAMP,
];

/// The file that says that a trial of the sandbox's layers succeeded, in the data folder.
pub(crate) const TRIAL_RECORD: &str = "preview-trial";

/// The file whose time says when undo records were last looked over, in the data folder.
pub(crate) const RETENTION_STAMP: &str = "undo-retention";

/// A path of artoo's that others may read or write, and whose mode cannot be changed.
#[derive(Debug)]
pub struct StaysOpen {
    /// The path.
    pub path: PathBuf,
    /// The cause.
    pub error: io::Error,
}

/// Creates a data folder, with its parents, that only its owner may enter. A link in its place is followed if
/// the owner or the system created it: a home may well span several disks.
///
/// # Errors
/// It cannot be created, is not a folder, or is another user's link.
pub fn data_folder(path: &Path) -> io::Result<()> {
    match path.symlink_metadata() {
        Ok(found) if found.is_symlink() && ![0, geteuid().as_raw()].contains(&found.uid()) => {
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                "it is a link that somebody else made",
            ));
        }
        Ok(_) | Err(_) => {}
    }
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Creates a folder in a data folder, or uses the existing one; a link does not count.
pub(crate) fn folder(path: &Path) -> io::Result<()> {
    match new_folder(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.symlink_metadata()?.is_dir() => {
            Ok(())
        }
        made => made,
    }
}

/// Creates a folder at an unused path, not even a link.
pub(crate) fn new_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)
}

/// The paths among these places that others may read or write. Everything below a closed folder is closed.
pub fn open_places(places: &[PathBuf]) -> Vec<PathBuf> {
    let mut open = Vec::new();
    for place in places {
        survey(place, &mut |path, _| {
            open.push(path.to_owned());
            true
        });
    }
    open
}

/// Closes what [`open_places`] finds, and returns what stays open. Links, and files with other hard links,
/// are left alone.
pub fn close(places: &[PathBuf]) -> Vec<StaysOpen> {
    let mut open = Vec::new();
    for place in places {
        survey(place, &mut |path, found| {
            let closed = tighten(path, found);
            let go_on = closed.is_ok();
            open.extend(closed.err().map(|error| StaysOpen { path: path.to_owned(), error }));
            go_on
        });
    }
    open
}

/// The places of a data folder: the folder itself, unless it contains foreign entries. An owner who keeps it
/// in a shared folder intends to share that.
pub fn places(data_folder: &Path) -> Vec<PathBuf> {
    let is_own = |entry: io::Result<std::fs::DirEntry>| {
        entry.is_ok_and(|entry| NAMES.iter().any(|name| entry.file_name() == *name))
    };
    let all_own = std::fs::read_dir(data_folder).is_ok_and(|mut entries| entries.all(is_own));
    // By its real path: the creator of a link in its place was checked before.
    let real = all_own.then(|| data_folder.canonicalize().ok()).flatten();
    let is_open = |path: &PathBuf| path.symlink_metadata().is_ok_and(|found| found.mode() & OTHERS != 0);
    match real.filter(is_open) {
        Some(real) => vec![real],
        None => NAMES.iter().map(|name| data_folder.join(name)).collect(),
    }
}

/// Calls `each` with every open entry; if it returns false, the entries below are skipped.
fn survey(path: &Path, each: &mut dyn FnMut(&Path, &Metadata) -> bool) {
    let Ok(found) = path.symlink_metadata() else { return };
    let is_single_file = found.is_file() && found.nlink() == 1;
    if found.mode() & OTHERS == 0 || !(found.is_dir() || is_single_file) {
        return;
    }
    let entries = if found.is_dir() { std::fs::read_dir(path).ok() } else { None };
    if !each(path, &found) {
        return;
    }
    for entry in entries.into_iter().flatten().flatten() {
        survey(&entry.path(), each);
    }
}

fn tighten(path: &Path, found: &Metadata) -> io::Result<()> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let flags = i32::try_from(flags.bits()).map_err(io::Error::other)?;
    let file: File = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let held = file.metadata()?;
    if (held.dev(), held.ino()) != (found.dev(), found.ino()) {
        return Err(io::Error::other("it was replaced meanwhile"));
    }
    file.set_permissions(Permissions::from_mode(held.mode() & 0o700))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::journal;

    fn mode(path: &Path) -> u32 {
        path.symlink_metadata().unwrap().mode() & 0o777
    }

    fn set(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    /// A data folder that everybody may read and write, with a foreign link and a second hard link of a
    /// foreign file in it.
    fn open_folder(root: &Path) -> PathBuf {
        let data = root.join("data");
        let run = data.join(runs::NAME).join("one");
        for name in ["evidence", "undo/objects"] {
            fs::create_dir_all(run.join(name)).unwrap();
        }
        fs::write(run.join(journal::FILE_NAME), "{}\n").unwrap();
        fs::write(run.join("undo/objects/script"), "#!").unwrap();
        fs::write(root.join("yours"), "").unwrap();
        std::os::unix::fs::symlink(root.join("yours"), run.join("evidence/link")).unwrap();
        fs::hard_link(root.join("yours"), run.join("evidence/name")).unwrap();
        for path in [
            &data,
            &data.join("runs"),
            &run,
            &run.join("evidence"),
            &run.join("undo"),
            &run.join("undo/objects"),
        ] {
            set(path, 0o777);
        }
        set(&run.join(journal::FILE_NAME), 0o666);
        set(&run.join("undo/objects/script"), 0o755);
        set(&root.join("yours"), 0o644);
        data
    }

    #[test]
    fn what_is_open_is_closed_and_nothing_else_is_touched() {
        let root = tempfile::tempdir().unwrap();
        let data = open_folder(root.path());
        let policy = root.path().join("policy.toml");
        fs::write(&policy, "").unwrap();
        set(&policy, 0o664);
        let all = || [places(&data), vec![policy.clone()]].concat();
        assert_eq!(open_places(&all()).len(), 9);
        assert_eq!(close(&all()).len(), 0);
        assert_eq!(open_places(&all()).len(), 0);
        let run = data.join("runs/one");
        let modes = ["", journal::FILE_NAME, "evidence", "undo/objects", "undo/objects/script"]
            .map(|name| mode(&run.join(name)));
        assert_eq!(modes, [0o700, 0o600, 0o700, 0o700, 0o700]);
        assert_eq!((mode(&data), mode(&policy)), (0o700, 0o600));
        assert_eq!(mode(&root.path().join("yours")), 0o644, "neither by the link nor by the second name");
    }

    #[test]
    fn a_folder_that_holds_other_things_keeps_its_mode() {
        let root = tempfile::tempdir().unwrap();
        let data = open_folder(root.path());
        fs::write(data.join("photos.zip"), "").unwrap();
        assert_eq!(close(&places(&data)).len(), 0);
        assert_eq!((mode(&data), mode(&data.join("runs"))), (0o777, 0o700));
    }

    #[test]
    fn no_link_is_taken_for_a_folder() {
        let root = tempfile::tempdir().unwrap();
        let elsewhere = root.path().join("elsewhere");
        fs::create_dir(&elsewhere).unwrap();
        let link = root.path().join("runs");
        std::os::unix::fs::symlink(&elsewhere, &link).unwrap();
        folder(&link).unwrap_err();
        new_folder(&link).unwrap_err();
        folder(&elsewhere).unwrap();
        new_folder(&elsewhere).unwrap_err();
        data_folder(&link).unwrap();
    }
}
