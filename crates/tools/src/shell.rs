//! `shell` tool: runs a command.

mod background;
mod definition;
mod invocation;
mod missing_service;
pub(crate) mod perturbation;
pub(crate) mod reach;
pub(crate) mod rehearsal;
mod trial;
mod written_content;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use artoo_sandbox::{Capture, Confinement, Ending, Invocation, Outcome, SandboxMode, run};
use artoo_shell_effects::{Effects, Permission};
use artoo_types::{Arguments, CallEnding, Effect, OutputRecord, ToolKind, ToolName};
use async_trait::async_trait;
use serde_json::Value;

use crate::arguments::Given;
use crate::call_snapshot::{self, Watched};
use crate::consent::{Case, Reading, Step, beyond_undo, gate};
use crate::contents_before::Contents;
use crate::live_view::LiveOutput;
use crate::protected::Protected;
use crate::seen_files::Sighting;
use crate::writable_folders::Granted;
use crate::{
    Captured, EvidenceWriter, SeenFiles, Tool, ToolContext, ToolEffect, ToolError, ToolReport, paths,
    shell_failure,
};

use artoo_consent::{ProposedEffects, Question, in_words, on_file};
use invocation::{environment, shell};
use reach::Reach;
use trial::{Layers, Trial};

/// Runs shell text with `bash -c`, or `sh -c` without bash, in the working folder.
///
/// The command runs as a trial first: over layers on the workspace and the working folder, with everything
/// else read-only, protected places hidden and no network, unless network was asked about and granted. Its
/// changes decide: if there are none, or only new files where they are free, the call is done; anything else
/// is asked about, and a yes makes exactly those changes real. If no trial is possible, the command runs
/// where it can write nothing, or a person is asked before it can; if nothing can confine it, a person is
/// asked before it runs at all. There is no input and no terminal. When the command ends, its background
/// processes are ended too.
///
/// With `background` the command is left running: see [`LookAtJob`](crate::LookAtJob).
///
/// Source: `docs/design/consent.md`, and for jobs `docs/design/tool-loop.md`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Shell;

/// Maximum bytes of a command. The kernel accepts 128 KiB in one argument.
const MOST_COMMAND: usize = 100_000;

#[async_trait]
impl Tool for Shell {
    fn name(&self) -> ToolName {
        ToolKind::Shell.into()
    }

    fn summary(&self) -> &str {
        "run a command in the working folder; it may write there, in $WORKSPACE and in $TMPDIR; changing what was there before takes consent"
    }

    fn description(&self) -> &str {
        definition::DESCRIPTION
    }

    fn effect(&self) -> ToolEffect {
        ToolEffect::Runs
    }

    fn can_be_tried(&self) -> bool {
        true
    }

    fn arguments(&self) -> Value {
        definition::arguments(MOST_COMMAND)
    }

    async fn call(&self, arguments: &Arguments, cx: &ToolContext) -> ToolReport {
        match call(arguments, cx).await {
            Ok(report) => report,
            Err(error) => error.into(),
        }
    }
}

async fn call(arguments: &Arguments, cx: &ToolContext) -> Result<ToolReport, ToolError> {
    let given = Given::new(arguments, &["command", "timeout_seconds", "background"])?;
    let is_left_running = given.flag("background")?;
    let command = given.text("command")?;
    if command.len() > MOST_COMMAND {
        let problem =
            format!("has {} bytes; at most {MOST_COMMAND}: write a script with write_file", command.len());
        return Err(ToolError::argument("command", problem));
    }
    if command.contains('\0') {
        return Err(ToolError::argument("command", "contains a zero byte"));
    }
    let longest = cx.limits.longest_command_time.as_secs();
    let usual = if is_left_running { Duration::MAX } else { cx.limits.command_time };
    let timeout = given.whole("timeout_seconds", 1..=longest)?.map_or(usual, Duration::from_secs);
    let invocation = Invocation {
        program: shell(cx),
        arguments: vec!["-c".into(), command.into()],
        folder: cx.working_folder.clone(),
        environment: environment(cx),
        timeout,
        keep: cx.limits.kept,
    };
    let mut call = Call::look(command, invocation, cx).await?;
    call.spares_changes_of_others()?;
    let read = std::mem::take(&mut call.read);
    let programs = call.reading.programs.clone();
    let report = if is_left_running { call.leave_running().await } else { call.carry_out().await };
    let report = report.inspect(|_| cx.seen.were_read(&read))?;
    missing_service::explained(report, programs, cx).await
}

