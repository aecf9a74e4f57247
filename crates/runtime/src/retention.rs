//! Applies the retention of undo records when a run starts.

use std::{
    fs::OpenOptions,
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
    sync::PoisonError,
    time::Duration,
};

use artoo_anchored_files::read_regular;
use artoo_snapshot::Retention;
use chrono::{DateTime, FixedOffset};
use tokio::time::Instant;

use crate::{artoo::Parts, owner_only::RETENTION_STAMP, runs};

/// Minimum interval between retention passes over the undo records, each of which visits every run's folder.
const RETENTION_CYCLE: Duration = Duration::from_secs(60 * 60);

/// The most bytes of a stamp.
const STAMP: u64 = 256;

/// Removes undo records that are too old or too large. On its own thread: neither the run nor the end of the
/// process waits for it.
pub(crate) fn expire_undo(parts: &Parts) {
    {
        let mut last = parts.retained.lock().unwrap_or_else(PoisonError::into_inner);
        if last.is_some_and(|last| last.elapsed() < RETENTION_CYCLE) {
            return;
        }
        *last = Some(Instant::now());
    }
    let (data_folder, retention, now) =
        (parts.data_folder.clone(), parts.options.retention, parts.clock.now());
    if was_just_done(&data_folder, retention, now) {
        return;
    }
    let expire = move || {
        let done = runs::expire_undo(&data_folder, retention, now);
        if let Err(error) = done {
            tracing::warn!(%error, "old contents that are kept for undo could not be removed");
            return;
        }
        if let Err(error) = stamp(&data_folder, retention, now) {
            tracing::debug!(%error, "the next process looks at what is kept for undo once more");
        }
    };
    if let Err(error) = std::thread::Builder::new().name("artoo-retention".to_owned()).spawn(expire) {
        tracing::warn!(%error, "old contents that are kept for undo are not looked at");
    }
}

/// Whether a process has completed a pass with the same limits less than a cycle ago. A stamp that cannot be read, or is from the
/// future, says no.
fn was_just_done(data_folder: &Path, retention: Retention, now: DateTime<FixedOffset>) -> bool {
    let read = || {
        let text = String::from_utf8(read_regular(&data_folder.join(RETENTION_STAMP), STAMP).ok()?).ok()?;
        let (at, limits) = text.split_once('\n')?;
        let age = (now - DateTime::parse_from_rfc3339(at).ok()?).to_std().ok()?;
        Some(limits == limits_of(retention) && age < RETENTION_CYCLE)
    };
    read().unwrap_or(false)
}

/// Records a completed pass.
fn stamp(data_folder: &Path, retention: Retention, now: DateTime<FixedOffset>) -> io::Result<()> {
    let path = data_folder.join(RETENTION_STAMP);
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
    file.write_all(format!("{}\n{}", now.to_rfc3339(), limits_of(retention)).as_bytes())
}

fn limits_of(retention: Retention) -> String {
    format!("{} {}", retention.max_age.as_millis(), retention.max_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_counts_for_an_hour_and_for_the_same_limits() {
        let folder = tempfile::tempdir().unwrap();
        let at = |text: &str| DateTime::parse_from_rfc3339(text).unwrap();
        let (now, usual) = (at("2026-03-14T09:00:00+01:00"), Retention::default());
        let is_done = |retention, now| was_just_done(folder.path(), retention, now);
        assert!(!is_done(usual, now), "there is none");
        stamp(folder.path(), usual, now).unwrap();
        stamp(folder.path(), usual, now).unwrap();
        assert!(is_done(usual, now) && is_done(usual, at("2026-03-14T08:59:59Z")));
        assert!(!is_done(usual, at("2026-03-14T10:00:00+01:00")));
        assert!(!is_done(usual, at("2026-03-14T08:59:00+01:00")), "it is from the future");
        assert!(!is_done(Retention { max_bytes: 1, ..usual }, now), "the user has set another limit");
        let path = folder.path().join(RETENTION_STAMP);
        for damaged in ["", "\n", "2026-03-14T09:00:00+01:00", &"x".repeat(300)] {
            std::fs::write(&path, damaged).unwrap();
            assert!(!is_done(usual, now), "{damaged:?}");
        }
        std::fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
        assert!(!is_done(usual, now));
        stamp(folder.path(), usual, now).unwrap();
        assert!(is_done(usual, now));
    }
}
