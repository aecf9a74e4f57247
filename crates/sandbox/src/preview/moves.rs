//! Detection of moved files.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io;

use artoo_anchored_files::{Below, ContentId, State, hash, open_file, open_folder, open_root};

use super::layer_reader::{Difference, open_written};
use super::overlay_dirs::{Layer, OverlayDirs};

/// Pairs of a created and a removed file, by their numbers in the list, with the same bytes, mode and time. A
/// layer does not record moves, and a copy whose original was removed is equivalent.
pub(super) fn moves(overlay_dirs: &OverlayDirs, differences: &[Difference]) -> BTreeMap<usize, usize> {
    let mut away: BTreeMap<Look, Vec<usize>> = BTreeMap::new();
    for (at, difference) in differences.iter().enumerate() {
        if let (Some(before), None) = (&difference.before, &difference.after)
            && before.is_file()
        {
            away.entry(look_of(before)).or_default().push(at);
        }
    }
    let mut pairs = BTreeMap::new();
    for (here, difference) in differences.iter().enumerate() {
        let Some(after) = difference.after.as_ref().filter(|after| after.is_file()) else { continue };
        if difference.link_to.is_some() {
            continue;
        }
        let Some(candidates) = away.get_mut(&look_of(after)) else { continue };
        let found = candidates.iter().position(|away| {
            let Some(other) = differences.get(*away) else { return false };
            // Empty files are all alike, so the names must match.
            let named_alike = other.at.1.path().file_name() == difference.at.1.path().file_name();
            // A file that cannot be read is not a move; it is listed like any other file.
            (after.size > 0 || named_alike)
                && holds_the_same(overlay_dirs, other, difference).unwrap_or(false)
        });
        if let Some(found) = found {
            pairs.insert(here, candidates.remove(found));
        }
    }
    pairs
}

type Look = (u64, u32, artoo_anchored_files::Moment);

fn look_of(state: &State) -> Look {
    (state.size, state.mode, state.mtime)
}

fn holds_the_same(overlay_dirs: &OverlayDirs, away: &Difference, here: &Difference) -> io::Result<bool> {
    Ok(content(overlay_dirs, away, Side::Real)?.has_bytes_of(&content(overlay_dirs, here, Side::Written)?))
}

/// Which of the two files of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Real,
    Written,
}

fn content(overlay_dirs: &OverlayDirs, difference: &Difference, side: Side) -> io::Result<ContentId> {
    let mut file = match side {
        Side::Real => {
            let (layer, parent, name) = place(overlay_dirs, difference)?;
            open_file(&open_folder(&layer.real, &parent)?, name)?
        }
        Side::Written => written(overlay_dirs, difference)?,
    };
    hash(&mut file)
}

/// Opens the file that the command has written there.
pub(super) fn written(overlay_dirs: &OverlayDirs, difference: &Difference) -> io::Result<File> {
    let (layer, parent, name) = place(overlay_dirs, difference)?;
    open_written(&open_folder(&open_root(&layer.upper)?, &parent)?, name)
}

fn place<'a>(
    overlay_dirs: &'a OverlayDirs,
    difference: &'a Difference,
) -> io::Result<(&'a Layer, Below, &'a OsStr)> {
    let (number, below) = &difference.at;
    let layer = overlay_dirs.layers.get(*number).ok_or(io::ErrorKind::NotFound)?;
    let (parent, name) = below.place().ok_or(io::ErrorKind::IsADirectory)?;
    Ok((layer, parent, name))
}
