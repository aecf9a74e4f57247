//! Where the commands of a run work, and what they may do there. Data for prompts: nothing is granted by it.

use std::collections::BTreeSet;

use crate::EffectKind;

/// What the commands of a run may do on this machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Workplace {
    /// Where they may write.
    pub writes: Writes,
    /// Which network they are in.
    pub network: CommandNetwork,
    /// Kinds of effects that the user has granted in advance.
    pub granted: BTreeSet<EffectKind>,
}

/// Which network the commands of a run are in. It is one for the whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CommandNetwork {
    /// None.
    #[default]
    Nothing,
    /// A loopback interface that the commands and jobs of the run share, and nobody else.
    OwnLoopback,
    /// The machine's, with what can be reached through it.
    Machine,
}

/// Where commands may write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Writes {
    /// To temporary files alone.
    Nowhere,
    /// To the working folder, the workspace and temporary files.
    #[default]
    GivenFolders,
    /// Wherever the user may.
    Everywhere,
}

/// The git repository that a folder lies in, at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepositoryState {
    /// The branch that is checked out; none where a commit is, without a branch.
    pub branch: Option<String>,
    /// Whether tracked files differ from the last commit; none where that was not found out.
    pub has_changes: Option<bool>,
}
