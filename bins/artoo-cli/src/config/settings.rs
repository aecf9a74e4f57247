//! The resolved configuration: every value known, every path absolute.

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::time::Duration;

use artoo_ggs_core::{Parameters, Profile};
use artoo_llm_client::{ProfileOverrides, RetryPolicy};
use artoo_llm_http::{ProxyPolicy, Timeouts};
use artoo_mcp::{McpError, ServerConfig, ServerTable};
use artoo_runtime::Acceptance;
use artoo_sandbox::{Network, SandboxMode};
use artoo_snapshot::{Retention, SnapshotLimits};
use artoo_types::{Amount, Checkpoints};
use serde::Deserialize;

use super::controller::checked;
use super::layer::Merged;
use super::profiles::known_better;
use super::tables::{DeadlinesTable, DreamMode, FolderMemory, McpTable, MemoryMode, Sections, ToolsTable};
use super::ui_table::{Keys, Notify};
use crate::error::CommandError;
use crate::machine::{Folders, expand_home};

/// All settings except the models.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Settings {
    /// Folder of runs, audit log and models.
    pub(crate) data_dir: PathBuf,
    /// Folder for generated files.
    pub(crate) workspace: PathBuf,
    /// What commands may change.
    pub(crate) sandbox: SandboxMode,
    /// The time that a run should take, if the user stated one.
    pub(crate) time_budget: Option<Duration>,
    /// Maximum number of replans.
    pub(crate) max_replans: u32,
    /// Maximum number of corrections of a subtask.
    pub(crate) max_retries: u32,
    /// Token limit of a run.
    pub(crate) max_tokens: Option<u64>,
    /// Cost limit of a run's model calls.
    pub(crate) max_cost: Option<Amount>,
    /// When a run asks whether it shall go on.
    pub(crate) checkpoints: Checkpoints,
    /// How long roles may be silent, where that is set.
    pub(crate) deadlines: DeadlinesTable,
    /// Hard deadline of a run.
    pub(crate) timeout: Option<Duration>,
    /// Whether only `accept` counts as success.
    pub(crate) strict: bool,
    /// Permissions of the tools beyond files and confined commands.
    pub(crate) tools: ToolsTable,
    /// The servers of tools.
    pub(crate) servers: Vec<ServerConfig>,
    /// Requirements before a run is accepted.
    pub(crate) acceptance: Acceptance,
    /// Paths that no run may read or change, in addition to the built-in ones. Absolute.
    pub(crate) protected: Vec<PathBuf>,
    /// Unix sockets of other programs that commands may use after a question.
    pub(crate) sockets: Vec<PathBuf>,
    /// The rule set that applies.
    pub(crate) rules: Profile,
    /// The controller's hyperparameters.
    pub(crate) parameters: Parameters,
    /// Size limits of a run's snapshot for undo.
    pub(crate) snapshot: SnapshotLimits,
    /// How long snapshots are kept, and how many.
    pub(crate) retention: Retention,
    /// How runs use memory.
    pub(crate) memory: MemoryMode,
    /// What a conversation does with memory while it is quiet.
    pub(crate) dream: DreamMode,
    /// Folder of the memory. Absolute.
    pub(crate) memory_folder: PathBuf,
    /// Folders whose runs do not share it. Absolute.
    pub(crate) memory_of_folders: Vec<(PathBuf, FolderMemory)>,
    /// Overrides of model profiles, by model name.
    pub(crate) models: BTreeMap<String, ProfileOverrides>,
    /// How the end of a long run is announced.
    pub(crate) notify: Notify,
    /// Key bindings of the prompt.
    pub(crate) keys: Keys,
    /// Whether the output is for a screen reader.
    pub(crate) screen_reader: bool,
    /// Timeouts of model servers.
    pub(crate) timeouts: Timeouts,
    /// Retry policy of requests to model servers.
    pub(crate) retry: RetryPolicy,
    /// Proxy for model servers.
    pub(crate) proxy: ProxyPolicy,
}

/// Default time budget with the embedded model: its answers take minutes, a server's take seconds.
pub(crate) const EMBEDDED_BUDGET: Duration = Duration::from_secs(30 * 60);

/// Seconds per day.
pub(super) const DAY: u64 = 24 * 60 * 60;

