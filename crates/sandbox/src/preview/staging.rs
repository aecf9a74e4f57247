//! Staging: initial differences between a command's overlays and the real folders.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use artoo_anchored_files::{Below, Moment, finish_file, look_at, open_root};
use rustix::fs::futimens;

use super::overlay_dirs::{Layer, OverlayDirs};
use super::{Change, Changes, Preview, PreviewError};
use crate::Outcome;
use crate::real_names::RealNames;

/// Files that are hidden or replaced for a command run on overlays. The real folders do not change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Staging {
    /// Real paths to hide: below the roots, none inside another.
    pub absent: Vec<PathBuf>,
    /// Contents of changed or new files, by their real paths in existing folders.
    pub written: Vec<(PathBuf, Vec<u8>)>,
}

/// A finished command in staged folders, and what it would change there. It cannot be committed: the command was
/// told of files that are not so. Dropping it removes the layers, which blocks.
#[derive(Debug)]
pub struct StagedPreview {
    pub(super) preview: Preview,
    pub(super) staging: Staging,
}

impl StagedPreview {
    /// The result of the command.
    pub fn outcome(&self) -> &Outcome {
        &self.preview.outcome
    }

    /// See [`Preview::linked`].
    pub fn linked(&self) -> &[PathBuf] {
        self.preview.linked()
    }

    /// What would change, except at and below the staged paths, where nobody can tell the command's changes from the staging.
    pub fn changes(&self) -> impl Iterator<Item = &Change> {
        let Staging { absent, written } = &self.staging;
        let is_staged = move |change: &&Change| {
            absent.iter().any(|path| change.path.starts_with(path))
                || written.iter().any(|(path, _)| change.path == *path)
        };
        self.preview.changes.iter().filter(move |change| !is_staged(change))
    }

    /// What would change, with what the staging changes.
    pub fn all_changes(&self) -> &Changes {
        &self.preview.changes
    }

    /// Opens the file that the command has written at this real path.
    ///
    /// # Errors
    /// As [`Preview::open_written`].
    pub fn open_written(&self, real: &Path) -> io::Result<File> {
        self.preview.open_written(real)
    }
}

impl OverlayDirs {
    /// Writes the staging to the empty layers.
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
        settle(folders).map(drop)
    }

    /// Keeps protected places that do not exist from appearing while the command runs. One that exists is
    /// covered by a mount on the overlay, which a rename below does not remove.
    pub(super) fn blank(&mut self, places: &[PathBuf]) -> Result<(), PreviewError> {
        let (mut folders, mut names) = (Vec::new(), RealNames::default());
        for missing in places.iter().filter_map(|place| names.first_missing(place)) {
            let layer = self.layers.iter().enumerate().find(|(_, layer)| missing.starts_with(&layer.root));
            let Some((number, layer)) = layer else { continue };
            let blank = layer.blank(&missing, &mut folders);
            let below = blank.map_err(|source| PreviewError::Store { path: missing.clone(), source })?;
            self.staged.blanks.insert((number, below));
        }
        for (upper, moment) in settle(folders)? {
            self.note_folder(&upper, moment);
        }
        Ok(())
    }

    fn note_folder(&mut self, upper: &Path, mtime: Moment) {
        let below = |layer: &Layer| Below::new(upper.strip_prefix(&layer.upper).ok()?).ok();
        let found = self.layers.iter().enumerate().find_map(|(number, layer)| Some((number, below(layer)?)));
        if let Some(at) = found {
            self.staged.folders.insert(at, mtime);
        }
    }

    fn leave_out(&self, path: &Path, folders: &mut Vec<(PathBuf, PathBuf)>) -> io::Result<()> {
        let upper = self.layer_of(path)?.place(path, folders)?;
        whiteout(&upper)
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
    /// Hides a path that does not exist, and returns it without the root.
    fn blank(&self, path: &Path, folders: &mut Vec<(PathBuf, PathBuf)>) -> io::Result<Below> {
        match whiteout(&self.place(path, folders)?) {
            // Several places may lie in the same missing folder.
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            Ok(()) | Err(_) => {}
        }
        let below = path.strip_prefix(&self.root).map_err(io::Error::other)?;
        Below::new(below).map_err(|_| io::ErrorKind::InvalidInput.into())
    }

    /// The path in the layer; creates its parent folders.
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

/// Gives the folders made in layers the metadata of the real ones, deepest first, because every new entry
/// changes its folder's time. Returns their mtimes.
fn settle(mut folders: Vec<(PathBuf, PathBuf)>) -> Result<Vec<(PathBuf, Moment)>, PreviewError> {
    folders.sort();
    folders.dedup();
    let settled = folders.into_iter().rev().map(|(upper, real)| match like(&upper, &real) {
        Ok(mtime) => Ok((upper, mtime)),
        Err(source) => Err(PreviewError::Store { path: real, source }),
    });
    settled.collect()
}

/// Makes what hides an entry in an overlay: a character device with the number 0.
#[cfg(target_os = "linux")]
fn whiteout(upper: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    Ok(mknodat(CWD, upper, FileType::CharacterDevice, Mode::empty(), 0)?)
}

/// There are no overlays without Linux, so that nothing comes here.
#[cfg(not(target_os = "linux"))]
fn whiteout(_: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Gives a folder of the layer the metadata of the real one, whose mtime it returns.
fn like(upper: &Path, real: &Path) -> io::Result<Moment> {
    let (upper, state) = (open_root(upper)?, look_at(open_root(real)?)?);
    // A root has the same metadata already, except its time.
    if look_at(&upper)?.mode == state.mode {
        futimens(&upper, &state.mtime.as_modification())?;
    } else {
        finish_file(upper, &state)?;
    }
    Ok(state.mtime)
}
