//! Another world for a command that runs over layers: what it finds absent, and what it finds written.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use artoo_anchored_files::{finish_file, look_at, open_root};
use rustix::fs::{CWD, FileType, Mode, futimens, mknodat};

use super::PreviewError;
use super::overlay_dirs::{Layer, OverlayDirs};

/// How the folders that a command may change differ from the real ones when it begins. Nothing of it is real.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Staging {
    /// Real paths of what is not there: below the roots, none within another.
    pub absent: Vec<PathBuf>,
    /// What other files hold, new ones among them, by their real paths in folders that are there.
    pub written: Vec<(PathBuf, Vec<u8>)>,
}

impl OverlayDirs {
    /// Writes a world into the empty layers.
    pub(super) fn stage(&self, staging: &Staging) -> Result<(), PreviewError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| PreviewError::Store { path, source }
        };
        let mut folders = Vec::new();
        for path in &staging.absent {
            self.leave_out(path, &mut folders).map_err(failed(path))?;
        }
        for (path, content) in &staging.written {
            self.write(path, content, &mut folders).map_err(failed(path))?;
        }
        // Last, because every entry gives its folder another time: those deep down first.
        folders.sort();
        folders.iter().rev().try_for_each(|(upper, real)| like(upper, real).map_err(failed(real)))
    }

    fn leave_out(&self, path: &Path, folders: &mut Vec<(PathBuf, PathBuf)>) -> io::Result<()> {
        let upper = self.layer_of(path)?.place(path, folders)?;
        Ok(mknodat(CWD, &upper, FileType::CharacterDevice, Mode::empty(), 0)?)
    }

    fn write(&self, path: &Path, content: &[u8], folders: &mut Vec<(PathBuf, PathBuf)>) -> io::Result<()> {
        let upper = self.layer_of(path)?.place(path, folders)?;
        fs::write(&upper, content)?;
        match fs::metadata(path) {
            Ok(there) => fs::set_permissions(&upper, there.permissions()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn layer_of(&self, path: &Path) -> io::Result<&Layer> {
        let layer = self.layers.iter().find(|layer| path.starts_with(&layer.root));
        layer.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "no layer lies over it"))
    }
}

impl Layer {
    /// Where a path lies in the layer, whose folders on the way are made.
    fn place(&self, path: &Path, folders: &mut Vec<(PathBuf, PathBuf)>) -> io::Result<PathBuf> {
        let below = path.strip_prefix(&self.root).map_err(io::Error::other)?;
        let parents: Vec<&Path> = below.ancestors().skip(1).collect();
        for parent in parents.into_iter().rev() {
            let (upper, real) = (self.upper.join(parent), self.root.join(parent));
            match DirBuilder::new().mode(0o700).create(&upper) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                Ok(()) | Err(_) => folders.push((upper, real)),
            }
        }
        Ok(self.upper.join(below))
    }
}

/// Gives a folder of the layer the looks of the real one.
fn like(upper: &Path, real: &Path) -> io::Result<()> {
    let (upper, state) = (open_root(upper)?, look_at(open_root(real)?)?);
    // A root has them but for its time.
    if look_at(&upper)?.mode == state.mode {
        return Ok(futimens(&upper, &state.mtime.as_modification())?);
    }
    finish_file(upper, &state)
}