/// Resolves the merged layers. Relative paths are relative to the working folder.
///
/// # Errors
/// A value does not fit, or a relative path begins in a working folder that is gone.
pub(crate) fn resolve(merged: &Merged, folders: &Folders) -> Result<(Settings, Sections), CommandError> {
    let home = folders.home.as_path();
    let sections = Sections::deserialize(merged.table.clone()).map_err(|error| {
        CommandError::configuration(error.message().trim().to_owned()).hint("see: artoo config show")
    })?;
    let run = &sections.run;
    let folder =
        |path: &Option<PathBuf>, usual: &str| folders.whole(path.as_deref().unwrap_or(Path::new(usual)));
    let http = &sections.http;
    let timeouts = Timeouts::default();
    let retry = RetryPolicy::default();
    let data_dir = folder(&run.data_dir, "~/.artoo")?;
    let memory = &sections.memory;
    let memory_folder = match &memory.folder {
        Some(place) => whole("memory.folder", place, home)?,
        None => data_dir.join("memory"),
    };
    let of_folder = |(place, word): (&String, &FolderMemory)| {
        Ok((whole("memory.folders", Path::new(place), home)?, *word))
    };
    let rules = sections.controller.rules.unwrap_or_default();
    let parameters = checked(sections.controller.over(*rules.parameters()), merged)?;
    let settings = Settings {
        memory: memory.mode.unwrap_or_default(),
        dream: memory.dream.unwrap_or_default(),
        memory_folder,
        memory_of_folders: memory.folders.iter().map(of_folder).collect::<Result<_, CommandError>>()?,
        data_dir,
        workspace: folder(&run.workspace, "~/artoo_workspace")?,
        sandbox: run.sandbox.map_or_else(SandboxMode::default, SandboxMode::from),
        time_budget: run.time_budget.map(|span| span.0),
        max_replans: run.max_replans.unwrap_or(artoo_types::Limits::default().max_replans),
        max_retries: run.max_retries.unwrap_or(artoo_types::Limits::default().max_retries),
        max_tokens: run.max_tokens,
        max_cost: run.max_cost,
        checkpoints: {
            let usual = Checkpoints::default();
            Checkpoints {
                turns: run.ask_after_turns.map_or(usual.turns, NonZeroU64::new),
                tokens: run.ask_after_tokens.map_or(usual.tokens, NonZeroU64::new),
            }
        },
        deadlines: sections.deadlines.clone(),
        timeout: run.timeout.map(|span| span.0),
        strict: run.strict.unwrap_or(false),
        tools: sections.tools.clone(),
        servers: servers(&sections.mcp, home)?,
        acceptance: Acceptance {
            dependence: sections.acceptance.dependence.unwrap_or(true),
            sampling: sections.acceptance.sampling.unwrap_or(true),
            last_judge: sections.acceptance.last_judge.unwrap_or(true),
            continued_judge: sections.acceptance.continued_judge.unwrap_or(true),
        },
        protected: all_whole("tools.protected", sections.tools.protected.as_deref(), home)?,
        sockets: all_whole("tools.sockets", sections.tools.sockets.as_deref(), home)?,
        rules,
        parameters,
        snapshot: SnapshotLimits {
            bytes: sections.undo.max_run_bytes.unwrap_or(SnapshotLimits::default().bytes),
            ..SnapshotLimits::default()
        },
        retention: Retention {
            max_age: sections.undo.max_age_days.map_or(Retention::default().max_age, days),
            max_bytes: sections.undo.max_bytes.unwrap_or(Retention::default().max_bytes),
        },
        models: known_better(&sections.models)?,
        notify: sections.ui.notify.unwrap_or_default(),
        keys: sections.ui.keys.unwrap_or_default(),
        screen_reader: sections.ui.screen_reader.unwrap_or(false),
        timeouts: Timeouts {
            connect: http.connect_timeout.map_or(timeouts.connect, |span| span.0),
            first_byte: http.first_byte_timeout.map(|span| span.0),
            idle: http.idle_timeout.map(|span| span.0),
        },
        retry: RetryPolicy { attempts: http.attempts.unwrap_or(retry.attempts), ..retry },
        proxy: match http.proxy.as_deref() {
            None | Some("system") => ProxyPolicy::System,
            Some("none") => ProxyPolicy::None,
            Some(url) => ProxyPolicy::Url(url.to_owned()),
        },
    };
    Ok((settings, sections))
}

/// The servers of tools, each checked.
fn servers(table: &McpTable, home: &Path) -> Result<Vec<ServerConfig>, CommandError> {
    let one = |(name, table): (&String, &ServerTable)| table.clone().into_config(name.parse()?, home);
    table.servers.iter().map(one).collect::<Result<_, _>>().map_err(|error| refused_server(&error))
}

/// A server that is configured wrongly.
pub(crate) fn refused_server(error: &McpError) -> CommandError {
    let hint = error.hint().unwrap_or("look at the table [mcp.servers] of the configuration");
    CommandError::configuration(error.to_string()).hint(hint)
}

/// The whole paths of a list.
fn all_whole(key: &str, paths: Option<&[PathBuf]>, home: &Path) -> Result<Vec<PathBuf>, CommandError> {
    paths.unwrap_or_default().iter().map(|path| whole(key, path, home)).collect()
}

/// Requires an absolute path: the meaning of a relative one would depend on where artoo is run.
fn whole(key: &str, place: &Path, home: &Path) -> Result<PathBuf, CommandError> {
    let whole = expand_home(place, home);
    if whole.is_absolute() {
        return Ok(whole);
    }
    let said = format!("`{key}` has {}, which is no whole path", whole.display());
    Err(CommandError::configuration(said).hint("write it from / or from ~/"))
}

fn days(days: u32) -> Duration {
    Duration::from_secs(u64::from(days) * DAY)
}

impl Settings {
    /// Whether confined commands may use the network.
    pub(crate) fn network(&self) -> Network {
        if self.tools.network.unwrap_or(false) { Network::Granted } else { Network::Denied }
    }

    /// The time budget of a run: the configured one, or the default of the model's kind.
    pub(crate) fn budget(&self, embedded: bool) -> Duration {
        let usual = Duration::from_millis(artoo_types::Limits::default().time_budget_ms);
        self.time_budget.unwrap_or(if embedded { EMBEDDED_BUDGET } else { usual })
    }
}
