//! The tables of `config.toml`. Every value is optional; a missing value is taken from the layer below.

use std::collections::BTreeMap;
use std::path::PathBuf;

use artoo_llm_client::ProfileOverrides;
use artoo_mcp::ServerTable;
use artoo_runtime::{Deadlines, Dreams};
use artoo_types::Amount;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Span;
use super::controller::ControllerTable;
use super::ui_table::UiTable;

/// The whole file: [`Sections`] at the top level, and what only a file can have. Written out, because serde cannot refuse unknown
/// keys of a flattened struct.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(title = "artoo configuration")]
pub(crate) struct FileConfig {
    /// The profile that is applied unless `--profile` names another.
    pub(crate) profile: Option<String>,
    /// The model of the roles that reason: perceiver, planner and meta-validator.
    pub(crate) brain: ModelTable,
    /// The model of the roles that work: executor and agent-validator. Unset values are those of `brain`.
    pub(crate) tool: ModelTable,
    /// A model of its own for one role.
    pub(crate) roles: RoleTables,
    /// What a run may do and spend.
    pub(crate) run: RunTable,
    /// What the tools may do beyond files and confined commands.
    pub(crate) tools: ToolsTable,
    /// The rules and the numbers of the controller.
    pub(crate) controller: ControllerTable,
    /// What has to be so before a run is accepted. Only for measuring what each part buys.
    pub(crate) acceptance: AcceptanceTable,
    /// Servers of tools that others wrote.
    pub(crate) mcp: McpTable,
    /// What is kept so that runs can be undone.
    pub(crate) undo: UndoTable,
    /// What runs do with memory, and where it is.
    pub(crate) memory: MemoryTable,
    /// How a person is shown what happens.
    pub(crate) ui: UiTable,
    /// Time-outs and the proxy of model servers.
    pub(crate) http: HttpTable,
    /// How long a role may be silent.
    pub(crate) deadlines: DeadlinesTable,
    /// What models cost, each by its name: `[prices."gpt-5-mini"]`. The embedded model costs nothing.
    pub(crate) prices: BTreeMap<String, PriceTable>,
    /// What is known better of models than their names say, each by its name: `[models."qwen3:8b"]`.
    pub(crate) models: BTreeMap<String, ProfileOverrides>,
    /// Named sets of values, applied over the rest of the file by `--profile NAME`.
    pub(crate) profiles: BTreeMap<String, Sections>,
}

/// What the file, a profile, the environment and the options can all set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Sections {
    /// The model of the roles that reason: perceiver, planner and meta-validator.
    pub(crate) brain: ModelTable,
    /// The model of the roles that work: executor and agent-validator. Unset values are those of `brain`.
    pub(crate) tool: ModelTable,
    /// A model of its own for one role.
    pub(crate) roles: RoleTables,
    /// What a run may do and spend.
    pub(crate) run: RunTable,
    /// What the tools may do beyond files and confined commands.
    pub(crate) tools: ToolsTable,
    /// The rules and the numbers of the controller.
    pub(crate) controller: ControllerTable,
    /// What has to be so before a run is accepted. Only for measuring what each part buys.
    pub(crate) acceptance: AcceptanceTable,
    /// Servers of tools that others wrote.
    pub(crate) mcp: McpTable,
    /// What is kept so that runs can be undone.
    pub(crate) undo: UndoTable,
    /// What runs do with memory, and where it is.
    pub(crate) memory: MemoryTable,
    /// How a person is shown what happens.
    pub(crate) ui: UiTable,
    /// Time-outs and the proxy of model servers.
    pub(crate) http: HttpTable,
    /// How long a role may be silent.
    pub(crate) deadlines: DeadlinesTable,
    /// What models cost, each by its name: `[prices."gpt-5-mini"]`. The embedded model costs nothing.
    pub(crate) prices: BTreeMap<String, PriceTable>,
    /// What is known better of models than their names say, each by its name: `[models."qwen3:8b"]`.
    pub(crate) models: BTreeMap<String, ProfileOverrides>,
}

impl Sections {
    /// The configured variables that hold model keys.
    pub(crate) fn key_variables(&self) -> impl Iterator<Item = String> {
        let RoleTables { perceiver, planner, executor, agent_validator, meta_validator } = &self.roles;
        let roles = [perceiver, planner, executor, agent_validator, meta_validator];
        [&self.brain, &self.tool].into_iter().chain(roles).filter_map(|table| table.key_env.clone())
    }
}

/// Servers of tools that others wrote, reached by the Model Context Protocol.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct McpTable {
    /// Each server by its name: `[mcp.servers.NAME]`.
    pub(crate) servers: BTreeMap<String, ServerTable>,
}

/// A choice of a model. A key is never written here: `key_env` names the variable that holds it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ModelTable {
    /// Which wire format, or the embedded model.
    pub(crate) provider: Option<Provider>,
    /// The address of the server.
    pub(crate) base_url: Option<String>,
    /// The model's name, in the server's words; for `local`, the name of an installed model.
    pub(crate) model: Option<String>,
    /// The variable that holds the key. Without it, `OPENAI_API_KEY` and `ANTHROPIC_API_KEY` are sent to their providers' own
    /// addresses, and to an address that the environment or an option names, but never to one from a file.
    pub(crate) key_env: Option<String>,
}

