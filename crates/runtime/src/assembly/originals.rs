//! What a run's snapshot knows of files before the run, for the checks.

use artoo_checks::{Original, Originals};
use artoo_snapshot::Snapshot;
use chrono::DateTime;

/// From this snapshot, if there is one.
pub(super) fn originals(snapshot: Option<Snapshot>) -> Originals {
    let Some(snapshot) = snapshot else { return Originals::default() };
    Originals::new(move |path| {
        // What cannot be read now is not known to be the same.
        let original = snapshot.original(path).ok().flatten()?;
        let (seconds, nanos) = original.changed.parts();
        Some(Original { is_same: original.is_same, changed: DateTime::from_timestamp(seconds, nanos)? })
    })
}
