//! The disk limit: keeps a command from filling a disk.

use std::path::{Path, PathBuf};

use rustix::fs::statvfs;

use crate::Confinement;

/// The file systems a command may write to, with the space that must stay free on each. Writes of other
/// programs count, too: whoever fills the disk, a command that goes on writing makes it worse.
#[derive(Debug)]
pub(crate) struct DiskLimit {
    /// A folder on each file system, and the free bytes required there.
    floors: Vec<(PathBuf, u64)>,
}

impl DiskLimit {
    /// If less than the limit is free already, the command may use half of it.
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

/// Bytes that an ordinary user can still write. `None` if the system does not say or reports no blocks, as
/// some file systems in memory do.
fn free(folder: &Path) -> Option<u64> {
    let found = statvfs(folder).ok().filter(|found| found.f_blocks > 0)?;
    Some(found.f_bavail.saturating_mul(found.f_frsize))
}
