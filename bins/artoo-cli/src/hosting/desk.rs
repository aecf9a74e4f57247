//! The main thread of a host: it does the jobs of the front end until that ends, or a signal comes.

use std::path::Path;
use std::sync::{Arc, mpsc};

use artoo_bus::{Clock as _, SystemClock};
use artoo_front_end::{Host, HostError, HostErrorKind};
use artoo_redaction::Redactor;
use artoo_runtime::owner_only;
use artoo_runtime::sessions::Sessions;
use artoo_types::SessionId;
use tokio::runtime::Runtime;

use super::confirm::ByFrontEnd;
use super::inquiry;
use super::seat::{Job, Seat};
use crate::commands::Loaded;
use crate::config::Given;
use crate::dispatch::Context;
use crate::error::{CommandError, Exit, Kind};
use crate::machine::threads;
use crate::run::{HostedRuns, begin_hosted, deaf, explained, remember_rule};
use crate::signals;

/// Serves a front end until it ends. `front_end` is given the host.
pub(crate) fn serve<F, E>(
    context: &mut Context<'_>,
    front_end: impl FnOnce(Arc<dyn Host>) -> F,
) -> Result<Exit, CommandError>
where
    F: Future<Output = Result<(), E>> + Send + 'static,
    E: std::error::Error + Send + Sync + 'static,
{
    let threads = threads::for_runs()?;
    let (send, jobs) = mpsc::channel();
    let ended = send.clone();
    let mut caught = {
        let _inside = threads.enter();
        signals::catch().map_err(deaf)?
    };
    let served = front_end(Arc::new(Seat::new(send)));
    threads.spawn(async move {
        let exit = tokio::select! {
            served = served => match served {
                Ok(()) => Exit::OK,
                Err(error) => {
                    tracing::warn!(%error, "the connection failed");
                    Exit::FAILED
                }
            },
            exit = caught.ended() => exit,
        };
        // The main thread has ended only if the program has.
        let _ = ended.send(Job::End(exit));
    });
    let mut runs = HostedRuns::default();
    let exit = work(context, &jobs, &mut runs, &threads);
    threads.block_on(runs.close());
    // Does not wait: a read of standard input cannot be cancelled.
    threads.shutdown_background();
    Ok(exit)
}

fn work(
    context: &mut Context<'_>,
    jobs: &mpsc::Receiver<Job>,
    runs: &mut HostedRuns,
    threads: &Runtime,
) -> Exit {
    // Whoever asked may have gone: then nobody needs the result, and a run that was begun is cancelled with it.
    while let Ok(job) = jobs.recv() {
        match job {
            Job::Ready(send) => drop(send.send(ready(context).map_err(told))),
            Job::Begin(request, send) => {
                let asked = ByFrontEnd::new(Arc::clone(&request.confirm), threads.handle().clone());
                let begun = begin_hosted(context, *request, &asked, runs, threads);
                drop(send.send(begun.map_err(told)));
            }
            Job::BeginSession(folder, send) => drop(send.send(begin_session(context, &folder).map_err(told))),
            Job::Sessions(send) => drop(send.send(sessions(context).map_err(told))),
            Job::Inquire(inquiry, form, send) => {
                drop(send.send(inquiry::answer(context, inquiry, form).map_err(told)));
            }
            Job::AllowAlways(rule, reason, send) => {
                drop(send.send(remember_rule(context, &rule, &reason).map_err(told)));
            }
            Job::End(exit) => return exit,
        }
    }
    Exit::OK
}

fn ready(context: &mut Context<'_>) -> Result<(), CommandError> {
    Loaded::load(context, Given::default())?.models(context).map(drop)
}

fn begin_session(context: &mut Context<'_>, folder: &Path) -> Result<SessionId, CommandError> {
    let settings = Loaded::load(context, Given::default())?.settings;
    owner_only::data_folder(&settings.data_dir).map_err(|error| {
        CommandError::failed(format!("the data folder {} cannot be used", settings.data_dir.display()))
            .because(error)
    })?;
    let sessions = Sessions::new(&settings.data_dir, Redactor::new());
    sessions.begin(folder, SystemClock::new().now()).map(|session| session.id).map_err(explained)
}

fn sessions(context: &mut Context<'_>) -> Result<Sessions, CommandError> {
    let settings = Loaded::load(context, Given::default())?.settings;
    // Nothing is written through this one: requests and their ends are kept by the run.
    Ok(Sessions::new(&settings.data_dir, Redactor::new()))
}

/// The error for a front end.
fn told(error: CommandError) -> HostError {
    let kind = match error.kind() {
        Kind::Usage => HostErrorKind::Invalid,
        Kind::NoModel => HostErrorKind::NoModel,
        Kind::Configuration | Kind::Failed | Kind::Truncated | Kind::BrokenPipe => HostErrorKind::Failed,
    };
    HostError { kind, message: error.to_string(), hint: error.next_step().map(str::to_owned) }
}
