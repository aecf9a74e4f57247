//! Comparison after an undo: which originals were not restored exactly.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use artoo_anchored_files::{
    Attributes, Kind, State, as_text, hash, look_below, open_file, open_folder, read_whatever_mode,
};
use serde::Serialize;

use super::acts::{Act, Item};
use super::prepare::Undo;

/// Something that could not be restored exactly.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Deviation {
    /// The path.
    #[serde(serialize_with = "as_text")]
    pub path: PathBuf,
    /// The aspect that differs.
    pub aspect: Aspect,
}

/// An aspect in which an entry can differ from the original.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Aspect {
    /// Existence or type.
    Kind,
    /// User or group.
    Owner,
    /// Permissions.
    Mode,
    /// Modification time.
    Time,
    /// The bytes of a file, or the target of a link.
    Content,
    /// The holes of a file with the same bytes.
    Holes,
    /// Extended attributes or an access list.
    Attributes,
    /// Hard links to the same file.
    Links,
    /// It cannot be examined.
    Unknown,
}

impl fmt::Display for Aspect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Kind => "what it is",
            Self::Owner => "its owner",
            Self::Mode => "its mode",
            Self::Time => "its time",
            Self::Content => "its content",
            Self::Holes => "its holes",
            Self::Attributes => "its attributes",
            Self::Links => "its other names (hard links)",
            Self::Unknown => "what nobody can look at",
        })
    }
}

impl Undo {
    /// Compares the current state with the originals. Times of folders that other programs changed do not
    /// count.
    pub(super) fn deviations(&self, items: &[Item]) -> Vec<Deviation> {
        let mut found = Vec::new();
        let mut first: BTreeMap<(u64, u64), State> = BTreeMap::new();
        for item in items {
            let Some((_, root)) = self.roots.get(item.spot.0) else { continue };
            let path = self.path(&item.spot);
            let mut differs = |aspect| found.push(Deviation { path: path.clone(), aspect });
            let (before, now) = match (&item.before, look_below(root, &item.spot.1)) {
                (None, Ok(None)) => continue,
                (Some(before), Ok(Some(now))) if same_kind(before, &now) => (before, now),
                (None | Some(_), Ok(_)) => {
                    differs(Aspect::Kind);
                    continue;
                }
                (None | Some(_), Err(_)) => {
                    differs(Aspect::Unknown);
                    continue;
                }
            };
            if (before.uid, before.gid) != (now.uid, now.gid) {
                differs(Aspect::Owner);
            }
            if before.mode != now.mode && !matches!(before.kind, Kind::Link { .. }) {
                differs(Aspect::Mode);
            }
            if before.mtime != now.mtime && !self.keep.contains_key(&item.spot) {
                differs(Aspect::Time);
            }
            if before.kind != now.kind {
                differs(Aspect::Content);
            }
            let mut attributes = now.attributes.clone();
            if before.is_file() {
                match content_differs(root, item, before, &now, &mut attributes) {
                    Ok(None) => {}
                    Ok(Some(aspect)) => differs(aspect),
                    Err(_) => differs(Aspect::Unknown),
                }
                let other = first.entry((before.dev, before.ino)).or_insert_with(|| now.clone());
                if before.links != now.links || (before.links > 1 && !other.is_same_inode(&now)) {
                    differs(Aspect::Links);
                }
            }
            if before.attributes != attributes {
                differs(Aspect::Attributes);
            }
        }
        found
    }
}

fn same_kind(before: &State, now: &State) -> bool {
    match (&before.kind, &now.kind) {
        (Kind::File, Kind::File) | (Kind::Folder, Kind::Folder) | (Kind::Link { .. }, Kind::Link { .. }) => {
            true
        }
        (Kind::Other, Kind::Other) => before.is_same_inode(now),
        (Kind::File | Kind::Folder | Kind::Link { .. } | Kind::Other, _) => false,
    }
}

/// Compares the content of a file, and reads its attributes if its mode prevented that before.
fn content_differs(
    root: &OwnedFd,
    item: &Item,
    before: &State,
    now: &State,
    attributes: &mut Attributes,
) -> io::Result<Option<Aspect>> {
    let Some(kept) = &item.kept else {
        // It was not kept, so it was not touched, or the undo would have been refused.
        return Ok((before.size != now.size).then_some(Aspect::Content));
    };
    let (parent, name) = item.spot.1.place().ok_or(io::ErrorKind::IsADirectory)?;
    let folder = open_folder(root, &parent)?;
    let mut file = match &item.act {
        Act::Nothing => open_file(&folder, name)?,
        // It was restored a moment ago.
        Act::Replace | Act::Rewrite | Act::Link(_) | Act::Touch => {
            let (file, read) = read_whatever_mode(&folder, name)?;
            *attributes = read;
            file
        }
    };
    let content = hash(&mut file)?;
    Ok(match content {
        content if content == *kept => None,
        content if content.has_bytes_of(kept) => Some(Aspect::Holes),
        _ => Some(Aspect::Content),
    })
}
