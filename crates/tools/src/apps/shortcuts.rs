//! `shortcuts` tool: runs one of the user's macOS shortcuts.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::PathBuf;

use artoo_types::{Arguments, ToolKind, ToolName};
use async_trait::async_trait;
use serde_json::{Value, json};

use super::applescript::refuse_where_nothing_may_change;
use super::osa_failure::report;
use crate::arguments::Given;
use crate::{SystemProgram, Tool, ToolContext, ToolEffect, ToolError, ToolReport, program};

/// Runs a shortcut by name with `shortcuts run` and a text as input. The effects of a shortcut are unknown,
/// so the same restrictions hold as for AppleScript.
#[derive(Debug, Clone)]
pub struct Shortcuts {
    shortcuts: SystemProgram,
}

impl Shortcuts {
    /// Finds the system's `shortcuts` in the search path; `None` if it is missing.
    pub fn probe(search_path: &[PathBuf]) -> Option<Self> {
        SystemProgram::find("shortcuts", search_path).map(Self::with)
    }

    /// With this `shortcuts`.
    pub fn with(shortcuts: SystemProgram) -> Self {
        Self { shortcuts }
    }
}

#[async_trait]
impl Tool for Shortcuts {
    fn name(&self) -> ToolName {
        ToolKind::Shortcuts.into()
    }

    fn summary(&self) -> &str {
        "run a shortcut of the user"
    }

    fn description(&self) -> &str {
        "Run a shortcut of the user's Shortcuts app."
    }

    fn effect(&self) -> ToolEffect {
        ToolEffect::Apps
    }

    fn arguments(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "name": { "type": "string", "maxLength": 100, "description": "name of the shortcut" },
                "input": { "type": "string", "maxLength": 2000, "description": "text that it is given" },
            },
            "required": ["name"],
            "additionalProperties": false,
        })
    }

    async fn call(&self, arguments: &Arguments, cx: &ToolContext) -> ToolReport {
        self.run(arguments, cx).await.unwrap_or_else(ToolReport::from)
    }
}

impl Shortcuts {
    async fn run(&self, arguments: &Arguments, cx: &ToolContext) -> Result<ToolReport, ToolError> {
        let given = Given::new(arguments, &["name", "input"])?;
        let name = given.path("name")?;
        if name.starts_with('-') {
            return Err(ToolError::argument("name", "must not begin with a dash"));
        }
        refuse_where_nothing_may_change(&self.name(), cx)?;
        let mut words: Vec<OsString> = vec!["run".into(), name.into()];
        // The program reads its input only from a file, which exists for the duration of the call.
        let input = given
            .any_text("input")?
            .filter(|input| !input.is_empty())
            .map(|input| file(input, cx))
            .transpose()?;
        if let Some(file) = &input {
            words.extend(["--input-path".into(), file.path().into()]);
        }
        let time = cx.limits.command_time;
        let said = program::run(&self.shortcuts, words, time, cx).await?;
        Ok(report(said, &self.name(), time))
    }
}

fn file(input: &str, cx: &ToolContext) -> Result<tempfile::NamedTempFile, ToolError> {
    let written = std::fs::create_dir_all(&cx.private_tmp).and_then(|()| {
        let mut file =
            tempfile::Builder::new().prefix("input-").suffix(".txt").tempfile_in(&cx.private_tmp)?;
        file.write_all(input.as_bytes())?;
        Ok(file)
    });
    let path = cx.private_tmp.display().to_string();
    written.map_err(|source| ToolError::Io { action: "write the input in", path, source })
}
