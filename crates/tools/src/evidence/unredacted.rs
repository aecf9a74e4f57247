//! Original outputs whose secrets must not reach the disk, kept in memory.

use std::collections::HashMap;
use std::sync::Arc;

use artoo_types::EvidenceId;

/// Maximum bytes held. Beyond that only the redacted output is available.
const MOST: usize = 32 * 1024 * 1024;

/// The original outputs of a run that contain secrets, in memory only.
#[derive(Default)]
pub(super) struct Truths {
    of: HashMap<EvidenceId, Arc<[u8]>>,
    bytes: usize,
    full: bool,
}

impl Truths {
    pub(super) fn has(&self, id: &EvidenceId) -> bool {
        self.of.contains_key(id)
    }

    pub(super) fn of(&self, id: &EvidenceId) -> Option<Arc<[u8]>> {
        self.of.get(id).cloned()
    }

    /// Holds an output under this name. False if the name belongs to another output; `is_taken` says whether
    /// one is on the disk.
    pub(super) fn take(&mut self, id: &EvidenceId, truth: &[u8], is_taken: bool) -> bool {
        if let Some(held) = self.of.get(id) {
            return **held == *truth;
        }
        if is_taken {
            return false;
        }
        self.full |= self.bytes.saturating_add(truth.len()) > MOST;
        if !self.full {
            self.bytes += truth.len();
            self.of.insert(id.clone(), truth.into());
        }
        true
    }
}

/// Omits the held outputs.
impl std::fmt::Debug for Truths {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Truths")
            .field("outputs", &self.of.len())
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}
