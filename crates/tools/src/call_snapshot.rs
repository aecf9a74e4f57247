//! Snapshots before and after a call, to learn its changes and to undo them.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use artoo_consent::REPOSITORY;
use artoo_sandbox::SandboxMode;
use artoo_snapshot::{Change, ChangeKind, Named, NotCovered, OpenCall, Snapshot};
use artoo_types::{FileChange, FileChangeKind};

use crate::contents_before::Contents;
use crate::protected::Protected;
use crate::{ToolContext, ToolError};

/// A watched command, if the run has a snapshot and the command may write.
#[derive(Debug)]
pub(crate) struct Watched(Option<OpenCall>);

/// Records everything that a command may change. Not on the async thread: a large folder takes a while.
/// `opened` are folders that this command may write additionally.
pub(crate) async fn before_command(cx: &ToolContext, opened: &[PathBuf]) -> Result<Watched, ToolError> {
    let Some(snapshot) = cx.snapshot.clone() else { return Ok(Watched(None)) };
    let Some((folders, everywhere)) = reach(cx, opened) else { return Ok(Watched(None)) };
    let workspace = cx.workspace.clone();
    let looked = tokio::task::spawn_blocking(move || look(&snapshot, &folders, everywhere)).await;
    match looked.unwrap_or_else(|panic| Err(io::Error::other(panic))) {
        Ok(call) => Ok(Watched(Some(call))),
        Err(source) => Err(not_recorded(&workspace, source)),
    }
}

fn look(snapshot: &Snapshot, folders: &[PathBuf], everywhere: bool) -> io::Result<OpenCall> {
    if everywhere {
        snapshot.leave_out("/".into())?;
    }
    snapshot.before(&roots(folders)?)
}

/// Records only what a tried command is about to change.
pub(crate) async fn before_changes(cx: &ToolContext, touched: Vec<Named>) -> Result<Watched, ToolError> {
    let Some(snapshot) = cx.snapshot.clone() else { return Ok(Watched(None)) };
    let looked = tokio::task::spawn_blocking(move || snapshot.before_paths(&touched)).await;
    match looked.unwrap_or_else(|panic| Err(io::Error::other(panic))) {
        Ok(call) => Ok(Watched(Some(call))),
        Err(source) => Err(not_recorded(&cx.workspace, source)),
    }
}

/// Which of these files are too large to be kept for undo.
pub(crate) async fn without_room_for(
    cx: &ToolContext,
    touched: Vec<Named>,
) -> Result<Vec<NotCovered>, ToolError> {
    let Some(snapshot) = cx.snapshot.clone() else { return Ok(Vec::new()) };
    let looked = tokio::task::spawn_blocking(move || snapshot.without_room_for(&touched)).await;
    let looked = looked.unwrap_or_else(|panic| Err(io::Error::other(panic)));
    looked.map_err(|source| not_recorded(&cx.workspace, source))
}

/// The files that a command may change and that are too large to be kept for undo. Reads the same folders as
/// [`before_command`].
pub(crate) async fn without_room(cx: &ToolContext, opened: &[PathBuf]) -> Result<Vec<NotCovered>, ToolError> {
    let (Some(snapshot), Some((folders, _))) = (cx.snapshot.clone(), reach(cx, opened)) else {
        return Ok(Vec::new());
    };
    let looked = tokio::task::spawn_blocking(move || snapshot.without_room(&roots(&folders)?)).await;
    let looked = looked.unwrap_or_else(|panic| Err(io::Error::other(panic)));
    looked.map_err(|source| not_recorded(&cx.workspace, source))
}

/// Like [`without_room`], for the one path that a tool is about to write. Blocks.
pub(crate) fn without_room_at(
    cx: &ToolContext,
    root: &Path,
    path: &Path,
) -> Result<Vec<NotCovered>, ToolError> {
    let lost = cx.snapshot.as_ref().map(|snapshot| snapshot.without_room_at(root, path));
    Ok(lost.transpose().map_err(|source| not_recorded(path, source))?.unwrap_or_default())
}

/// The writable folders of a command, and whether it may write elsewhere too; `None` if it may write nothing.
fn reach(cx: &ToolContext, opened: &[PathBuf]) -> Option<(Vec<PathBuf>, bool)> {
    match cx.mode {
        SandboxMode::ReadOnly => None,
        SandboxMode::WorkspaceWrite => {
            Some((cx.within(&cx.workspace).into_iter().chain(opened.iter().cloned()).collect(), false))
        }
        SandboxMode::FullAccess => Some((cx.changeable(), true)),
    }
}

fn roots(folders: &[PathBuf]) -> io::Result<Vec<PathBuf>> {
    let mut roots = folders.iter().map(|folder| folder.canonicalize()).collect::<io::Result<Vec<_>>>()?;
    roots.dedup();
    Ok(roots)
}

impl Watched {
    /// For a command that may write nothing.
    pub(crate) fn nothing() -> Self {
        Self(None)
    }

    /// The repositories that the run found in the folders; `None` if unknown.
    pub(crate) fn repositories(&self, cx: &ToolContext) -> Option<Vec<PathBuf>> {
        self.0.as_ref()?;
        cx.snapshot.as_ref()?.found(OsStr::new(REPOSITORY))
    }

    /// Compares the state again and reports the changes. `contents` are known earlier file contents, besides
    /// those kept for undo.
    pub(crate) async fn after(
        self,
        mut contents: Contents,
        cx: &ToolContext,
    ) -> Result<Vec<FileChange>, ToolError> {
        let Some(call) = self.0 else { return Ok(Vec::new()) };
        let context = cx.clone();
        let looked = tokio::task::spawn_blocking(move || {
            let changes = call.after()?;
            for change in &changes {
                let is_closed = change.linked.is_some_and(|id| Protected::of(&context).has_number(id));
                if let Some(kept) = change.kept.as_ref().filter(|_| !is_closed) {
                    contents.add(&change.path, kept);
                }
            }
            let mut files: Vec<FileChange> = changes.iter().map(file_change).collect();
            contents.tell(&mut files, &context);
            Ok(files)
        });
        let files = looked.await.unwrap_or_else(|panic| Err(io::Error::other(panic)));
        files.map_err(|source| not_recorded(&cx.workspace, source))
    }
}

/// Records one path that a tool is about to write. Blocks.
pub(crate) fn before_path(cx: &ToolContext, root: &Path, path: &Path) -> Result<Option<OpenCall>, ToolError> {
    let call = cx.snapshot.as_ref().map(|snapshot| snapshot.before_path(root, path));
    call.transpose().map_err(|source| not_recorded(path, source))
}

fn not_recorded(path: &Path, source: io::Error) -> ToolError {
    ToolError::Io { action: "keep for undo what is in", path: path.display().to_string(), source }
}

/// The journal holds text: a name that is not UTF-8 is written lossily. The snapshot's record has it exactly.
fn file_change(change: &Change) -> FileChange {
    let text = change.path.to_string_lossy().into_owned();
    // A folder's path ends in a slash.
    let path = if change.folder { Path::new(&text).join("") } else { text.into() };
    let kind = match change.kind {
        ChangeKind::Created => FileChangeKind::Created,
        ChangeKind::Changed => FileChangeKind::Changed,
        ChangeKind::Deleted => FileChangeKind::Deleted,
    };
    FileChange::new(path, kind)
}
