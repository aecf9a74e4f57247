//! The overlaid folders of one preview, and the store for their layers.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use artoo_anchored_files::{Below, Moment, finish_file, look_at, open_root};
use rustix::fs::{Timespec, Timestamps, UTIME_NOW, UTIME_OMIT, futimens};
use rustix::process::{geteuid, getpid};

use super::PreviewError;
use super::layer_reader::Spot;
use super::remove_tree::remove_tree;

/// How often to poll the file system's clock for progress, one millisecond apart: kernels advance it in steps
/// of up to 10 ms.
const STEPS_OF_THE_CLOCK: u32 = 50;

/// Folders with an empty layer on each. Dropping it removes the layers.
#[derive(Debug)]
pub(crate) struct OverlayDirs {
    store: PathBuf,
    folder: PathBuf,
    pub(crate) layers: Vec<Layer>,
    pub(super) staged: Staged,
    /// Real folders changed after this moment were changed by other programs while the command ran.
    pub(super) begun: Moment,
}

/// What is in the layers before the command.
#[derive(Debug, Default)]
pub(super) struct Staged {
    /// Protected paths that do not exist, kept from appearing.
    pub(super) blanks: BTreeSet<Spot>,
    /// Folders, with their mtimes.
    pub(super) folders: BTreeMap<Spot, Moment>,
}

/// A folder that the command may change.
#[derive(Debug)]
pub(crate) struct Layer {
    /// Its real path.
    pub(crate) root: PathBuf,
    /// The folder itself, whatever happens to its name.
    pub(crate) real: OwnedFd,
    /// The upper directory, which receives the command's changes.
    pub(crate) upper: PathBuf,
    /// The work directory that overlayfs needs.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only Linux has layers"))]
    pub(crate) work: PathBuf,
}

impl OverlayDirs {
    /// Creates the layers in a new folder of `store`.
    pub(super) fn lay(roots: &[PathBuf], private_tmp: &Path, store: &Path) -> Result<Self, PreviewError> {
        let roots = outermost(roots)?;
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| PreviewError::Store { path, source }
        };
        let store = made_store(store).map_err(failed(store))?;
        // Created now, because it may be inside a root.
        DirBuilder::new().recursive(true).mode(0o700).create(private_tmp).map_err(failed(private_tmp))?;
        let tmp = private_tmp.canonicalize().map_err(failed(private_tmp))?;
        if let Some(within) = roots.iter().chain([&tmp]).find(|folder| store.starts_with(folder)) {
            return Err(PreviewError::StoreWithin { within: within.clone(), store });
        }
        let folder = store.join(format!("preview-{}-{}", getpid(), next_number()));
        let create = || DirBuilder::new().mode(0o700).create(&folder);
        // Another preview that ends removes the store if it is empty at that moment.
        create()
            .or_else(|error| {
                let is_gone = error.kind() == io::ErrorKind::NotFound;
                if is_gone { made_store(&store).and_then(|_| create()) } else { Err(error) }
            })
            .map_err(failed(&folder))?;
        // From here on, dropping it removes the folder.
        let (layers, staged) = (Vec::new(), Staged::default());
        let mut overlay_dirs = Self { store, folder, layers, staged, begun: Moment::default() };
        for (number, root) in roots.into_iter().enumerate() {
            let (layer, mtime) = overlay_dirs.layer(number, root)?;
            overlay_dirs.layers.push(layer);
            overlay_dirs.staged.folders.insert((number, Below::default()), mtime);
        }
        overlay_dirs.begun = overlay_dirs.begin().map_err(failed(&overlay_dirs.folder))?;
        Ok(overlay_dirs)
    }

    fn layer(&self, number: usize, root: PathBuf) -> Result<(Layer, Moment), PreviewError> {
        let unusable = |source| PreviewError::Root { path: root.clone(), source };
        let real = open_root(&root).map_err(unusable)?;
        let state = look_at(&real).map_err(unusable)?;
        if !is_known(state.uid) {
            return Err(PreviewError::ForeignRoot { path: root });
        }
        let upper = self.folder.join(format!("{number}-upper"));
        let work = self.folder.join(format!("{number}-work"));
        let made =
            [&upper, &work].into_iter().try_for_each(|path| DirBuilder::new().mode(0o700).create(path));
        // The root shows the mode and the mtime of its layer.
        made.and_then(|()| finish_file(open_root(&upper)?, &state))
            .map_err(|source| PreviewError::Store { path: upper.clone(), source })?;
        Ok((Layer { root, real, upper, work }, state.mtime))
    }

    /// The folder with everything of this preview.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The current time of the store's file system.
    pub(super) fn now(&self) -> io::Result<Moment> {
        let marker = File::options().create(true).append(true).open(self.folder.join("clock"))?;
        let now = Timestamps {
            last_access: Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT },
            last_modification: Timespec { tv_sec: 0, tv_nsec: UTIME_NOW },
        };
        futimens(&marker, &now)?;
        Ok(look_at(&marker)?.ctime)
    }

    /// The last clock tick that has passed.
    fn begin(&self) -> io::Result<Moment> {
        let begun = self.now()?;
        for _ in 0..STEPS_OF_THE_CLOCK {
            if self.now()? > begun {
                return Ok(begun);
            }
            thread::sleep(Duration::from_millis(1));
        }
        Err(io::Error::other("the clock of the file system stands still"))
    }
}

