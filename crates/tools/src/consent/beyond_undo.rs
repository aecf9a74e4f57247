//! Warns of changes that undo could not take back: files too large for the run's snapshot.

use artoo_consent::on_file;
use artoo_snapshot::{NotCovered, Uncovered};
use artoo_types::{Effect, EffectKind};

use crate::ToolContext;

const MIB: u64 = 1024 * 1024;

/// The warning, if an effect reaches a file that does not fit into the run's snapshot.
pub(crate) fn beyond_undo(
    effects: &[Effect],
    without_room: &[NotCovered],
    cx: &ToolContext,
) -> Option<String> {
    let reaches = |lost: &NotCovered| {
        effects.iter().any(|effect| match effect.kind {
            // If the affected path is unknown, it may be this file.
            EffectKind::Overwrites | EffectKind::Deletes => {
                on_file(effect).is_none_or(|path| lost.path.starts_with(path) || path.starts_with(&lost.path))
            }
            EffectKind::Unknown => true,
            EffectKind::Creates
            | EffectKind::Commits
            | EffectKind::Network
            | EffectKind::OutsideMachine
            | EffectKind::Privilege => false,
        })
    };
    let reached: Vec<&NotCovered> = without_room.iter().filter(|lost| reaches(lost)).collect();
    let whole = reached.iter().find_map(|lost| match lost.why {
        Uncovered::TooMany { entries } => Some((&lost.path, entries)),
        Uncovered::NoRoom { .. }
        | Uncovered::Unreadable { .. }
        | Uncovered::TooDeep
        | Uncovered::Unsteady
        | Uncovered::Elsewhere => None,
    });
    if let Some((folder, entries)) = whole {
        return Some(format!(
            "{} holds more than {entries} entries, so nothing of it is kept: a yes cannot be undone",
            folder.display()
        ));
    }
    let bytes = |lost: &&NotCovered| match lost.why {
        Uncovered::NoRoom { bytes } => Some(bytes),
        Uncovered::TooMany { .. }
        | Uncovered::Unreadable { .. }
        | Uncovered::TooDeep
        | Uncovered::Unsteady
        | Uncovered::Elsewhere => None,
    };
    let sizes = reached.iter().filter_map(bytes);
    let (files, sum) =
        sizes.fold((0_u64, 0_u64), |(files, sum), bytes| (files + 1, sum.saturating_add(bytes)));
    let cap = cx.snapshot.as_ref()?.limits().bytes;
    (files > 0).then(|| {
        format!(
            "{} of what it may change do not fit into the {} that are kept of a run: a yes cannot be undone",
            size(sum),
            size(cap)
        )
    })
}

/// A size in whole MiB from 1 MiB on, in bytes below.
fn size(bytes: u64) -> String {
    if bytes < MIB { format!("{bytes} bytes") } else { format!("{} MiB", bytes.div_ceil(MIB)) }
}
