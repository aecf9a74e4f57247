//! Recursive scan of everything below a root.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;

use super::anchored::{is_no_folder, look, look_at, open_entry_folder, some_names};
use super::entry_state::State;
use super::relative_path::Below;

/// The deepest nesting of folders that are scanned; each level keeps a file descriptor open.
const DEEPEST: usize = 128;

/// The entries below a root, including the root itself.
#[derive(Debug, Default)]
pub struct Walked {
    /// Every entry by its place.
    pub states: BTreeMap<Below, State>,
    /// Folders that were not scanned, and why.
    pub unread: Vec<(Below, Unread)>,
    /// Whether a folder contains more than was scanned.
    is_cut: bool,
}

/// Why a folder was not scanned.
#[derive(Debug)]
pub enum Unread {
    /// It lies too deep.
    TooDeep,
    /// The kernel says so.
    Error(io::Error),
}

/// A folder whose subfolders have not all been visited.
struct Open {
    folder: OwnedFd,
    below: Below,
    waiting: Vec<OsString>,
}

/// Scans everything below `root`, except `excluded` and what is below those. `None` if there are more than
/// `most` entries.
pub fn walk(root: &OwnedFd, excluded: &BTreeSet<Below>, most: usize) -> io::Result<Option<Walked>> {
    let mut walked = Walked::default();
    walked.states.insert(Below::default(), look_at(root)?);
    let mut stack = Vec::new();
    match enter(root.try_clone()?, Below::default(), excluded, most, &mut walked) {
        Ok(open) => stack.push(open),
        Err(error) => walked.unread.push((Below::default(), Unread::Error(error))),
    }
    while let Some(open) = stack.last_mut() {
        if walked.is_cut || walked.states.len() > most {
            return Ok(None);
        }
        let Some(name) = open.waiting.pop() else {
            stack.pop();
            continue;
        };
        let below = open.below.entry(&name);
        if stack.len() >= DEEPEST {
            walked.unread.push((below, Unread::TooDeep));
            continue;
        }
        let Some(open) = stack.last() else { break };
        let entered = open_entry_folder(&open.folder, &name)
            .and_then(|folder| enter(folder, below.clone(), excluded, most, &mut walked));
        match entered {
            Ok(open) => stack.push(open),
            // It was removed meanwhile.
            Err(error) if is_no_folder(&error) => {}
            Err(error) => walked.unread.push((below, Unread::Error(error))),
        }
    }
    Ok((!walked.is_cut && walked.states.len() <= most).then_some(walked))
}

/// Stops as soon as the limit of entries is exceeded.
fn enter(
    folder: OwnedFd,
    below: Below,
    excluded: &BTreeSet<Below>,
    most: usize,
    walked: &mut Walked,
) -> io::Result<Open> {
    let mut waiting = Vec::new();
    let room = most.saturating_add(1).saturating_sub(walked.states.len());
    let (names, is_all) = some_names(&folder, room.saturating_add(excluded.len()))?;
    walked.is_cut |= !is_all;
    for name in names {
        let entry = below.entry(&name);
        if excluded.contains(&entry) {
            continue;
        }
        let Some(state) = look(&folder, &name)? else { continue };
        if state.is_folder() {
            waiting.push(name);
        }
        walked.states.insert(entry, state);
    }
    Ok(Open { folder, below, waiting })
}
