//! Tools that control macOS apps: AppleScript and Shortcuts.

pub(crate) mod applescript;
pub(crate) mod osa_failure;
pub(crate) mod shortcuts;
