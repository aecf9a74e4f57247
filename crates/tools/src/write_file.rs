//! `write_file`: creates a file, or replaces one.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use artoo_sandbox::{DecidedBy, SandboxMode};
use artoo_types::{
    Approval, Arguments, Effect, EffectKind, FileChange, FileChangeKind, PreviewedChange, PreviewedKind,
    ToolName,
};
use async_trait::async_trait;
use serde_json::{Value, json};

use crate::arguments::Given;
use crate::consent::{ASK_BEFORE_ALL, Deed, Question, beyond_undo, diff, in_words};
use crate::new_file::{self, Written};
use crate::protected::{Protected, is_hidden_below, is_in_git, is_private_key};
use crate::{CreatedPaths, Tool, ToolContext, ToolEffect, ToolError, ToolReport, paths, watched};

/// Bytes of a file up to which a question says what would be different in it.
const MAX_COMPARED: u64 = 1024 * 1024;

/// Creates a text file in the workspace or the working folder, with the folders that lead to it. A bare name goes to
/// the workspace; a path with a slash lies below the working folder; an absolute path, or one with `~`, must lead into
/// one of both. What existed before the run is replaced only with consent to the very change; what this run created may be written
/// again. A file appears whole or not at all.
#[derive(Debug, Clone, Copy, Default)]
pub struct WriteFile;

#[async_trait]
impl Tool for WriteFile {
    fn name(&self) -> ToolName {
        ToolName::new("write_file")
    }

    fn summary(&self) -> &str {
        "create a text file; a bare name goes to the workspace"
    }

    fn effect(&self) -> ToolEffect {
        ToolEffect::Creates
    }

    fn arguments(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "path": { "type": "string", "maxLength": 400, "description": "name.txt for the workspace, ./name.txt for the working folder" },
                "content": { "type": "string", "maxLength": 16000, "description": "the whole text of the file" },
            },
            "required": ["path", "content"],
            "additionalProperties": false,
        })
    }

    async fn call(&self, arguments: &Arguments, cx: &ToolContext) -> ToolReport {
        match call(arguments, cx).await {
            Ok(report) => report,
            Err(error) => error.into(),
        }
    }
}

async fn call(arguments: &Arguments, cx: &ToolContext) -> Result<ToolReport, ToolError> {
    let given = Given::new(arguments, &["path", "content"])?;
    let path = given.path("path")?.to_owned();
    let content =
        given.any_text("content")?.ok_or_else(|| ToolError::argument("content", "is missing"))?.to_owned();
    if content.len() > cx.limits.written {
        let problem = format!("has {} bytes; at most {} are written", content.len(), cx.limits.written);
        return Err(ToolError::argument("content", problem));
    }
    if cx.cancel.is_cancelled() {
        return Err(ToolError::Cancelled);
    }
    let content = Arc::<str>::from(content);
    // Not raced against the token: a write that has begun is quick, and is better finished and recorded.
    let (context, text) = (cx.clone(), Arc::clone(&content));
    let target = blocking(move || look(&path, &text, &context)).await?;
    consent(&target, cx).await?;
    let context = cx.clone();
    blocking(move || write(&target, &content, &context)).await
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|panic| {
        Err(ToolError::Panicked { tool: WriteFile.name(), message: panic.to_string() })
    })
}

/// Where the content goes, and what is there.
#[derive(Debug)]
struct Target {
    /// As it is shown.
    shown: String,
    /// Without symlinks.
    real: PathBuf,
    /// The folder it lies below.
    root: PathBuf,
    there: There,
}

/// What is at the place.
#[derive(Debug)]
enum There {
    /// Nothing, or what is refused when it comes to writing.
    Nothing,
    /// Nothing, in a place that other programs read by themselves.
    Hidden,
    /// A file that the run made.
    Ours,
    /// A file that was there before, as it was when it was looked at.
    Theirs { noted: CreatedPaths, change: PreviewedChange },
}

fn look(text: &str, content: &str, cx: &ToolContext) -> Result<Target, ToolError> {
    let target = place(text, cx);
    let shown = paths::show(&target, cx);
    if cx.mode == SandboxMode::ReadOnly {
        return Err(ToolError::ReadOnly { path: shown });
    }
    if text.ends_with('/') || target.is_dir() {
        return Err(ToolError::Folder { path: shown });
    }
    let failed = |action, source| ToolError::Io { action, path: shown.clone(), source };
    std::fs::create_dir_all(&cx.workspace).map_err(|source| failed("create the workspace for", source))?;
    let (real, missing) = real_path(&target, &shown)?;
    let real = missing.iter().fold(real, |path, part| path.join(part));
    let roots = [&cx.workspace, &cx.working_folder].map(|root| root.canonicalize());
    let Some(root) = roots.iter().flatten().find(|root| real.starts_with(root) && real != **root).cloned()
    else {
        return Err(ToolError::Outside { path: shown });
    };
    if Protected::of(cx).covers(&real) || is_in_git(&real) {
        return Err(ToolError::Protected { path: shown });
    }
    let there = match real.symlink_metadata() {
        Ok(_) if cx.created.is_file_of_its_own(&real) => There::Ours,
        Ok(found) if found.is_file() => {
            let noted = CreatedPaths::default();
            noted.insert(real.clone());
            let before = (found.len() <= MAX_COMPARED).then(|| std::fs::read(&real).ok()).flatten();
            // A question is on record.
            let may_be_shown = before.filter(|before| !is_private_key(before));
            let change = PreviewedChange {
                path: real.clone(),
                change: PreviewedKind::Changed,
                from: None,
                bytes_before: Some(found.len()),
                bytes_after: Some(content.len() as u64),
                mode_before: None,
                mode_after: None,
                diff: may_be_shown.and_then(|before| diff(&before, content.as_bytes())),
            };
            There::Theirs { noted, change }
        }
        Err(_) if is_hidden_below(&root, &real) => There::Hidden,
        Ok(_) | Err(_) => There::Nothing,
    };
    Ok(Target { shown, real, root, there })
}

