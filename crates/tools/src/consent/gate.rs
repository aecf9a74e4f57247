//! How a command begins: pure, so that every case stands in one table.
//!
//! What a command's words say can make this stricter, and never grants anything: what it may do is the
//! kernel's, and what it did is decided about afterwards. Source: `docs/design/consent.md`, "How a command
//! begins".

use artoo_sandbox::SandboxMode;

/// What is known before a command runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Case {
    /// What the user lets commands do.
    pub mode: SandboxMode,
    /// Whether it can run over layers, where nothing of it lasts.
    pub can_be_tried: bool,
    /// Whether its words name more than reading, or leave open what they name.
    pub names_more_than_reading: bool,
    /// Whether its words name something that nobody's yes allows, or that was denied before in this run.
    pub is_refused: bool,
}

/// How a command begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// It runs where it can write nowhere but in its private folder. One that fails there, and can be tried,
    /// is tried then: it may have wanted to write.
    Read,
    /// It runs over layers, and what it changed there is decided about.
    Try,
    /// A person is asked before it runs. Without one the answer is no.
    Ask,
    /// It does not run, whoever says yes.
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

    /// What it means, for a person.
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

/// Decides. The strictest of what applies wins.
///
/// ```
/// use artoo_sandbox::SandboxMode;
/// use artoo_tools::{Case, Step, gate};
///
/// let removal = Case {
///     mode: SandboxMode::WorkspaceWrite,
///     can_be_tried: true,
///     names_more_than_reading: true,
///     is_refused: false,
/// };
/// assert_eq!(gate(removal), Step::Try);
/// assert_eq!(gate(Case { names_more_than_reading: false, ..removal }), Step::Read);
/// assert_eq!(gate(Case { can_be_tried: false, ..removal }), Step::Ask);
/// ```
pub fn gate(case: Case) -> Step {
    match case.mode {
        _ if case.is_refused => Step::Refuse,
        SandboxMode::ReadOnly => Step::Read,
        // The stricter way, and the quicker one.
        SandboxMode::WorkspaceWrite if !case.names_more_than_reading => Step::Read,
        SandboxMode::WorkspaceWrite | SandboxMode::FullAccess if case.can_be_tried => Step::Try,
        // In full access nothing would hold it: its words alone are no reason to let it run.
        SandboxMode::WorkspaceWrite | SandboxMode::FullAccess => Step::Ask,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_table() {
        use SandboxMode::{FullAccess, ReadOnly, WorkspaceWrite};
        // Mode, whether it can be tried: for words that name reading alone, and for others.
        let table = [
            (ReadOnly, true, Step::Read, Step::Read),
            (ReadOnly, false, Step::Read, Step::Read),
            (WorkspaceWrite, true, Step::Read, Step::Try),
            (WorkspaceWrite, false, Step::Read, Step::Ask),
            (FullAccess, true, Step::Try, Step::Try),
            (FullAccess, false, Step::Ask, Step::Ask),
        ];
        for (mode, can_be_tried, reading, more) in table {
            for (names_more_than_reading, step) in [(false, reading), (true, more)] {
                let case = Case { mode, can_be_tried, names_more_than_reading, is_refused: false };
                assert_eq!(gate(case), step, "{case:?}");
                assert_eq!(gate(Case { is_refused: true, ..case }), Step::Refuse);
            }
        }
    }

    /// Nothing that words say lets a command write, and no step with which it may write is reached by them.
    #[test]
    fn words_never_grant() {
        for mode in [SandboxMode::ReadOnly, SandboxMode::WorkspaceWrite, SandboxMode::FullAccess] {
            for can_be_tried in [false, true] {
                let harmless = Case { mode, can_be_tried, names_more_than_reading: false, is_refused: false };
                assert!(matches!(
                    (gate(harmless), mode),
                    (Step::Read | Step::Try, _) | (Step::Ask, SandboxMode::FullAccess)
                ));
            }
        }
    }
}
