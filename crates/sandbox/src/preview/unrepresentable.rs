//! Checks after the run for changes that a layer cannot represent faithfully: these have no preview.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::PreviewError;
use super::layer_reader::{Difference, Read, becomes_file, becomes_special};
use super::overlay_dirs::OverlayDirs;

/// Refuses changes that cannot be made.
pub(super) fn check(overlay_dirs: &OverlayDirs, read: &Read) -> Result<(), PreviewError> {
    match read.differences.iter().find(|difference| becomes_special(difference)) {
        Some(special) => Err(PreviewError::Special { path: path(overlay_dirs, special) }),
        None => Ok(()),
    }
}

/// The changed files with hard links, whose other names would have changed with them. A layer does not tell
/// whether a file was changed in place or replaced: without an index, the copy of a file with several names
/// has no mark of its origin. A removed name also counts if files are created and another of its names
/// remains: the file may have been moved.
pub(super) fn with_other_names(overlay_dirs: &OverlayDirs, read: &Read) -> Vec<PathBuf> {
    let several = |difference: &&Difference| {
        difference.before.as_ref().is_some_and(|before| before.is_file() && before.links > 1)
    };
    let mut going: BTreeMap<(u64, u64), u64> = BTreeMap::new();
    let file = |difference: &Difference| difference.before.as_ref().map(|before| (before.dev, before.ino));
    for inode in read.differences.iter().filter(several).filter_map(file) {
        *going.entry(inode).or_default() += 1;
    }
    let may_be_moved = read.differences.iter().any(|one| one.link_to.is_none() && becomes_file(one));
    let leaves_a_name = |difference: &Difference| {
        let links = difference.before.as_ref().map_or(0, |before| before.links);
        file(difference).and_then(|inode| going.get(&inode)).is_some_and(|going| *going < links)
    };
    let is_open =
        |difference: &&Difference| difference.after.is_some() || (may_be_moved && leaves_a_name(difference));
    let open = read.differences.iter().filter(several).filter(is_open);
    open.map(|difference| path(overlay_dirs, difference)).collect()
}

fn path(overlay_dirs: &OverlayDirs, difference: &Difference) -> PathBuf {
    let (number, below) = &difference.at;
    overlay_dirs.layers.get(*number).map(|layer| below.under(&layer.root)).unwrap_or_default()
}