/// One command, and what is known before it runs.
struct Call<'a> {
    command: &'a str,
    invocation: Invocation,
    reading: Reading,
    /// Where its trial would run, if one is possible.
    layers: Option<Layers>,
    /// The files that its words read, as they were before.
    read: Vec<(PathBuf, Sighting)>,
    /// The files that somebody else changed since the run last saw them.
    stale: BTreeSet<PathBuf>,
    cx: &'a ToolContext,
}

impl<'a> Call<'a> {
    async fn look(command: &'a str, invocation: Invocation, cx: &'a ToolContext) -> Result<Self, ToolError> {
        let (text, context) = (command.to_owned(), cx.clone());
        let looked = off_the_async_thread(move || {
            make_workspace(&context)?;
            let reading = Reading::of(&text, &context);
            let seen = (SeenFiles::before_reading(reading.files_read()), context.seen.stale_before_command());
            Ok::<_, ToolError>((reading, Layers::look(&context), seen))
        });
        let (reading, layers, (read, stale)) = looked.await??;
        Ok(Self { command, invocation, reading, layers, read, stale, cx })
    }

    /// Refuses a command whose words write over what somebody else changed.
    fn spares_changes_of_others(&self) -> Result<(), ToolError> {
        let named = self.reading.effects.iter().filter_map(on_file);
        let real = named.map(|path| path.canonicalize().unwrap_or_else(|_| path.to_owned()));
        match real.into_iter().find(|path| self.stale.contains(path)) {
            Some(path) => Err(self.cx.seen.refusal(&path, &paths::show(&path, self.cx))),
            None => Ok(()),
        }
    }

    async fn carry_out(&self) -> Result<ToolReport, ToolError> {
        match (begin(&self.reading, self.layers.is_some(), self.cx)?, self.layers.clone()) {
            _ if self.cx.trial_only => self.try_only().await,
            (Step::Refuse, _) => Err(ToolError::Ruled { rule: "it is refused".to_owned() }),
            (Step::Read, layers) => {
                let report = self.run((SandboxMode::ReadOnly, Reach::RUN), Vec::new()).await?;
                match layers
                    .filter(|_| self.cx.mode != SandboxMode::ReadOnly && may_have_been_refused(&report))
                {
                    Some(layers) => self.try_out(&layers).await,
                    None => Ok(report),
                }
            }
            (Step::Try, Some(layers)) => self.try_out(&layers).await,
            (Step::Try | Step::Ask, _) => self.run_agreed(self.cx.why_untried().to_owned()).await,
        }
    }

    /// Runs the command as a trial only, without asking.
    async fn try_only(&self) -> Result<ToolReport, ToolError> {
        match &self.layers {
            Some(layers) if self.cx.mode != SandboxMode::ReadOnly => {
                layers.rehearse(&self.invocation, self.command, self.cx).await
            }
            Some(_) | None => self.run((SandboxMode::ReadOnly, Reach::RUN), Vec::new()).await,
        }
    }

    /// Runs the command as a trial. What needs more than the layers provide is asked about.
    async fn try_out(&self, layers: &Layers) -> Result<ToolReport, ToolError> {
        let words = (self.command, &self.reading, &self.stale);
        let (reach, named) = Reach::named(&self.reading, self.cx);
        if !named.is_empty() {
            self.ask(named).await?;
        }
        let mut trial = layers.attempt(&self.invocation, words, reach, self.cx).await?;
        let most = Reach::most(self.cx);
        if let Trial::Failed(_) = &trial
            && reach != most
            && self.reading.leaves_something_open()
        {
            self.ask(reach.beyond("it failed when it was tried without the network", self.cx)).await?;
            trial = layers.attempt(&self.invocation, words, most, self.cx).await?;
        }
        match trial {
            Trial::Done(report) => Ok(report),
            Trial::Failed(report) => match self.cx.mode {
                // It may need what only this mode provides.
                SandboxMode::FullAccess if self.reading.names_more_than_reading() => {
                    let why = "it failed when it was tried".to_owned();
                    self.run_agreed(why).await
                }
                SandboxMode::FullAccess | SandboxMode::WorkspaceWrite | SandboxMode::ReadOnly => Ok(report),
            },
            Trial::NotTold(why) => self.run_agreed(why.to_string()).await,
        }
    }

