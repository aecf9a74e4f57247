//! `write_file`: creates a file.

use std::path::{Component, Path, PathBuf};

use artoo_sandbox::SandboxMode;
use artoo_types::{Arguments, FileChange, FileChangeKind, ToolName};
use async_trait::async_trait;
use serde_json::{Value, json};

use crate::arguments::Given;
use crate::new_file::{self, Written};
use crate::protected::{Protected, is_in_git};
use crate::{Tool, ToolContext, ToolEffect, ToolError, ToolReport, paths, watched};

/// Creates a text file in the workspace or the working folder, with the folders that lead to it. A bare name goes to
/// the workspace; a path with a slash lies below the working folder; an absolute path, or one with `~`, must lead into
/// one of both. What existed before the run is never touched; what this run created may be written again. A file
/// appears whole or not at all.
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
    let cx = cx.clone();
    // Not raced against the token: a write that has begun is quick, and is better finished and recorded.
    tokio::task::spawn_blocking(move || write(&path, &content, &cx)).await.unwrap_or_else(|panic| {
        Err(ToolError::Panicked { tool: WriteFile.name(), message: panic.to_string() })
    })
}

fn write(text: &str, content: &str, cx: &ToolContext) -> Result<ToolReport, ToolError> {
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
    let Some(root) = roots.iter().flatten().find(|root| real.starts_with(root) && real != **root) else {
        return Err(ToolError::Outside { path: shown });
    };
    if Protected::of(cx).covers(&real) || is_in_git(&real) {
        return Err(ToolError::Protected { path: shown });
    }
    let below = real.strip_prefix(root).unwrap_or(&real);
    let watched = watched::before_path(cx, root, &real)?;
    let written = new_file::write(root, below, content.as_bytes(), cx.created.contains(&real));
    if let Some(watched) = watched {
        watched.after().map_err(|source| failed("keep for undo what was written to", source))?;
    }
    let change = match written.map_err(|source| failed("write", source))? {
        Written::Created => FileChangeKind::Created,
        Written::Replaced => FileChangeKind::Changed,
        Written::Exists => return Err(ToolError::Exists { path: shown }),
        Written::IsFolder => return Err(ToolError::Folder { path: shown }),
    };
    cx.created.insert(real.clone());
    let word = match change {
        FileChangeKind::Created => "created",
        FileChangeKind::Changed | FileChangeKind::Deleted => "replaced",
    };
    let mut report = ToolReport::text(format!("{word} {} ({} bytes)\n", real.display(), content.len()));
    report.files = vec![FileChange { path: real, change }];
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
