//! Acting in the apps of a Mac.

pub(crate) mod applescript;
pub(crate) mod osa_failure;
pub(crate) mod shortcuts;