    /// Asks about effects that no trial has shown.
    async fn ask(&self, effects: Vec<Effect>) -> Result<(), ToolError> {
        let demand = self.cx.demanded(self.reading.proposed())?;
        self.cx.consented(self.reading.question(Shell.name(), self.command, effects, demand)).await
    }

    /// Asks about the effects that the words name, and runs the command with write access. `why` explains why
    /// no trial shows its effects.
    async fn run_agreed(&self, why: String) -> Result<ToolReport, ToolError> {
        let effects = self.reading.untried(self.command, why);
        let opened: Vec<PathBuf> = self.cx.within(&self.cx.working_folder).into_iter().collect();
        let demand = self.cx.demanded(self.reading.proposed())?;
        let question = self.reading.question(Shell.name(), self.command, effects, demand);
        let beyond_undo =
            beyond_undo(&question.effects, &call_snapshot::without_room(self.cx, &opened).await?, self.cx);
        self.cx.consented(Question { beyond_undo, ..question }).await?;
        let (named, _) = Reach::named(&self.reading, self.cx);
        let mode = self.cx.mode_after_a_yes();
        self.run((mode, Reach { network: self.cx.network, ..named }), opened).await
    }

    /// Runs the command once. `opened` are folders that it may write besides the workspace.
    async fn run(
        &self,
        (mode, reach): (SandboxMode, Reach),
        opened: Vec<PathBuf>,
    ) -> Result<ToolReport, ToolError> {
        let cx = self.cx;
        let watched = match mode {
            SandboxMode::ReadOnly => Watched::nothing(),
            SandboxMode::WorkspaceWrite | SandboxMode::FullAccess => {
                call_snapshot::before_command(cx, &opened).await?
            }
        };
        let folders = cx.within(&cx.workspace).into_iter().chain(opened.iter().cloned()).collect();
        let granted = Granted::agreed(folders, watched.repositories(cx));
        let (mut stdout, mut stderr) = (cx.evidence.writer(), cx.evidence.writer());
        let live = LiveOutput::of(cx);
        let show = |channel, bytes: &[u8]| live.show(channel, bytes);
        let capture = Capture { stdout: &mut stdout, stderr: &mut stderr, on_chunk: Some(&show) };
        let outcome =
            run(&self.invocation, &confinement(cx, (mode, reach), &granted), capture, &cx.cancel).await;
        live.finish();
        // Also if the command could not be run: the call's record must be closed.
        let files = watched.after(Contents::none(cx), None, cx).await;
        let context = (cx, &granted);
        let mut report =
            report(self.command, &mut outcome?, (stdout, stderr), self.invocation.timeout, context)?;
        match files {
            Ok(observed) => report = observed.in_report(report),
            Err(error) => drop(report.failure.get_or_insert(error.failure())),
        }
        Ok(report)
    }
}

/// How the command starts. Blocks if the run's protected places are not resolved yet.
///
/// # Errors
///
/// The command is refused, with the reason.
fn begin(reading: &Reading, can_be_tried: bool, cx: &ToolContext) -> Result<Step, ToolError> {
    let can_be_confined = cx.can_be_confined()?;
    if cx.mode != SandboxMode::FullAccess {
        trial::is_seen(&cx.workspace, cx)?;
        trial::is_seen(&cx.working_folder, cx)?;
    }
    // A trial resolves what the words leave open.
    let known = reading.known();
    let proposed = if can_be_tried { ProposedEffects::from(&known) } else { reading.proposed() };
    if let Some(reason) = cx.consent.forbids(proposed) {
        return Err(ToolError::NotAllowed { effects: in_words(proposed.effects), reason });
    }
    if let Some(refusal) = reading.refusal(cx.mode) {
        return Err(refusal);
    }
    reading.refuse_changes(cx)?;
    cx.demanded(reading.proposed())?;
    Ok(gate(Case {
        mode: cx.mode,
        can_be_confined,
        can_be_tried,
        names_more_than_reading: reading.names_more_than_reading(),
        is_refused: false,
    }))
}

/// Whether a command can be tried over discarded layers. If not, a trial may write nothing. Blocks.
pub fn can_try(cx: &ToolContext) -> bool {
    cx.mode != SandboxMode::ReadOnly && Layers::look(cx).is_some()
}

