//! What a layer cannot tell truly, found after the command ran: then there is no preview.

use std::collections::BTreeMap;
use std::io;

use rustix::fs;
use rustix::io::Errno;

use super::PreviewError;
use super::ground::Ground;
use super::layer::{Difference, Read, becomes_file, becomes_special};
use crate::snapshot::anchored::{open_file, open_folder};
use crate::snapshot::state::State;

/// Attributes that a system gives to every file by itself.
const OF_THE_SYSTEM: [&[u8]; 3] = [b"security.selinux", b"security.ima", b"security.evm"];

/// Refuses what would not come out as it does without a layer.
pub(super) fn check(
    ground: &Ground,
    read: &Read,
    moves: &BTreeMap<usize, usize>,
) -> Result<(), PreviewError> {
    let path = |difference: &Difference| {
        let (number, below) = &difference.at;
        ground.layers.get(*number).map(|layer| below.under(&layer.root)).unwrap_or_default()
    };
    if let Some(special) = read.differences.iter().find(|difference| becomes_special(difference)) {
        return Err(PreviewError::Special { path: path(special) });
    }
    if let Some(linked) = with_other_names(&read.differences) {
        return Err(PreviewError::HardLinks { path: path(linked) });
    }
    let moved = moves.values().filter_map(|away| read.differences.get(*away));
    let replaced = read.differences.iter().filter(|difference| difference.after.is_some());
    for difference in replaced.chain(moved) {
        if !difference.before.as_ref().is_some_and(State::is_file) {
            continue;
        }
        let name = attribute_of(ground, difference)
            .map_err(|source| PreviewError::Unreadable { path: path(difference), source })?;
        if let Some(name) = name {
            return Err(PreviewError::AttributesOf { path: path(difference), name });
        }
    }
    Ok(())
}

/// A file that is changed, while its other names would have changed with it. A file whose name goes counts as well where files come to be
/// and one of its names stays: it may have been moved.
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

/// The name of an attribute of the real file that the layer's copy would not bring back.
fn attribute_of(ground: &Ground, difference: &Difference) -> io::Result<Option<String>> {
    let (number, below) = &difference.at;
    let (Some(layer), Some((parent, name))) = (ground.layers.get(*number), below.place()) else {
        return Ok(None);
    };
    let file = open_file(&open_folder(&layer.real, &parent)?, name)?;
    let mut list = vec![0_u8; 64 * 1024];
    let length = match fs::flistxattr(&file, &mut list) {
        Ok(length) => length,
        // A file system without attributes.
        Err(Errno::OPNOTSUPP) => 0,
        Err(error) => return Err(error.into()),
    };
    let names = list.get(..length).unwrap_or_default().split(|byte| *byte == 0);
    let mut own = names.filter(|name| !name.is_empty() && !OF_THE_SYSTEM.contains(name));
    Ok(own.next().map(|name| String::from_utf8_lossy(name).into_owned()))
}
