//! `artoo sandbox`: runs a single command of the user with the confinement and record of a run.

use std::path::Path;
use std::sync::Arc;

use artoo_auditor::RunFindings;
use artoo_bus::{Clock as _, SystemClock};
use artoo_runtime::sessions::MAX_RESULT;
use artoo_tools::EvidenceStore;
use artoo_types::{CallEnding, CallFailure, FileChange, GiveUpKind, OutputRecord, ToolCall};
use serde::Serialize;
use tokio::runtime::Runtime;

use super::ask::{Asking, Keyboard};
use super::attend::{After, Attended, View, attend};
use super::execute::{Done, builder, built, not_begun, policy_file, tell_fault};
use super::option_overrides::given_for_command;
use super::output::Show;
use super::prepare::{Prepared, prepare_command};
use super::session::{Conversation, Wanted};
use super::{from_stdin, once};
use crate::args::SandboxArgs;
use crate::commands::Loaded;
use crate::dispatch::Context;
use crate::error::{CommandError, Exit};
use crate::machine::threads;
use crate::signals::Signals;
use crate::terminal::{neutral, neutral_json};
use crate::view::{Frame, Outcome, file_lines, short_id};

/// Output of `--json`.
#[derive(Serialize)]
struct Page<'a> {
    run_id: &'a str,
    command: &'a str,
    exit_code: u8,
    /// How the command ended; null if it was not started.
    ending: Option<&'a CallEnding>,
    /// Why it failed or was refused.
    failure: Option<&'a CallFailure>,
    stdout: String,
    /// Bytes beyond what is kept.
    stdout_dropped_bytes: u64,
    stderr: String,
    stderr_dropped_bytes: u64,
    files: &'a [FileChange],
    duration_ms: u64,
}

/// Runs the command in a program of its own.
pub(crate) fn sandbox(context: &mut Context<'_>, args: &SandboxArgs) -> Result<Exit, CommandError> {
    let threads = threads::for_runs()?;
    let signals = once(&threads)?;
    let done = carried_out(context, args, &Wanted::None, &threads, (signals, from_stdin()));
    threads.shutdown_background();
    done.map(|done| done.exit)
}

/// Runs the command as part of a session and passes on its output when it has ended: the command may have
/// been tried first, and a trial that is not approved has not happened.
pub(crate) fn carried_out(
    context: &mut Context<'_>,
    args: &SandboxArgs,
    wanted: &Wanted,
    threads: &Runtime,
    (signals, keyboard): (Signals, Arc<dyn Keyboard>),
) -> Result<Done, CommandError> {
    threads::room_for_a_run()?;
    let loaded = Loaded::load(context, given_for_command(args)?)?;
    let prepared = prepare_command(context, args, &loaded, wanted)?;
    threads.block_on(carry_out(context, args, prepared, signals, keyboard))
}

async fn carry_out(
    context: &mut Context<'_>,
    args: &SandboxArgs,
    prepared: Prepared,
    signals: Signals,
    keyboard: Arc<dyn Keyboard>,
) -> Result<Done, CommandError> {
    let artoo = built(builder(context, &prepared).without_model())?;
    context.log_secrets.are(artoo.redactor());
    let policy = policy_file(context, &prepared.policy.rules);
    let person_present = prepared.request.person_present;
    let show = Show::of_command(context.common.verbose > 0);
    let now = prepared.request.surroundings.now;
    let working_folder = prepared.request.surroundings.working_folder.clone();
    let run = artoo.command(prepared.request).map_err(|error| not_begun(&error))?;
    let run_id = run.id();
    let asked = format!("! {}", args.text());
    let conversation = prepared.conversation;
    let kept =
        conversation.as_ref().filter(|conversation| conversation.ask(context.terminal, run_id, now, &asked));
    let data_dir = prepared.settings.data_dir.clone();
    let view = View::new(show, RunFindings::new([], SystemClock::new().now()), run.canceller(), data_dir);
    let asking = Asking::new(run.answerer(), keyboard, policy).in_folder(&working_folder);
    let attended = attend(context.terminal, (artoo, run, After::Close), signals, view, asking).await;
    let Attended { finished, mut view, interrupted, folder } = attended;
    if let Some((conversation, mut end)) = kept.zip(view.end.take()) {
        // The command's output is part of the next request's context.
        end.result = view.call.as_ref().map(said).unwrap_or_default();
        conversation.end(context.terminal, run_id, end);
    }
    let code = view.outcome.as_ref().map_or_else(|| artoo_runtime::exit_code(&finished), |end| end.exit_code);
    let call = view.call.as_ref();
    if args.json {
        let (run_id, command) = (finished.run_id.to_string(), args.text());
        let page = page(&run_id, &command, code, call, &folder);
        let json = serde_json::to_string(&page)
            .map_err(|error| CommandError::failed("cannot write JSON").because(error))?;
        context.terminal.data(&format!("{}\n", neutral_json(&json)))?;
    } else if let Some(call) = call {
        pass_on(context, call, &folder)?;
    }
    tell_fault(context.terminal, &finished);
    if let (None, Some(refused)) = (&finished.fault, &finished.gave_up) {
        context.terminal.error(&CommandError::failed(refused.reason.clone()));
        if !person_present && refused.kind == GiveUpKind::NeedsConsent {
            let failure = call.and_then(|call| call.failure.as_ref());
            let own = failure.and_then(|failure| failure.hint.as_deref());
            let own = own.filter(|_| view.missing_consent.is_empty());
            context.terminal.hint(&own.map_or_else(|| view.missing_consent.hint(), str::to_owned));
        }
    }
    if let (Some(outcome), false) = (&view.outcome, args.json) {
        tell_files(context, outcome, &view.show);
    }
    if let Some(error) = view.trouble {
        return Err(error);
    }
    // A signal that came when the result was there changes nothing.
    let was_cut_short = finished.fault.as_ref().is_some_and(|fault| fault.kind.cuts_short());
    let exit = interrupted.exit().filter(|_| was_cut_short).unwrap_or(Exit::of_run(code));
    let session = conversation.as_ref().map(Conversation::id);
    Ok(Done { run_id, exit, session, unused: Vec::new() })
}

