//! What is kept: memory and the audit log.

use artoo_auditor::{LOG_NAME, is_begun, verify};

use super::Check;
use crate::config::Settings;

pub(super) fn checks(settings: &Settings) -> Vec<Check> {
    let memory =
        Check::note("memory", "not durable in this release: experience is kept for one process only");
    vec![memory, audit(settings)]
}

fn audit(settings: &Settings) -> Check {
    const NAME: &str = "audit log";
    let log = settings.data_dir.join(LOG_NAME);
    if !is_begun(&log) {
        return Check::good(NAME, "none yet");
    }
    match verify(&log) {
        Ok(verified) => {
            let tampered = verified.tampered().count();
            let finding = format!("{} lines, the chain holds", verified.lines);
            if tampered == 0 {
                Check::good(NAME, finding)
            } else {
                Check::note(NAME, format!("{finding}; {tampered} recorded gaps are not explained by a crash"))
                    .remedy("artoo audit verify")
            }
        }
        Err(error) => {
            // A run still works and is still recorded: the log says itself where its chain broke.
            Check::note(NAME, error.to_string()).remedy(error.hint().unwrap_or("artoo audit verify"))
        }
    }
}