impl ModelTable {
    /// Whether nothing is set.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Where a model comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Provider {
    /// Any server that speaks the chat completions of OpenAI.
    Openai,
    /// Anthropic's Messages API.
    Anthropic,
    /// The embedded model.
    Local,
}

/// One table for each role that asks a model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct RoleTables {
    /// R1.
    pub(crate) perceiver: ModelTable,
    /// R2.
    pub(crate) planner: ModelTable,
    /// R3.
    pub(crate) executor: ModelTable,
    /// R4a.
    pub(crate) agent_validator: ModelTable,
    /// R4b. Its model may not be weaker than the planner's.
    pub(crate) meta_validator: ModelTable,
}

/// What a run may do and spend.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct RunTable {
    /// What commands may change: `read-only`, `workspace-write` or `full-access`.
    pub(crate) sandbox: Option<SandboxWord>,
    /// Where generated files go.
    pub(crate) workspace: Option<PathBuf>,
    /// Where runs, the audit log and models are kept.
    pub(crate) data_dir: Option<PathBuf>,
    /// The time that a run should take. Said here or as an option, it is a limit: the run ends with it.
    pub(crate) time_budget: Option<Span>,
    /// How often the plan may be changed.
    pub(crate) max_replans: Option<u32>,
    /// How often a subtask may be corrected.
    pub(crate) max_retries: Option<u32>,
    /// How many tokens a run may use, read and written together.
    pub(crate) max_tokens: Option<u64>,
    /// What the model calls of a run may cost. Every model of the run needs its price in `prices`, in one currency.
    pub(crate) max_cost: Option<Amount>,
    /// After how many model calls a run asks whether it shall go on, and again after as many more; 0 is never.
    pub(crate) ask_after_turns: Option<u64>,
    /// After how many tokens read, those that a cache spared left out, a run asks whether it shall go on, and again after as many
    /// more; 0 is never.
    pub(crate) ask_after_tokens: Option<u64>,
    /// The end of a run, whatever it is doing.
    pub(crate) timeout: Option<Span>,
    /// Whether only a run with every criterion met ends well.
    pub(crate) strict: Option<bool>,
}

/// How long a role may be silent before its run ends with a fault. A deadline starts anew with each model call. Unset values
/// follow from how long the models' servers may be silent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct DeadlinesTable {
    /// The perceiver, from the request to the task.
    pub(crate) perceive: Option<Span>,
    /// The planner, from memory's answer to the plan.
    pub(crate) plan: Option<Span>,
    /// The executor, within one attempt.
    pub(crate) attempt: Option<Span>,
    /// A judge, over one criterion.
    pub(crate) judge: Option<Span>,
    /// The planner, for the story of a failure.
    pub(crate) report: Option<Span>,
    /// A step without a model.
    pub(crate) step: Option<Span>,
}

impl DeadlinesTable {
    /// Applies the values that are set to `base`.
    pub(crate) fn over(&self, base: Deadlines) -> Deadlines {
        let set = |span: &Option<Span>, base| span.as_ref().map_or(base, |span| span.0);
        Deadlines {
            perceive: set(&self.perceive, base.perceive),
            plan: set(&self.plan, base.plan),
            attempt: set(&self.attempt, base.attempt),
            judge: set(&self.judge, base.judge),
            report: set(&self.report, base.report),
            step: set(&self.step, base.step),
        }
    }
}

/// What a model costs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct PriceTable {
    /// A million tokens read.
    pub(crate) prompt: Option<Amount>,
    /// A million tokens written.
    pub(crate) completion: Option<Amount>,
    /// The currency, in your words, for example `USD`.
    pub(crate) currency: Option<String>,
}

/// [`artoo_sandbox::SandboxMode`] as a word of the configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum SandboxWord {
    /// Commands write nowhere but in a private folder for temporary files.
    ReadOnly,
    /// Commands write in the workspace and in a private folder for temporary files, nowhere else.
    WorkspaceWrite,
    /// No confinement.
    FullAccess,
}

impl From<SandboxWord> for artoo_sandbox::SandboxMode {
    fn from(word: SandboxWord) -> Self {
        match word {
            SandboxWord::ReadOnly => Self::ReadOnly,
            SandboxWord::WorkspaceWrite => Self::WorkspaceWrite,
            SandboxWord::FullAccess => Self::FullAccess,
        }
    }
}

/// What is kept so that runs can be undone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct UndoTable {
    /// How many days a run can be undone.
    pub(crate) max_age_days: Option<u32>,
    /// How many bytes are kept of all runs together; the oldest go first.
    pub(crate) max_bytes: Option<u64>,
    /// How many bytes one run keeps; what does not fit is named where the run is undone.
    pub(crate) max_run_bytes: Option<u64>,
}

