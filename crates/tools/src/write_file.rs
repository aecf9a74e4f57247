//! `write_file` tool: creates or replaces a file.

use std::path::PathBuf;
use std::sync::Arc;

use artoo_types::{Arguments, FileChangeKind, ToolKind, ToolName};
use async_trait::async_trait;
use serde_json::{Value, json};

use crate::arguments::Given;
use crate::blocking::blocking;
use crate::file_target::FileTarget;
use crate::named_in_request::names_file;
use crate::{Tool, ToolContext, ToolEffect, ToolError, ToolReport, paths};

/// Maximum bytes of a file for which a question shows a diff.
const MAX_COMPARED: u64 = 1024 * 1024;

/// Creates a text file in the workspace or the working folder, with its parent folders. A bare name goes to
/// the working folder if the request names that file or it exists there, and to the workspace otherwise; a
/// path with a slash is relative to the working folder; an absolute path, or one with `~`, must lead into
/// either. What existed before the run is replaced only with consent to this very change; what this run
/// created may be written again. The write is atomic.
#[derive(Debug, Clone, Copy, Default)]
pub struct WriteFile;

#[async_trait]
impl Tool for WriteFile {
    fn name(&self) -> ToolName {
        ToolKind::WriteFile.into()
    }

    fn summary(&self) -> &str {
        "create a text file, or write it anew; edit_file changes a part"
    }

    fn effect(&self) -> ToolEffect {
        ToolEffect::Creates
    }

    fn arguments(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "path": { "type": "string", "maxLength": 400, "description": "a new bare name that the request lacks goes to $WORKSPACE; ./name.txt: here" },
                "content": { "type": "string", "maxLength": 200000, "description": "all of it" },
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
    let content = given.any_text("content")?.ok_or_else(|| ToolError::argument("content", "is missing"))?;
    if content.len() > cx.limits.written {
        let problem = format!("has {} bytes; at most {} are written", content.len(), cx.limits.written);
        return Err(ToolError::argument("content", problem));
    }
    if cx.cancel.is_cancelled() {
        return Err(ToolError::Cancelled);
    }
    let content = Arc::<[u8]>::from(content.as_bytes());
    // Not raced against the cancellation token: a write is quick, and is better finished and recorded.
    let context = cx.clone();
    let (target, before) = blocking(WriteFile.name(), move || look(&path, &context)).await?;
    target.consent(WriteFile.name(), before.as_deref(), &content, cx).await?;
    let context = cx.clone();
    blocking(WriteFile.name(), move || write(&target, &content, &context)).await
}

/// The target, and its existing content if a person will be asked about it.
fn look(text: &str, cx: &ToolContext) -> Result<(FileTarget, Option<Vec<u8>>), ToolError> {
    let place = place(text, cx);
    if text.ends_with('/') {
        return Err(ToolError::Folder { path: paths::show(&place, cx) });
    }
    let failed =
        |source| ToolError::Io { action: "create the workspace for", path: paths::show(&place, cx), source };
    std::fs::create_dir_all(&cx.workspace).map_err(failed)?;
    let target = FileTarget::look(&place, cx)?;
    let is_compared = target.bytes_of_theirs().is_some_and(|bytes| bytes <= MAX_COMPARED);
    let before = is_compared.then(|| std::fs::read(&target.real).ok()).flatten();
    Ok((target, before))
}

fn write(target: &FileTarget, content: &[u8], cx: &ToolContext) -> Result<ToolReport, ToolError> {
    let change = target.write(content, cx)?;
    let word = match change.change {
        FileChangeKind::Created => "created",
        FileChangeKind::Changed | FileChangeKind::Deleted => "replaced",
    };
    let mut report =
        ToolReport::text(format!("{word} {} ({} bytes)\n", target.real.display(), content.len()));
    report.files = vec![change];
    Ok(report)
}

/// The absolute path of the text, before symlinks and `..` are resolved.
fn place(text: &str, cx: &ToolContext) -> PathBuf {
    paths::expand(text, cx).unwrap_or_else(|| {
        let here = cx.working_folder.join(text);
        let is_theirs =
            text.contains('/') || names_file(&cx.request, text) || here.symlink_metadata().is_ok();
        if is_theirs { here } else { cx.workspace.join(text) }
    })
}
