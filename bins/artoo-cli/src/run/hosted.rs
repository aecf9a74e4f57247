//! Begins a run that a front end follows: what `artoo run` does up to the first message, without a terminal.

use artoo_auditor::RunFindings;
use artoo_bus::{Clock as _, SystemClock};
use artoo_front_end::{HostRequest, HostedRun, RunMode, WhileRunning};
use artoo_runtime::events::Event;
use artoo_sandbox::{SandboxMode, reduced_mode};
use artoo_types::Approval;
use tokio::runtime::Runtime;

use super::before_run::BeforeRun;
use super::execute::{hosted_artoo, listening, names, not_begun};
use super::option_overrides;
use super::prepare::{Connected, FrontEndState, Prepared, prepare};
use super::session::Wanted;
use super::standing::Several;
use crate::args::{PermissionArgs, RunArgs};
use crate::commands::Loaded;
use crate::dispatch::Context;
use crate::error::CommandError;
use crate::instructions;
use crate::machine::threads;
use crate::servers::RunningServers;

/// What the runs of a host share.
#[derive(Default)]
pub(crate) struct HostedRuns {
    connected: Option<Connected>,
    artoos: Several,
    servers: RunningServers,
}

impl HostedRuns {
    /// Ends everything: active runs are cancelled and recorded.
    pub(crate) async fn close(&mut self) {
        self.artoos.close().await;
        self.servers.close().await;
    }
}

/// Begins a run. Blocks while something is asked before it.
pub(crate) fn begin_hosted(
    context: &mut Context<'_>,
    request: HostRequest,
    asked: &dyn BeforeRun,
    runs: &mut HostedRuns,
    threads: &Runtime,
) -> Result<HostedRun, CommandError> {
    threads::room_for_a_run()?;
    let args = arguments(&request);
    let mut loaded = Loaded::load(context, option_overrides::given(&args)?)?;
    let wanted = request.session.map_or(Wanted::None, Wanted::Known);
    let kept = FrontEndState {
        connected: &mut runs.connected,
        servers: &mut runs.servers,
        of_client: &request.servers,
        attachments: request.attachments,
        threads,
    };
    let mut prepared = prepare(context, &args, &mut loaded, request.text, &wanted, asked, kept)?;
    prepared.request.person_present = request.user_present;
    prepared.request.open_files = request.open_files;
    if runs.artoos.is_unused()
        && let Some(summary) = reduced_mode().and_then(|reduced| reduced.summary(prepared.request.sandbox))
    {
        asked.warn(context.terminal, &summary);
    }
    threads.block_on(start(context, &args, prepared, &mut runs.artoos))
}

/// The options that `artoo run` would have.
fn arguments(request: &HostRequest) -> RunArgs {
    let (approval, sandbox) = match request.mode {
        RunMode::ReadOnly => (Approval::Auto, Some(SandboxMode::ReadOnly)),
        RunMode::Ask => (Approval::Ask, None),
        RunMode::Auto => (Approval::Auto, None),
        RunMode::Never => (Approval::Never, None),
    };
    let cwd = Some(request.folder.clone());
    RunArgs {
        permissions: PermissionArgs { approval, sandbox, cwd, ..PermissionArgs::default() },
        ..RunArgs::default()
    }
}

async fn start(
    context: &mut Context<'_>,
    args: &RunArgs,
    prepared: Prepared,
    artoos: &mut Several,
) -> Result<HostedRun, CommandError> {
    let (artoo, in_use) = hosted_artoo(context, args, &prepared, artoos).await?;
    context.log_secrets.are(artoo.redactor());
    let findings = RunFindings::new(names(&prepared), SystemClock::new().now());
    let (now, text) = (prepared.request.surroundings.now, prepared.request.text.clone());
    let turns = prepared.request.turns.clone();
    let run = artoo.start(prepared.request).map_err(|error| not_begun(&error))?;
    let conversation = prepared.conversation;
    // If the request could not be stored, its end is not stored either; a warning has been logged.
    let kept = conversation.filter(|one| one.ask(context.terminal, run.id(), now, &text));
    let listening = listening(&run, args, context.terminal)?;
    let data_dir = prepared.settings.data_dir;
    let beside = WhileRunning {
        artoo,
        findings,
        session: kept.map(|conversation| conversation.into_parts(turns)),
        watch: Box::new(move |line| {
            if let Event::ToolFinished { files, .. } = &line.event {
                instructions::written(&data_dir, files);
            }
        }),
        kept: vec![Box::new(listening), Box::new(in_use)],
    };
    Ok(HostedRun::new(run, beside))
}
