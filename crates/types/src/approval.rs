//! Consent as messages: to a single effect, or to a whole plan. Source: specification v0.8, Law 1; `docs/deviations.md`, "The Laws in
//! code".

use std::{collections::BTreeSet, fmt, path::PathBuf, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CallId, GitMoves, MegramId, PlannedSubTask, SubTaskId, ToolName};

/// A question before a call that does more than read and make new files. R3 to the user, and on record also where nobody is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ApprovalRequested {
    /// For which subtask.
    pub subtask_id: SubTaskId,
    /// For which call.
    pub call_id: CallId,
    /// Which tool would act.
    pub tool: ToolName,
    /// The command, or what stands for one, as it would be run.
    pub command: String,
    /// The effects that need consent, each with its reason.
    pub effects: Vec<Effect>,
    /// What a preview found that it would change; empty where none was possible.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<PreviewedChange>,
    /// The commit that it would make; none where it makes none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<ProposedCommit>,
    /// What it would move in a git repository; none where nothing moves, or none could be tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moves: Option<Box<GitMoves>>,
    /// The name of the rule that asks, for example `consent-to-change`.
    pub rule: String,
    /// That rule in words.
    pub reason: String,
    /// Whether a person is to answer, and the run's clock stops. Otherwise what the run knows decides, at once.
    pub person: bool,
    /// The rule that the answer *always* would make; none where no rule says exactly this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub always: Option<ProposedRule>,
    /// The Megrams that advise against the call, where it is memory that asks. A yes is to this one call then, and consents to no effect.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub because: Vec<MegramId>,
}

/// A rule of consent that allows, drafted out of a question. What a file of rules says beside it is the reason, which is the person's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProposedRule {
    /// The kinds of effects that it would allow.
    pub effects: BTreeSet<EffectKind>,
    /// The programs that may have them, by name or by whole path; all where none is named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<String>,
    /// Globs of the files, whole or from `~/`; empty where the effects have no paths.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Commands that it decides about.
    pub matches: Vec<String>,
    /// Commands that are near to these, and that it does not decide about.
    pub spares: Vec<String>,
}

/// The answer. From the user, or from R3 where nobody had to be asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ApprovalDecided {
    /// To which call.
    pub call_id: CallId,
    /// Yes or no. Without somebody to ask, no.
    pub granted: bool,
    /// For how long a yes holds. A no holds for the rest of the run.
    pub scope: ApprovalScope,
    /// Who decided and why, for the record.
    pub reason: String,
    /// What the person wants done instead, in their words: a no that leaves the subtask another way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead: Option<String>,
    /// The rule that the person has written with the answer *always*.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<ProposedRule>,
}

/// For how long a yes holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalScope {
    /// This one call.
    Once,
    /// The same effects in this run, without deletions.
    Run,
    /// The same kinds of new files and of changes in the same folders, in this run.
    Folder,
    /// As in this run; a rule that the person has written holds for later runs.
    Always,
}

impl ApprovalScope {
    /// Whether a yes for so long covers a later effect of this kind at all. What goes is asked about each time, unless a rule says otherwise; a
    /// folder is one of files that come to be or become others.
    ///
    /// ```
    /// use artoo_types::{ApprovalScope, EffectKind};
    ///
    /// assert!(ApprovalScope::Folder.covers(EffectKind::Overwrites));
    /// assert!(!ApprovalScope::Run.covers(EffectKind::Deletes));
    /// ```
    pub const fn covers(self, kind: EffectKind) -> bool {
        match (self, kind) {
            // Of each commit the files and the message are shown.
            (Self::Once, _) | (_, EffectKind::Commits) => false,
            (Self::Always, _) => true,
            (Self::Run, EffectKind::Deletes) => false,
            (Self::Folder, EffectKind::Creates | EffectKind::Overwrites) => true,
            (
                Self::Run,
                EffectKind::Creates
                | EffectKind::Overwrites
                | EffectKind::Network
                | EffectKind::OutsideMachine
                | EffectKind::Privilege
                | EffectKind::Unknown,
            ) => true,
            (
                Self::Folder,
                EffectKind::Deletes
                | EffectKind::Network
                | EffectKind::OutsideMachine
                | EffectKind::Privilege
                | EffectKind::Unknown,
            ) => false,
        }
    }
}

/// What a call would do to one thing, and why that is believed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Effect {
    /// The kind.
    pub kind: EffectKind,
    /// On what: an absolute path where it is known, otherwise what can be said.
    pub what: String,
    /// The word of the command that it comes from; empty where it comes from none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub word: String,
    /// Why.
    pub why: String,
}

