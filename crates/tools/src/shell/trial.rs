//! Runs a command over layers, and makes its changes real after consent.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use artoo_sandbox::preview::{
    Change, ChangeKind, Changes, Preview, PreviewError, can_lie_over, preview_with_links,
};
use artoo_sandbox::{Capture, Ending, Invocation, SandboxError, SandboxMode};
use artoo_types::FileChange;

use super::reach::Reach;
use super::{Shell, confinement, off_the_async_thread, report};
use crate::build_output::BuildJudge;
use crate::call_snapshot::Observed;
use crate::consent::{Reading, Tried};
use crate::contents_before::Contents;
use crate::git::{Moves, observe};
use crate::live_view::LiveOutput;
use crate::protected::Protected;
use crate::writable_folders::Granted;
use crate::{EvidenceWriter, Tool as _, ToolContext, ToolError, ToolReport, call_snapshot, paths};

/// Where a command is tried.
#[derive(Debug, Clone)]
pub(super) struct Layers {
    /// The folders that it may change, by their real paths. New files are free in them.
    pub(super) roots: Vec<PathBuf>,
    pub(super) store: PathBuf,
}

/// A command that ran over layers.
struct Ran {
    preview: Preview,
    tried: Tried,
    /// Standard output and standard error.
    outputs: (EvidenceWriter, EvidenceWriter),
}

/// The result of a trial.
pub(super) enum Trial {
    /// It ended, and its changes, if any, were made real.
    Done(ToolReport),
    /// It failed by itself, and nothing was changed.
    Failed(ToolReport),
    /// Its effects cannot be determined, because of a limit of the layers.
    NotTold(PreviewError),
}

impl Layers {
    /// Finds out whether commands can be tried here. Blocks.
    pub(super) fn look(cx: &ToolContext) -> Option<Self> {
        let roots = cx.changeable().into_iter().filter_map(|folder| folder.canonicalize().ok());
        let roots: Vec<PathBuf> = roots.filter(|root| can_lie_over(root)).collect();
        let is_apart = |store: &&PathBuf| {
            let real = store.parent().and_then(|parent| parent.canonicalize().ok());
            let real = real.unwrap_or_else(|| store.to_path_buf());
            !roots.iter().any(|root| real.starts_with(root))
        };
        let store = cx.layer_stores.iter().find(is_apart)?.clone();
        let supported = || match &cx.trial_record {
            Some(record) => Preview::supported_as_recorded(&store, record),
            None => Preview::supported(&store),
        };
        (!roots.is_empty() && supported().is_ok()).then_some(Self { roots, store })
    }

    /// Runs the command, asks for consent to its changes if needed, and makes them real.
    pub(super) async fn attempt(
        &self,
        invocation: &Invocation,
        (command, reading, stale): (&str, &Reading, &BTreeSet<PathBuf>),
        reach: Reach,
        cx: &ToolContext,
    ) -> Result<Trial, ToolError> {
        let Ran { mut preview, mut tried, outputs } = match self.run(invocation, reach, cx).await? {
            Ok(ran) => ran,
            Err(error) => return Ok(Trial::NotTold(error)),
        };
        if let Some(path) = over_changes_of_others(&preview.changes, stale) {
            return Err(cx.seen.refusal(path, &paths::show(path, cx)));
        }
        let is_failed = preview.outcome.ending != Ending::Exited(0);
        // The changes of a failed command may be half of its work, so consent to them is meaningless.
        // git itself stops in the middle, for somebody to go on.
        let is_stopped = tried.git().is_some_and(Moves::is_stopped);
        let is_half = is_failed && tried.is_more_than_free() && !is_stopped;
        if !is_half {
            tried.consent(Shell.name(), command, reading, cx).await?;
        }
        let granted = (cx, &Granted::default());
        let mut report = report(command, &mut preview.outcome, outputs, invocation.timeout, granted)?;
        if is_half && let Some(failure) = &mut report.failure {
            failure.reason.push_str(" (it was tried where nothing lasts, so nothing was changed)");
            // What would be refused, another attempt would meet as well.
            if let Some(refused) = tried.refused().map(ToolError::failure) {
                failure.reason.push_str(&format!("; what it did is refused as well: {}", refused.reason));
                failure.hint = refused.hint;
            }
        }
        if is_half || (is_failed && tried.is_nothing()) {
            return Ok(Trial::Failed(report));
        }
        if !tried.is_nothing() {
            report = make_real(preview, tried, cx).await?.in_report(report);
        }
        Ok(Trial::Done(report))
    }

    /// Runs the command without asking, and makes nothing real. If it changed something the report says so,
    /// because then the call has not achieved its purpose.
    pub(super) async fn rehearse(
        &self,
        invocation: &Invocation,
        command: &str,
        cx: &ToolContext,
    ) -> Result<ToolReport, ToolError> {
        let Ran { mut preview, tried, outputs } = match self.run(invocation, Reach::RUN, cx).await? {
            Ok(ran) => ran,
            Err(error) => {
                return Err(ToolError::Unconfirmed { came: format!("it cannot be tried: {error}") });
            }
        };
        let granted = (cx, &Granted::default());
        let mut report = report(command, &mut preview.outcome, outputs, invocation.timeout, granted)?;
        if !tried.is_nothing() {
            let came = "it was tried where nothing lasts, and what it changed was not made real".to_owned();
            let unconfirmed = ToolError::Unconfirmed { came }.failure();
            match &mut report.failure {
                Some(failure) => failure.reason.push_str(&format!(" ({})", unconfirmed.reason)),
                None => report.failure = Some(unconfirmed),
            }
        }
        Ok(report)
    }

