//! `write_file` tool: creates or replaces a file.

use artoo_types::{Arguments, FileChangeKind, ToolKind, ToolName};
use async_trait::async_trait;
use serde_json::{Value, json};

use crate::arguments::Given;
use crate::blocking::blocking;
use crate::file_target::FileTarget;
use crate::text_form::NewContent;
use crate::{FileContent, Tool, ToolContext, ToolEffect, ToolError, ToolReport, open_files, paths};

/// Maximum bytes of a file for which a question shows a diff.
const MAX_COMPARED: usize = 1024 * 1024;

/// Creates a text file in the working folder, the workspace or the run's folder for temporary files, with its parent
/// folders. A relative path lies below the working folder; an absolute one, or one with `~`, `$WORKSPACE` or `$TMPDIR`,
/// must lead into one of the three. What existed before the run is replaced only with consent to this very change; what
/// this run created may be written again. A file that existed keeps what it is: owner, rights, names, encoding, byte order
/// mark, and its usual line ending where the content gives none of its own. A link stays, and its target is written.
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

    fn description(&self) -> &str {
        "Create a text file with its folders, or replace the whole content of one. To change a part, use edit_file."
    }

    fn effect(&self) -> ToolEffect {
        ToolEffect::Creates
    }

    /// That a file was written answers no question.
    fn output_is_answer(&self) -> bool {
        false
    }

    fn arguments(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "path": { "type": "string", "maxLength": 400, "description": "relative to the working folder, or from $WORKSPACE or $TMPDIR" },
                "content": { "type": "string", "maxLength": 200000, "description": "the whole content" },
            },
            "required": ["path", "content"],
            "additionalProperties": false,
        })
    }

    fn file_content(&self) -> Option<FileContent> {
        Some(FileContent { argument: "content", path: "path" })
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
    let (content, editor) = (content.to_owned(), open_files::in_editor(&path, cx).await);
    // Not raced against the cancellation token: a write is quick, and is better finished and recorded.
    let context = cx.clone();
    let Plan { target, before, after } =
        blocking(WriteFile.name(), move || look(&path, &content, editor.as_deref(), &context)).await?;
    let before = before.filter(|before| before.len() <= MAX_COMPARED);
    target.consent(WriteFile.name(), before.as_deref(), &after.bytes, cx).await?;
    let context = cx.clone();
    blocking(WriteFile.name(), move || write(&target, &after, &context)).await
}

/// The target, its existing content if that is a file from before the run, and the new one.
struct Plan {
    target: FileTarget,
    before: Option<Vec<u8>>,
    after: NewContent,
}

fn look(text: &str, content: &str, editor: Option<&str>, cx: &ToolContext) -> Result<Plan, ToolError> {
    let place = paths::resolve(text, cx);
    if text.ends_with('/') {
        return Err(ToolError::Folder { path: paths::show(&place, cx) });
    }
    let failed =
        |source| ToolError::Io { action: "create the folder for", path: paths::show(&place, cx), source };
    let own = [&cx.workspace, &cx.private_tmp].into_iter().find(|folder| place.starts_with(folder));
    own.map_or(Ok(()), std::fs::create_dir_all).map_err(failed)?;
    let target = FileTarget::look(&place, cx)?;
    let is_read = target.bytes_of_theirs().is_some_and(|bytes| bytes <= cx.limits.written as u64);
    let (target, before) = match is_read.then(|| std::fs::read(&target.real).ok()).flatten() {
        Some(disk) => {
            let (target, before) = target.with_editor(disk, editor);
            (target, Some(before))
        }
        None => (target, None),
    };
    let after = match &before {
        Some(before) => NewContent::of(before, content),
        None => Ok(NewContent::as_given(content)),
    };
    let after = after.map_err(|(encoding, character)| ToolError::NotInEncoding {
        path: target.shown.clone(),
        encoding,
        character,
    })?;
    Ok(Plan { target, before, after })
}

fn write(
    target: &FileTarget,
    NewContent { bytes, what }: &NewContent,
    cx: &ToolContext,
) -> Result<ToolReport, ToolError> {
    let change = target.write(bytes, cx)?;
    let kept = if what.is_empty() { String::new() } else { format!("[kept: {what}]\n") };
    let word = match change.change {
        FileChangeKind::Created => "created",
        FileChangeKind::Changed | FileChangeKind::Deleted => "replaced",
    };
    let mut report =
        ToolReport::text(format!("{word} {} ({} bytes)\n{kept}", target.real.display(), bytes.len()));
    report.files = target.recorded(change);
    Ok(report)
}
