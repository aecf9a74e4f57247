//! `shell`: runs a command.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::sync::Mutex;
use std::time::Duration;

use artoo_redaction::Stream;
use artoo_sandbox::{Capture, Channel, Confinement, Ending, Invocation, Outcome, SandboxMode, run};
use artoo_types::{Arguments, CallEnding, ToolName};
use async_trait::async_trait;
use serde_json::{Value, json};

use crate::arguments::Given;
use crate::live_text::LiveText;
use crate::program::is_program;
use crate::protected::Protected;
use crate::{
    Captured, EvidenceWriter, OnOutput, Tool, ToolContext, ToolEffect, ToolError, ToolReport, shell_failure,
    watched,
};

/// Runs shell text with `bash -c`, or `sh -c` where there is no bash, in the working folder.
///
/// The kernel lets the command write in the workspace and in a private `TMPDIR` only, unless the context's mode says
/// otherwise; where the kernel cannot, the call is refused. There is no input and no terminal. When the command ends,
/// what it left in the background ends too.
#[derive(Debug, Clone, Copy, Default)]
pub struct Shell;

/// A command whose quotes are closed. A small model often ends the JSON text at the first quote inside its command; where
/// decoding is constrained, it cannot.
const BALANCED: &str = r#"^([^'"\\]|\\.|'[^']*'|"([^"\\]|\\.)*")+$"#;

#[async_trait]
impl Tool for Shell {
    fn name(&self) -> ToolName {
        ToolName::new("shell")
    }

    fn summary(&self) -> &str {
        "run a command in the working folder; it may write in $WORKSPACE only"
    }

    fn effect(&self) -> ToolEffect {
        ToolEffect::Runs
    }

    fn arguments(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "command": { "type": "string", "maxLength": 400, "pattern": BALANCED, "description": "shell text for bash -c" },
                "timeout_seconds": { "type": "integer", "minimum": 1, "maximum": 600, "description": "default 60" },
            },
            "required": ["command"],
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
    let given = Given::new(arguments, &["command", "timeout_seconds"])?;
    let command = given.text("command")?;
    if command.contains('\0') {
        return Err(ToolError::argument("command", "contains a zero byte"));
    }
    let longest = cx.limits.longest_command_time.as_secs();
    let timeout =
        given.whole("timeout_seconds", 1..=longest)?.map_or(cx.limits.command_time, Duration::from_secs);
    fs::create_dir_all(&cx.workspace).map_err(|source| ToolError::Io {
        action: "create",
        path: cx.workspace.display().to_string(),
        source,
    })?;
    refuse_a_wide_workspace(cx)?;
    let invocation = Invocation {
        program: shell_of(cx),
        arguments: vec!["-c".into(), command.into()],
        folder: cx.working_folder.clone(),
        environment: environment(cx),
        timeout,
        keep: cx.limits.kept,
    };
    let confinement = Confinement {
        mode: cx.mode,
        writable: vec![cx.workspace.clone()],
        private_tmp: cx.private_tmp.clone(),
    };
    let (mut stdout, mut stderr) = (cx.evidence.writer(), cx.evidence.writer());
    let view = || Mutex::new(LiveView { text: LiveText::default(), stream: cx.evidence.redactor().stream() });
    let live = [view(), view()];
    let show = |channel: Channel, bytes: &[u8]| {
        let [out, err] = &live;
        let half = match channel {
            Channel::Stdout => out,
            Channel::Stderr => err,
        };
        if let (Some(on_output), Ok(mut view)) = (&cx.on_output, half.lock()) {
            view.show(bytes, on_output.as_ref());
        }
    };
    let capture = Capture { stdout: &mut stdout, stderr: &mut stderr, on_chunk: Some(&show) };
    let watched = watched::before_command(cx).await?;
    let outcome = run(&invocation, &confinement, capture, &cx.cancel).await;
    for view in live {
        if let (Some(on_output), Ok(view)) = (&cx.on_output, view.into_inner()) {
            view.finish(on_output.as_ref());
        }
    }
    // Also of a command that could not be run: the record of the call must end.
    let files = watched.after(cx).await;
    let mut report = report(outcome?, stdout, stderr, timeout, cx)?;
    match files {
        Ok(files) => report.files = files,
        Err(error) => drop(report.failure.get_or_insert(error.failure())),
    }
    Ok(report)
}

/// What is seen of an output while it comes: text without secrets, which is as much of a record as any other. It is no evidence.
struct LiveView {
    text: LiveText,
    stream: Stream,
}

impl LiveView {
    fn show(&mut self, bytes: &[u8], on_output: &OnOutput) {
        let mut clean = Vec::new();
        self.stream.push(bytes, &mut clean);
        tell(&self.text.push(&clean), on_output);
    }

    fn finish(mut self, on_output: &OnOutput) {
        let mut clean = Vec::new();
        self.stream.finish(&mut clean);
        tell(&self.text.push(&clean), on_output);
    }
}

fn tell(text: &str, on_output: &OnOutput) {
    if !text.is_empty() {
        on_output(text);
    }
}

/// The environment of the context, and where the command may write: a path is copied wrongly more easily than a name.
fn environment(cx: &ToolContext) -> BTreeMap<OsString, OsString> {
    let mut environment = cx.environment.clone();
    environment.insert("WORKSPACE".into(), cx.workspace.clone().into());
    environment
}

fn refuse_a_wide_workspace(cx: &ToolContext) -> Result<(), ToolError> {
    let confined = match cx.mode {
        SandboxMode::WorkspaceWrite => true,
        SandboxMode::ReadOnly | SandboxMode::FullAccess => false,
    };
    match Protected::of(cx).inside(&cx.workspace) {
        Some(protected) if confined => {
            Err(ToolError::WideWorkspace { workspace: cx.workspace.clone(), protected: protected.to_owned() })
        }
        _ => Ok(()),
    }
}

fn report(
    mut outcome: Outcome,
    stdout: EvidenceWriter,
    stderr: EvidenceWriter,
    timeout: Duration,
    cx: &ToolContext,
) -> Result<ToolReport, ToolError> {
    let lost = |source| ToolError::Evidence { folder: cx.evidence.folder().to_owned(), source };
    let unkept = outcome.stdout.write_error.take().or(outcome.stderr.write_error.take());
    let output = stdout.finish(cx.limits.shown, outcome.stdout.total).map_err(lost)?;
    let stderr = stderr.finish(cx.limits.shown, outcome.stderr.total).map_err(lost)?;
    let failure = match unkept {
        Some(source) => Some(lost(source).failure()),
        None => shell_failure::failure(outcome.ending, &stderr.shown, timeout, cx),
    };
    Ok(ToolReport {
        ending: match outcome.ending {
            Ending::Exited(status) => CallEnding::Exited { status },
            Ending::Signaled(signal) => CallEnding::Signalled { signal },
            Ending::TimedOut => CallEnding::TimedOut,
            Ending::Cancelled => CallEnding::Cancelled,
        },
        failure,
        output: Captured::Stored(output),
        stderr: Captured::Stored(stderr),
        files: Vec::new(),
    })
}

/// bash where the user's `PATH` has one, because that is what models write for.
fn shell_of(cx: &ToolContext) -> OsString {
    let path = cx.environment.get(std::ffi::OsStr::new("PATH")).cloned().unwrap_or_default();
    let bash =
        std::env::split_paths(&path).filter(|folder| folder.is_absolute()).map(|folder| folder.join("bash"));
    bash.into_iter().find(|file| is_program(file)).map_or_else(|| "/bin/sh".into(), Into::into)
}
