//! Snapshots before and after a call, to learn its changes and to undo them.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use artoo_consent::REPOSITORY;
use artoo_sandbox::SandboxMode;
use artoo_snapshot::{Change, ChangeKind, Named, NotCovered, OpenCall, Snapshot, Uncovered};
use artoo_types::{BuildFolder, EffectKind, FileChange, FileChangeKind};

use crate::build_output::{BuildJudge, BuildPaths, Counted};
use crate::contents_before::Contents;
use crate::protected::Protected;
use crate::{BuildRules, ToolContext, ToolError, ToolReport};

/// A watched command, if the run has a snapshot and the command may write.
#[derive(Debug)]
pub(crate) struct Watched {
    call: Option<OpenCall>,
    build_rules: BuildRules,
}

/// Records everything that a command may change. Not on the async thread: a large folder takes a while.
/// `opened` are folders that this command may write additionally.
pub(crate) async fn before_command(cx: &ToolContext, opened: &[PathBuf]) -> Result<Watched, ToolError> {
    let Some((folders, everywhere)) = reach(cx, opened) else { return Ok(Watched::nothing()) };
    before_unknown(cx, folders, everywhere).await
}

/// Records everything in these folders, before something outside of the run's commands may change it.
pub(crate) async fn before_changes_in(cx: &ToolContext, folders: &[PathBuf]) -> Result<Watched, ToolError> {
    if folders.is_empty() {
        return Ok(Watched::nothing());
    }
    before_unknown(cx, folders.to_vec(), false).await
}

