//! What commands of a run see of git: no hook, no monitor of files, no signature, no editor that waits for somebody.

use std::ffi::OsString;

/// The settings that outweigh those of files. A command may set others for itself: it is confined whatever it starts, and what it did
/// to a repository is observed.
const SETTINGS: [(&str, &str); 11] = [
    // A branch that is made does not write the configuration.
    ("branch.autoSetupMerge", "false"),
    ("commit.gpgSign", "false"),
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("rebase.backend", "merge"),
    ("rebase.updateRefs", "false"),
    ("rerere.enabled", "false"),
    ("sequence.editor", "true"),
    ("tag.gpgSign", "false"),
];

/// Variables for the environment of commands.
pub(crate) fn for_commands() -> [(OsString, OsString); 2] {
    let settings: Vec<String> = SETTINGS.iter().map(|(key, value)| format!("'{key}={value}'")).collect();
    [
        ("GIT_CONFIG_PARAMETERS".into(), settings.join(" ").into()),
        // A message is taken as git proposes it.
        ("GIT_EDITOR".into(), "true".into()),
    ]
}
