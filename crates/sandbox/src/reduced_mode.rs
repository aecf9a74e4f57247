//! Reduced mode: how commands are confined on a machine that cannot confine them in full.

use crate::{Gap, NoConfinement, SandboxMode, Support, probe};

/// What is left of confinement where the kernel gives only a part of it, or nothing. The kernel's answers decide
/// ([`probe`]); no setting does.
///
/// ```
/// use artoo_sandbox::{Gap, NoConfinement, ReducedMode, Support};
///
/// let container = Support::Enforced { abi: 7, gaps: Gap::of(7, false) };
/// assert_eq!(container.reduced_mode(), Some(ReducedMode::WithoutNamespaces));
/// let mac = Support::Missing(NoConfinement::NotLinux);
/// assert_eq!(mac.reduced_mode(), Some(ReducedMode::Unconfined(NoConfinement::NotLinux)));
/// assert_eq!(Support::Enforced { abi: 7, gaps: Gap::of(7, true) }.reduced_mode(), None);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReducedMode {
    /// Landlock and the filter of system calls hold a command, but it gets no namespaces, so it cannot be tried.
    WithoutNamespaces,
    /// Nothing holds a command.
    Unconfined(NoConfinement),
}

/// How commands of this process are confined if not in full. Takes no time after the first [`probe`].
pub fn reduced_mode() -> Option<ReducedMode> {
    probe().reduced_mode()
}

impl Support {
    /// How commands are confined with this support; `None` if in full.
    pub fn reduced_mode(&self) -> Option<ReducedMode> {
        match self {
            // Without namespaces no part of a folder can be mounted read-only.
            Self::Enforced { gaps, .. } if gaps.contains(&Gap::PartsOfFolders) => {
                Some(ReducedMode::WithoutNamespaces)
            }
            Self::Enforced { .. } => None,
            Self::Missing(reason) => Some(ReducedMode::Unconfined(reason.clone())),
        }
    }
}

impl ReducedMode {
    /// What holds and what is asked about in this sandbox mode, in one line. `None` where the user wants no
    /// confinement anyway.
    pub fn summary(&self, mode: SandboxMode) -> Option<String> {
        let text = match (self, mode) {
            (_, SandboxMode::FullAccess) => return None,
            (Self::WithoutNamespaces, SandboxMode::ReadOnly) => {
                "reduced mode: commands are confined by Landlock and a filter of system calls, without namespaces"
                    .to_owned()
            }
            (Self::WithoutNamespaces, SandboxMode::WorkspaceWrite) => {
                "reduced mode: commands are confined by Landlock and a filter of system calls, without namespaces; none can be \
                 tried first, so you are asked before one may write"
                    .to_owned()
            }
            (Self::Unconfined(reason), SandboxMode::ReadOnly) => {
                format!("reduced mode: nothing can confine a command ({reason}); commands are refused")
            }
            (Self::Unconfined(reason), SandboxMode::WorkspaceWrite) => {
                format!("reduced mode: nothing confines a command ({reason}); you are asked before each one")
            }
        };
        Some(text)
    }

    /// What a command may do after a yes, for the question about it.
    pub const fn after_a_yes(&self) -> &'static str {
        match self {
            Self::WithoutNamespaces => {
                "nothing can be tried on this machine: it may change the workspace and the working folder, with any `.git` in them"
            }
            Self::Unconfined(_) => {
                "nothing is confined on this machine, and nothing can be tried: it may read, change and send whatever you may; outside \
                 of the workspace and the working folder no change can be undone"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever is missing, the user learns of it unless they gave full access.
    #[test]
    fn the_summary_says_what_holds() {
        for (reduced, holds) in [
            (ReducedMode::WithoutNamespaces, "Landlock"),
            (ReducedMode::Unconfined(NoConfinement::NotLinux), "nothing"),
        ] {
            for mode in [SandboxMode::ReadOnly, SandboxMode::WorkspaceWrite] {
                let summary = reduced.summary(mode).unwrap();
                assert!(summary.starts_with("reduced mode: ") && summary.contains(holds), "{summary}");
            }
            assert_eq!(reduced.summary(SandboxMode::FullAccess), None);
        }
    }
}
