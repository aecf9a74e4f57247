//! What a person can do about an error, where each front end offers it in its own way.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Something that a front end offers. A library tells it beside a hint in words that hold everywhere, and never how it is done: a command
/// line has its commands and options for it, a window its buttons.
///
/// ```
/// use artoo_types::Remedy;
///
/// assert_eq!(serde_json::to_string(&Remedy::AllowTokens)?, "\"allow_tokens\"");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Remedy {
    /// Choose a model.
    ChooseModel,
    /// Look at the configuration.
    ShowConfiguration,
    /// Look at the files of the embedded models, and fetch them anew.
    CheckModelFiles,
    /// Go on with fetching a model.
    FetchModel,
    /// Fetch a model from a given place, or choose one that needs no file.
    FetchModelElsewhere,
    /// Choose the data folder.
    ChooseDataFolder,
    /// Check the audit log, or choose another data folder.
    CheckAuditLog,
    /// Check the memory.
    CheckMemory,
    /// Build the index of the memory anew.
    RebuildMemory,
    /// Export a memory.
    ExportMemory,
    /// Check this machine and the folders of artoo.
    CheckMachine,
    /// List the runs.
    ListRuns,
    /// Look at a run that works, and answer its questions.
    AttachToRun,
    /// Look at what undoing the rest of a run would do, or take what is there now for what the run left.
    ResumeUndo,
    /// List the sessions.
    ListSessions,
    /// Ask it as a new request.
    AskAnew,
    /// Allow a run more tokens.
    AllowTokens,
    /// Allow a run more money.
    AllowCost,
    /// Allow a run more replans.
    AllowReplans,
    /// Allow a run more time.
    AllowTime,
    /// Be there to say that a run goes on, or let it ask later.
    AllowToGoOn,
    /// Agree to a plan, or do not ask for being asked.
    AgreeToPlan,
}

impl Remedy {
    /// All of them.
    pub const ALL: [Self; 22] = [
        Self::ChooseModel,
        Self::ShowConfiguration,
        Self::CheckModelFiles,
        Self::FetchModel,
        Self::FetchModelElsewhere,
        Self::ChooseDataFolder,
        Self::CheckAuditLog,
        Self::CheckMemory,
        Self::RebuildMemory,
        Self::ExportMemory,
        Self::CheckMachine,
        Self::ListRuns,
        Self::AttachToRun,
        Self::ResumeUndo,
        Self::ListSessions,
        Self::AskAnew,
        Self::AllowTokens,
        Self::AllowCost,
        Self::AllowReplans,
        Self::AllowTime,
        Self::AllowToGoOn,
        Self::AgreeToPlan,
    ];
}
