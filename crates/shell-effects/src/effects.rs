//! The effects of a command, each with its reason.

/// What a command may do.
///
/// An empty list means that the text names nothing of the kind, not that nothing of the kind happens: only a
/// trial run shows that.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Effects {
    /// Files and folders that it reads.
    pub reads: Vec<Cause>,
    /// Files and folders that it creates.
    pub creates: Vec<Cause>,
    /// Existing files and folders whose content, mode, owner or times change.
    pub overwrites: Vec<Cause>,
    /// Existing things that are removed: files, processes, versions.
    pub deletes: Vec<Cause>,
    /// What becomes part of the history of a branch.
    pub commits: Vec<Cause>,
    /// Programs that it starts.
    pub runs: Vec<Cause>,
    /// Requests to other machines.
    pub network: Vec<Cause>,
    /// Changes on other machines, and data sent to them.
    pub outside_machine: Vec<Cause>,
    /// What runs with another user's rights, and changes to the system itself.
    pub privilege: Vec<Cause>,
    /// What could not be determined.
    pub unknown: Vec<Cause>,
    /// Those of the above that touch a protected place.
    pub protected: Vec<Cause>,
}

/// One effect and its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// The object: an absolute path if known, otherwise the best description.
    pub what: String,
    /// The word of the command that causes it.
    pub word: String,
    /// The reason.
    pub why: String,
}

/// The kinds of effects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// [`Effects::reads`].
    Reads,
    /// [`Effects::creates`].
    Creates,
    /// [`Effects::overwrites`].
    Overwrites,
    /// [`Effects::deletes`].
    Deletes,
    /// [`Effects::commits`].
    Commits,
    /// [`Effects::runs`].
    Runs,
    /// [`Effects::network`].
    Network,
    /// [`Effects::outside_machine`].
    OutsideMachine,
    /// [`Effects::privilege`].
    Privilege,
    /// [`Effects::unknown`].
    Unknown,
}

impl Kind {
    /// All kinds, in display order.
    pub const ALL: [Self; 10] = [
        Self::Reads,
        Self::Creates,
        Self::Overwrites,
        Self::Deletes,
        Self::Commits,
        Self::Runs,
        Self::Network,
        Self::OutsideMachine,
        Self::Privilege,
        Self::Unknown,
    ];

    /// The name in `--json`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reads => "reads",
            Self::Creates => "creates",
            Self::Overwrites => "overwrites",
            Self::Deletes => "deletes",
            Self::Commits => "commits",
            Self::Runs => "runs",
            Self::Network => "network",
            Self::OutsideMachine => "outside_machine",
            Self::Privilege => "privilege",
            Self::Unknown => "unknown",
        }
    }
}

impl Effects {
    /// The effects of one kind.
    pub fn of(&self, kind: Kind) -> &[Cause] {
        match kind {
            Kind::Reads => &self.reads,
            Kind::Creates => &self.creates,
            Kind::Overwrites => &self.overwrites,
            Kind::Deletes => &self.deletes,
            Kind::Commits => &self.commits,
            Kind::Runs => &self.runs,
            Kind::Network => &self.network,
            Kind::OutsideMachine => &self.outside_machine,
            Kind::Privilege => &self.privilege,
            Kind::Unknown => &self.unknown,
        }
    }

    pub(super) fn of_mut(&mut self, kind: Kind) -> &mut Vec<Cause> {
        match kind {
            Kind::Reads => &mut self.reads,
            Kind::Creates => &mut self.creates,
            Kind::Overwrites => &mut self.overwrites,
            Kind::Deletes => &mut self.deletes,
            Kind::Commits => &mut self.commits,
            Kind::Runs => &mut self.runs,
            Kind::Network => &mut self.network,
            Kind::OutsideMachine => &mut self.outside_machine,
            Kind::Privilege => &mut self.privilege,
            Kind::Unknown => &mut self.unknown,
        }
    }
}
