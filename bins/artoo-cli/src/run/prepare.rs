//! Validation and preparation of a run: finds every problem that can be found before the run starts.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use artoo_bus::{Clock, SystemClock};
use artoo_front_end::{Attachment, ClientServer};
use artoo_llm_client::LlmClient as _;
use artoo_llm_client::cassette::Redaction;
use artoo_mcp::Connection;
use artoo_policy::Policy;
use artoo_redaction::{Redactor, secrets_of};
use artoo_runtime::RunRequest;
use artoo_runtime::owner_only::{self, StaysOpen};
use artoo_sandbox::SandboxMode;
use artoo_tools::Toolbox;
use artoo_types::{Constraints, Limits, Price, Prices, Role, SubTaskOutcome, Surroundings};
use chrono::{DateTime, FixedOffset};
use tokio::runtime::Runtime;

use super::ask::person_present;
use super::attachments;
use super::before_run::BeforeRun;
use super::output_schema;
use super::session::{self, Conversation, Wanted};
use crate::args::{RunArgs, SandboxArgs};
use crate::cassette::{self, Label};
use crate::commands::Loaded;
use crate::config::{self, ROLES, RoleModels, Settings, prices};
use crate::dispatch::Context;
use crate::error::CommandError;
use crate::instructions;
use crate::llm_clients::{self, Clients};
use crate::machine::{Environment, writable, zone_name};
use crate::servers::{self, RunningServers, ServersOfRun};
use crate::tools;

/// A run that is ready to start.
pub(crate) struct Prepared {
    /// The request with its limits.
    pub(super) request: RunRequest,
    /// Results of an earlier run of the same request.
    pub(super) kept: Option<Vec<SubTaskOutcome>>,
    /// The clients of the models.
    pub(super) clients: Clients,
    /// Prices of the models.
    pub(super) prices: Prices,
    /// Whether the embedded model is used: it gets longer deadlines, and questions are answered twice.
    pub(super) embedded: bool,
    /// The available tools that the user granted.
    pub(super) toolbox: Toolbox,
    /// The user's approval rules, and the places that runs leave alone.
    pub(super) policy: Policy,
    /// Path of the configuration file, which need not exist.
    pub(super) configuration: PathBuf,
    /// Values that must never reach a journal.
    pub(super) secrets: Vec<String>,
    /// The rest of the configuration.
    pub(super) settings: Settings,
    /// The session that the run belongs to.
    pub(super) conversation: Option<Conversation>,
    /// The servers of tools that it may use.
    pub(super) servers: Vec<Arc<Connection>>,
}

/// The clients of a run, reused by the next run with the same models.
pub(crate) struct Connected {
    models: RoleModels,
    clients: Clients,
}

/// What is kept from one run to the next, and what a front end adds to a run.
pub(super) struct FrontEndState<'a> {
    /// The clients of the previous run.
    pub(super) connected: &'a mut Option<Connected>,
    /// The servers of tools that run.
    pub(super) servers: &'a mut RunningServers,
    /// The servers that a client passes.
    pub(super) of_client: &'a [ClientServer],
    /// What a client attached.
    pub(super) attachments: Vec<Attachment>,
    /// Where servers are talked with.
    pub(super) threads: &'a Runtime,
}