/// A prediction of what a run would do with a command. See [`outlook`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outlook {
    /// How it would start.
    pub step: Step,
    /// Why it would be refused; `None` if it would not.
    pub refusal: Option<String>,
    /// The user's rule about the effects named in its words: the decision, the rule's name and the rule in
    /// words.
    pub rule: Option<(Permission, String, String)>,
    /// The effects named in its words.
    pub effects: Effects,
}

/// Predicts what a run in this context would do with a command, by the same function as the run. The actual
/// changes are only known after a trial; the words are an explanation. Nothing is executed. Blocks.
pub fn outlook(command: &str, cx: &ToolContext) -> Outlook {
    let reading = Reading::of(command, cx);
    let begun = begin(&reading, Layers::look(cx).is_some(), cx);
    let rules = cx.consent.rules();
    let ruled = rules.ruling(reading.proposed());
    Outlook {
        step: *begun.as_ref().unwrap_or(&Step::Refuse),
        refusal: begun.err().map(ToolError::rule_or_words),
        rule: ruled.map(|ruled| (ruled.decision, ruled.name(), ruled.words())),
        effects: reading.into_said(),
    }
}

/// Whether a command without write access may have needed it: it failed by itself, or printed an error.
fn may_have_been_refused(report: &ToolReport) -> bool {
    let has_complained = match &report.stderr {
        Captured::Stored(stderr) => stderr.bytes > 0,
        Captured::Nothing | Captured::Bytes(_) | Captured::Picture { .. } | Captured::Foreign { .. } => false,
    };
    match report.ending {
        CallEnding::Exited { status } => status != 0 || has_complained,
        CallEnding::Signalled { .. } => true,
        CallEnding::Returned | CallEnding::TimedOut | CallEnding::Cancelled | CallEnding::Refused => false,
    }
}

fn make_workspace(cx: &ToolContext) -> Result<(), ToolError> {
    let path = cx.workspace.display().to_string();
    fs::create_dir_all(&cx.workspace).map_err(|source| ToolError::Io { action: "create", path, source })
}

/// The confinement of a command that may write these folders.
pub(crate) fn confinement(
    cx: &ToolContext,
    (mode, reach): (SandboxMode, Reach),
    granted: &Granted,
) -> Confinement {
    Confinement {
        network: reach.network,
        own_network: cx.own_network().filter(|_| reach.is_of_the_run).cloned(),
        sockets: if reach.sockets { cx.sockets.to_vec() } else { Vec::new() },
        writable: granted.writable.clone(),
        sealed: granted.sealed.clone(),
        read_only: cx.read_only.to_vec(),
        hidden: Protected::of(cx).places().to_vec(),
        ..Confinement::new(mode, &cx.private_tmp)
    }
}

async fn off_the_async_thread<T: Send + 'static>(
    look: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ToolError> {
    tokio::task::spawn_blocking(look)
        .await
        .map_err(|panic| ToolError::Panicked { tool: Shell.name(), message: panic.to_string() })
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
    let mut report = ended(command, outcome.ending, (output, stderr), timeout, (cx, granted));
    if let Some(source) = unkept {
        report.failure = Some(lost(source).failure());
    }
    Ok(report)
}

/// The report of a command with this ending and output.
pub(crate) fn ended(
    command: &str,
    ending: Ending,
    (output, stderr): (OutputRecord, OutputRecord),
    timeout: Duration,
    (cx, granted): (&ToolContext, &Granted),
) -> ToolReport {
    let found_nothing = stderr.bytes == 0 && shell_failure::is_search_without_hit(command, ending);
    let failure = shell_failure::failure(ending, &stderr.shown, timeout, (cx, granted));
    ToolReport {
        ending: match ending {
            Ending::Exited(status) => CallEnding::Exited { status },
            Ending::Signaled(signal) => CallEnding::Signalled { signal },
            Ending::TimedOut => CallEnding::TimedOut,
            Ending::Cancelled => CallEnding::Cancelled,
            Ending::Crowded | Ending::OutOfRoom | Ending::OutOfMemory => {
                CallEnding::Signalled { signal: shell_failure::SIGKILL }
            }
        },
        failure: failure.filter(|_| !found_nothing),
        output: Captured::Stored(output),
        stderr: Captured::Stored(stderr),
        files: Vec::new(),
        build_output: Vec::new(),
        untried: None,
    }
}
