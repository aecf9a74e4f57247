//! Builds a new index beside the old one, and swaps it in.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::engine::above;
use super::error::IndexError;
use super::keyspace::Before;
use super::lock::Lock;
use super::record::{Entry, Position};
use super::worker::Worker;
use crate::disk::Disk;

/// Number of entries passed to the engine thread at a time.
const HANDED_OVER: usize = 1_000;

/// The folders of a rebuild: `<index>.new` is built, `<index>` becomes `<index>.old` and is removed.
struct Folders {
    index: PathBuf,
    new: PathBuf,
    old: PathBuf,
}

impl Folders {
    fn of(index: &Path) -> Self {
        let beside = |end: &str| {
            let mut name = index.file_name().unwrap_or_default().to_owned();
            name.push(end);
            index.with_file_name(name)
        };
        Self { index: index.to_owned(), new: beside(".new"), old: beside(".old") }
    }
}

/// Builds `<index>.new` from all entries, and swaps it in.
///
/// The old one is removed: it holds copies of Megrams that may have been forgotten since, and it proves
/// nothing that the journal does not hold.
pub(super) async fn rebuild<E: Into<Box<dyn std::error::Error + Send + Sync>>>(
    index: &Path,
    disk: &Arc<dyn Disk>,
    entries: impl Iterator<Item = Result<Entry, E>>,
    position: Position,
) -> Result<(), IndexError> {
    let folders = Folders::of(index);
    remove(&folders.new, disk.as_ref())?;
    let worker = Worker::start(&folders.new, Arc::clone(disk)).await?;
    let filled = fill(&worker, entries, position).await;
    worker.close().await;
    match filled {
        Ok(()) => swap(&folders, disk.as_ref()),
        Err(error) => {
            remove(&folders.new, disk.as_ref())?;
            Err(error)
        }
    }
}

async fn fill<E: Into<Box<dyn std::error::Error + Send + Sync>>>(
    worker: &Worker,
    mut entries: impl Iterator<Item = Result<Entry, E>>,
    position: Position,
) -> Result<(), IndexError> {
    loop {
        let some = entries.by_ref().take(HANDED_OVER).collect::<Result<Vec<Entry>, E>>();
        let some = some.map_err(|error| IndexError::Source(error.into()))?;
        if some.is_empty() {
            break;
        }
        worker.ask("write", |contents| contents.write(some, Before::Nothing, None)).await?;
    }
    worker.ask("write", move |contents| contents.write(Vec::new(), Before::Nothing, Some(position))).await
}

/// Removes the remains of an interrupted rebuild.
pub(super) fn clean_up(index: &Path, disk: &dyn Disk) -> Result<(), IndexError> {
    let folders = Folders::of(index);
    remove(&folders.new, disk)?;
    remove(&folders.old, disk)
}

fn swap(folders: &Folders, disk: &dyn Disk) -> Result<(), IndexError> {
    let file = |path: &Path, doing| {
        let path = path.to_owned();
        move |source| IndexError::File { path, doing, source }
    };
    remove(&folders.old, disk)?;
    let held = hold(&folders.index, disk)?;
    if folders.index.symlink_metadata().is_ok() {
        disk.rename(&folders.index, &folders.old).map_err(file(&folders.index, "renamed"))?;
    }
    disk.rename(&folders.new, &folders.index).map_err(file(&folders.new, "renamed"))?;
    let parent = above(&folders.index);
    disk.sync_folder(parent).map_err(file(parent, "synced"))?;
    drop(held);
    remove(&folders.old, disk)
}

/// The lock of the index to be replaced, so that it is not open elsewhere; `None` if it is too broken to have
/// one.
fn hold(folder: &Path, disk: &dyn Disk) -> Result<Option<Lock>, IndexError> {
    match Lock::take(folder, disk) {
        Ok(lock) => Ok(Some(lock)),
        Err(locked @ IndexError::Locked { .. }) => Err(locked),
        Err(_) => Ok(None),
    }
}

fn remove(path: &Path, disk: &dyn Disk) -> Result<(), IndexError> {
    let Ok(found) = path.symlink_metadata() else { return Ok(()) };
    let _held = if found.is_dir() { hold(path, disk)? } else { None };
    let removed = if found.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
    match removed {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            Err(IndexError::File { path: path.to_owned(), doing: "removed", source })
        }
        Ok(()) | Err(_) => Ok(()),
    }
}
