//! artoo's own tools, by kind, so that who decides about a tool is asked by the compiler about each.

use crate::ToolName;

/// A tool of artoo's own. Tools are an open set on the wire, where each is a [`ToolName`]; this is the part of it that code knows.
///
/// ```
/// use artoo_types::{ToolKind, ToolName};
///
/// assert_eq!(ToolName::new("read_file").kind(), Some(ToolKind::ReadFile));
/// assert_eq!(ToolName::new("send_mail").kind(), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ToolKind {
    /// Finds files by an index, or by a walk.
    Mdfind,
    /// Finds files by a pattern.
    Glob,
    /// Finds lines in files.
    Grep,
    /// Reads a file.
    ReadFile,
    /// Reads an output of an earlier call again.
    ReadEvidence,
    /// Writes a file.
    WriteFile,
    /// Edits a file.
    EditFile,
    /// Commits files with git.
    GitCommit,
    /// Takes back what an earlier run changed.
    UndoRun,
    /// Acts in apps by AppleScript.
    AppleScript,
    /// Runs a shortcut of macOS.
    Shortcuts,
    /// Runs a shell command.
    Shell,
    /// Looks at a command that was left running.
    Job,
    /// Searches the web.
    Search,
    /// Fetches a page of the web.
    Fetch,
}

impl ToolKind {
    /// Every kind, in the order in which tools are offered.
    pub const ALL: [Self; 15] = [
        Self::Mdfind,
        Self::Glob,
        Self::Grep,
        Self::ReadFile,
        Self::ReadEvidence,
        Self::WriteFile,
        Self::EditFile,
        Self::GitCommit,
        Self::UndoRun,
        Self::AppleScript,
        Self::Shortcuts,
        Self::Shell,
        Self::Job,
        Self::Search,
        Self::Fetch,
    ];

    /// The name by which a model calls it, and under which journals keep its calls.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mdfind => "mdfind",
            Self::Glob => "glob",
            Self::Grep => "grep",
            Self::ReadFile => "read_file",
            Self::ReadEvidence => "read_evidence",
            Self::WriteFile => "write_file",
            Self::EditFile => "edit_file",
            Self::GitCommit => "git_commit",
            Self::UndoRun => "undo_run",
            Self::AppleScript => "applescript",
            Self::Shortcuts => "shortcuts",
            Self::Shell => "shell",
            Self::Job => "job",
            Self::Search => "search",
            Self::Fetch => "fetch",
        }
    }

    /// Whether a call of it changes files alone, and its record has all of them. What acts in apps or on the web, looks
    /// at a job or asks an index of the system is not tracked.
    pub const fn is_tracked(self) -> bool {
        match self {
            Self::Glob
            | Self::Grep
            | Self::ReadFile
            | Self::ReadEvidence
            | Self::WriteFile
            | Self::EditFile
            | Self::GitCommit
            | Self::UndoRun
            | Self::Shell => true,
            Self::Mdfind | Self::AppleScript | Self::Shortcuts | Self::Job | Self::Search | Self::Fetch => {
                false
            }
        }
    }
}

impl From<ToolKind> for ToolName {
    fn from(kind: ToolKind) -> Self {
        Self::new(kind.name())
    }
}

impl ToolName {
    /// Which of artoo's own tools it names; `None` for one of an embedder, or one that a model made up.
    pub fn kind(&self) -> Option<ToolKind> {
        ToolKind::ALL.into_iter().find(|kind| kind.name() == self.as_str())
    }

    /// Whether it names this tool.
    pub fn is(&self, kind: ToolKind) -> bool {
        self.as_str() == kind.name()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_found_by_its_name() {
        for kind in ToolKind::ALL {
            let name = ToolName::from(kind);
            assert_eq!(name.kind(), Some(kind));
            let named: Vec<ToolKind> = ToolKind::ALL.into_iter().filter(|other| name.is(*other)).collect();
            assert_eq!(named, [kind]);
        }
    }
}
