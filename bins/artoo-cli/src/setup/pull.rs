//! Download of the embedded model, with progress. Ctrl+C keeps what has arrived.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use artoo_llm_local::store::{
    CatalogueEntry, CommandFailure, ModelState, Progress, PullOptions, RunCommand, Source, StoreError,
};
use artoo_sandbox::{Capture, Ending, Invocation, SandboxError, run_unconfined};
use artoo_tools::SystemProgram;
use async_trait::async_trait;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use super::download_line::DownloadLine;
use super::questions::tell;
use crate::commands::model::explained;
use crate::config::Settings;
use crate::dispatch::Context;
use crate::error::{CommandError, Exit};
use crate::llm_clients::model_store;
use crate::machine::{Environment, make_private, threads};
use crate::run::deaf;
use crate::signals;
use crate::terminal::Terminal;
use crate::view::bytes;

/// How often the line is looked at while nothing arrives.
const TICK: Duration = Duration::from_millis(500);

/// Fetches a model from the known sources or from the given one, and prints its path.
pub(crate) fn pull(
    context: &mut Context<'_>,
    settings: &Settings,
    entry: &CatalogueEntry,
    from: Option<&str>,
) -> Result<Exit, CommandError> {
    make_private(&settings.data_dir).map_err(|error| {
        CommandError::failed(format!("cannot make {}", settings.data_dir.display()))
            .because(error)
            .hint("choose another with --data-dir DIR")
    })?;
    let options = match from {
        None => PullOptions::default(),
        Some(from) => PullOptions { sources: vec![source(context, from)?], ..PullOptions::default() },
    };
    let runtime = threads::for_runs()?;
    let store = model_store(&settings.data_dir);
    let programs = Programs { environment: context.environment };
    context.terminal.note(&format!("{}: {}, licence {}", entry.name, bytes(entry.size), entry.licence));
    let display = Mutex::new(Display {
        terminal: context.terminal,
        line: DownloadLine::default(),
        started: Instant::now(),
    });
    let (pulled, interrupted) = runtime.block_on(async {
        let cancel = CancellationToken::new();
        let on_signal = cancel.clone();
        let caught = signals::catch().map_err(deaf)?;
        let interrupted = signals::watch(caught, move |_| on_signal.cancel(), std::future::ready(()));
        let mut show = |progress| Display::show(&display, Some(progress));
        let pulling = store.pull(entry, &options, &programs, &mut show, &cancel);
        tokio::pin!(pulling);
        let mut tick = tokio::time::interval(TICK);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let pulled = loop {
            tokio::select! {
                pulled = &mut pulling => break pulled,
                _ = tick.tick() => Display::show(&display, None),
            }
        };
        Ok::<_, CommandError>((pulled, interrupted))
    })?;
    runtime.shutdown_background();
    context.terminal.wipe();
    let pulled = match (pulled, interrupted.exit()) {
        (Ok(pulled), _) => pulled,
        (Err(StoreError::Cancelled { .. }), Some(exit)) => {
            kept(context, store.state(entry).map_err(explained)?, entry);
            return Ok(exit);
        }
        (Err(error), Some(exit)) => {
            context.terminal.error(&explained(error));
            return Ok(exit);
        }
        (Err(error), None) => return Err(explained(error)),
    };
    for (_, error) in &pulled.failed {
        tell(context.terminal, 0, &format!("tried before: {error}"));
    }
    let fetched = match &pulled.source {
        Some(source) => format!("fetched from {source} and verified"),
        None => "it was there already, and is right".to_owned(),
    };
    tell(context.terminal, 0, &fetched);
    tell(context.terminal, 0, &format!("installed: {}", pulled.path.display()));
    Ok(Exit::OK)
}

/// The given source: a URL or a file.
fn source(context: &Context<'_>, from: &str) -> Result<Source, CommandError> {
    if from.starts_with("http://") || from.starts_with("https://") {
        return Ok(Source::Url(from.to_owned()));
    }
    let path = context.folders.whole(Path::new(from))?;
    if path.is_file() {
        return Ok(Source::File(path));
    }
    Err(CommandError::usage(format!("--from {from} is neither a file nor an http address"))
        .hint("name the GGUF file, or an address that begins with https://"))
}

