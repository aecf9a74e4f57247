//! What a command would change, found by running it on a copy that costs nothing.
//!
//! [`preview()`] runs a command over an empty layer (an overlay) on each folder that it may write. Afterwards the layer is read, and what is in
//! it is the list of [`Changes`]. [`Preview::commit`] makes exactly these in the real folders; dropping the preview removes the layers, and nothing
//! was changed.
//!
//! The command is bound as by [`run`](crate::run()), and more strictly: everything but the layers and its private folder is mounted read-only,
//! which holds for modes and times of files as well; without the network it makes no sockets, not even to services of this machine; and it sees
//! its own System V objects only. Where a layer could not tell the truth, there is no preview but a [`PreviewError`]. Linux alone has layers. Design:
//! `docs/design/preview.md`.

mod changes;
mod check;
mod clear;
mod commit;
mod error;
mod layer;
mod limits;
mod list;
mod moves;
mod overlay_dirs;
mod staging;
mod support;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::{Capture, Confinement, Invocation, Outcome, SandboxError, SandboxMode};

pub use artoo_anchored_files::Named;
pub use changes::{Change, ChangeKind, Changes, Entry, EntryKind};
pub use error::{Clash, ClashKind, CommitError, NoPreview, PreviewError};

pub use list::unified_diff;
pub use overlay_dirs::can_lie_over;
pub(crate) use overlay_dirs::{Layer, OverlayDirs};
pub use staging::Staging;

use layer::Read;

/// A command that ran, and what it would change.
#[derive(Debug)]
pub struct Preview {
    /// What became of the command. One that failed or was stopped may have changed something all the same.
    pub outcome: Outcome,
    /// What would change.
    pub changes: Changes,
    read: Read,
    overlay_dirs: Arc<OverlayDirs>,
}

/// Runs a command on a copy of `roots`.
///
/// `roots` are absolute paths of folders of this user; one within another is covered by it. The layers lie in `store`, which is made where it
/// is missing, on a file system for user attributes (not NFS, not itself an overlay), and neither in a root nor in the private folder. Of `confinement`
/// the limits, the network, what is hidden and the private folder count: what the command writes there is no part of the preview. `roots` are
/// granted instead of its `writable`, and [`SandboxMode::FullAccess`] frees from nothing here. Without the network, it makes no socket at all.
///
/// What a layer does differently, so that a command may fail in a preview and not without one: renaming a folder (`rename`, not `mv`, which copies then),
/// changing files of other users, sockets. An [`Outcome`] that tells of a failure therefore says nothing of the command itself.
///
/// Nothing outside the store and the private folder changes. A dropped future ends the command as it does for [`run`](crate::run()), and removes the layers
/// when its tree is gone.
///
/// ```
/// # async fn example(invocation: artoo_sandbox::Invocation, confinement: artoo_sandbox::Confinement)
/// # -> Result<(), Box<dyn std::error::Error>> {
/// use artoo_sandbox::{Capture, preview::preview};
/// use std::path::{Path, PathBuf};
/// use tokio_util::sync::CancellationToken;
///
/// let workspace = [PathBuf::from("/home/ada/artoo_workspace")];
/// let (mut out, mut err) = (Vec::new(), Vec::new());
/// let capture = Capture { stdout: &mut out, stderr: &mut err, on_chunk: None };
/// let store = Path::new("/home/ada/.local/share/artoo/runs/1/preview");
/// let preview = preview(&invocation, &confinement, &workspace, store, capture, &CancellationToken::new()).await?;
/// if preview.changes.only_creates_in(&workspace) {
///     preview.commit()?;
/// } else {
///     for change in &preview.changes {
///         println!("{} {}", change.kind, change.path.display());
///     }
/// }
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The command was not run, or what it did cannot be told. Each kind of [`PreviewError`] means that nothing was changed.
pub async fn preview(
    invocation: &Invocation,
    confinement: &Confinement,
    roots: &[PathBuf],
    store: &Path,
    capture: Capture<'_>,
    cancel: &CancellationToken,
) -> Result<Preview, PreviewError> {
    let place = store.to_owned();
    aside(store, move || Preview::supported(&place).map_err(PreviewError::Unsupported)).await?;
    preview_unasked(invocation, confinement, roots, store, capture, cancel).await
}

