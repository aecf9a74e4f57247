//! Takes snapshots, so that the journal stays short, and finds the newest.

use std::path::{Path, PathBuf};

use artoo_mkct_memory::Rules;

use super::{Store, apply, grams, wait};
use crate::StoreError;
use crate::disk::Disk;
use crate::journal::Notice;
use crate::state::State;
use crate::table::{Table, TableError};

/// A journal of fewer events costs a process that opens it little: each event is read and folded at every start.
const LONG: u64 = 256;
/// A memory of fewer Megrams is put into a snapshot within the blink in which a process ends.
const SMALL: u64 = 20_000;
/// The journal may grow to this fraction of the snapshot's Megrams before the next one is taken: so each
/// event is rewritten a constant number of times, whatever the size.
const SHARE: u64 = 8;

/// The state of the newest usable snapshot; an empty one if there is none.
pub(super) fn newest(
    folder: &Path,
    disk: &dyn Disk,
    rules: Rules,
) -> Result<(State, Vec<Notice>), StoreError> {
    let mut notices = Vec::new();
    for path in tables(folder, disk)?.into_iter().rev() {
        match Table::open(disk, &path).and_then(|table| State::open(table, rules, grams)) {
            Ok(state) => return Ok((state, notices)),
            Err(error @ TableError::Newer { .. }) => return Err(error.into()),
            // Incomplete when the machine stopped, or damaged. An older one may do; the journal provides the
            // rest.
            Err(error) => notices.push(Notice::Snapshot { path, reason: error.to_string() }),
        }
    }
    Ok((State::new(rules, grams), notices))
}

/// The snapshots of a folder, oldest first: their names are the covered sequence numbers, in fixed width.
fn tables(folder: &Path, disk: &dyn Disk) -> Result<Vec<PathBuf>, StoreError> {
    let folder = folder.join("snapshot");
    match disk.list(&folder) {
        Ok(names) => {
            let paths = names.iter().map(|name| folder.join(name));
            Ok(paths.filter(|path| path.extension().is_some_and(|end| end == "table")).collect())
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(source) => Err(StoreError::File { path: folder, doing: "listed", source }),
    }
}

impl Store {
    /// Takes a snapshot if the journal has become long.
    pub(super) fn keep_short(&self) -> Result<(), StoreError> {
        // The head moves only when this process follows the journal. Without the flush and the follow it lags
        // behind what was written, and a long journal looks short.
        wait(self.log.flush())?;
        self.follow()?;
        if self.is_long(u64::MAX) { self.compact() } else { Ok(()) }
    }

    /// The same at the end of a process that may never have dreamt, as one that works on a single request. A large memory is left to the
    /// Dreamer.
    pub(super) fn keep_short_at_the_end(&self) {
        if !self.is_owner() || !self.is_long(SMALL) {
            return;
        }
        if let Err(error) = self.keep_short() {
            tracing::debug!(%error, "the journal of the memory stays long");
        }
    }

    /// Whether a memory of at most so many Megrams has a long journal.
    fn is_long(&self, most_megrams: u64) -> bool {
        let (covered, megrams) = {
            let state = self.read();
            let stats = state.stats();
            (state.covers().seq, stats.m + stats.k + stats.c + stats.t + stats.consolidated)
        };
        let tail = self.log.head().seq.saturating_sub(covered);
        megrams <= most_megrams && tail > LONG.max(megrams / SHARE)
    }

    /// Takes a snapshot of everything on disk, and drops what it covers.
    ///
    /// It is made only from snapshot and journal, not from this process's state: so it cannot lack anything
    /// in the journal.
    pub(super) fn compact(&self) -> Result<(), StoreError> {
        let disk = self.options.disk.as_ref();
        let folder = self.folder().join("snapshot");
        let file = |doing| {
            let path = folder.clone();
            move |source| StoreError::File { path, doing, source }
        };
        disk.make_folder(&folder).map_err(file("made"))?;
        wait(self.log.flush())?;
        let (mut whole, _) = newest(self.folder(), disk, self.options.rules)?;
        let mut entries = self.log.read_from(whole.covers())?.entries;
        let covers = self.log.head();
        entries.retain(|(seq, _)| *seq <= covers.seq);
        apply(&mut whole, &entries)?;
        let path = folder.join(format!("{:020}.table", covers.seq));
        let table = whole.compact(disk, &path, covers, self.now())?;
        self.log.note_snapshot(self.now(), covers.seq, table.hash())?;
        let mut state = self.write_lock();
        wait(self.log.flush())?;
        self.reload(&mut state)?;
        self.log.drop_before(covers.seq)?;
        drop(state);
        for old in tables(self.folder(), disk)?.into_iter().filter(|old| *old != path) {
            disk.remove(&old).map_err(file("cleared"))?;
        }
        disk.sync_folder(&folder).map_err(file("synced"))
    }
}