fn page<'a>(
    run_id: &'a str,
    command: &'a str,
    exit_code: u8,
    call: Option<&'a ToolCall>,
    folder: &Path,
) -> Page<'a> {
    let whole = |record: Option<&OutputRecord>| {
        let bytes = record.map(|record| whole(record, folder)).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let (stdout, stderr) = (call.map(|call| &call.output), call.map(|call| &call.stderr));
    let dropped = |record: Option<&OutputRecord>| record.map_or(0, |record| record.dropped_bytes);
    Page {
        run_id,
        command,
        exit_code,
        ending: call.map(|call| &call.ending),
        failure: call.and_then(|call| call.failure.as_ref()),
        stdout: whole(stdout),
        stdout_dropped_bytes: dropped(stdout),
        stderr: whole(stderr),
        stderr_dropped_bytes: dropped(stderr),
        files: call.map(|call| call.files.as_slice()).unwrap_or_default(),
        duration_ms: call.map_or(0, |call| call.duration_ms),
    }
}

/// Passes both streams on: into a pipe byte for byte, to a terminal sanitized.
fn pass_on(context: &mut Context<'_>, call: &ToolCall, folder: &Path) -> Result<(), CommandError> {
    let stdout = whole(&call.output, folder);
    if context.streams.stdout {
        context.terminal.data(&neutral(&String::from_utf8_lossy(&stdout)))?;
    } else {
        context.terminal.data_bytes(&stdout)?;
    }
    let stderr = whole(&call.stderr, folder);
    for line in neutral(&String::from_utf8_lossy(&stderr)).lines() {
        context.terminal.note(line);
    }
    for (name, record) in [("output", &call.output), ("complaints", &call.stderr)] {
        if record.dropped_bytes > 0 {
            let dropped = record.dropped_bytes;
            context.terminal.warning(&format!("{dropped} bytes of its {name} were too many to keep"));
        }
    }
    Ok(())
}

/// The redacted output as far as it is kept; if the store cannot be read, the excerpt in the record.
fn whole(record: &OutputRecord, folder: &Path) -> Vec<u8> {
    let kept = record
        .evidence
        .as_ref()
        .and_then(|id| EvidenceStore::unmade(artoo_runtime::runs::evidence_folder(folder)).get(id).ok());
    kept.unwrap_or_else(|| record.shown.clone().into_bytes())
}

/// The output as shown in the record: bounded and redacted.
fn said(call: &ToolCall) -> String {
    let said = [call.output.shown.as_str(), call.stderr.shown.as_str()].concat();
    said.chars().take(MAX_RESULT).collect()
}

/// Prints the changed files and how to undo the changes.
fn tell_files(context: &mut Context<'_>, outcome: &Outcome, show: &Show) {
    let lines =
        file_lines(outcome, &show.story(), Frame::new(context.terminal.look(), context.common.verbose > 0));
    if lines.is_empty() {
        return;
    }
    for line in lines {
        context.terminal.note(&line);
    }
    context.terminal.advice(&format!("to take it back: artoo undo {}", short_id(&outcome.run_id)));
}
