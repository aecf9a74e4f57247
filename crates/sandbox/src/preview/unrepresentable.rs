//! Checks after the run for changes that a layer cannot represent faithfully: these have no preview.

use std::collections::BTreeMap;

use super::PreviewError;
use super::layer_reader::{Difference, Read, becomes_file, becomes_special};
use super::overlay_dirs::OverlayDirs;

/// Refuses changes that would not turn out as they do without a layer.
pub(super) fn check(overlay_dirs: &OverlayDirs, read: &Read) -> Result<(), PreviewError> {
    let path = |difference: &Difference| {
        let (number, below) = &difference.at;
        overlay_dirs.layers.get(*number).map(|layer| below.under(&layer.root)).unwrap_or_default()
    };
    if let Some(special) = read.differences.iter().find(|difference| becomes_special(difference)) {
        return Err(PreviewError::Special { path: path(special) });
    }
    if let Some(linked) = with_other_names(&read.differences) {
        return Err(PreviewError::HardLinks { path: path(linked) });
    }
    Ok(())
}

/// A changed file with hard links, whose other names would have changed with it. A layer does not tell
/// whether it was changed in place or replaced: without an index, the copy of a file with several names has
/// no mark of its origin. A removed name also counts if files are created and another of its names remains:
/// the file may have been moved.
fn with_other_names(differences: &[Difference]) -> Option<&Difference> {
    let several = |difference: &&Difference| {
        difference.before.as_ref().is_some_and(|before| before.is_file() && before.links > 1)
    };
    let changed = differences.iter().filter(several).find(|difference| difference.after.is_some());
    if changed.is_some() || !differences.iter().any(|one| one.link_to.is_none() && becomes_file(one)) {
        return changed;
    }
    let mut going: BTreeMap<(u64, u64), u64> = BTreeMap::new();
    let file = |difference: &Difference| difference.before.as_ref().map(|before| (before.dev, before.ino));
    for inode in differences.iter().filter(several).filter_map(file) {
        *going.entry(inode).or_default() += 1;
    }
    differences.iter().filter(several).find(|difference| {
        let links = difference.before.as_ref().map_or(0, |before| before.links);
        file(difference).and_then(|inode| going.get(&inode)).is_some_and(|going| *going < links)
    })
}