    /// Runs the command over the layers. The inner error means that its effects cannot be determined, because
    /// of a limit of the layers.
    async fn run(
        &self,
        invocation: &Invocation,
        reach: Reach,
        cx: &ToolContext,
    ) -> Result<Result<Ran, PreviewError>, ToolError> {
        let (mut stdout, mut stderr) = (cx.evidence.writer(), cx.evidence.writer());
        let held = confinement(cx, (SandboxMode::WorkspaceWrite, reach), &Granted::default());
        let live = LiveOutput::of(cx);
        let show = |channel, bytes: &[u8]| live.show(channel, bytes);
        let capture = Capture { stdout: &mut stdout, stderr: &mut stderr, on_chunk: Some(&show) };
        let ran = preview_with_links(invocation, &held, &self.roots, &self.store, capture, &cx.cancel).await;
        live.finish();
        let preview = match ran {
            Ok(preview) => preview,
            Err(PreviewError::Sandbox(error @ SandboxError::Start { .. })) => return Err(error.into()),
            Err(error) if error.is_of_the_layers() => return Ok(Err(error)),
            Err(error) => return Err(ToolError::NotMade { reason: with_causes(&error) }),
        };
        if preview.outcome.ending == Ending::Cancelled {
            return Err(ToolError::Cancelled);
        }
        let (preview, git) = observe(preview, cx).await?;
        let (changes, touched) = (preview.changes.clone(), preview.touched());
        let (free, context) = (self.roots.clone(), cx.clone());
        let linked = preview.linked().to_vec();
        let sorted = off_the_async_thread(move || {
            follows_links(&linked, &changes, &context)
                .map(|()| Tried::of(&changes, git, touched, &free, &context))
        });
        match sorted.await? {
            Ok(tried) => Ok(Ok(Ran { preview, tried, outputs: (stdout, stderr) })),
            Err(error) => {
                off_the_async_thread(move || {
                    drop(preview);
                    Ok(Err(error))
                })
                .await?
            }
        }
    }
}

/// Whether the layers show what becomes of these files with hard links. In build output they do: programs make its files anew,
/// so a name that a command did not change stays as the command saw it. Blocks.
///
/// # Errors
///
/// One of them has a name elsewhere.
pub(super) fn follows_links(
    linked: &[PathBuf],
    changes: &Changes,
    cx: &ToolContext,
) -> Result<(), PreviewError> {
    if linked.is_empty() {
        return Ok(());
    }
    match BuildJudge::of_changes(changes, cx).with_name_outside(linked) {
        Some(path) => Err(PreviewError::HardLinks { path: path.to_owned() }),
        None => Ok(()),
    }
}

/// The first file that the command would change, remove or replace, of those that somebody else changed.
fn over_changes_of_others<'a>(changes: &Changes, stale: &'a BTreeSet<PathBuf>) -> Option<&'a Path> {
    let is_over = |change: &Change, path: &Path| match change.kind {
        ChangeKind::Attributes => false,
        ChangeKind::Created | ChangeKind::Changed | ChangeKind::MovedHere => change.path == path,
        // A folder goes with what is in it.
        ChangeKind::Deleted | ChangeKind::MovedAway => path.starts_with(&change.path),
    };
    stale.iter().find(|path| changes.iter().any(|change| is_over(change, path))).map(PathBuf::as_path)
}

/// Refuses a folder that no command can see, because it lies in a protected place. Blocks.
pub(super) fn is_seen(folder: &Path, cx: &ToolContext) -> Result<(), ToolError> {
    match Protected::of(cx).around(folder) {
        None => Ok(()),
        Some(protected) => {
            Err(ToolError::WithinProtected { folder: folder.to_owned(), protected: protected.to_owned() })
        }
    }
}

/// Makes the changes of a trial real. The previous state is kept for undo.
async fn make_real(preview: Preview, tried: Tried, cx: &ToolContext) -> Result<Observed, ToolError> {
    let watched = call_snapshot::before_changes(cx, tried.touched().to_vec()).await?;
    let context = cx.clone();
    let made = off_the_async_thread(move || {
        let contents = Contents::of_tried(&preview.changes, &context);
        context.build_rules.about_to_change(preview.changes.iter().map(|change| change.path.as_path()));
        let made = match tried.git() {
            Some(moves) => moves.carry_out(preview, context.snapshot.as_ref()),
            None => Ok(preview.commit()),
        };
        (made, contents, tried)
    });
    let (made, contents, tried) = made.await?;
    let observed = watched.after(contents, Some(tried.build_paths().clone()), cx).await;
    made?.map_err(|error| ToolError::NotMade { reason: with_causes(&error) })?;
    let mut observed = observed?;
    // The data of the repository, a folder.
    let repository =
        |moves: &Moves| FileChange::in_repository(moves.folder().join(""), moves.shown().clone());
    observed.files.extend(tried.git().map(repository));
    let created = cx.created.clone();
    off_the_async_thread(move || tried.note(&created)).await?;
    Ok(observed)
}

/// An error with its causes.
fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(deeper) = cause {
        text = format!("{text}: {deeper}");
        cause = deeper.source();
    }
    text
}
