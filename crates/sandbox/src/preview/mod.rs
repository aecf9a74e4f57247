//! Previews: what a command would change, determined by running it on an overlay.
//!
//! [`preview()`] runs a command with an empty layer (an overlay) on each folder that it may write to.
//! Afterwards the layers are read, and their contents are the list of [`Changes`]. [`Preview::commit`]
//! applies exactly these to the real folders; dropping the preview removes the layers, and nothing was
//! changed.
//!
//! The command is confined as by [`run`](crate::run()), and more strictly: everything except the layers and
//! its private folder is mounted read-only, which also covers modes and times of files; without the network
//! it can create no sockets, not even to local services; and it sees only its own System V IPC objects. If a
//! layer cannot represent a change, the result is a [`PreviewError`] instead. Only Linux supports previews.
//! Design: `docs/design/preview.md`.

mod change_list;
mod changes;
mod commit;
mod conflicts;
mod error;
mod layer_reader;
mod moves;
mod overlay_dirs;
mod remove_tree;
mod staging;
mod support;
mod trial_record;
mod unrepresentable;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::{Capture, Confinement, Invocation, Outcome, SandboxError, SandboxMode};

pub use artoo_anchored_files::Named;
pub use changes::{Change, ChangeKind, Changes, Entry, EntryKind};
pub use error::{Clash, ClashKind, CommitError, NoPreview, PreviewError};

pub use change_list::unified_diff;
#[cfg(target_os = "linux")]
pub(crate) use overlay_dirs::Layer;
pub(crate) use overlay_dirs::OverlayDirs;
pub use overlay_dirs::can_lie_over;
pub use staging::{StagedPreview, Staging};

use layer_reader::Read;

/// A finished command, and what it would change. Dropping it discards the changes and removes the layers,
/// which blocks; [`commit`](Self::commit) makes them real.
#[derive(Debug)]
pub struct Preview {
    /// The result of the command. One that failed or was stopped may still have changed something.
    pub outcome: Outcome,
    /// What would change.
    pub changes: Changes,
    /// See [`linked`](Self::linked).
    linked: Vec<PathBuf>,
    read: Read,
    overlay_dirs: Arc<OverlayDirs>,
}

/// Runs a command on overlays of `roots`.
///
/// `roots` are absolute paths of folders of this user; one inside another is covered by it. Links are
/// followed, and [`Changes`] name real paths. The layers are in `store`, which is created if missing; it must
/// be on a file system with user attributes (not NFS, not itself an overlay), belong to this user, be writable
/// by nobody else, and lie neither in a root nor in the private folder. It is removed with its last layer if
/// it is empty then. If this process is killed, its layers (`preview-PID-N`) stay and are the caller's to
/// remove.
///
/// Of `confinement`, only `limits`, `network`, `hidden` and `private_tmp`, the private folder, apply; what the
/// command writes to the private folder is not part of the preview. `roots` are granted instead of `writable`.
/// `sealed` is **not enforced**: ask [`Changes::touching`] before a commit. [`SandboxMode::ReadOnly`] is
/// refused, and [`SandboxMode::FullAccess`] lifts no restriction here. Without the network, the command can
/// create no socket at all.
///
/// Layers behave differently in some cases, so that a command may fail in a preview only: renaming a folder
/// (`rename`, not `mv`, which then copies), changing files of other users, sockets. An [`Outcome`] that
/// reports a failure therefore does not show that the command itself is wrong.
///
/// Nothing outside the store and the private folder changes. A dropped future ends the command as for
/// [`run`](crate::run()), and removes the layers once its process tree is gone.
///
/// ```
/// # async fn example(invocation: artoo_sandbox::Invocation, confinement: artoo_sandbox::Confinement)
/// # -> Result<(), Box<dyn std::error::Error>> {
/// use artoo_sandbox::{Capture, Ending, preview::preview};
/// use std::path::{Path, PathBuf};
/// use tokio_util::sync::CancellationToken;
///
/// let workspace = [PathBuf::from("/home/ada/artoo_workspace")];
/// let (mut out, mut err) = (Vec::new(), Vec::new());
/// let capture = Capture { stdout: &mut out, stderr: &mut err, on_chunk: None };
/// let store = Path::new("/home/ada/.local/share/artoo/runs/1/preview");
/// let preview = preview(&invocation, &confinement, &workspace, store, capture, &CancellationToken::new()).await?;
/// for change in &preview.changes {
///     println!("{} {}", change.kind, change.path.display());
/// }
/// // A command that failed may have done half of its work.
/// if preview.outcome.ending == Ending::Exited(0) && preview.changes.only_creates_in(&workspace) {
///     tokio::task::spawn_blocking(move || preview.commit()).await??; // makes it real
/// } else {
///     tokio::task::spawn_blocking(move || drop(preview)).await?; // discards it
/// }
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The command was not run, or its changes cannot be reported. Every [`PreviewError`] means that nothing was
/// changed.
///
/// # Panics
///
/// Outside of a Tokio runtime, or in one without IO and time (`Builder::enable_all`).
pub async fn preview(
    invocation: &Invocation,
    confinement: &Confinement,
    roots: &[PathBuf],
    store: &Path,
    capture: Capture<'_>,
    cancel: &CancellationToken,
) -> Result<Preview, PreviewError> {
    let preview = preview_with_links(invocation, confinement, roots, store, capture, cancel).await?;
    match preview.linked.first().cloned() {
        None => Ok(preview),
        Some(path) => {
            aside(store, move || {
                drop(preview);
                Err(PreviewError::HardLinks { path })
            })
            .await
        }
    }
}

