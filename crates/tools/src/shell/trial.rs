//! A command that is tried where nothing of it lasts, before it is decided about.

use artoo_sandbox::preview::{Preview, PreviewError, preview};
use artoo_sandbox::{Capture, Ending, Invocation, SandboxError};
use artoo_types::FileChange;
use std::path::PathBuf;

use super::{Shell, confinement, is_narrow, off_the_async_thread, report};
use crate::consent::{Judged, Tried};
use crate::granted::Granted;
use crate::{Tool as _, ToolContext, ToolError, ToolReport, watched};

/// Runs the command where nothing of it lasts, asks about what it did where that needs consent, and makes it real. `None` where that is
/// not possible here.
pub(super) async fn tried(
    invocation: &Invocation,
    command: &str,
    judged: &Judged,
    cx: &ToolContext,
) -> Result<Option<ToolReport>, ToolError> {
    let Some(store) = cx.preview_store.clone() else { return Ok(None) };
    let (place, context) = (store.clone(), cx.clone());
    let look = move || Preview::supported(&place).is_ok().then(|| free_folders(&context));
    let Some(roots) = off_the_async_thread(look).await? else { return Ok(None) };
    let (mut stdout, mut stderr) = (cx.evidence.writer(), cx.evidence.writer());
    // Nobody is shown what may never have happened.
    let capture = Capture { stdout: &mut stdout, stderr: &mut stderr, on_chunk: None };
    let ran =
        preview(invocation, &confinement(cx, &Granted::default()), &roots, &store, capture, &cx.cancel).await;
    let mut preview = match ran {
        Ok(preview) => preview,
        Err(PreviewError::Sandbox(error @ SandboxError::Start { .. })) => return Err(error.into()),
        Err(_) => return Ok(None),
    };
    if preview.outcome.ending == Ending::Cancelled {
        return Err(ToolError::Cancelled);
    }
    let (changes, free, context) = (preview.changes.clone(), roots, cx.clone());
    let tried = off_the_async_thread(move || Tried::of(&changes, &free, &context)).await?;
    // What a failed command did may be half of what it would do: nobody can agree to that.
    let is_half = preview.outcome.ending != Ending::Exited(0) && tried.is_more_than_free();
    if !is_half {
        tried.consent(Shell.name(), command, judged, cx).await?;
    }
    let granted = (cx, &Granted::default());
    let mut report = report(command, &mut preview.outcome, (stdout, stderr), invocation.timeout, granted)?;
    if is_half {
        if let Some(failure) = &mut report.failure {
            failure.reason.push_str(" (it was tried where nothing lasts, so nothing was changed)");
        }
        return Ok(Some(report));
    }
    if !tried.is_nothing() {
        report.files = make_real(preview, tried, cx).await?;
    }
    Ok(Some(report))
}

/// The folders where new files are free, by their real names, as far as a command may be let in: the kernel cannot leave out a protected part.
fn free_folders(cx: &ToolContext) -> Vec<PathBuf> {
    let folders = [Some(&cx.workspace), Some(&cx.working_folder).filter(|folder| is_narrow(folder, cx))];
    folders.into_iter().flatten().filter_map(|folder| folder.canonicalize().ok()).collect()
}

/// Does what was tried. What it finds before is kept for undo.
async fn make_real(preview: Preview, tried: Tried, cx: &ToolContext) -> Result<Vec<FileChange>, ToolError> {
    let opened = [&cx.working_folder].into_iter().filter(|folder| tried.reaches(folder)).cloned();
    let watched = watched::before_command(cx, &opened.collect::<Vec<_>>()).await?;
    let made = off_the_async_thread(move || preview.commit()).await;
    let files = watched.after(cx).await;
    made?.map_err(|error| ToolError::NotMade { reason: error.to_string() })?;
    let created = cx.created.clone();
    off_the_async_thread(move || tried.note(&created)).await?;
    files
}