/// The kinds of effects that may need consent.
///
/// ```
/// use artoo_types::EffectKind;
///
/// assert_eq!("outside_machine".parse(), Ok(EffectKind::OutsideMachine));
/// assert!("everything".parse::<EffectKind>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EffectKind {
    /// Files and folders come to be.
    Creates,
    /// What is there gets another content, mode, owner or time.
    Overwrites,
    /// What is there goes.
    Deletes,
    /// Something becomes part of the history of a branch.
    Commits,
    /// Something is asked of other machines.
    Network,
    /// Something changes on other machines, or is sent to them.
    OutsideMachine,
    /// Something is done with the rights of somebody else, or to the system itself.
    Privilege,
    /// It cannot be known what happens.
    Unknown,
}

impl EffectKind {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 8] = [
        Self::Creates,
        Self::Overwrites,
        Self::Deletes,
        Self::Commits,
        Self::Network,
        Self::OutsideMachine,
        Self::Privilege,
        Self::Unknown,
    ];

    /// Its name in JSON and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Creates => "creates",
            Self::Overwrites => "overwrites",
            Self::Deletes => "deletes",
            Self::Commits => "commits",
            Self::Network => "network",
            Self::OutsideMachine => "outside_machine",
            Self::Privilege => "privilege",
            Self::Unknown => "unknown",
        }
    }
}

impl fmt::Display for EffectKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for EffectKind {
    type Err = UnknownEffectKind;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|kind| kind.name() == word);
        found.ok_or_else(|| UnknownEffectKind(word.to_owned()))
    }
}

/// A word that names no [`EffectKind`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no kind of effect")]
pub struct UnknownEffectKind(pub String);

/// A commit as a person is asked about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProposedCommit {
    /// The working tree of the repository.
    pub repository: PathBuf,
    /// The branch that it is made on.
    pub branch: String,
    /// Who it is made by, with the address.
    pub author: String,
    /// The whole message.
    pub message: String,
    /// What differs from the last commit.
    pub files: Vec<CommittedFile>,
    /// What a commit of the user's own would do and this one does not: hooks, a signature. Each in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// A file of a commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CommittedFile {
    /// Its path below the working tree.
    pub path: String,
    /// How it differs from the last commit.
    pub change: CommittedChange,
    /// Whether it is another repository, of which a commit is named.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_repository: bool,
}

/// How a file of a commit differs from the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CommittedChange {
    /// It is not in the last commit.
    Added,
    /// It has another content.
    Changed,
    /// It is gone.
    Deleted,
    /// It is another kind of thing: a link where a file was.
    Kind,
    /// It has another mode.
    Mode,
}

/// What a trial found that a call would do to one path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PreviewedChange {
    /// The path; of what is renamed the new one. A folder's ends in a slash.
    pub path: PathBuf,
    /// What would happen to it.
    pub change: PreviewedKind,
    /// The path that it has now, where it is renamed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<PathBuf>,
    /// Bytes that it has now; none where nothing is there, or no file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes_before: Option<u64>,
    /// Bytes that it would have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes_after: Option<u64>,
    /// The permissions that it has now, where they would become others: the lower twelve bits of its mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode_before: Option<u32>,
    /// The permissions that it would have, where they are others now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode_after: Option<u32>,
    /// All lines that differ, as a unified diff, where both are text of moderate size: `-` before, `+` after.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// Which program would run the file later without anybody asking for it, in a sentence; none where that is not known of any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub autorun: Option<String>,
    /// How many files would change in it, where it stands for a folder of build output, whose files are counted and not listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build_output: Option<u64>,
}

/// What would happen to a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PreviewedKind {
    /// It goes.
    Deleted,
    /// It gets another content.
    Changed,
    /// It gets another name, with the content that it has.
    Renamed,
    /// Its mode, owner or time becomes another, and its content stays.
    Attributes,
    /// It comes to be.
    Created,
}

/// Before which effects a person is asked.
///
/// ```
/// use artoo_types::Approval;
///
/// assert_eq!("never".parse(), Ok(Approval::Never));
/// assert_eq!(Approval::default(), Approval::Auto);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Approval {
    /// Before all that is more than reading, new files included.
    Ask,
    /// Before what cannot be taken back, or cannot be known.
    #[default]
    Auto,
    /// Never: the answer is no.
    Never,
}

impl Approval {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Ask, Self::Auto, Self::Never];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Auto => "auto",
            Self::Never => "never",
        }
    }
}

impl FromStr for Approval {
    type Err = UnknownApproval;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|approval| approval.name() == word);
        found.ok_or_else(|| UnknownApproval(word.to_owned()))
    }
}

/// A word that names no [`Approval`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no way of approval; they are ask, auto and never")]
pub struct UnknownApproval(pub String);

/// A question to the person before anything of a plan is run. Dispatcher to the user. The run's clock stops until the answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanApprovalRequested {
    /// Of which plan of the run, from 1.
    pub round: u32,
    /// What would be run.
    pub subtasks: Vec<PlannedSubTask>,
}

/// The answer. User to the dispatcher.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanApprovalDecided {
    /// To which plan.
    pub round: u32,
    /// Yes or no. Without somebody to ask, no.
    pub granted: bool,
    /// Who decided and why, for the record.
    pub reason: String,
}
