//! `applescript` tool: controls macOS apps with AppleScript.

use std::path::PathBuf;

use artoo_sandbox::SandboxMode;
use artoo_types::{Arguments, ToolKind, ToolName};
use async_trait::async_trait;
use serde_json::{Value, json};

use super::osa_failure::report;
use crate::arguments::Given;
use crate::{SystemProgram, Tool, ToolContext, ToolEffect, ToolError, ToolReport, program};

/// Runs an AppleScript with `osascript`. A sandbox cannot see what an app does for a script, so the tool is
/// offered only if the user granted it, and never works in a run that may change nothing.
#[derive(Debug, Clone)]
pub struct AppleScript {
    osascript: SystemProgram,
}

impl AppleScript {
    /// Finds the system's `osascript` in the search path; `None` if it is missing.
    pub fn probe(search_path: &[PathBuf]) -> Option<Self> {
        SystemProgram::find("osascript", search_path).map(Self::with)
    }

    /// With this `osascript`.
    pub fn with(osascript: SystemProgram) -> Self {
        Self { osascript }
    }
}

#[async_trait]
impl Tool for AppleScript {
    fn name(&self) -> ToolName {
        ToolKind::AppleScript.into()
    }

    fn summary(&self) -> &str {
        "control apps of this Mac: Mail, Calendar, Reminders, Music"
    }

    fn description(&self) -> &str {
        "Control apps of this Mac with AppleScript: Mail, Calendar, Reminders, Music and others."
    }

    fn effect(&self) -> ToolEffect {
        ToolEffect::Apps
    }

    fn arguments(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "script": { "type": "string", "maxLength": 2000, "description": "AppleScript source" },
            },
            "required": ["script"],
            "additionalProperties": false,
        })
    }

    async fn call(&self, arguments: &Arguments, cx: &ToolContext) -> ToolReport {
        self.run(arguments, cx).await.unwrap_or_else(ToolReport::from)
    }
}

impl AppleScript {
    async fn run(&self, arguments: &Arguments, cx: &ToolContext) -> Result<ToolReport, ToolError> {
        let script = Given::new(arguments, &["script"])?.text("script")?;
        if script.contains('\0') {
            return Err(ToolError::argument("script", "contains a zero byte"));
        }
        refuse_where_nothing_may_change(&self.name(), cx)?;
        let time = cx.limits.command_time;
        // The script is the separate argument of `-e`, so a leading dash is not parsed as an option.
        let said = program::run(&self.osascript, vec!["-e".into(), script.into()], time, cx).await?;
        Ok(report(said, &self.name(), time))
    }
}

pub(super) fn refuse_where_nothing_may_change(tool: &ToolName, cx: &ToolContext) -> Result<(), ToolError> {
    match cx.mode {
        SandboxMode::ReadOnly => Err(ToolError::AppsReadOnly { tool: tool.clone() }),
        SandboxMode::WorkspaceWrite | SandboxMode::FullAccess => Ok(()),
    }
}