/// Checks rules, folders and models, and prepares a run.
pub(super) fn prepare(
    context: &mut Context<'_>,
    args: &RunArgs,
    loaded: &mut Loaded,
    text: String,
    wanted: &Wanted,
    asked: &dyn BeforeRun,
    kept: FrontEndState<'_>,
) -> Result<Prepared, CommandError> {
    let FrontEndState { connected, servers, of_client, attachments, threads } = kept;
    let schema_file = args.output_schema.as_deref().map(|file| context.folders.whole(file)).transpose()?;
    let output_schema = schema_file.as_deref().map(output_schema::read).transpose()?;
    let here = working_folder(context, args.permissions.cwd.as_deref())?;
    let session = session::find(&loaded.settings.data_dir, wanted, &here)?;
    let home = &context.folders.home;
    let policy = config::own_policy(context.environment, home)?;
    // Before anything is asked: without a model, the person is asked for one, and the run is prepared again.
    let models = if args.replay.is_some() { None } else { Some(loaded.models(context)?) };
    let working_folder = session::folder(context, args, asked, session.as_ref(), here)?;
    let settings = loaded.settings.clone();
    let prices = match &models {
        Some(models) => prices(models, &loaded.sections.prices, settings.max_cost.is_some())?,
        None => free(),
    };
    places(context, &settings)?;

    let toolbox = tools::probe(&settings.tools, context.environment)?.toolbox;
    let chosen = models.iter().flat_map(RoleModels::distinct).filter_map(|choice| choice.key_env.clone());
    let mut secrets = secrets(context, chosen);
    secrets.extend(tools::secret(&settings.tools, context.environment).map(|key| key.trim().to_owned()));
    let redactor = redactor(context.environment, &secrets);
    let redaction = redaction(context, redactor.clone(), &working_folder, &settings);
    let instructions = if args.replay.is_some() {
        Vec::new()
    } else {
        instructions::followed(context, &settings, &working_folder, asked)
    };
    let now = SystemClock::new().now();
    let mut label = Label {
        started: now,
        zone: zone_name(context.environment, &now.offset().to_string()),
        embedded: models.as_ref().is_some_and(RoleModels::embedded),
        instructions,
    };
    let clients = match (&models, &args.replay, &args.record) {
        (_, Some(folder), _) => {
            let clients = cassette::replay(folder, &redaction)?;
            label = Label::read(folder)?;
            clients
        }
        (Some(models), None, record) => {
            let known = connected.take().filter(|known| known.models == *models);
            let clients = match known {
                Some(known) => known.clients,
                None => llm_clients::connect(models, &settings, context.environment)?,
            };
            *connected = Some(Connected { models: models.clone(), clients: Clients::clone(&clients) });
            match record {
                None => clients,
                Some(folder) => {
                    let recording = cassette::record(models, &clients, folder, &redaction)?;
                    label.write(folder, &redaction)?;
                    recording
                }
            }
        }
        (None, None, _) => {
            return Err(CommandError::configuration("no model is set up").hint("run `artoo setup`"));
        }
    };

    // A recording is self-contained.
    let is_alone = args.record.is_some() || args.replay.is_some();
    let of_run = if is_alone {
        ServersOfRun::default()
    } else {
        let place = (working_folder.as_path(), of_client);
        servers::prepared(context, (&settings, &policy), place, asked, servers, threads)
    };
    let profile = clients.get(&Role::Executor).map(|client| client.profile()).unwrap_or_default();
    let toolbox = of_run.offered_in(toolbox, &profile);
    let mut attached = attachments;
    attached.extend(of_run.attachments(&text, threads)?);
    let text = attachments::named_in(&text, &attached, &settings.workspace)?;

    let limits = Limits {
        max_replans: settings.max_replans,
        max_retries: settings.max_retries,
        time_budget_ms: millis(settings.budget(label.embedded)),
        max_time_ms: settings.time_budget.map(millis),
        max_tokens: settings.max_tokens,
        max_cost: settings.max_cost,
        checkpoints: settings.checkpoints,
    };
    let begins = (working_folder.as_path(), now);
    let conversation =
        Conversation::open(context.terminal, &settings.data_dir, redactor, (wanted, session), begins);
    let undoable = conversation.as_ref().map(|one| one.undoable(&settings.data_dir)).unwrap_or_default();
    let turns = conversation.as_ref().map(|one| one.recent(&undoable)).unwrap_or_default();
    let surroundings = surroundings(context, &settings, working_folder, (label.started, label.zone));
    let (sandbox, network, timeout) = (settings.sandbox, settings.network(), settings.timeout);
    // A question waits for whoever answers over the socket.
    let person_present = args.is_answered_by_socket() || asked.is_there();
    let deadline = args.deadline.and_then(|deadline| deadline.ahead(now));
    let constraints = Constraints { scope: args.scope.clone(), deadline };
    let request = RunRequest {
        turns,
        constraints,
        undoable,
        instructions: label.instructions,
        limits,
        sandbox,
        network,
        approval: args.permissions.approval,
        granted: args.permissions.yes.iter().copied().collect(),
        timeout,
        person_present,
        output_schema,
        ..RunRequest::new(text, surroundings)
    };
    let embedded = label.embedded;
    let configuration = loaded.file.clone();
    Ok(Prepared {
        request,
        kept: None,
        clients,
        prices,
        embedded,
        toolbox,
        policy,
        configuration,
        secrets,
        settings,
        conversation,
        servers: of_run.connections,
    })
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Prepares a single command, which needs no model.
pub(super) fn prepare_command(
    context: &mut Context<'_>,
    args: &SandboxArgs,
    loaded: &Loaded,
    wanted: &Wanted,
) -> Result<Prepared, CommandError> {
    let permissions = &args.permissions;
    let working_folder = working_folder(context, permissions.cwd.as_deref())?;
    let home = &context.folders.home;
    let policy = config::own_policy(context.environment, home)?;
    let settings = loaded.settings.clone();
    places(context, &settings)?;
    let mut secrets = secrets(context, loaded.sections.key_variables());
    secrets.extend(tools::secret(&settings.tools, context.environment).map(|key| key.trim().to_owned()));
    let now = SystemClock::new().now();
    let zone = zone_name(context.environment, &now.offset().to_string());
    let session = session::find(&settings.data_dir, wanted, &working_folder)?;
    let (redactor, begins) = (redactor(context.environment, &secrets), (working_folder.as_path(), now));
    let conversation =
        Conversation::open(context.terminal, &settings.data_dir, redactor, (wanted, session), begins);
    let request = RunRequest {
        sandbox: settings.sandbox,
        network: settings.network(),
        approval: permissions.approval,
        granted: permissions.yes.iter().copied().collect(),
        timeout: args.timeout,
        person_present: person_present(context.streams, args.json, QUIET),
        ..RunRequest::new(args.text(), surroundings(context, &settings, working_folder, (now, zone)))
    };
    Ok(Prepared {
        request,
        clients: Clients::new(),
        prices: free(),
        embedded: false,
        toolbox: Toolbox::standard(),
        policy,
        configuration: loaded.file.clone(),
        secrets,
        settings,
        kept: None,
        conversation,
        servers: Vec::new(),
    })
}

/// `sandbox` has no `--quiet`.
const QUIET: bool = false;

fn surroundings(
    context: &Context<'_>,
    settings: &Settings,
    working_folder: PathBuf,
    (now, zone): (DateTime<FixedOffset>, String),
) -> Surroundings {
    Surroundings {
        now,
        zone,
        working_folder,
        workspace: settings.workspace.clone(),
        home: context.folders.home.clone(),
        platform: std::env::consts::OS.to_owned(),
    }
}

/// Checks the folders that a run needs.
fn places(context: &Context<'_>, settings: &Settings) -> Result<(), CommandError> {
    let folder = config::own_folder(context.environment, &context.folders.home);
    for StaysOpen { path, error } in owner_only::close(folder.as_slice()) {
        tracing::warn!(path = %path.display(), %error, "others may read or write the configuration, and it cannot be closed");
    }
    workspace(settings)
}

/// A replay calls no model, so it is free.
fn free() -> Prices {
    Prices { currency: String::new(), roles: ROLES.map(|role| (role, Price::FREE)).into() }
}

/// The redactor of everything that is stored.
fn redactor(environment: &Environment, secrets: &[String]) -> Redactor {
    let variables = environment.names().filter_map(|name| Some((name, environment.text(name)?)));
    secrets.iter().map(String::as_str).chain(secrets_of(variables)).fold(Redactor::new(), Redactor::secret)
}

/// The redaction of a cassette: removes secrets and replaces what differs between
/// machines, so that it can be replayed elsewhere.
fn redaction(
    context: &Context<'_>,
    redactor: Redactor,
    working_folder: &Path,
    settings: &Settings,
) -> Redaction {
    let text = |path: &Path| path.display().to_string();
    Redaction::new(redactor)
        .replace(text(&settings.workspace), "<workspace>")
        .replace(text(working_folder), "<folder>")
        .replace(text(&context.folders.home), "~")
}

fn working_folder(context: &Context<'_>, given: Option<&Path>) -> Result<PathBuf, CommandError> {
    must_be_text("home folder", &context.folders.home)?;
    let Some(given) = given else {
        let current = context.folders.current()?;
        must_be_text("working folder", current)?;
        return Ok(current.to_owned());
    };
    let folder = context.folders.whole(given)?;
    let folder = folder
        .canonicalize()
        .and_then(|path| if path.is_dir() { Ok(path) } else { Err(std::io::ErrorKind::NotADirectory.into()) })
        .map_err(|error| {
            CommandError::usage(format!("--cwd {} cannot be used", folder.display()))
                .because(error)
                .hint("name a folder that exists")
        })?;
    must_be_text("working folder", &folder)?;
    Ok(folder)
}

/// The record of a run is text, and so are the paths in it.
fn must_be_text(what: &str, folder: &Path) -> Result<(), CommandError> {
    if folder.to_str().is_some() {
        return Ok(());
    }
    // Its bytes are shown as they would be typed: `\xE9`.
    Err(CommandError::usage(format!("the {what} {folder:?} is not valid UTF-8"))
        .hint("rename it, or use a folder whose path is text"))
}

/// The workspace must exist for Landlock to grant it, and be writable unless the sandbox is read-only.
fn workspace(settings: &Settings) -> Result<(), CommandError> {
    if settings.sandbox == SandboxMode::ReadOnly {
        return Ok(());
    }
    let folder = &settings.workspace;
    std::fs::create_dir_all(folder).and_then(|()| writable(folder)).map_err(|error| {
        CommandError::configuration(format!("the workspace {} cannot be written", folder.display()))
            .because(error)
            .hint("choose another with --workspace DIR, or write nothing with --sandbox read-only")
    })
}

/// The values of all variables that hold a key.
fn secrets(context: &Context<'_>, chosen: impl Iterator<Item = String>) -> Vec<String> {
    let mut names: Vec<String> =
        chosen.chain(["OPENAI_API_KEY".to_owned(), "ANTHROPIC_API_KEY".to_owned()]).collect();
    names.sort_unstable();
    names.dedup();
    names
        .iter()
        .filter_map(|name| context.environment.text(name))
        .map(|value| value.trim().to_owned())
        .collect()
}
