//! Where git is.

use std::path::PathBuf;

use crate::SystemProgram;

/// The folders of the system's programs.
pub(super) const SYSTEM: [&str; 3] = ["/usr/bin", "/bin", "/usr/local/bin"];

/// The system's git: the one of these folders, or else of the system's own, since a `PATH` may lead to programs by links that are
/// the user's. Blocks.
pub(super) fn system_git(search_path: &[PathBuf]) -> Option<SystemProgram> {
    let folders: Vec<PathBuf> = search_path.iter().cloned().chain(SYSTEM.map(PathBuf::from)).collect();
    SystemProgram::find("git", &folders)
}
