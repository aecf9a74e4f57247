//! Restores hard links: names of one file become one file again.

use std::collections::{BTreeMap, BTreeSet};
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use artoo_anchored_files::{Below, State, walk};

use super::super::record::{Found, Spot};
use super::super::root::content;
use super::acts::{Act, Item, place};

/// The most entries of a root that are searched for other names.
const MOST: usize = 1_000_000;

/// Joins names that were one file: the first one that still is that file, or is created again, becomes the
/// link target of the others. The items are sorted by spot; `all` also has the names that the run did not
/// touch.
pub(super) fn join_names(items: &mut [Item], all: &BTreeMap<Spot, Found>) {
    let mut groups: BTreeMap<(u64, u64), Vec<&Spot>> = BTreeMap::new();
    for (spot, found) in all {
        if let Some(state) = found.0.as_ref().filter(|state| state.is_file() && state.links > 1) {
            groups.entry((state.dev, state.ino)).or_default().push(spot);
        }
    }
    for names in groups.into_values().filter(|names| names.len() > 1) {
        let Some(first) = names.iter().find(|spot| stays(items, spot)).or(names.first()) else { continue };
        for spot in names.iter().filter(|spot| *spot != first) {
            if !stays(items, spot)
                && let Some(item) = place(items, spot).and_then(|at| items.get_mut(at))
            {
                item.act = Act::Link((*first).clone());
            }
        }
    }
}

/// Whether a name still belongs to its original file.
fn stays(items: &[Item], spot: &Spot) -> bool {
    match place(items, spot).and_then(|at| items.get(at)) {
        None => true,
        Some(Item { before: Some(before), current: Some(current), .. }) => {
            current.is_file() && current.is_same_inode(before)
        }
        Some(_) => false,
    }
}

/// Finds the other names of files that would be restored as separate files because only one of their names
/// was scanned. Searches nothing if there are no such files. Names outside the roots are not found.
pub(super) fn find_names(items: &mut [Item], roots: &[(PathBuf, OwnedFd)]) {
    let is_alone = |item: &Item| {
        item.act == Act::Replace
            && item.before.as_ref().is_some_and(|before| before.is_file() && before.links > 1)
    };
    if !items.iter().any(is_alone) {
        return;
    }
    let mut found: BTreeMap<(u64, u64), Vec<(Spot, State)>> = BTreeMap::new();
    for (number, (_, root)) in roots.iter().enumerate() {
        // A root that cannot be searched yields no names.
        let Ok(Some(walked)) = walk(root, &BTreeSet::new(), MOST) else { continue };
        for (below, state) in walked.states.into_iter().filter(|(_, state)| state.is_file()) {
            found.entry((state.dev, state.ino)).or_default().push(((number, below), state));
        }
    }
    let going: BTreeSet<Spot> =
        items.iter().filter(|item| item.goes()).map(|item| item.spot.clone()).collect();
    for item in items.iter_mut().filter(|item| is_alone(item)) {
        let (Some(before), Some(kept)) = (&item.before, &item.kept) else { continue };
        let names = found.get(&(before.dev, before.ino)).into_iter().flatten();
        let same = |(spot, state): &&(Spot, State)| {
            let (number, below): (usize, &Below) = (spot.0, &spot.1);
            !going.contains(spot)
                && before.looks_like(state)
                && roots
                    .get(number)
                    .is_some_and(|(_, root)| content(root, below).is_ok_and(|now| now == *kept))
        };
        if let Some((spot, _)) = names.into_iter().find(same) {
            item.act = Act::Link(spot.clone());
        }
    }
}
