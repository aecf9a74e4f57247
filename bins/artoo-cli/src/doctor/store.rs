//! What is kept: memory, the audit log, and what stays in records.

use artoo_auditor::{LOG_NAME, is_begun, verify};
use artoo_redaction::{SHORTEST_SECRET, too_short};
use artoo_runtime::private::{open_places, places};

use super::Check;
use crate::config::{self, Settings};
use crate::program::Context;

pub(super) fn checks(context: &Context<'_>, settings: &Settings) -> Vec<Check> {
    let memory =
        Check::note("memory", "not durable in this release: experience is kept for one process only");
    let environment = context.environment;
    let variables = environment.names().filter_map(|name| Some((name, environment.text(name)?)));
    let usual = [memory, audit(settings), private_places(context, settings)];
    usual.into_iter().chain(secrets(&too_short(variables).collect::<Vec<_>>())).collect()
}

/// What is said of variables whose secrets are too short to be taken out of records.
fn secrets(names: &[&str]) -> Option<Check> {
    let finding = format!(
        "shorter than {SHORTEST_SECRET} characters, so they stay in records where no name stands beside them: {}",
        names.join(", ")
    );
    let check = Check::note("secrets", finding).remedy("use longer ones, where they are secrets");
    (!names.is_empty()).then_some(check)
}

/// Whether others may read or write what is artoo's. The next run closes it where it can.
fn private_places(context: &Context<'_>, settings: &Settings) -> Check {
    const NAME: &str = "private";
    let home = &context.folders.home;
    let mut all = places(&settings.data_dir);
    all.extend(config::own_folder(context.environment, home));
    all.push(config::policy_path(context.environment, home));
    let open = open_places(&all);
    match open.as_slice() {
        [] => Check::good(NAME, "data and configuration are yours alone"),
        [first, rest @ ..] => {
            let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
            let finding = format!("others may read or write {}{more}", first.display());
            Check::note(NAME, finding)
                .remedy(format!("the next run closes it; or: chmod -R go= {}", first.display()))
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_secrets_are_named_and_not_shown() {
        assert_eq!(secrets(&[]), None);
        let check = secrets(&["LM_KEY", "PROXY"]).unwrap();
        assert_eq!((check.name.as_str(), check.state), ("secrets", crate::doctor::State::Note));
        assert!(check.finding.ends_with("stands beside them: LM_KEY, PROXY"), "{}", check.finding);
    }
}
