//! `artoo doctor`: checks of stored data: memory, audit log, and secrets and permissions of records.

use artoo_auditor::{LOG_NAME, log_exists, verify};
use artoo_memory_store::operator::{Keeping, Owner, Stats};
use artoo_redaction::{SHORTEST_SECRET, too_short};
use artoo_runtime::owner_only::{open_places, places};
use artoo_runtime::runs::missing_from_log;
use artoo_types::Remedy;

use super::Check;
use crate::commands::memory::{explained, owner as owner_words};
use crate::commands::{both_gone, unexplained};
use crate::config::{self, MemoryMode, Settings};
use crate::dispatch::Context;
use crate::memory_location::{open, place_here};
use crate::terminal::worded;
use crate::view::counted;

pub(super) fn checks(context: &Context<'_>, settings: &Settings) -> Vec<Check> {
    let environment = context.environment;
    let variables = environment.names().filter_map(|name| Some((name, environment.text(name)?)));
    let usual = [memory(context, settings), audit(settings), private_places(context, settings)];
    usual.into_iter().chain(secrets(&too_short(variables).collect::<Vec<_>>())).collect()
}

/// Whether the memory is persistent, and whether it is damaged. The check creates nothing.
fn memory(context: &Context<'_>, settings: &Settings) -> Check {
    const NAME: &str = "memory";
    let place = place_here(context, settings);
    let whose = place.own.as_ref().map(|own| format!(", the one of {}", own.display())).unwrap_or_default();
    let found = if place.folder.exists() {
        match open(&place, settings.rules).and_then(|memory| memory.stats().map_err(explained)) {
            Ok(stats) => memory_line(&stats, &whose),
            Err(error) => Check::note(NAME, format!("runs go on without it: {error}"))
                .remedy(error.next_step().unwrap_or("artoo memory verify")),
        }
    } else {
        let kept = place.folder.display();
        Check::good(NAME, format!("nothing is learned yet{whose}; it will be kept in {kept}"))
    };
    match place.mode {
        MemoryMode::On => found,
        MemoryMode::ReadOnly => {
            Check { finding: format!("read-only, as configured; {}", found.finding), ..found }
        }
        MemoryMode::Off => Check::note(NAME, "off, as configured: runs recall nothing and keep nothing"),
    }
}

/// The check of a readable memory.
fn memory_line(stats: &Stats, whose: &str) -> Check {
    const NAME: &str = "memory";
    let count = counted(stats.levels.total(), "entry", "entries");
    let finding = match &stats.keeping {
        Keeping::Process => "not durable in this release: experience is kept for one process only".to_owned(),
        Keeping::Disk { folder, owner, .. } => {
            format!("{count} in {}{whose}, {}", folder.display(), owner_words(owner))
        }
    };
    match (stats.findings.as_slice(), &stats.keeping) {
        ([first, rest @ ..], _) => {
            let more = if rest.is_empty() { String::new() } else { format!(" (and {} more)", rest.len()) };
            Check::note(NAME, format!("{finding}; {}{more}", first.finding)).remedy(match &first.hint {
                Some(hint) => worded(hint, first.remedy),
                None => worded("see what can still be read", Some(Remedy::CheckMemory)),
            })
        }
        ([], Keeping::Process) => Check::note(NAME, finding),
        ([], Keeping::Disk { owner: Owner::Nobody { .. }, .. }) => Check::note(NAME, finding)
            .remedy("put it on a disk with locks: `[memory] folder = ...` in the configuration"),
        ([], Keeping::Disk { owner: Owner::This | Owner::Other { .. }, .. }) => Check::good(NAME, finding),
    }
}

/// The note about variables whose secrets are too short to be redacted.
fn secrets(names: &[&str]) -> Option<Check> {
    let finding = format!(
        "shorter than {SHORTEST_SECRET} characters, so they stay in records where no name stands beside them: {}",
        names.join(", ")
    );
    let check = Check::note("secrets", finding).remedy("use longer ones, where they are secrets");
    (!names.is_empty()).then_some(check)
}

/// Whether other users may read or write artoo's folders. The next run closes them where it can.
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
    let compared = match missing_from_log(&settings.data_dir) {
        Ok(compared) => compared,
        Err(error) => return Check::note(NAME, error.to_string()).remedy("artoo audit verify"),
    };
    if !log_exists(&log) {
        return match compared.runs {
            0 => Check::good(NAME, "none yet"),
            runs => Check::note(NAME, both_gone(runs)).remedy("artoo audit verify"),
        };
    }
    match verify(&log) {
        Ok(verified) => {
            let mut finding = format!("{} lines, the chain holds", verified.lines);
            let (tampered, missing) = (verified.tampered().count(), unexplained(&compared));
            if tampered > 0 {
                finding.push_str(&format!("; {tampered} recorded gaps are not explained by a crash"));
            }
            if missing > 0 {
                let missing = counted(missing as u64, "run on record is", "runs on record are");
                finding.push_str(&format!("; {missing} missing from it"));
            }
            if tampered + missing == 0 {
                Check::good(NAME, finding)
            } else {
                Check::note(NAME, finding).remedy("artoo audit verify")
            }
        }
        Err(error) => {
            // Only a note: runs still work and are still recorded, and the log
            // itself says where its chain broke.
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