/// What runs do with memory, and where it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct MemoryTable {
    /// What runs do with it.
    pub(crate) mode: Option<MemoryMode>,
    /// What a conversation does with it while nothing else happens: rules arise, fall, and what has faded is forgotten. A single
    /// `artoo run` leaves that to the next conversation, or to `artoo memory dream`.
    pub(crate) dream: Option<DreamMode>,
    /// Where it is kept, instead of `memory` in the data folder: a whole path, or from `~/`.
    pub(crate) folder: Option<PathBuf>,
    /// Folders whose runs do not share it, each by its whole path or from `~/`, for whatever lies below:
    /// `[memory.folders]` with `"~/clients/acme" = "separate"`. The innermost one counts.
    pub(crate) folders: BTreeMap<String, FolderMemory>,
}

/// What runs do with memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum MemoryMode {
    /// They recall from it and learn.
    #[default]
    On,
    /// They recall from it, and nothing is learned.
    ReadOnly,
    /// Neither.
    Off,
}

impl MemoryMode {
    /// All modes.
    pub(crate) const ALL: [Self; 3] = [Self::On, Self::ReadOnly, Self::Off];

    /// Its name in the configuration.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::On => "on",
            Self::ReadOnly => "read-only",
            Self::Off => "off",
        }
    }
}

/// Who puts into words what memory learned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum DreamMode {
    /// The planner's model: one call for each new rule, at most 20 a day.
    #[default]
    Model,
    /// Code, from the most frequent lessons.
    Code,
    /// Nobody: no rule arises or falls by itself.
    Off,
}

impl From<DreamMode> for Dreams {
    fn from(mode: DreamMode) -> Self {
        match mode {
            DreamMode::Model => Self::Model,
            DreamMode::Code => Self::Code,
            DreamMode::Off => Self::Off,
        }
    }
}

/// What runs in a folder do with memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum FolderMemory {
    /// They have one of their own.
    Separate,
    /// They have none.
    Off,
}

/// How model servers are reached.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct HttpTable {
    /// The longest wait for a connection.
    pub(crate) connect_timeout: Option<Span>,
    /// The longest wait for the first piece of an answer. Without it 5 minutes, and 30 for a server on this machine or in its own
    /// network. `[models."NAME"] silence_seconds` sets it for one model, and takes precedence.
    pub(crate) first_byte_timeout: Option<Span>,
    /// The longest silence within an answer. Without it as long as the first piece may take by itself: 5 or 30 minutes.
    pub(crate) idle_timeout: Option<Span>,
    /// How often a request is sent in all.
    pub(crate) attempts: Option<u32>,
    /// `system`, `none`, or the address of a proxy.
    pub(crate) proxy: Option<String>,
}

/// What the tools may do beyond files and confined commands. Nothing, unless it is said here.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ToolsTable {
    /// Whether runs may search the web and read pages. What they look for leaves this machine.
    pub(crate) web: Option<bool>,
    /// Whether confined commands may use the network. What they can read can then leave this machine. With the sandbox mode
    /// `full-access` they may in any case.
    pub(crate) network: Option<bool>,
    /// Unix sockets of other programs that commands may use after a question, which says what each controls: whole paths, or from
    /// `~/`. Commands reach no other.
    pub(crate) sockets: Option<Vec<PathBuf>>,
    /// Files and folders that no run may read or change, beside those that never are: whole paths, or from `~/`.
    pub(crate) protected: Option<Vec<PathBuf>>,
    /// Whether runs may act in the apps of a Mac, by AppleScript and shortcuts. No sandbox reaches there.
    pub(crate) apps: Option<bool>,
    /// Whether `fetch` may read pages of this machine and of its network too.
    pub(crate) private_addresses: Option<bool>,
    /// Whether `mdfind` is offered; unless it is said, where the system has an index of files.
    pub(crate) mdfind: Option<bool>,
    /// The search engine.
    pub(crate) search: Option<SearchEngine>,
    /// The address of a server that answers like the engine.
    pub(crate) search_url: Option<String>,
    /// The variable that holds the key of the engine. A key is never written here.
    pub(crate) search_key_env: Option<String>,
    /// The address of a proxy for the web tools. It looks names up itself, so private addresses are then only known by their form.
    pub(crate) proxy: Option<String>,
}

/// What has to be so before a run is accepted: all of it, unless something is left out to measure what it buys.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct AcceptanceTable {
    /// Whether calls are run again without what they are about.
    pub(crate) dependence: Option<bool>,
    /// Whether a guided model's commands are sampled.
    pub(crate) sampling: Option<bool>,
    /// Whether a judge sees the whole before it is accepted.
    pub(crate) last_judge: Option<bool>,
    /// Whether that judge goes on with the executor's conversation, where both have the same model.
    pub(crate) continued_judge: Option<bool>,
}

/// A search engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SearchEngine {
    /// DuckDuckGo's page without scripts. It needs no key.
    #[default]
    Duckduckgo,
    /// Brave's interface, which needs a key.
    Brave,
}
