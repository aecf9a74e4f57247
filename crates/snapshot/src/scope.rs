//! What a call may change: everything below its roots, or paths known beforehand.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;

use artoo_anchored_files::{Below, Named};

use super::root::{Reach, Root};

/// What is scanned before a call, and again after it.
#[derive(Debug, Clone, Default)]
pub(super) struct Scope {
    /// Everything below the roots that are scanned as a whole.
    pub(super) whole: bool,
    /// Paths by root, including the folders on the way.
    paths: BTreeMap<PathBuf, BTreeSet<Below>>,
}

impl Scope {
    pub(super) const fn whole() -> Self {
        Self { whole: true, paths: BTreeMap::new() }
    }

    /// Assigns each path to the root that has its record: the innermost known root, or the named one.
    pub(super) fn of(named: &[Named], known: &[Root]) -> io::Result<Self> {
        let mut scope = Self::default();
        for Named { root, paths } in named {
            for path in paths {
                let around = known.iter().filter(|known| path.starts_with(known.path()));
                let innermost =
                    around.max_by_key(|known| (known.is_whole, known.path().components().count()));
                let root = innermost.map_or(root.as_path(), Root::path);
                let below = path.strip_prefix(root).ok().and_then(|below| Below::new(below).ok());
                let below = below.ok_or_else(|| {
                    io::Error::new(io::ErrorKind::InvalidInput, "the path is not below its root")
                })?;
                let all = match scope.paths.get_mut(root) {
                    Some(all) => all,
                    None => scope.paths.entry(root.to_owned()).or_default(),
                };
                let mut next = Some(below);
                // The ancestors of a path already present are present, too.
                while let Some(below) = next.filter(|below| !all.contains(below)) {
                    next = below.parent();
                    all.insert(below);
                }
            }
        }
        Ok(scope)
    }

    pub(super) fn is_nothing(&self) -> bool {
        !self.whole && self.paths.is_empty()
    }

    /// Adds the scope of another call.
    pub(super) fn add(&mut self, other: Self) {
        self.whole |= other.whole;
        for (root, paths) in other.paths {
            self.paths.entry(root).or_default().extend(paths);
        }
    }

    /// Only the paths.
    pub(super) fn without_whole(self) -> Self {
        Self { whole: false, ..self }
    }

    pub(super) fn paths(&self) -> impl Iterator<Item = (&PathBuf, &BTreeSet<Below>)> {
        self.paths.iter()
    }

    /// The part of a root that is scanned.
    pub(super) fn of_root(&self, root: &Root) -> Option<Reach<'_>> {
        if self.whole && root.is_whole && !root.is_lost() {
            return Some(Reach::Everything);
        }
        self.paths.get(root.path()).map(Reach::Only)
    }
}
