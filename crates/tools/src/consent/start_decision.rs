//! Decides how a command starts: read-only, as a trial, after a question, or not at all. Pure, so that one
//! table covers every case.
//!
//! The words of a command can only make this stricter and never grant anything: the kernel limits what the
//! command may do, and its actual changes are decided afterwards. Source: `docs/design/consent.md`, "How a
//! command begins".

use artoo_sandbox::SandboxMode;

/// What is known before a command runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Case {
    /// The sandbox mode that the user chose.
    pub mode: SandboxMode,
    /// Whether the kernel can hold a command at all.
    pub can_be_confined: bool,
    /// Whether the command can run over layers that are discarded.
    pub can_be_tried: bool,
    /// Whether its words name more than reading, or leave open what they name.
    pub names_more_than_reading: bool,
    /// Whether its words name an effect that no consent allows, or one that was denied before in this run.
    pub is_refused: bool,
}

/// How a command starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Runs with only its private folder writable. If it fails there and can be tried, a trial follows: it
    /// may have needed to write.
    Read,
    /// Runs over layers; the changes found there are decided afterwards.
    Try,
    /// A person is asked before it runs. Without a person the answer is no.
    Ask,
    /// Does not run, regardless of consent.
    Refuse,
}

impl Step {
    /// Its name in `--json`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Try => "try",
            Self::Ask => "ask",
            Self::Refuse => "refuse",
        }
    }

    /// A description for a person.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Read => {
                "it runs where it can write nothing but temporary files; where it fails there, it is tried as commands are whose words name more"
            }
            Self::Try => {
                "it is tried first, where nothing of it lasts; what it changes there decides: nothing, or only new files where \
                 they are free, and it is done; anything else is asked about"
            }
            Self::Ask => "it is asked about before it runs, for nothing can be tried",
            Self::Refuse => "it does not run, whoever says yes",
        }
    }
}

/// Decides how a command starts. The strictest applicable step wins.
/// ```
/// use artoo_sandbox::SandboxMode;
/// use artoo_tools::{Case, Step, gate};
///
/// let removal = Case {
///     mode: SandboxMode::WorkspaceWrite,
///     can_be_confined: true,
///     can_be_tried: true,
///     names_more_than_reading: true,
///     is_refused: false,
/// };
/// assert_eq!(gate(removal), Step::Try);
/// assert_eq!(gate(Case { names_more_than_reading: false, ..removal }), Step::Read);
/// assert_eq!(gate(Case { can_be_tried: false, ..removal }), Step::Ask);
/// // Without confinement the words of a command are no reason to run it.
/// let listing = Case { names_more_than_reading: false, can_be_tried: false, ..removal };
/// assert_eq!(gate(Case { can_be_confined: false, ..listing }), Step::Ask);
/// ```
pub fn gate(case: Case) -> Step {
    match case.mode {
        _ if case.is_refused => Step::Refuse,
        SandboxMode::ReadOnly if case.can_be_confined => Step::Read,
        // Nothing would keep it from writing.
        SandboxMode::ReadOnly => Step::Refuse,
        // The stricter way, and the faster one.
        SandboxMode::WorkspaceWrite if case.can_be_confined && !case.names_more_than_reading => Step::Read,
        SandboxMode::WorkspaceWrite | SandboxMode::FullAccess if case.can_be_tried => Step::Try,
        // Where nothing confines a command, its words alone are no reason to run it.
        SandboxMode::WorkspaceWrite | SandboxMode::FullAccess => Step::Ask,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_table() {
        use SandboxMode::{FullAccess, ReadOnly, WorkspaceWrite};
        // The mode, whether commands can be confined, and whether a trial is possible; then the step for
        // read-only words, and for others. Nothing is tried without confinement.
        let table = [
            (ReadOnly, true, true, Step::Read, Step::Read),
            (ReadOnly, true, false, Step::Read, Step::Read),
            (ReadOnly, false, false, Step::Refuse, Step::Refuse),
            (WorkspaceWrite, true, true, Step::Read, Step::Try),
            (WorkspaceWrite, true, false, Step::Read, Step::Ask),
            (WorkspaceWrite, false, false, Step::Ask, Step::Ask),
            (FullAccess, true, true, Step::Try, Step::Try),
            (FullAccess, true, false, Step::Ask, Step::Ask),
            (FullAccess, false, false, Step::Ask, Step::Ask),
        ];
        for (mode, can_be_confined, can_be_tried, reading, more) in table {
            for (names_more_than_reading, step) in [(false, reading), (true, more)] {
                let case =
                    Case { mode, can_be_confined, can_be_tried, names_more_than_reading, is_refused: false };
                assert_eq!(gate(case), step, "{case:?}");
                assert_eq!(gate(Case { is_refused: true, ..case }), Step::Refuse);
            }
        }
    }

    /// A command's words never lead to a step with which it may write.
    #[test]
    fn words_never_grant() {
        for mode in [SandboxMode::ReadOnly, SandboxMode::WorkspaceWrite, SandboxMode::FullAccess] {
            for (can_be_confined, can_be_tried) in [(true, true), (true, false), (false, false)] {
                let harmless = Case {
                    mode,
                    can_be_confined,
                    can_be_tried,
                    names_more_than_reading: false,
                    is_refused: false,
                };
                let (step, is_held) = (gate(harmless), can_be_confined && mode != SandboxMode::FullAccess);
                assert_eq!(step == Step::Read, is_held, "{harmless:?}");
                assert_eq!(
                    step == Step::Try,
                    mode == SandboxMode::FullAccess && can_be_tried,
                    "{harmless:?}"
                );
            }
        }
    }
}