/// Asks where somebody has to be asked.
async fn consent(target: &Target, cx: &ToolContext) -> Result<(), ToolError> {
    let (is_free, kind, why) = match &target.there {
        There::Nothing | There::Ours => (true, EffectKind::Creates, "it is a new file"),
        There::Hidden => {
            (false, EffectKind::Creates, "it is hidden, and other programs read such files by themselves")
        }
        There::Theirs { .. } => (false, EffectKind::Overwrites, "the file was there before the run"),
    };
    let effects = vec![Effect {
        kind,
        what: target.real.display().to_string(),
        word: String::new(),
        why: why.to_owned(),
    }];
    let deed = Deed::from(&effects);
    if let Some(reason) = cx.consent.forbids(deed) {
        return Err(ToolError::NotAllowed { effects: in_words(&effects), reason });
    }
    let demand = cx.demanded(deed)?;
    if is_free && demand.is_none() && cx.consent.approval() != Approval::Ask {
        return Ok(());
    }
    let change = DecidedBy::ConsentToChange;
    let (rule, reason, changes) = match &target.there {
        There::Theirs { change: seen, .. } => (change.name(), change.words(), vec![seen.clone()]),
        There::Hidden => (change.name(), change.words(), Vec::new()),
        There::Nothing | There::Ours => (ASK_BEFORE_ALL.0, ASK_BEFORE_ALL.1, Vec::new()),
    };
    let (rule, reason) = demand.unwrap_or_else(|| (rule.to_owned(), reason.to_owned()));
    let (root, real, context) = (target.root.clone(), target.real.clone(), cx.clone());
    let lost = blocking(move || watched::without_room_at(&context, &root, &real)).await?;
    let beyond_undo = beyond_undo(&effects, &lost, cx);
    let question = Question {
        tool: WriteFile.name(),
        command: format!("write_file {}", target.shown),
        programs: Vec::new(),
        effects,
        free: Vec::new(),
        changes,
        rule,
        reason,
        beyond_undo,
        always: None,
    };
    cx.consented(question).await
}

fn write(target: &Target, content: &str, cx: &ToolContext) -> Result<ToolReport, ToolError> {
    let Target { shown, real, root, there } = target;
    let failed = |action, source| ToolError::Io { action, path: shown.clone(), source };
    let replace = match there {
        There::Nothing | There::Hidden => false,
        There::Ours => cx.created.is_file_of_its_own(real),
        There::Theirs { noted, .. } if noted.contains(real) => true,
        There::Theirs { .. } => return Err(ToolError::ChangedMeanwhile { path: shown.clone() }),
    };
    let below = real.strip_prefix(root).unwrap_or(real);
    let watched = watched::before_path(cx, root, real)?;
    let written = new_file::write(root, below, content.as_bytes(), replace);
    if let Some(watched) = watched {
        watched.after().map_err(|source| failed("keep for undo what was written to", source))?;
    }
    let change = match written.map_err(|source| failed("write", source))? {
        Written::Created => FileChangeKind::Created,
        Written::Replaced => FileChangeKind::Changed,
        Written::Exists => return Err(ToolError::Exists { path: shown.clone() }),
        Written::IsFolder => return Err(ToolError::Folder { path: shown.clone() }),
    };
    match there {
        There::Nothing | There::Hidden | There::Ours => cx.created.insert(real.clone()),
        // Consent was to this content, and the file is still somebody else's.
        There::Theirs { .. } => {}
    }
    let word = match change {
        FileChangeKind::Created => "created",
        FileChangeKind::Changed | FileChangeKind::Deleted => "replaced",
    };
    let mut report = ToolReport::text(format!("{word} {} ({} bytes)\n", real.display(), content.len()));
    report.files = vec![FileChange { path: real.clone(), change }];
    Ok(report)
}

/// The absolute path that the text means, before symlinks and `..` are resolved.
fn place(text: &str, cx: &ToolContext) -> PathBuf {
    paths::expand(text, cx).unwrap_or_else(|| {
        let bare = !text.contains('/');
        if bare { cx.workspace.join(text) } else { cx.working_folder.join(text) }
    })
}

/// The real path of the deepest folder on the way that exists, and the names that follow it. The last name is not
/// looked at: if it is a symlink, it exists and is not written.
fn real_path(target: &Path, shown: &str) -> Result<(PathBuf, Vec<PathBuf>), ToolError> {
    let failed = |source| ToolError::Io { action: "write", path: shown.to_owned(), source };
    let name = match target.components().next_back() {
        Some(Component::Normal(name)) => PathBuf::from(name),
        _ => return Err(ToolError::Folder { path: shown.to_owned() }),
    };
    let mut missing = vec![name];
    let mut folder = target.parent().unwrap_or(target);
    loop {
        match folder.canonicalize() {
            Ok(real) => {
                missing.reverse();
                return Ok((real, missing));
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                // Below a folder that does not exist, `..` means nothing; and a dangling link has a name but no target.
                let dangling = folder.symlink_metadata().is_ok();
                match folder.components().next_back() {
                    Some(Component::Normal(name)) if !dangling => missing.push(name.into()),
                    _ => return Err(failed(error)),
                }
                folder = folder.parent().ok_or_else(|| failed(std::io::ErrorKind::NotFound.into()))?;
            }
            Err(error) => return Err(failed(error)),
        }
    }
}
