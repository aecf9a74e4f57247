//! `shell`: runs a command.

mod trial;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use artoo_sandbox::{
    Capture, Channel, Confinement, Ending, Invocation, Network, Outcome, ResourceLimits, SandboxMode, run,
};
use artoo_types::{Approval, Arguments, CallEnding, FileChange, ToolName};
use async_trait::async_trait;
use serde_json::{Value, json};

use crate::arguments::Given;
use crate::consent::{Case, Judged, Ours, Question, Step, beyond_undo, gate, in_words, judge};
use crate::granted::Granted;
use crate::live_view::LiveView;
use crate::program::is_program;
use crate::protected::Protected;
use crate::{
    Captured, EvidenceWriter, Tool, ToolContext, ToolEffect, ToolError, ToolReport, shell_failure, watched,
};

use trial::tried;

/// Runs shell text with `bash -c`, or `sh -c` where there is no bash, in the working folder.
///
/// What the command would do is found out first, and asked about where it needs consent. The kernel lets it write in the workspace and in a
/// private `TMPDIR` only, not in a `.git` that the run found there, and keeps it from the network, unless the context's mode and its network
/// say otherwise, or consent opens the working folder to it; where the kernel cannot, the call is refused. There is no input and no terminal. When the command ends,
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
    let judged = Looked::at(command, cx).await?;
    let step = judged.step(cx)?;
    if step == Step::Preview
        && let Some(report) = tried(&invocation, command, &judged.judged, cx).await?
    {
        return Ok(report);
    }
    let opened = match step {
        Step::Run | Step::Refuse => Vec::new(),
        Step::Ask | Step::Preview => judged.ask(command, cx).await?,
    };
    let (mut stdout, mut stderr) = (cx.evidence.writer(), cx.evidence.writer());
    let view = || Mutex::new(LiveView::new(cx.evidence.redactor()));
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
    let watched = watched::before_command(cx, &opened).await?;
    let folders = [&cx.workspace].into_iter().chain(&opened).cloned().collect();
    let granted = Granted::of(folders, watched.repositories(cx));
    let outcome = run(&invocation, &confinement(cx, &granted), capture, &cx.cancel).await;
    for view in live {
        if let (Some(on_output), Ok(view)) = (&cx.on_output, view.into_inner()) {
            view.finish(on_output.as_ref());
        }
    }
    // Also of a command that could not be run: the record of the call must end.
    let files = watched.after(cx).await;
    judged.note(cx, files.as_deref().unwrap_or_default()).await;
    let mut report = report(command, &mut outcome?, (stdout, stderr), timeout, (cx, &granted))?;
    match files {
        Ok(files) => report.files = files,
        Err(error) => drop(report.failure.get_or_insert(error.failure())),
    }
    Ok(report)
}

/// What holds a command that may write in these folders.
fn confinement(cx: &ToolContext, granted: &Granted) -> Confinement {
    Confinement {
        mode: cx.mode,
        network: cx.network,
        limits: ResourceLimits::default(),
        writable: granted.writable.clone(),
        sealed: granted.sealed.clone(),
        hidden: Vec::new(),
        private_tmp: cx.private_tmp.clone(),
    }
}

/// A command that was read.
struct Looked {
    judged: Judged,
    /// What was the run's before it.
    ours: Ours,
}

impl Looked {
    /// Finds out what the command would do.
    async fn at(command: &str, cx: &ToolContext) -> Result<Self, ToolError> {
        let (text, cx) = (command.to_owned(), cx.clone());
        off_the_async_thread(move || Self { judged: judge(&text, &cx), ours: Ours::now(&cx.created) }).await
    }

