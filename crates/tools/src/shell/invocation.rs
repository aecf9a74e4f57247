//! What a command is started with.

use std::collections::BTreeMap;
use std::ffi::OsString;

use crate::ToolContext;
use crate::system_program::{search_path, shell_program};

pub(super) fn shell(cx: &ToolContext) -> OsString {
    shell_program(&search_path(cx)).unwrap_or_else(|| "/bin/sh".into()).into()
}

/// The context's environment, plus variables for the writable folders: a model copies a path wrongly more
/// easily than a name.
pub(super) fn environment(cx: &ToolContext) -> BTreeMap<OsString, OsString> {
    let mut environment = cx.environment.clone();
    environment.insert("WORKSPACE".into(), cx.workspace.clone().into());
    // Independent of the person's language: error messages, sorting and number formats are the same on every
    // machine.
    environment.insert("LC_ALL".into(), "C.UTF-8".into());
    // Reading a repository or importing a module leaves nothing behind.
    environment.insert("GIT_OPTIONAL_LOCKS".into(), "0".into());
    environment.insert("PYTHONDONTWRITEBYTECODE".into(), "1".into());
    environment.extend(crate::git::for_commands());
    environment
}