/// The same for a caller that decides about files with hard links itself: see [`Preview::linked`].
///
/// # Errors
///
/// As for [`preview()`], but not [`PreviewError::HardLinks`].
pub async fn preview_with_links(
    invocation: &Invocation,
    confinement: &Confinement,
    roots: &[PathBuf],
    store: &Path,
    capture: Capture<'_>,
    cancel: &CancellationToken,
) -> Result<Preview, PreviewError> {
    let place = store.to_owned();
    aside(store, move || Preview::supported(&place).map_err(PreviewError::Unsupported)).await?;
    preview_unasked(invocation, confinement, (roots, &Staging::default()), store, capture, cancel)
        .await
        .inspect_err(note_failed_layers)
}

/// Runs a command as [`preview()`] does, in folders that differ from the real ones as `staging` says. What it would change
/// there can be read, and not be made real. It may change files with hard links: see [`StagedPreview::linked`].
///
/// # Errors
///
/// As for [`preview()`], and if the staging cannot be set up.
pub async fn rehearse(
    invocation: &Invocation,
    confinement: &Confinement,
    (roots, staging): (&[PathBuf], &Staging),
    store: &Path,
    capture: Capture<'_>,
    cancel: &CancellationToken,
) -> Result<StagedPreview, PreviewError> {
    let place = store.to_owned();
    aside(store, move || Preview::supported(&place).map_err(PreviewError::Unsupported)).await?;
    let preview = preview_unasked(invocation, confinement, (roots, staging), store, capture, cancel)
        .await
        .inspect_err(note_failed_layers)?;
    Ok(StagedPreview { preview, staging: staging.clone() })
}

/// A machine that supports previews according to a record, and whose layers fail, is tried anew.
fn note_failed_layers(error: &PreviewError) {
    if let PreviewError::Sandbox(SandboxError::Namespace { .. }) = error {
        support::failed();
    }
}

/// The same as [`preview()`] on staged folders, without checking first whether previews are supported.
async fn preview_unasked(
    invocation: &Invocation,
    confinement: &Confinement,
    staged: (&[PathBuf], &Staging),
    store: &Path,
    capture: Capture<'_>,
    cancel: &CancellationToken,
) -> Result<Preview, PreviewError> {
    let (outcome, overlay_dirs) = run_over(invocation, confinement, staged, store, capture, cancel).await?;
    aside(store, move || {
        let read = Read::of(&overlay_dirs)?;
        let moves = moves::moves(&overlay_dirs, &read.differences);
        unrepresentable::check(&overlay_dirs, &read)?;
        let changes = change_list::changes(&overlay_dirs, &read, &moves);
        let linked = unrepresentable::with_other_names(&overlay_dirs, &read);
        Ok(Preview { outcome, changes, linked, read, overlay_dirs })
    })
    .await
}