async fn before_unknown(
    cx: &ToolContext,
    folders: Vec<PathBuf>,
    everywhere: bool,
) -> Result<Watched, ToolError> {
    let Some(snapshot) = cx.snapshot.clone() else {
        cx.build_rules.lose_track();
        return Ok(Watched::nothing());
    };
    let workspace = cx.workspace.clone();
    let looked = tokio::task::spawn_blocking(move || look(&snapshot, &folders, everywhere)).await;
    match looked.unwrap_or_else(|panic| Err(io::Error::other(panic))) {
        Ok(call) => Ok(Watched { call: Some(call), build_rules: cx.build_rules.clone() }),
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
    let Some(snapshot) = cx.snapshot.clone() else { return Ok(Watched::nothing()) };
    let looked = tokio::task::spawn_blocking(move || snapshot.before_paths(&touched)).await;
    match looked.unwrap_or_else(|panic| Err(io::Error::other(panic))) {
        Ok(call) => Ok(Watched { call: Some(call), build_rules: cx.build_rules.clone() }),
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
    let Some((folders, _)) = reach(cx, opened) else { return Ok(Vec::new()) };
    without_room_in(cx, &folders).await
}

/// Like [`without_room`], for what lies in these folders.
pub(crate) async fn without_room_in(
    cx: &ToolContext,
    folders: &[PathBuf],
) -> Result<Vec<NotCovered>, ToolError> {
    let Some(snapshot) = cx.snapshot.clone() else { return Ok(Vec::new()) };
    let folders = folders.to_vec();
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
    match cx.mode_after_a_yes() {
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
        Self { call: None, build_rules: BuildRules::default() }
    }

    /// The repositories that the run found in the folders; `None` if unknown.
    pub(crate) fn repositories(&self, cx: &ToolContext) -> Option<Vec<PathBuf>> {
        self.call.as_ref()?;
        cx.snapshot.as_ref()?.found(OsStr::new(REPOSITORY))
    }

    /// Compares the state again and reports the changes. `contents` are known earlier file contents, besides
    /// those kept for undo, and `output` is what is known to be build output.
    pub(crate) async fn after(
        mut self,
        mut contents: Contents,
        output: Option<BuildPaths>,
        cx: &ToolContext,
    ) -> Result<Observed, ToolError> {
        let Some(call) = self.call.take() else { return Ok(Observed::default()) };
        let context = cx.clone();
        let looked = tokio::task::spawn_blocking(move || {
            let changes = call.after().inspect_err(|_| context.build_rules.lose_track())?;
            let (changes, build_output) = without_build_output(changes, output, &context);
            for change in &changes {
                let is_closed = change.linked.is_some_and(|id| Protected::of(&context).has_number(id));
                if let Some(kept) = change.kept.as_ref().filter(|_| !is_closed) {
                    contents.add(&change.path, kept);
                }
            }
            let mut files: Vec<FileChange> = changes.iter().map(file_change).collect();
            contents.tell(&mut files, &context);
            Ok(Observed { files, build_output })
        });
        let observed = looked.await.unwrap_or_else(|panic| Err(io::Error::other(panic)));
        observed.map_err(|source| not_recorded(&cx.workspace, source))
    }
}

impl Drop for Watched {
    /// Nobody looks at what the command did.
    fn drop(&mut self) {
        if self.call.is_some() {
            self.build_rules.lose_track();
        }
    }
}

/// What a call changed.
#[derive(Debug, Default)]
pub(crate) struct Observed {
    /// The user's files.
    pub(crate) files: Vec<FileChange>,
    /// The number of other files per folder of build output.
    pub(crate) build_output: Vec<BuildFolder>,
}

impl Observed {
    /// The report with these changes.
    pub(crate) fn in_report(self, report: ToolReport) -> ToolReport {
        let Self { files, build_output } = self;
        ToolReport { files, build_output, ..report }
    }
}

/// The changes of the user's files, and the others counted. Blocks.
fn without_build_output(
    changes: Vec<Change>,
    known: Option<BuildPaths>,
    cx: &ToolContext,
) -> (Vec<Change>, Vec<BuildFolder>) {
    // What a trial was to change is noted already.
    for change in &changes {
        cx.build_rules.was_changed(&change.path, change.kept.as_deref());
    }
    let mut output = known.unwrap_or_else(|| observed_output(&changes, cx));
    let (mut files, mut built, mut counted) = (Vec::new(), Vec::new(), Counted::default());
    for change in changes {
        match output.remove(&change.path) {
            Some(folder) => {
                let is_first = cx.build_rules.note_built(&change.path);
                counted.add_done(folder, effect_kind(change.kind), is_first);
                built.push(change.path);
            }
            None => files.push(change),
        }
    }
    cx.seen.refresh(&built);
    (files, counted.folders())
}

/// What is build output of the changes of a command that nobody tried. Notes the folders that it made.
fn observed_output(changes: &[Change], cx: &ToolContext) -> BuildPaths {
    if cx.snapshot.as_ref().is_some_and(has_too_many_entries) {
        cx.build_rules.lose_track();
    }
    let new_folders = new_folders(changes, cx);
    let judge = BuildJudge::of(new_folders.clone(), cx);
    let found = changes
        .iter()
        .filter_map(|change| Some((change.path.clone(), judge.folder_of(&change.path, change.folder)?)));
    let output: BuildPaths = found.collect();
    let is_taken = |change: &Change| change.kind == ChangeKind::Deleted && !output.contains_key(&change.path);
    // What was taken from elsewhere may lie in them.
    if !changes.iter().any(is_taken) {
        new_folders.into_iter().for_each(|folder| cx.created.insert(folder));
    }
    output
}

/// Whether a root was too large to be scanned, so that a command may have changed something in it that nobody saw.
fn has_too_many_entries(snapshot: &Snapshot) -> bool {
    snapshot.not_covered().iter().any(|one| match one.why {
        Uncovered::TooMany { .. } => true,
        Uncovered::NoRoom { .. }
        | Uncovered::Unreadable { .. }
        | Uncovered::TooDeep
        | Uncovered::Unsteady
        | Uncovered::Elsewhere => false,
    })
}

/// The folders around what was created that were not there before the run.
fn new_folders(changes: &[Change], cx: &ToolContext) -> BTreeSet<PathBuf> {
    let mut known: BTreeMap<&Path, bool> = BTreeMap::new();
    let was_there = |folder: &Path| cx.snapshot.as_ref().and_then(|snapshot| snapshot.was_there(folder));
    for change in changes.iter().filter(|change| change.kind == ChangeKind::Created) {
        for folder in change.path.ancestors().skip(usize::from(!change.folder)) {
            if known.contains_key(folder) {
                break;
            }
            let is_new = was_there(folder) == Some(false);
            known.insert(folder, is_new);
            if !is_new {
                break;
            }
        }
    }
    known.into_iter().filter(|(_, is_new)| *is_new).map(|(folder, _)| folder.to_owned()).collect()
}

fn effect_kind(kind: ChangeKind) -> EffectKind {
    match kind {
        ChangeKind::Created => EffectKind::Creates,
        ChangeKind::Changed => EffectKind::Overwrites,
        ChangeKind::Deleted => EffectKind::Deletes,
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