/// Creates the store if it is missing; its real path.
fn made_store(store: &Path) -> io::Result<PathBuf> {
    DirBuilder::new().recursive(true).mode(0o700).create(store)?;
    is_ours_alone(store)?;
    store.canonicalize()
}

impl Drop for OverlayDirs {
    fn drop(&mut self) {
        // What cannot be removed stays in the store, which belongs to the caller.
        let _ = remove_tree(&self.folder);
        // Fails while another preview uses the store.
        let _ = fs::remove_dir(&self.store);
    }
}

/// Whether a layer can be put on a folder: it belongs to this user, or no user namespace is needed. Accesses
/// the disk.
pub fn can_lie_over(folder: &Path) -> bool {
    let owner = open_root(folder).and_then(look_at);
    owner.is_ok_and(|state| is_known(state.uid))
}

/// Whether this user is mapped in a preview's user namespace.
fn is_known(user: u32) -> bool {
    user == geteuid().as_raw() || may_mount()
}

#[cfg(target_os = "linux")]
fn may_mount() -> bool {
    crate::capabilities::may_mount().unwrap_or(false)
}

#[cfg(not(target_os = "linux"))]
fn may_mount() -> bool {
    false
}

/// Whether only this user can write to the store. Other users may be able to write to its parent, and may
/// have created it first.
fn is_ours_alone(store: &Path) -> io::Result<()> {
    let state = look_at(&open_root(store)?)?;
    if state.uid == geteuid().as_raw() && state.mode & 0o022 == 0 {
        Ok(())
    } else {
        Err(io::Error::new(io::ErrorKind::PermissionDenied, "it belongs to others, too"))
    }
}

/// The real paths of the roots, without those inside another one.
fn outermost(roots: &[PathBuf]) -> Result<Vec<PathBuf>, PreviewError> {
    let mut real = Vec::new();
    for root in roots {
        let unusable = |source| PreviewError::Root { path: root.clone(), source };
        if !root.is_absolute() {
            return Err(unusable(io::Error::new(io::ErrorKind::InvalidInput, "the path is not absolute")));
        }
        let path = root.canonicalize().map_err(unusable)?;
        if !path.is_dir() {
            return Err(unusable(io::ErrorKind::NotADirectory.into()));
        }
        real.push(path);
    }
    real.sort();
    real.dedup();
    // A path inside another one sorts after it, but not always directly.
    let all = real.clone();
    real.retain(|root| !all.iter().any(|other| is_below(root, other)));
    Ok(real)
}

fn is_below(path: &Path, folder: &Path) -> bool {
    path != folder && path.starts_with(folder)
}

fn next_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_root_within_another_one_needs_no_layer_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().canonicalize().unwrap();
        for name in ["a/b/c", "a b", "d"] {
            fs::create_dir_all(home.join(name)).unwrap();
        }
        let roots = ["a/b/c", "a", "a b", "a/b", "d", "a/../d"].map(|name| home.join(name));
        assert_eq!(outermost(&roots).unwrap(), ["a", "a b", "d"].map(|name| home.join(name)));
    }
}
