//! Everything that can be wrong before a run begins, found before it begins.

use std::path::{Path, PathBuf};

use artoo_bus::{Clock, SystemClock};
use artoo_llm_client::doubles::Redaction;
use artoo_redaction::{Redactor, secrets_of};
use artoo_runtime::RunRequest;
use artoo_runtime::private::{self, StaysOpen};
use artoo_sandbox::{SandboxMode, Support};
use artoo_tools::{Rules, Toolbox};
use artoo_types::{Limits, Price, Prices, Surroundings};

use super::ask::person_present;
use super::schema;
use crate::args::RunArgs;
use crate::commands::Loaded;
use crate::config::{self, ROLES, RoleModels, Settings, prices};
use crate::connect::{self, Clients};
use crate::error::CommandError;
use crate::machine::{expand_home, writable, zone_name};
use crate::program::Context;
use crate::tape::{self, Label};
use crate::tools;

/// A run that is ready to begin.
pub(super) struct Prepared {
    /// What is asked, and under which limits.
    pub(super) request: RunRequest,
    /// The models.
    pub(super) clients: Clients,
    /// What they cost.
    pub(super) prices: Prices,
    /// Whether one of them is the embedded model: it is given more time, and questions are answered twice.
    pub(super) embedded: bool,
    /// The tools that this machine has and that the user granted.
    pub(super) toolbox: Toolbox,
    /// The user's own rules of consent.
    pub(super) policy: Rules,
    /// Where the configuration is, or would be.
    pub(super) configuration: PathBuf,
    /// Values that must never reach a journal.
    pub(super) secrets: Vec<String>,
    /// The rest of the configuration.
    pub(super) settings: Settings,
}

/// Checks rules, folders and models.
pub(super) fn prepare(
    context: &Context<'_>,
    args: &RunArgs,
    loaded: &mut Loaded,
    text: String,
) -> Result<Prepared, CommandError> {
    let schema_file = args.output_schema.as_deref().map(|file| context.folders.current.join(file));
    let output_schema = schema_file.as_deref().map(schema::read).transpose()?;
    let working_folder = working_folder(context, args.cwd.as_deref())?;
    let home = &context.folders.home;
    let policy = config::rules(&config::policy_path(context.environment, home), home)?;
    let models = if args.replay.is_some() { None } else { Some(loaded.models(context)?) };
    let settings = loaded.settings.clone();
    let prices = match &models {
        Some(models) => prices(models, &loaded.sections.prices, settings.max_cost.is_some())?,
        None => free(),
    };
    let folder = config::own_folder(context.environment, home);
    for StaysOpen { path, error } in private::close(folder.as_slice()) {
        tracing::warn!(path = %path.display(), %error, "others may read or write the configuration, and it cannot be closed");
    }
    workspace(&settings)?;
    confinement(&settings)?;

    let toolbox = tools::probe(&settings.tools, context.environment)?.toolbox;
    let mut secrets = secrets(context, models.as_ref());
    secrets.extend(tools::secret(&settings.tools, context.environment).map(|key| key.trim().to_owned()));
    let redaction = redaction(context, &secrets, &working_folder, &settings);
    let now = SystemClock::new().now();
    let mut label = Label {
        started: now,
        zone: zone_name(context.environment, &now.offset().to_string()),
        embedded: models.as_ref().is_some_and(RoleModels::embedded),
    };
    let clients = match (&models, &args.replay, &args.record) {
        (_, Some(folder), _) => {
            let clients = tape::replay(folder, &redaction)?;
            label = Label::read(folder)?;
            clients
        }
        (Some(models), None, record) => {
            let clients = connect::connect(models, &settings, context.environment)?;
            match record {
                None => clients,
                Some(folder) => {
                    let recording = tape::record(models, &clients, folder, &redaction)?;
                    label.write(folder)?;
                    recording
                }
            }
        }
        (None, None, _) => {
            return Err(CommandError::configuration("no model is set up").hint("run `artoo setup`"));
        }
    };

    let limits = Limits {
        max_replans: settings.max_replans,
        max_retries: settings.max_retries,
        time_budget_ms: u64::try_from(settings.budget(label.embedded).as_millis()).unwrap_or(u64::MAX),
        max_tokens: settings.max_tokens,
        max_cost: settings.max_cost,
    };
    let surroundings = Surroundings {
        now: label.started,
        zone: label.zone,
        working_folder,
        workspace: settings.workspace.clone(),
        home: context.folders.home.clone(),
        platform: std::env::consts::OS.to_owned(),
    };
    let (sandbox, network, timeout) = (settings.sandbox, settings.network(), settings.timeout);
    let person_present = person_present(context.streams, args.json, args.quiet);
    let request = RunRequest {
        text,
        turns: Vec::new(),
        surroundings,
        limits,
        sandbox,
        network,
        approval: args.approval,
        granted: args.yes.iter().copied().collect(),
        timeout,
        person_present,
        output_schema,
    };
    let embedded = label.embedded;
    let configuration = context.folders.current.join(&loaded.file);
    Ok(Prepared { request, clients, prices, embedded, toolbox, policy, configuration, secrets, settings })
}

/// A replay asks no model.
fn free() -> Prices {
    Prices { currency: String::new(), roles: ROLES.map(|role| (role, Price::FREE)).into() }
}

/// A tape holds no secrets, and what differs from one machine to the next is replaced on it, so that it can be replayed elsewhere.
fn redaction(
    context: &Context<'_>,
    secrets: &[String],
    working_folder: &Path,
    settings: &Settings,
) -> Redaction {
    let environment = context.environment;
    let variables = environment.names().filter_map(|name| Some((name, environment.text(name)?)));
    let redactor = secrets
        .iter()
        .map(String::as_str)
        .chain(secrets_of(variables))
        .fold(Redactor::new(), Redactor::secret);
    let text = |path: &Path| path.display().to_string();
    Redaction::new(redactor)
        .replace(text(&settings.workspace), "<workspace>")
        .replace(text(working_folder), "<folder>")
        .replace(text(&context.folders.home), "~")
}

fn working_folder(context: &Context<'_>, given: Option<&Path>) -> Result<PathBuf, CommandError> {
    let Some(given) = given else { return Ok(context.folders.current.clone()) };
    let folder = context.folders.current.join(expand_home(given, &context.folders.home));
    folder
        .canonicalize()
        .and_then(|path| if path.is_dir() { Ok(path) } else { Err(std::io::ErrorKind::NotADirectory.into()) })
        .map_err(|error| {
            CommandError::usage(format!("--cwd {} cannot be used", folder.display()))
                .because(error)
                .hint("name a folder that exists")
        })
}

/// The workspace must exist for the kernel to grant it, and be writable unless nothing is to be written.
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

/// Where the kernel cannot confine commands, every one of them would be refused: better said before the first model call.
fn confinement(settings: &Settings) -> Result<(), CommandError> {
    match (settings.sandbox, artoo_sandbox::probe()) {
        (SandboxMode::FullAccess, _) | (_, Support::Enforced { .. }) => Ok(()),
        (SandboxMode::ReadOnly | SandboxMode::WorkspaceWrite, Support::Missing(reason)) => {
            Err(CommandError::configuration(format!("commands cannot be confined on this machine: {reason}"))
                .hint("run `artoo doctor` for details, or pass `--sandbox full-access` to run them without confinement"))
        }
    }
}

/// The values of every variable that holds a key.
fn secrets(context: &Context<'_>, models: Option<&RoleModels>) -> Vec<String> {
    let chosen =
        models.into_iter().flat_map(RoleModels::distinct).filter_map(|choice| choice.key_env.clone());
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
