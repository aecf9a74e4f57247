//! `read_evidence` tool: the full output of an earlier call, or some lines of it.

use std::io::Cursor;

use artoo_types::{Arguments, Excerpt, ToolKind, ToolName};
use async_trait::async_trait;
use serde_json::{Value, json};

use crate::arguments::Given;
use crate::blocking::blocking_until;
use crate::read_lines::{lines_of, part};
use crate::read_text::Part;
use crate::{Tool, ToolContext, ToolEffect, ToolError, ToolReport};

/// Reads the full output of an earlier call of the run, by the id shown where the output was truncated. The
/// output is always returned as text.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReadEvidence;

#[async_trait]
impl Tool for ReadEvidence {
    fn name(&self) -> ToolName {
        ToolKind::ReadEvidence.into()
    }

    fn summary(&self) -> &str {
        "read lines of an earlier output that was cut"
    }

    fn description(&self) -> &str {
        "Read an earlier output of this run that was shown cut, whole or some lines of it."
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
                "id": { "type": "string", "maxLength": 64, "description": "as the mark at the cut says" },
                "first_line": { "type": "integer", "minimum": 1, "description": "default 1" },
                "last_line": { "type": "integer", "minimum": 1, "description": "default: the end" },
                "first_column": { "type": "integer", "description": "byte of the first line to begin at" },
            },
            "required": ["id"],
            "additionalProperties": false,
        })
    }

    async fn call(&self, arguments: &Arguments, cx: &ToolContext) -> ToolReport {
        match call(arguments, cx).await {
            Ok(text) => ToolReport::text(text),
            Err(error) => error.into(),
        }
    }
}

async fn call(arguments: &Arguments, cx: &ToolContext) -> Result<String, ToolError> {
    let given = Given::new(arguments, &["id", "first_line", "last_line", "first_column"])?;
    let id = given.text("id")?.trim().to_owned();
    let part = part(given)?;
    let (cancel, cx) = (cx.cancel.clone(), cx.clone());
    blocking_until(cancel, ReadEvidence.name(), move || read(&id, &part, &cx)).await
}

fn read(id: &str, part: &Part, cx: &ToolContext) -> Result<String, ToolError> {
    let shown = format!("output {id}");
    let failed = |source| ToolError::Io { action: "read", path: shown.clone(), source };
    let found = cx.evidence.find(id).map_err(failed)?;
    let found =
        found.ok_or_else(|| ToolError::argument("id", "names no earlier output, or more than one"))?;
    let output = cx.evidence.get(&found).map_err(failed)?;
    lines_of(Cursor::new(output), &shown, part, &ReadEvidence.name(), cx)
}
