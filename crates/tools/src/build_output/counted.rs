//! Counts changed files per folder of build output.

use std::collections::BTreeMap;
use std::path::PathBuf;

use artoo_types::{BuildFolder, EffectKind};

use crate::contents_before::as_text;

/// The changes in folders of build output.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Counted(BTreeMap<PathBuf, Count>);

/// The changes in one of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Count {
    files: u64,
    /// How many of them no earlier call had changed, where somebody looked.
    first_changed: Option<u64>,
    /// Whether something goes or becomes another.
    takes: bool,
}

impl Counted {
    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Counts one more file in this folder.
    pub(crate) fn add(&mut self, folder: PathBuf, kind: EffectKind) {
        let count = self.0.entry(folder).or_default();
        count.files = count.files.saturating_add(1);
        count.takes |= kind != EffectKind::Creates;
    }

    /// The same, of a file that a call has changed: whether it is the first of the run that does.
    pub(crate) fn add_done(&mut self, folder: PathBuf, kind: EffectKind, is_first: bool) {
        self.add(folder.clone(), kind);
        if let Some(count) = self.0.get_mut(&folder) {
            count.first_changed =
                Some(count.first_changed.unwrap_or_default().saturating_add(u64::from(is_first)));
        }
    }

    /// The folders.
    pub(crate) fn folders(&self) -> Vec<BuildFolder> {
        let folder = |(path, count): (&PathBuf, &Count)| BuildFolder {
            first_changed: count.first_changed,
            ..BuildFolder::new(as_text(path), count.files)
        };
        self.0.iter().map(folder).collect()
    }

    /// The folders as text for a question, with what happens in each.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = (BuildFolder, EffectKind)> {
        let kinds = self
            .0
            .values()
            .map(|count| if count.takes { EffectKind::Overwrites } else { EffectKind::Creates });
        self.folders().into_iter().zip(kinds.collect::<Vec<_>>())
    }
}