    /// Whether it runs, is tried, or is asked about. A refusal is an error.
    fn step(&self, cx: &ToolContext) -> Result<Step, ToolError> {
        let deed = self.judged.deed();
        if let Some(reason) = cx.consent.forbids(deed) {
            let effects = if deed.effects.is_empty() { deed.free } else { deed.effects };
            return Err(ToolError::NotAllowed { effects: in_words(effects), reason });
        }
        let is_demanded = cx.demanded(deed)?.is_some();
        // A layer has no network and knows one mode. What was granted needs no trial.
        let is_layered = cx.mode == SandboxMode::WorkspaceWrite && cx.network == Network::Denied;
        let case = Case {
            decision: self.judged.ruling.decision,
            class: self.judged.class,
            approval: if is_demanded { Approval::Ask } else { cx.consent.approval() },
            forbidden: false,
            preview: is_layered && cx.preview_store.is_some() && !cx.consent.allows(deed),
        };
        match gate(case) {
            Step::Refuse => Err(ToolError::Ruled { rule: self.judged.refusal() }),
            step @ (Step::Run | Step::Preview | Step::Ask) => Ok(step),
        }
    }

    /// Asks by what the words of the command say. The folders that a yes opens to it.
    async fn ask(&self, command: &str, cx: &ToolContext) -> Result<Vec<PathBuf>, ToolError> {
        let demand = cx.demanded(self.judged.deed())?;
        let opens = self.judged.reaches_the_working_folder(cx) && is_narrow(&cx.working_folder, cx);
        let opened = if opens { vec![cx.working_folder.clone()] } else { Vec::new() };
        let question = self.judged.question(Shell.name(), command, demand);
        let beyond_undo = beyond_undo(&question.effects, &watched::without_room(cx, &opened).await?, cx);
        cx.consented(Question { beyond_undo, ..question }).await?;
        Ok(opened)
    }

    /// Notes what the run may change from now on.
    async fn note(self, cx: &ToolContext, files: &[FileChange]) {
        if self.judged.makes_nothing() && files.is_empty() {
            return;
        }
        let (created, files) = (cx.created.clone(), files.to_vec());
        // A look that breaks down leaves less free than it could be, and that is all.
        let _ = off_the_async_thread(move || self.judged.note(&created, &self.ours, &files)).await;
    }
}

async fn off_the_async_thread<T: Send + 'static>(
    look: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ToolError> {
    tokio::task::spawn_blocking(look)
        .await
        .map_err(|panic| ToolError::Panicked { tool: Shell.name(), message: panic.to_string() })
}

/// Whether a folder may be opened to a command: the kernel cannot leave out a protected part of it.
fn is_narrow(folder: &Path, cx: &ToolContext) -> bool {
    Protected::of(cx).within_reach(folder).is_none()
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
    match Protected::of(cx).within_reach(&cx.workspace) {
        Some(protected) if confined => {
            Err(ToolError::WideWorkspace { workspace: cx.workspace.clone(), protected: protected.to_owned() })
        }
        _ => Ok(()),
    }
}

fn report(
    command: &str,
    outcome: &mut Outcome,
    (stdout, stderr): (EvidenceWriter, EvidenceWriter),
    timeout: Duration,
    (cx, granted): (&ToolContext, &Granted),
) -> Result<ToolReport, ToolError> {
    let lost = |source| ToolError::Evidence { folder: cx.evidence.folder().to_owned(), source };
    let unkept = outcome.stdout.write_error.take().or(outcome.stderr.write_error.take());
    let output = stdout.finish(cx.limits.shown, outcome.stdout.total).map_err(lost)?;
    let stderr = stderr.finish(cx.limits.shown, outcome.stderr.total).map_err(lost)?;
    let failure = match unkept {
        Some(source) => Some(lost(source).failure()),
        None if stderr.bytes == 0 && shell_failure::is_search_without_hit(command, outcome.ending) => None,
        None => shell_failure::failure(outcome.ending, &stderr.shown, timeout, (cx, granted)),
    };
    Ok(ToolReport {
        ending: match outcome.ending {
            Ending::Exited(status) => CallEnding::Exited { status },
            Ending::Signaled(signal) => CallEnding::Signalled { signal },
            Ending::TimedOut => CallEnding::TimedOut,
            Ending::Cancelled => CallEnding::Cancelled,
            Ending::Crowded | Ending::OutOfRoom => CallEnding::Signalled { signal: shell_failure::SIGKILL },
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
