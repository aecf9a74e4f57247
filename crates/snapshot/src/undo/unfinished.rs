//! Reconstructs what a run killed during a call left, as its record does not tell.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use artoo_anchored_files::{Below, State, look_below, walk};

use super::super::record::{ChangeLine, Course, Found, Spot};
use super::super::uncovered::Uncovered;
use super::{Hindrance, Obstacle};

/// The most entries of a root that are examined if the record is incomplete.
const MOST: usize = 1_000_000;

/// What differs now from the originals.
pub(super) fn what_is_left(
    course: &Course,
    roots: &[(PathBuf, OwnedFd)],
    before: &BTreeMap<Spot, Found>,
    obstacles: &mut BTreeSet<Obstacle>,
) -> Vec<ChangeLine> {
    let mut lines = Vec::new();
    let unseen = unseen(course);
    for (number, (recorded, (path, folder))) in course.roots.iter().zip(roots).enumerate() {
        let mut now: BTreeMap<Below, Option<State>> = BTreeMap::new();
        // In folders that were not scanned, the current state may be the original one.
        let is_seen = |below: &Below| !unseen.iter().any(|folder| below.under(path).starts_with(folder));
        if recorded.whole && is_seen(&Below::default()) {
            match walk(folder, &recorded.excluded, MOST) {
                Ok(Some(walked)) => {
                    let seen = walked.states.into_iter().filter(|(below, _)| is_seen(below));
                    now.extend(seen.map(|(path, state)| (path, Some(state))));
                }
                Ok(None) => {
                    let error = format!("it holds more than {MOST} entries");
                    obstacles.insert(Obstacle { path: path.clone(), why: Hindrance::Unreadable { error } });
                }
                Err(error) => {
                    obstacles.insert(unreadable(path.clone(), &error));
                }
            }
        }
        for ((_, below), _) in before.iter().filter(|((root, _), _)| *root == number) {
            if !now.contains_key(below) {
                match look_below(folder, below) {
                    Ok(state) => drop(now.insert(below.clone(), state)),
                    Err(error) => drop(obstacles.insert(unreadable(below.under(path), &error))),
                }
            }
        }
        for (below, state) in now {
            let found = before.get(&(number, below.clone())).and_then(|(state, _)| state.as_ref());
            if found != state.as_ref() {
                lines.push(ChangeLine::After { root: number, path: below, state });
            }
        }
    }
    lines
}

/// Folders that were not scanned: too large, too deep, or closed.
fn unseen(course: &Course) -> Vec<&Path> {
    let folders = course.not_covered.iter().filter(|one| match one.why {
        Uncovered::TooMany { .. } | Uncovered::TooDeep | Uncovered::Unreadable { .. } => true,
        Uncovered::NoRoom { .. } | Uncovered::Unsteady | Uncovered::Elsewhere => false,
    });
    folders.map(|one| one.path.as_path()).collect()
}

pub(super) fn unreadable(path: PathBuf, error: &io::Error) -> Obstacle {
    Obstacle { path, why: Hindrance::Unreadable { error: error.to_string() } }
}
