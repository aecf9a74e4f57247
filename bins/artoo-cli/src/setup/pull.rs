//! Download of the embedded model, with progress.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use artoo_llm_local::store::{
    CatalogueEntry, CommandFailure, Phase, Progress, PullOptions, RunCommand, Source,
};
use artoo_sandbox::{Capture, Ending, Invocation, SandboxError, run_unconfined};
use artoo_tools::SystemProgram;
use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use crate::commands::model::explained;
use crate::config::Settings;
use crate::dispatch::Context;
use crate::error::{CommandError, Exit};
use crate::llm_clients::model_store;
use crate::machine::{Environment, make_private, threads};
use crate::signals;
use crate::terminal::Terminal;
use crate::view::{bytes, seconds};

/// Progress step in percent if the line cannot be rewritten.
const PLAIN_STEP: u64 = 10;

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
    let bar =
        Mutex::new(Bar { terminal: context.terminal, started: Instant::now(), first: None, shown: None });
    let (pulled, interrupted) = runtime.block_on(async {
        let cancel = CancellationToken::new();
        let on_signal = cancel.clone();
        let caught = signals::catch()
            .map_err(|error| CommandError::failed("cannot listen for Ctrl+C").because(error))?;
        let interrupted = signals::watch(caught, move |_| on_signal.cancel(), std::future::ready(()));
        let mut show = |progress: Progress| {
            if let Ok(mut bar) = bar.lock() {
                bar.show(progress);
            }
        };
        let pulled = store.pull(entry, &options, &programs, &mut show, &cancel).await.map_err(explained);
        Ok::<_, CommandError>((pulled, interrupted))
    })?;
    runtime.shutdown_background();
    context.terminal.wipe();
    let pulled = match (pulled, interrupted.exit()) {
        (Ok(pulled), _) => pulled,
        (Err(error), Some(exit)) => {
            context.terminal.error(&error);
            return Ok(exit);
        }
        (Err(error), None) => return Err(error),
    };
    for (source, error) in &pulled.failed {
        context.terminal.note(&format!("not from {source}: {error}"));
    }
    match &pulled.source {
        Some(source) => context.terminal.note(&format!("fetched from {source} and verified")),
        None => context.terminal.note("it was there already, and is right"),
    }
    context.terminal.note(&format!("installed: {}", pulled.path.display()));
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
        let invocation = Invocation {
            program: program.path().into(),
            arguments: arguments.iter().map(OsString::from).collect(),
            folder: PathBuf::from(folder),
            environment: self.environment.all(),
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

/// Progress display: one rewritten line, or a plain line every ten percent.
struct Bar<'a> {
    terminal: &'a mut Terminal,
    started: Instant,
    /// Bytes already present at the start, to compute the rate.
    first: Option<u64>,
    /// What was last shown: the phase, and the step or the time.
    shown: Option<(bool, u64)>,
}

impl Bar<'_> {
    fn show(&mut self, progress: Progress) {
        let fetching = progress.phase == Phase::Fetching;
        let first = *self.first.get_or_insert(progress.done);
        let live = self.terminal.look().live;
        let step = if live {
            u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX) / 100
        } else {
            percent(progress) / PLAIN_STEP
        };
        if self.shown == Some((fetching, step)) {
            return;
        }
        self.shown = Some((fetching, step));
        let rate =
            progress.done.saturating_sub(first).checked_div(self.started.elapsed().as_secs()).unwrap_or(0);
        let line = bar(progress, rate, self.terminal.look().columns);
        if live { self.terminal.status(&line) } else { self.terminal.note(&line) }
    }
}

fn percent(progress: Progress) -> u64 {
    progress.done.saturating_mul(100).checked_div(progress.total).unwrap_or(0).min(100)
}

/// The progress line: text and numbers first, then a bar if there is room.
fn bar(progress: Progress, rate: u64, columns: usize) -> String {
    let word = match progress.phase {
        Phase::Fetching => "fetching",
        Phase::Verifying => "verifying",
    };
    let percent = percent(progress);
    let mut line = format!("{percent:>3} % {word} {} of {}", bytes(progress.done), bytes(progress.total));
    if progress.phase == Phase::Fetching && rate > 0 {
        let left = progress.total.saturating_sub(progress.done) / rate;
        line.push_str(&format!(", {}/s, {} left", bytes(rate), seconds(Duration::from_secs(left))));
    }
    let room = columns.saturating_sub(line.len() + 4).min(30);
    if room >= 10 {
        let full = usize::try_from(percent).unwrap_or(0) * room / 100;
        line.push_str(&format!("  {}{}", "█".repeat(full), "░".repeat(room - full)));
    }
    line
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

    #[test]
    fn a_bar_fits_and_tells() {
        let progress = |phase, done| Progress { phase, done, total: 1_117_320_768 };
        insta::assert_snapshot!(bar(progress(Phase::Fetching, 558_660_384), 12_000_000, 80), @" 50 % fetching 558 MB of 1.1 GB, 12.0 MB/s, 46 s left  ███████████░░░░░░░░░░░░");
        insta::assert_snapshot!(bar(progress(Phase::Verifying, 1_117_320_768), 0, 40), @"100 % verifying 1.1 GB of 1.1 GB");
        insta::assert_snapshot!(bar(Progress { phase: Phase::Fetching, done: 0, total: 0 }, 0, 20), @"  0 % fetching 0 B of 0 B");
    }
}