/// Runs a command as [`preview()`] does, in a world that differs from the real one as `staging` says, and tells what became of it alone: what it
/// changed there is nobody's.
///
/// # Errors
///
/// As for [`preview()`], and where the world cannot be made so.
pub async fn rehearse(
    invocation: &Invocation,
    confinement: &Confinement,
    (roots, staging): (&[PathBuf], &Staging),
    store: &Path,
    capture: Capture<'_>,
    cancel: &CancellationToken,
) -> Result<Outcome, PreviewError> {
    let place = store.to_owned();
    aside(store, move || Preview::supported(&place).map_err(PreviewError::Unsupported)).await?;
    let (outcome, overlay_dirs) =
        run_over(invocation, confinement, (roots, staging), store, capture, cancel).await?;
    // Removing the layers blocks.
    aside(store, move || {
        drop(overlay_dirs);
        Ok(outcome)
    })
    .await
}

/// The same without asking first whether there are previews.
async fn preview_unasked(
    invocation: &Invocation,
    confinement: &Confinement,
    roots: &[PathBuf],
    store: &Path,
    capture: Capture<'_>,
    cancel: &CancellationToken,
) -> Result<Preview, PreviewError> {
    let as_is = (roots, &Staging::default());
    let (outcome, overlay_dirs) = run_over(invocation, confinement, as_is, store, capture, cancel).await?;
    aside(store, move || {
        let read = Read::of(&overlay_dirs)?;
        let moves = moves::moves(&overlay_dirs, &read.differences);
        limits::check(&overlay_dirs, &read)?;
        let changes = list::changes(&overlay_dirs, &read, &moves);
        Ok(Preview { outcome, changes, read, overlay_dirs })
    })
    .await
}

/// Lays the layers, and runs the command over them.
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
    // In this mode only the private folder is granted by its real name.
    let confinement = Confinement { mode: SandboxMode::ReadOnly, ..confinement.clone() };
    let invocation = Invocation { folder: folder_of(invocation)?, ..invocation.clone() };
    let (roots, tmp, place) = (roots.to_vec(), confinement.private_tmp.clone(), store.to_owned());
    let staging = staging.clone();
    let overlay_dirs = aside(store, move || {
        let overlay_dirs = OverlayDirs::lay(&roots, &tmp, &place)?;
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

/// Does what blocks on a thread that may. When the future is dropped, what it would have given is dropped there.
async fn aside<T: Send + 'static>(
    store: &Path,
    work: impl FnOnce() -> Result<T, PreviewError> + Send + 'static,
) -> Result<T, PreviewError> {
    let lost = |error| PreviewError::Store { path: store.to_owned(), source: std::io::Error::other(error) };
    tokio::task::spawn_blocking(work).await.map_err(lost)?
}

impl Preview {
    /// Whether this machine has previews: the first call runs a command over a folder that it makes in `place` (which it makes, too, where it is
    /// missing) and removes again. Later calls repeat its answer.
    ///
    /// # Errors
    ///
    /// Why there are none.
    pub fn supported(place: &Path) -> Result<(), NoPreview> {
        support::supported(place)
    }

    /// Makes the changes in the real folders, all of them or, where somebody has changed a path of the list since the command began, none.
    ///
    /// A file that changes is written apart and takes its place in one step: its inode becomes another. Blocks, as the removal of the layers
    /// does: it belongs on a thread that may.
    ///
    /// # Errors
    ///
    /// [`CommitError::Refused`] with the list, or why it could not be done: then what was done is taken back.
    pub fn commit(self) -> Result<(), CommitError> {
        check::check(&self.overlay_dirs, &self.read)?;
        commit::commit(&self.overlay_dirs, &self.read)
    }
}

/// The working folder by its real name: a relative one would lead to the real folder, behind the layers.
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
