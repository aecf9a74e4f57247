//! What a server of tools, a program of others, has in common with a command: its confinement, and the record of what a call of it changed.

use std::path::{Path, PathBuf};

use artoo_consent::Question;
use artoo_sandbox::{Confinement, Network, SandboxMode};

use crate::call_snapshot::{self, Watched};
use crate::consent::beyond_undo;
use crate::contents_before::Contents;
use crate::writable_folders::Granted;
use crate::{ProtectedPlaces, ToolContext, ToolError, ToolReport};

/// Where a server of tools runs, and what the user gave it.
///
/// ```
/// use artoo_sandbox::{Network, SandboxMode};
/// use artoo_tools::{ProtectedPlaces, ServerPlace};
///
/// let place = ServerPlace {
///     home: "/home/ada".as_ref(),
///     protected: &ProtectedPlaces::default(),
///     read_only: &[],
///     folders: &[],
///     network: Network::Denied,
///     private_tmp: "/home/ada/.cache/artoo/tmp/1".as_ref(),
/// };
/// let confinement = place.confinement()?;
/// assert_eq!(confinement.mode, SandboxMode::ReadOnly);
/// assert!(confinement.hidden.contains(&"/home/ada/.ssh".into()));
/// # Ok::<(), artoo_tools::ToolError>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct ServerPlace<'a> {
    /// The home folder, below which keys and passwords are hidden. Absolute.
    pub home: &'a Path,
    /// Further places that it cannot read or write.
    pub protected: &'a ProtectedPlaces,
    /// Places in its folders that must not change. Absolute.
    pub read_only: &'a [PathBuf],
    /// The folders in which it may write. Absolute.
    pub folders: &'a [PathBuf],
    /// Whether it may use the machine's network. Otherwise it has none.
    pub network: Network,
    /// Its own folder for temporary files. Absolute; created when it starts.
    pub private_tmp: &'a Path,
}

impl ServerPlace<'_> {
    /// What the kernel holds it to: the rules of a command of `shell`, repositories in its folders kept as they are. Blocks.
    ///
    /// # Errors
    ///
    /// [`ToolError::WithinProtected`] for a folder in a protected place, and [`ToolError::InRepository`] for one that cannot be granted
    /// because this machine cannot keep a repository in it as it is.
    pub fn confinement(&self) -> Result<Confinement, ToolError> {
        let protected = self.protected.resolved(self.home);
        if let Some((folder, place)) =
            self.folders.iter().find_map(|folder| Some((folder, protected.around(folder)?)))
        {
            return Err(ToolError::WithinProtected { folder: folder.clone(), protected: place.to_owned() });
        }
        let granted = Granted::of(self.folders.to_vec(), None);
        if let Some(path) = granted.withheld.first() {
            return Err(ToolError::InRepository { path: path.display().to_string() });
        }
        let mode =
            if granted.writable.is_empty() { SandboxMode::ReadOnly } else { SandboxMode::WorkspaceWrite };
        Ok(Confinement {
            network: self.network,
            writable: granted.writable,
            sealed: granted.sealed,
            read_only: self.read_only.to_vec(),
            hidden: protected.places().to_vec(),
            ..Confinement::new(mode, self.private_tmp)
        })
    }
}

/// Folders whose state before a call is kept, so that what the call changes is known and can be undone.
#[derive(Debug)]
pub struct WatchedFolders(Watched);

impl ToolContext {
    /// Keeps what is in the folders in which a server may write, before a call of it. A run without a snapshot keeps nothing.
    ///
    /// # Errors
    ///
    /// [`ToolError::Io`] if a folder cannot be looked at or the record cannot be written.
    pub async fn watch_folders(&self, folders: &[PathBuf]) -> Result<WatchedFolders, ToolError> {
        call_snapshot::before_changes_in(self, folders).await.map(WatchedFolders)
    }

    /// The question, with what of it could not be undone: files in these folders that are too large to be kept.
    ///
    /// # Errors
    ///
    /// As for [`watch_folders`](Self::watch_folders).
    pub async fn told_beyond_undo(
        &self,
        question: Question,
        folders: &[PathBuf],
    ) -> Result<Question, ToolError> {
        let without_room = call_snapshot::without_room_in(self, folders).await?;
        let beyond_undo = beyond_undo(&question.effects, &without_room, self);
        Ok(Question { beyond_undo, ..question })
    }
}

impl WatchedFolders {
    /// The report with the changes since.
    ///
    /// # Errors
    ///
    /// As for [`ToolContext::watch_folders`].
    pub async fn in_report(self, report: ToolReport, cx: &ToolContext) -> Result<ToolReport, ToolError> {
        Ok(self.0.after(Contents::none(cx), None, cx).await?.in_report(report))
    }
}