/// Runs the package tool for the model store, which starts no processes itself. It must be the system's, not one that a run left in
/// a folder of `PATH`. It runs without the kernel's rules: a person has asked for it, and it needs their settings of the network
/// (proxy, certificates, index), which no confined command gets.
struct Programs<'a> {
    environment: &'a Environment,
}

#[async_trait]
impl RunCommand for Programs<'_> {
    async fn run(&self, program: &str, arguments: &[String], folder: &Path) -> Result<(), CommandFailure> {
        let Some(program) = SystemProgram::find(program, &self.environment.search_path()) else {
            return Err(CommandFailure::NotFound);
        };
        let mut environment = self.environment.all();
        // What arrives is counted in this folder, and goes with it.
        environment.insert("TMPDIR".into(), folder.into());
        let invocation = Invocation {
            program: program.path().into(),
            arguments: arguments.iter().map(OsString::from).collect(),
            folder: PathBuf::from(folder),
            environment,
            timeout: Duration::from_secs(3600),
            keep: 64 * 1024,
        };
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let capture = Capture { stdout: &mut out, stderr: &mut err, on_chunk: None };
        let ended = run_unconfined(&invocation, capture, &CancellationToken::new()).await;
        match ended.map(|outcome| outcome.ending) {
            Ok(Ending::Exited(0)) => Ok(()),
            // Without confinement, the limits on processes, disk space and memory are not enforced.
            Ok(
                Ending::Exited(_)
                | Ending::Signaled(_)
                | Ending::TimedOut
                | Ending::Cancelled
                | Ending::Crowded
                | Ending::OutOfRoom
                | Ending::OutOfMemory,
            ) => Err(CommandFailure::Failed(last_lines(&err))),
            Err(SandboxError::Start { .. }) => Err(CommandFailure::NotFound),
            Err(error) => Err(CommandFailure::Failed(error.to_string())),
        }
    }
}

fn last_lines(output: &[u8]) -> String {
    let text = String::from_utf8_lossy(output);
    let mut lines: Vec<&str> = text.lines().rev().filter(|line| !line.trim().is_empty()).take(3).collect();
    lines.reverse();
    lines.join(" / ")
}

/// Tells how much of an interrupted download is kept.
fn kept(context: &mut Context<'_>, state: ModelState, entry: &CatalogueEntry) {
    let there = match state {
        ModelState::Partial { bytes: there } => format!("{} of {} are kept", bytes(there), bytes(entry.size)),
        ModelState::Absent | ModelState::Installed { .. } | ModelState::Corrupt { .. } => {
            "nothing had arrived".to_owned()
        }
    };
    context.terminal.note(&format!("stopped: {there}"));
    context.terminal.hint("the next download goes on there: artoo model pull");
}

/// Shows how far the download is.
struct Display<'a> {
    terminal: &'a mut Terminal,
    line: DownloadLine,
    started: Instant,
}

impl Display<'_> {
    /// Shows news of the download, or that time goes on.
    fn show(display: &Mutex<Self>, news: Option<Progress>) {
        let mut display = display.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, look) = (display.started.elapsed(), display.terminal.look());
        let line = match news {
            Some(progress) => display.line.on(at, progress, look),
            None => display.line.at(at, look),
        };
        let Some(line) = line else { return };
        if look.live { display.terminal.status(&line) } else { display.terminal.note(&line) }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    /// A run may have left a program of this name in a folder of `PATH`.
    #[tokio::test]
    async fn a_package_tool_that_the_user_could_have_put_there_is_not_started() {
        let folder = tempfile::tempdir().unwrap();
        let open = folder.path().join("bin");
        std::fs::create_dir(&open).unwrap();
        let mark = folder.path().join("started");
        std::fs::write(open.join("pip3"), format!("#!/bin/sh\n: > '{}'\n", mark.display())).unwrap();
        for (path, mode) in [(open.join("pip3"), 0o755), (open.clone(), 0o777)] {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        }
        let environment = Environment::new([("PATH".into(), open.into())]);
        let ran = Programs { environment: &environment }.run("pip3", &[], folder.path()).await;
        assert_eq!((ran, mark.exists()), (Err(CommandFailure::NotFound), false));
    }
}
