//! `read_file` tool: a text file, some lines of it, or a picture.

use std::io::{Cursor, Read, Seek, SeekFrom};

use artoo_types::{Arguments, Excerpt, ToolKind, ToolName};
use async_trait::async_trait;
use serde_json::{Value, json};

use crate::arguments::Given;
use crate::blocking::blocking_until;
use crate::open_file::open_file;
use crate::picture::{MOST_PICTURE_BYTES, media_type};
use crate::protected::is_private_key;
use crate::read_lines::{lines_of, part};
use crate::read_text::{Part, is_binary};
use crate::{Captured, Tool, ToolContext, ToolEffect, ToolError, ToolReport, open_files, paths};

/// Reads a text file: UTF-8, UTF-16 with a byte order mark, or else Windows-1252. The text is returned verbatim so
/// that it can be edited; a note after it says which lines were shown, if not all. If the model accepts
/// images, PNG, JPEG, GIF and WebP are returned as such. Folders, devices, pipes and other binary files are
/// refused with a hint; protected places and private keys are denied.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReadFile;

/// Said behind a text that is not what is on the disk.
const UNSAVED: &str = "\n[this is how the file stands in the user's editor, where it is not saved yet]\n";

/// Bytes from the beginning of a file that decide whether it is text.
const BEGINNING: u64 = 8 * 1024;

#[async_trait]
impl Tool for ReadFile {
    fn name(&self) -> ToolName {
        ToolKind::ReadFile.into()
    }

    fn summary(&self) -> &str {
        "read a text file, or some lines of a long one"
    }

    fn description(&self) -> &str {
        "Read a text file, or some lines of a long one. An image file is shown as a picture, if you can see pictures."
    }

    fn effect(&self) -> ToolEffect {
        ToolEffect::Reads
    }

    fn excerpt(&self) -> Excerpt {
        Excerpt::Head
    }

    fn arguments(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "path": { "type": "string", "maxLength": 400, "description": "relative to the working folder; may begin with ~, $WORKSPACE or $TMPDIR" },
                "first_line": { "type": "integer", "minimum": 1, "description": "default 1" },
                "last_line": { "type": "integer", "minimum": 1, "description": "default: the end" },
                "first_column": { "type": "integer", "description": "byte of the first line to begin at, for very long lines" },
            },
            "required": ["path"],
            "additionalProperties": false,
        })
    }

    async fn call(&self, arguments: &Arguments, cx: &ToolContext) -> ToolReport {
        match call(arguments, cx).await {
            Ok(output) => ToolReport { output, ..ToolReport::text("") },
            Err(error) => error.into(),
        }
    }
}

async fn call(arguments: &Arguments, cx: &ToolContext) -> Result<Captured, ToolError> {
    let given = Given::new(arguments, &["path", "first_line", "last_line", "first_column"])?;
    let path = given.path("path")?.to_owned();
    let part = part(given)?;
    let editor = open_files::in_editor(&path, cx).await;
    let (cancel, cx) = (cx.cancel.clone(), cx.clone());
    blocking_until(cancel, ReadFile.name(), move || read(&path, &part, editor.as_deref(), &cx)).await
}

/// `editor` is the text of the file as the user's editor has it.
fn read(text: &str, part: &Part, editor: Option<&str>, cx: &ToolContext) -> Result<Captured, ToolError> {
    let path = paths::resolve(text, cx);
    let shown = paths::show(&path, cx);
    let failed = |source| ToolError::Io { action: "read", path: shown.clone(), source };
    let (mut file, real) = open_file(&path, &shown, cx)?;
    // Before it is read: what comes in between is somebody else's.
    cx.seen.note(&real);
    let bytes = file.metadata().map_err(failed)?.len();
    let mut beginning = Vec::new();
    (&mut file).take(BEGINNING).read_to_end(&mut beginning).map_err(failed)?;
    file.seek(SeekFrom::Start(0)).map_err(failed)?;
    if let Some(editor) = editor {
        let mut disk = Vec::new();
        (&mut file).take(cx.limits.written as u64).read_to_end(&mut disk).map_err(failed)?;
        file.seek(SeekFrom::Start(0)).map_err(failed)?;
        if let Some(unsaved) = open_files::unsaved(&disk, editor) {
            if is_private_key(&unsaved) {
                return Err(ToolError::Protected { path: shown });
            }
            let lines = lines_of(Cursor::new(unsaved), &shown, part, &ReadFile.name(), cx)?;
            return Ok(Captured::Bytes(format!("{lines}{UNSAVED}").into_bytes()));
        }
    }
    if !is_binary(&beginning) {
        return Ok(Captured::Bytes(lines_of(file, &shown, part, &ReadFile.name(), cx)?.into_bytes()));
    }
    match media_type(&beginning).filter(|_| cx.images) {
        None => Err(ToolError::Binary { path: shown, bytes }),
        Some(_) if bytes > MOST_PICTURE_BYTES => {
            Err(ToolError::TooLarge { path: shown, bytes, most: MOST_PICTURE_BYTES })
        }
        Some(media_type) => {
            let mut bytes = Vec::new();
            file.take(MOST_PICTURE_BYTES).read_to_end(&mut bytes).map_err(failed)?;
            Ok(Captured::Picture { media_type: media_type.to_owned(), bytes })
        }
    }
}
