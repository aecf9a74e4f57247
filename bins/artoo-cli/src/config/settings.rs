//! The configuration, resolved: every value known, every path absolute.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use artoo_ggs_core::{Parameters, Profile};
use artoo_llm_client::{ProfileOverrides, RetryPolicy};
use artoo_llm_http::{ProxyPolicy, Timeouts};
use artoo_runtime::Acceptance;
use artoo_sandbox::{Network, SandboxMode};
use artoo_snapshot::{Retention, SnapshotLimits};
use artoo_types::Amount;
use serde::Deserialize;

use super::controller::checked;
use super::layer::Merged;
use super::profiles::known_better;
use super::sections::{FolderMemory, Keys, MemoryMode, Notify, Sections, ToolsTable};
use crate::error::CommandError;
use crate::machine::expand_home;

/// Everything but the models.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Settings {
    /// Where runs, the audit log and models are kept.
    pub(crate) data_dir: PathBuf,
    /// Where generated files go.
    pub(crate) workspace: PathBuf,
    /// What commands may change.
    pub(crate) sandbox: SandboxMode,
    /// The time that a run should take, where it was said.
    pub(crate) time_budget: Option<Duration>,
    /// How often the plan may be changed.
    pub(crate) max_replans: u32,
    /// How often a subtask may be corrected.
    pub(crate) max_retries: u32,
    /// How many tokens a run may use.
    pub(crate) max_tokens: Option<u64>,
    /// What the model calls of a run may cost.
    pub(crate) max_cost: Option<Amount>,
    /// The end of a run, whatever it is doing.
    pub(crate) timeout: Option<Duration>,
    /// Whether only `accept` will do.
    pub(crate) strict: bool,
    /// What the tools may do beyond files and confined commands.
    pub(crate) tools: ToolsTable,
    /// What has to be so before a run is accepted.
    pub(crate) acceptance: Acceptance,
    /// What no run may read or change, beside the usual places. Absolute.
    pub(crate) protected: Vec<PathBuf>,
    /// Which rules apply.
    pub(crate) rules: Profile,
    /// The controller's numbers.
    pub(crate) parameters: Parameters,
    /// What a run keeps of what it finds, so that it can be undone.
    pub(crate) snapshot: SnapshotLimits,
    /// How long that is kept, and how much of it.
    pub(crate) retention: Retention,
    /// What runs do with memory.
    pub(crate) memory: MemoryMode,
    /// Where it is kept. Absolute.
    pub(crate) memory_folder: PathBuf,
    /// Folders whose runs do not share it. Absolute.
    pub(crate) memory_of_folders: Vec<(PathBuf, FolderMemory)>,
    /// What is known better of models than their names say.
    pub(crate) models: BTreeMap<String, ProfileOverrides>,
    /// How the terminal tells that a long run has ended.
    pub(crate) notify: Notify,
    /// The keys of the prompt of a conversation.
    pub(crate) keys: Keys,
    /// Whether a screen reader speaks what is written.
    pub(crate) screen_reader: bool,
    /// Time-outs of model servers.
    pub(crate) timeouts: Timeouts,
    /// When a request to a model server is repeated.
    pub(crate) retry: RetryPolicy,
    /// How model servers are reached.
    pub(crate) proxy: ProxyPolicy,
}

/// The time budget with the embedded model, whose answers take minutes where a server's take seconds.
pub(crate) const EMBEDDED_BUDGET: Duration = Duration::from_secs(30 * 60);

/// Seconds of a day.
pub(super) const DAY: u64 = 24 * 60 * 60;

/// Reads the merged layers. Relative paths mean the working folder.
pub(crate) fn resolve(
    merged: &Merged,
    home: &Path,
    working_folder: &Path,
) -> Result<(Settings, Sections), CommandError> {
    let sections = Sections::deserialize(merged.table.clone()).map_err(|error| {
        CommandError::configuration(error.message().trim().to_owned()).hint("see: artoo config show")
    })?;
    let run = &sections.run;
    let folder = |path: &Option<PathBuf>, usual: &str| {
        working_folder.join(expand_home(path.as_deref().unwrap_or(Path::new(usual)), home))
    };
    let http = &sections.http;
    let timeouts = Timeouts::default();
    let retry = RetryPolicy::default();
    let data_dir = folder(&run.data_dir, "~/.artoo");
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
        memory_folder,
        memory_of_folders: memory.folders.iter().map(of_folder).collect::<Result<_, CommandError>>()?,
        data_dir,
        workspace: folder(&run.workspace, "~/artoo_workspace"),
        sandbox: run.sandbox.map_or_else(SandboxMode::default, SandboxMode::from),
        time_budget: run.time_budget.map(|span| span.0),
        max_replans: run.max_replans.unwrap_or(artoo_types::Limits::default().max_replans),
        max_retries: run.max_retries.unwrap_or(artoo_types::Limits::default().max_retries),
        max_tokens: run.max_tokens,
        max_cost: run.max_cost,
        timeout: run.timeout.map(|span| span.0),
        strict: run.strict.unwrap_or(false),
        tools: sections.tools.clone(),
        acceptance: Acceptance {
            dependence: sections.acceptance.dependence.unwrap_or(true),
            sampling: sections.acceptance.sampling.unwrap_or(true),
            last_judge: sections.acceptance.last_judge.unwrap_or(true),
        },
        protected: sections
            .tools
            .protected
            .iter()
            .flatten()
            .map(|place| whole("tools.protected", place, home))
            .collect::<Result<_, CommandError>>()?,
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
            first_byte: http.first_byte_timeout.map_or(timeouts.first_byte, |span| span.0),
            idle: http.idle_timeout.map_or(timeouts.idle, |span| span.0),
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

/// What a relative path would mean depends on where artoo is run.
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

    /// The time budget of a run: what was said, or the default of the model's kind.
    pub(crate) fn budget(&self, embedded: bool) -> Duration {
        let usual = Duration::from_millis(artoo_types::Limits::default().time_budget_ms);
        self.time_budget.unwrap_or(if embedded { EMBEDDED_BUDGET } else { usual })
    }
}
