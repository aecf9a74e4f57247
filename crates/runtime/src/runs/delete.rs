//! Deletes the records of runs.

use std::{
    ffi::OsStr,
    fs::{self, Permissions},
    io,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use artoo_snapshot::Undoable;
use artoo_types::RunId;
use chrono::{DateTime, FixedOffset};

use super::{InUse, RunsError, age, folder, ids, undo_state};
use crate::journal::{self, RunState};

/// What the folder of a run is called while it is being removed. It is no id, so that nobody takes it for a run.
const REMOVED: &str = "removed-";

/// The runs that began at least `older` before `now`, the newest first.
///
/// # Errors
/// [`RunsError::Folder`].
pub fn older_than(
    data_folder: &Path,
    older: std::time::Duration,
    now: DateTime<FixedOffset>,
) -> Result<Vec<RunId>, RunsError> {
    let mut ids = ids(data_folder)?;
    ids.retain(|id| age(*id, now) >= older);
    ids.sort_unstable_by(|a, b| b.cmp(a));
    Ok(ids)
}

/// Why the record of a run cannot be deleted now; `None` if it can.
///
/// A journal is locked while its run works, so a run that works is known for certain, except on file systems without locks.
pub fn in_use(data_folder: &Path, run: RunId) -> Option<InUse> {
    let run_folder = folder(data_folder).join(run.to_string());
    if undo_state(&run_folder) == Undoable::Halfway {
        return Some(InUse::BeingUndone);
    }
    // A journal that cannot be read keeps nobody from deleting it.
    match journal::read(&run_folder.join(journal::FILE_NAME)).ok()?.state {
        RunState::Running => Some(InUse::Working),
        RunState::Unknown => Some(InUse::MayBeWorking),
        RunState::Finished | RunState::Killed | RunState::Unrecorded => None,
    }
}

/// Deletes the record of a run: its journal, its outputs, and what is kept for its undo. The audit log, the memory and the sessions are
/// not changed. What an interrupted deletion has left is removed, too.
///
/// # Errors
/// [`RunsError::InUse`], or [`RunsError::Folder`].
pub fn delete(data_folder: &Path, run: RunId) -> Result<(), RunsError> {
    if let Some(why) = in_use(data_folder, run) {
        return Err(RunsError::InUse { run_id: run, why });
    }
    let runs = folder(data_folder);
    let removed = runs.join(format!("{REMOVED}{run}"));
    // In one step it is no run any more: nobody finds half of one.
    fs::rename(runs.join(run.to_string()), &removed)
        .map_err(|source| RunsError::Folder { path: runs.join(run.to_string()), source })?;
    leftovers(&runs)?;
    remove(&removed).map_err(|source| RunsError::Folder { path: removed, source })
}

/// How many bytes the record of a run takes. What cannot be read is not counted.
pub fn size(data_folder: &Path, run: RunId) -> u64 {
    let mut open = vec![folder(data_folder).join(run.to_string())];
    let mut bytes = 0_u64;
    while let Some(path) = open.pop() {
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            let Ok(found) = entry.metadata() else { continue };
            if found.is_dir() {
                open.push(entry.path());
            } else {
                bytes = bytes.saturating_add(found.len());
            }
        }
    }
    bytes
}

fn leftovers(runs: &Path) -> Result<(), RunsError> {
    let failed = |source| RunsError::Folder { path: runs.to_owned(), source };
    let is_left = |name: &OsStr| name.to_str().is_some_and(|name| name.starts_with(REMOVED));
    for entry in fs::read_dir(runs).map_err(failed)?.flatten().filter(|entry| is_left(&entry.file_name())) {
        remove(&entry.path()).map_err(failed)?;
    }
    Ok(())
}

/// Removes a folder. A command may have left folders in it that forbid it to their owner.
fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            let mut open = vec![path.to_owned()];
            while let Some(path) = open.pop() {
                fs::set_permissions(&path, Permissions::from_mode(0o700))?;
                open.extend(folders(&path)?);
            }
            fs::remove_dir_all(path)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}

/// The folders in a folder. Links are none.
fn folders(path: &Path) -> io::Result<Vec<PathBuf>> {
    let is_folder = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
    Ok(fs::read_dir(path)?.flatten().filter(is_folder).map(|entry| entry.path()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: &str = "01970000-0000-7000-8000-0000000000aa";

    fn data_folder() -> (tempfile::TempDir, RunId) {
        let data = tempfile::tempdir().unwrap();
        let run = folder(data.path()).join(RUN);
        fs::create_dir_all(run.join("evidence")).unwrap();
        fs::write(run.join(journal::FILE_NAME), "").unwrap();
        fs::write(run.join("evidence/1"), "12345").unwrap();
        (data, RUN.parse().unwrap())
    }

    #[test]
    fn a_record_goes_with_what_a_command_has_locked_in_it_and_with_leftovers() {
        let (data, run) = data_folder();
        let closed = folder(data.path()).join(RUN).join("tmp/closed");
        fs::create_dir_all(closed.join("below")).unwrap();
        fs::set_permissions(&closed, Permissions::from_mode(0o500)).unwrap();
        fs::create_dir(folder(data.path()).join("removed-01970000-0000-7000-8000-0000000000ab")).unwrap();
        assert_eq!(size(data.path(), run), 5);
        delete(data.path(), run).unwrap();
        assert_eq!(fs::read_dir(folder(data.path())).unwrap().count(), 0);
        assert!(matches!(delete(data.path(), run), Err(RunsError::Folder { .. })));
    }

    #[test]
    fn a_run_that_works_stays() {
        let (data, run) = data_folder();
        let journal = fs::File::open(folder(data.path()).join(RUN).join(journal::FILE_NAME)).unwrap();
        journal.lock().unwrap();
        assert_eq!(in_use(data.path(), run), Some(InUse::Working));
        assert!(matches!(delete(data.path(), run), Err(RunsError::InUse { why: InUse::Working, .. })));
        assert_eq!(size(data.path(), run), 5);
        drop(journal);
        assert_eq!(in_use(data.path(), run), None);
    }

    #[test]
    fn age_is_counted_from_the_beginning_of_a_run() {
        let (data, run) = data_folder();
        let day = std::time::Duration::from_secs(24 * 60 * 60);
        let found = |now| older_than(data.path(), day, now).unwrap();
        let (seconds, _) = run.uuid().get_timestamp().unwrap().to_unix();
        let began = DateTime::from_timestamp(i64::try_from(seconds).unwrap(), 0).unwrap().fixed_offset();
        assert_eq!(found(began + chrono::TimeDelta::hours(23)), []);
        assert_eq!(found(began + chrono::TimeDelta::hours(25)), [run]);
        assert_eq!(found(began - chrono::TimeDelta::hours(25)), [], "a run from the future");
    }
}
