//! A folder for one call of git that no command sees.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::{ToolContext, ToolError};

/// A folder for one call that no command sees: it lies where the run keeps its evidence. It goes with the call.
#[derive(Debug)]
pub(super) struct OwnFolder(PathBuf);

impl OwnFolder {
    /// Makes it. Blocks.
    pub(super) fn make(cx: &ToolContext) -> Result<Self, ToolError> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let name = format!("git-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let folder = cx.evidence.folder().join(name);
        let failed = |source| ToolError::Io {
            action: "prepare a call of git in",
            path: folder.display().to_string(),
            source,
        };
        std::fs::create_dir_all(&folder).map_err(failed)?;
        let real = folder.canonicalize().map_err(failed)?;
        Ok(Self(real))
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for OwnFolder {
    fn drop(&mut self) {
        // What cannot be removed goes with the run's folder.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
