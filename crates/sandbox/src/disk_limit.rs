//! Watches that a command does not fill a disk.

use std::path::{Path, PathBuf};

use rustix::fs::statvfs;

use crate::Confinement;

/// The file systems in which a command may write, and what must stay free there. Other programs that write count, too: whoever fills the
/// disk, a command that goes on writing makes it worse.
#[derive(Debug)]
pub(crate) struct DiskLimit {
    /// A folder of each, and the bytes.
    floors: Vec<(PathBuf, u64)>,
}

impl DiskLimit {
    /// Where less than that is free already, the command may take half of what is.
    pub(crate) fn of(confinement: &Confinement) -> Self {
        let least = confinement.limits.free_bytes;
        let floor = |folder: &PathBuf| {
            let free = free(folder)?;
            Some((folder.clone(), if free < least { free / 2 } else { least }))
        };
        Self { floors: confinement.granted().filter_map(floor).collect() }
    }

    pub(crate) fn is_used_up(&self) -> bool {
        self.floors.iter().any(|(folder, floor)| free(folder).is_some_and(|free| free < *floor))
    }
}

/// Bytes that an ordinary user can still write; nothing where the system does not say, or counts none, as some do in memory.
fn free(folder: &Path) -> Option<u64> {
    let found = statvfs(folder).ok().filter(|found| found.f_blocks > 0)?;
    Some(found.f_bavail.saturating_mul(found.f_frsize))
}
