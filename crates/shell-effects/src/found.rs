//! What was found out about a command: its effects, each with its reason.

/// What a command may do to the world.
///
/// An empty list says that nothing of the kind is named, not that nothing of the kind happens: that shows only when the command is tried.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Effects {
    /// Files and folders that it reads.
    pub reads: Vec<Cause>,
    /// Files and folders that were not there.
    pub creates: Vec<Cause>,
    /// What is there and gets another content, mode, owner or time.
    pub overwrites: Vec<Cause>,
    /// What is there and goes: files, processes, versions.
    pub deletes: Vec<Cause>,
    /// Programs that are started.
    pub runs: Vec<Cause>,
    /// What is asked of other machines.
    pub network: Vec<Cause>,
    /// What changes on other machines, or is sent to them.
    pub outside_machine: Vec<Cause>,
    /// What is done with the rights of somebody else, or to the system itself.
    pub privilege: Vec<Cause>,
    /// What could not be found out.
    pub unknown: Vec<Cause>,
    /// Which of all these are in a protected place.
    pub protected: Vec<Cause>,
}

/// One effect and its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// On what: an absolute path where it is known, otherwise what can be said.
    pub what: String,
    /// The word of the command that it comes from.
    pub word: String,
    /// Why.
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
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 9] = [
        Self::Reads,
        Self::Creates,
        Self::Overwrites,
        Self::Deletes,
        Self::Runs,
        Self::Network,
        Self::OutsideMachine,
        Self::Privilege,
        Self::Unknown,
    ];

    /// Its name in `--json`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reads => "reads",
            Self::Creates => "creates",
            Self::Overwrites => "overwrites",
            Self::Deletes => "deletes",
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
            Kind::Runs => &mut self.runs,
            Kind::Network => &mut self.network,
            Kind::OutsideMachine => &mut self.outside_machine,
            Kind::Privilege => &mut self.privilege,
            Kind::Unknown => &mut self.unknown,
        }
    }
}
