//! Converts what the layers contain to the list of changes that is shown.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use artoo_anchored_files::{Below, Kind, Named, State, open_file, open_folder, open_root};
use similar::TextDiff;

use super::changes::{Change, ChangeKind, Changes, Entry, EntryKind};
use super::layer_reader::{Difference, Merged, Read, Spot, becomes_file, open_written};
use super::overlay_dirs::OverlayDirs;
use super::{Preview, commit, moves};

/// The largest file whose text is compared, in bytes.
const LONGEST_TEXT: u64 = 64 * 1024;
/// The most lines of such a file: the worst case of the comparison is quadratic.
const MOST_LINES: usize = 2_000;
/// The most bytes of text that are compared in total.
const ALL_TEXTS: u64 = 1024 * 1024;

impl Preview {
    /// Every path that [`commit`](Self::commit) touches, for `artoo_snapshot::Snapshot::before_paths`: those of the changes,
    /// folders that get another time, and where contents wait for their places.
    pub fn touched(&self) -> Vec<Named> {
        commit::touched(&self.overlay_dirs, &self.read)
    }

    /// Opens the file that the command has written at this real path, to read what a commit would leave there.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`] if it has written none there, or why it cannot be opened.
    pub fn open_written(&self, real: &Path) -> io::Result<File> {
        let layers = self.overlay_dirs.layers.iter().enumerate();
        // The differences are sorted by path, and each may be asked for.
        let mut found = layers.filter_map(|(number, layer)| {
            let at = (number, Below::new(real.strip_prefix(&layer.root).ok()?).ok()?);
            let place = self.read.differences.binary_search_by(|one| one.at.cmp(&at)).ok()?;
            self.read.differences.get(place).filter(|one| becomes_file(one))
        });
        let difference = found.next().ok_or(io::ErrorKind::NotFound)?;
        moves::written(&self.overlay_dirs, difference)
    }
}

/// `moves` maps the numbers of created files to those of removed ones.
pub(super) fn changes(overlay_dirs: &OverlayDirs, read: &Read, moves: &BTreeMap<usize, usize>) -> Changes {
    let mut room = ALL_TEXTS;
    let mut list = Vec::new();
    let away: BTreeMap<usize, usize> = moves.iter().map(|(here, away)| (*away, *here)).collect();
    let path_of = |at: &usize| read.differences.get(*at).map(|other| path(overlay_dirs, &other.at));
    for (at, difference) in read.differences.iter().enumerate() {
        let here = moves.get(&at);
        let moved = here.or_else(|| away.get(&at)).and_then(path_of);
        list.push(Change {
            path: path(overlay_dirs, &difference.at),
            kind: kind(difference, here.is_some(), moved.is_some()),
            before: difference.before.as_ref().map(entry),
            after: difference.after.as_ref().map(entry),
            diff: if moved.is_none() { diff(overlay_dirs, difference, &mut room) } else { None },
            moved,
            same_file_as: difference
                .link_to
                .as_ref()
                .map(|other| path(overlay_dirs, &(difference.at.0, other.clone()))),
        });
    }
    let changed = read.merged.iter().filter(|merged| merged.is_told(read.span));
    list.extend(changed.map(|merged| attributes_of(overlay_dirs, merged)));
    list.sort_by(|one, other| one.path.cmp(&other.path));
    Changes { list }
}

fn attributes_of(overlay_dirs: &OverlayDirs, merged: &Merged) -> Change {
    Change {
        path: path(overlay_dirs, &merged.at),
        kind: ChangeKind::Attributes,
        before: Some(entry(&merged.before)),
        after: Some(entry(&merged.after)),
        moved: None,
        same_file_as: None,
        diff: None,
    }
}

fn path(overlay_dirs: &OverlayDirs, (number, below): &Spot) -> PathBuf {
    overlay_dirs.layers.get(*number).map(|layer| below.under(&layer.root)).unwrap_or_default()
}

fn kind(difference: &Difference, is_here: bool, is_moved: bool) -> ChangeKind {
    match (&difference.before, &difference.after) {
        (None, _) if is_here => ChangeKind::MovedHere,
        (None, _) => ChangeKind::Created,
        (Some(_), None) if is_moved => ChangeKind::MovedAway,
        (Some(_), None) => ChangeKind::Deleted,
        (Some(before), Some(after)) => {
            let same = difference.same_bytes || (before.kind == after.kind && !after.is_file());
            if same && difference.link_to.is_none() { ChangeKind::Attributes } else { ChangeKind::Changed }
        }
    }
}

fn entry(state: &State) -> Entry {
    let kind = match &state.kind {
        Kind::File => EntryKind::File,
        Kind::Folder => EntryKind::Folder,
        // It came from the kernel a moment ago, so its hexadecimal form is valid.
        Kind::Link { target } => EntryKind::Link { target: target.to_path().unwrap_or_default() },
        Kind::Other => EntryKind::Other,
    };
    Entry { kind, mode: state.mode, size: state.size, attributes: state.attributes.names() }
}

/// The diff of two small texts; `None` if either side is anything else.
fn diff(overlay_dirs: &OverlayDirs, difference: &Difference, room: &mut u64) -> Option<String> {
    let is_text = |state: &Option<State>| {
        state.as_ref().is_none_or(|state| state.is_file() && state.size <= LONGEST_TEXT)
    };
    let after = difference.after.as_ref()?;
    if difference.same_bytes || difference.link_to.is_some() || !is_text(&difference.before) {
        return None;
    }
    if !is_text(&difference.after) {
        return None;
    }
    let both = after.size.saturating_add(difference.before.as_ref().map_or(0, |before| before.size));
    *room = room.checked_sub(both)?;
    // A file that cannot be read has no diff; its sizes are in the list.
    let (before, after) = texts(overlay_dirs, difference).ok().flatten()?;
    Some(unified_diff(difference.before.is_some().then_some(before.as_str()), &after))
}

/// A unified diff of two texts with two lines of context, as in the list of changes of a preview. Without a
/// text before, every line is new.
///
/// ```
/// let diff = artoo_sandbox::preview::unified_diff(Some("one\ntwo\n"), "one\n2\n");
/// assert!(diff.ends_with(" one\n-two\n+2\n"));
/// ```
pub fn unified_diff(before: Option<&str>, after: &str) -> String {
    let name = if before.is_some() { "before" } else { "nothing" };
    let text = TextDiff::from_lines(before.unwrap_or_default(), after);
    text.unified_diff().context_radius(2).header(name, "after").to_string()
}

fn texts(overlay_dirs: &OverlayDirs, difference: &Difference) -> io::Result<Option<(String, String)>> {
    let (number, below) = &difference.at;
    let (Some(layer), Some((parent, name))) = (overlay_dirs.layers.get(*number), below.place()) else {
        return Ok(None);
    };
    let before = match &difference.before {
        Some(_) => text(open_file(&open_folder(&layer.real, &parent)?, name)?)?,
        None => Some(String::new()),
    };
    let after = text(open_written(&open_folder(&open_root(&layer.upper)?, &parent)?, name)?)?;
    Ok(before.zip(after))
}

fn text(file: std::fs::File) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    file.take(LONGEST_TEXT).read_to_end(&mut bytes)?;
    let text = String::from_utf8(bytes).ok();
    Ok(text.filter(|text| !text.contains('\0') && text.lines().count() <= MOST_LINES))
}