/// Creates the layers, and runs the command on them.
async fn run_over(
    invocation: &Invocation,
    confinement: &Confinement,
    (roots, staging): (&[PathBuf], &Staging),
    store: &Path,
    capture: Capture<'_>,
    cancel: &CancellationToken,
) -> Result<(Outcome, Arc<OverlayDirs>), PreviewError> {
    match confinement.mode {
        SandboxMode::ReadOnly => return Err(PreviewError::ReadOnly),
        SandboxMode::WorkspaceWrite | SandboxMode::FullAccess => {}
    }
    // This mode grants only the private folder by its real path.
    let confinement = Confinement { mode: SandboxMode::ReadOnly, ..confinement.clone() };
    let invocation = Invocation { folder: folder_of(invocation)?, ..invocation.clone() };
    let (roots, tmp, place) = (roots.to_vec(), confinement.private_tmp.clone(), store.to_owned());
    let (staging, hidden) = (staging.clone(), confinement.hidden.clone());
    let overlay_dirs = aside(store, move || {
        let mut overlay_dirs = OverlayDirs::lay(&roots, &tmp, &place)?;
        overlay_dirs.blank(&hidden)?;
        overlay_dirs.stage(&staging)?;
        Ok(overlay_dirs)
    });
    let overlay_dirs = Arc::new(overlay_dirs.await?);
    let outcome = run_on(Arc::clone(&overlay_dirs), &invocation, &confinement, capture, cancel).await?;
    if outcome.survivors > 0 {
        return Err(PreviewError::Survivors { count: outcome.survivors });
    }
    Ok((outcome, overlay_dirs))
}

/// Runs blocking work on a blocking thread. If the future is dropped, the result is dropped there.
async fn aside<T: Send + 'static>(
    store: &Path,
    work: impl FnOnce() -> Result<T, PreviewError> + Send + 'static,
) -> Result<T, PreviewError> {
    let lost = |error| PreviewError::Store { path: store.to_owned(), source: std::io::Error::other(error) };
    tokio::task::spawn_blocking(work).await.map_err(lost)?
}

impl Preview {
    /// Whether this machine supports previews. The first call runs a command on a folder that it creates in
    /// `place` (which is created, too, if missing) and removes again. Later calls repeat its answer.
    ///
    /// # Errors
    ///
    /// Why previews are not supported.
    pub fn supported(place: &Path) -> Result<(), NoPreview> {
        support::supported(place, None)
    }

    /// The same for a process that is started often: a success is written to the file `record`, and the next process of the same
    /// program reads it there until the machine boots again, instead of running the command. The kernel's confinement is still tried
    /// in each process. A failure is not recorded, and a record that is damaged or that others can read does not count.
    ///
    /// # Errors
    ///
    /// Why previews are not supported.
    pub fn supported_as_recorded(place: &Path, record: &Path) -> Result<(), NoPreview> {
        support::supported(place, Some(record))
    }

    /// The files with hard links that the command changed, or may have moved. A layer does not tell whether
    /// their other names would have changed with them: it shows the command these names as they were, and a
    /// commit leaves them so.
    pub fn linked(&self) -> &[PathBuf] {
        &self.linked
    }

    /// Applies the changes to the real folders: all of them, or none if another program has changed a listed
    /// path since the command started.
    ///
    /// A changed file is written separately and replaced in one step: its inode changes. Blocks, as does
    /// removing the layers: call it on a blocking thread.
    ///
    /// # Errors
    ///
    /// [`CommitError::Refused`] with the conflicts, or why a step failed: then all steps before it are
    /// undone.
    pub fn commit(self) -> Result<(), CommitError> {
        conflicts::check(&self.overlay_dirs, &self.read)?;
        commit::commit(&self.overlay_dirs, &self.read)
    }
}

/// The working folder by its real path: a relative one would lead to the real folder, bypassing the layers.
fn folder_of(invocation: &Invocation) -> Result<PathBuf, SandboxError> {
    invocation.folder.canonicalize().map_err(|source| SandboxError::Start {
        program: invocation.program.to_string_lossy().into_owned(),
        folder: invocation.folder.clone(),
        source,
    })
}

#[cfg(target_os = "linux")]
use crate::driver::run_on;

#[cfg(not(target_os = "linux"))]
async fn run_on(
    _: Arc<OverlayDirs>,
    invocation: &Invocation,
    confinement: &Confinement,
    _: Capture<'_>,
    _: &CancellationToken,
) -> Result<Outcome, SandboxError> {
    Err(SandboxError::Unsupported {
        program: invocation.program.to_string_lossy().into_owned(),
        mode: confinement.mode,
        reason: crate::NoConfinement::NotLinux,
    })
}

#[cfg(test)]
mod tests;
