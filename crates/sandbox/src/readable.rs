//! What a command may read: everything that exists when it starts, but hidden places and devices.
//!
//! Landlock knows grants only, and a grant of a folder covers everything below it. So the folders above a
//! hidden place are not granted themselves, but each of their other entries is. A grant holds the entry, not
//! its name: a secret that replaces another one by a rename, or that appears while the command runs, is no
//! entry that was granted. Covers ([`crate::child_namespace`]) are mounts on names, and a rename from outside
//! removes them.
//!
//! The price is that a command does not see new entries that other programs create directly in such a folder
//! (in the home folder, for instance) while it runs.
//!
//! A home folder has hundreds of entries, so a ruleset is used for several commands, as long as none of the
//! folders in which it grants single entries has changed.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, open, openat, statat};

use crate::landlock_calls::{READ_FILE, add_rule, deny_reading};
use crate::real_names::RealNames;

const ENTRY: OFlags = OFlags::PATH.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// The folder of devices, none of which is granted by being in it: terminals, disks, cameras.
const DEVICES: &str = "/dev";
/// Its one folder of ordinary files.
const SHARED_MEMORY: &str = "/dev/shm";

/// How many rulesets are kept for later commands.
const KEPT: usize = 4;
/// For how many commands one is used: each adds a few grants of its own.
const USES: u32 = 64;
/// A folder that was changed this short a time before it was listed may have been changed again since, at the
/// same time of the file system's clock.
const UNSETTLED: Duration = Duration::from_millis(40);

/// The kept rulesets.
static CACHE: Mutex<Vec<Cached>> = Mutex::new(Vec::new());

/// A ruleset about reading, in which a command's own folders are still to be granted.
#[derive(Debug)]
pub(crate) struct ReadRules {
    ruleset: OwnedFd,
}

#[derive(Debug)]
struct Cached {
    hidden: Vec<PathBuf>,
    folders: Stamps,
    rules: Arc<ReadRules>,
    uses: u32,
}

/// Listed folders.
type Stamps = Vec<(PathBuf, Stamp)>;

/// What tells that a folder has other entries than before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    device: u64,
    inode: u64,
    changed: (i64, i64),
}

impl ReadRules {
    /// The ruleset for a command from which these places are hidden, and which may write to these folders.
    ///
    /// # Errors
    ///
    /// A folder above a hidden place cannot be listed, or the kernel refuses.
    pub(crate) fn of<'a>(
        hidden: &[PathBuf],
        granted: impl Iterator<Item = &'a PathBuf>,
    ) -> io::Result<Arc<Self>> {
        let granted: Vec<PathBuf> = granted.map(|folder| folder.canonicalize()).collect::<io::Result<_>>()?;
        // A grant around a hidden place is for this command alone.
        let is_around = |listed: &Path| granted.iter().any(|folder| listed.starts_with(folder));
        let mut cache = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
        let known = cache.iter_mut().find(|cached| cached.hidden == hidden);
        let rules = match known {
            Some(cached)
                if !cached.folders.iter().any(|(folder, _)| is_around(folder)) && cached.is_current() =>
            {
                cached.uses = cached.uses.saturating_add(1);
                Arc::clone(&cached.rules)
            }
            _ => {
                let split = Split::around(hidden);
                let (rules, folders) = Self::build(&split)?;
                let rules = Arc::new(rules);
                let is_alone = split.0.keys().any(|folder| is_around(folder));
                if let (Some(folders), false) = (folders, is_alone) {
                    cache.retain(|cached| cached.hidden != hidden);
                    cache.truncate(KEPT - 1);
                    let (hidden, rules) = (hidden.to_vec(), Arc::clone(&rules));
                    cache.insert(0, Cached { hidden, folders, rules, uses: 1 });
                }
                rules
            }
        };
        drop(cache);
        for folder in &granted {
            rules.grant(open(folder, ENTRY, Mode::empty())?.as_fd())?;
        }
        Ok(rules)
    }

    /// Grants reading a file, or everything below a folder. A bare system call.
    pub(crate) fn grant(&self, beneath: BorrowedFd<'_>) -> Result<(), rustix::io::Errno> {
        add_rule(self.ruleset.as_fd(), beneath, READ_FILE)
    }

    pub(crate) fn ruleset(&self) -> BorrowedFd<'_> {
        self.ruleset.as_fd()
    }

    /// The ruleset, with the stamps of the listed folders unless one of them has just been changed.
    fn build(split: &Split) -> io::Result<(Self, Option<Stamps>)> {
        let rules = Self { ruleset: deny_reading()? };
        let mut folders = Some(Vec::new());
        for (folder, apart) in &split.0 {
            let opened = open(folder, ENTRY | OFlags::DIRECTORY, Mode::empty())?;
            let stamp = Stamp::settled(folder)?;
            folders = folders.zip(stamp).map(|(mut folders, stamp)| {
                folders.push((folder.clone(), stamp));
                folders
            });
            for entry in fs::read_dir(folder)? {
                let entry = entry?;
                let name = entry.file_name();
                // A link leads somewhere that is granted, or not, by its own path.
                if apart.contains(&name) || entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
                    continue;
                }
                // It may be gone by now, or belong to somebody else who lets nobody pass.
                if let Ok(entry) = openat(&opened, name, ENTRY, Mode::empty()) {
                    rules.grant(entry.as_fd())?;
                }
            }
        }
        // A hidden place in it has split it already.
        let shared = (!split.0.contains_key(Path::new(SHARED_MEMORY))).then_some(&SHARED_MEMORY);
        for harmless in crate::landlock_rules::HARMLESS_DEVICES.iter().chain(shared) {
            // A missing one needs no grant.
            if let Ok(harmless) = open(*harmless, ENTRY, Mode::empty()) {
                rules.grant(harmless.as_fd())?;
            }
        }
        Ok((rules, folders))
    }
}

impl Cached {
    fn is_current(&self) -> bool {
        let is_same = |(folder, stamp): &(PathBuf, Stamp)| Stamp::of(folder).is_ok_and(|now| now == *stamp);
        self.uses < USES && self.folders.iter().all(is_same)
    }
}

impl Stamp {
    fn of(folder: &Path) -> io::Result<Self> {
        let found = statat(CWD, folder, AtFlags::SYMLINK_NOFOLLOW)?;
        let changed = (found.st_ctime, i64::try_from(found.st_ctime_nsec).unwrap_or_default());
        Ok(Self { device: found.st_dev, inode: found.st_ino, changed })
    }

    /// `None` if the folder was changed a moment ago.
    fn settled(folder: &Path) -> io::Result<Option<Self>> {
        let stamp = Self::of(folder)?;
        let seconds = u64::try_from(stamp.changed.0).unwrap_or_default();
        let nanos = u32::try_from(stamp.changed.1).unwrap_or_default();
        let changed = SystemTime::UNIX_EPOCH + Duration::new(seconds, nanos);
        #[expect(
            clippy::disallowed_methods,
            reason = "compared with the file system's clock, and nothing else"
        )]
        let now = SystemTime::now();
        // A time in the future is that of another clock, which says nothing.
        let age = now.duration_since(changed);
        Ok(age.is_ok_and(|age| age > UNSETTLED).then_some(stamp))
    }
}

/// The file system, split around hidden places: the folders whose entries are granted one by one, with the
/// names of the entries that are not.
#[derive(Debug, Default, PartialEq, Eq)]
struct Split(BTreeMap<PathBuf, BTreeSet<OsString>>);

impl Split {
    fn around(places: &[PathBuf]) -> Self {
        let mut names = RealNames::default();
        let mut hidden = BTreeSet::new();
        for place in places {
            hidden.extend(names.of(place));
            if place.is_symlink() {
                hidden.extend(place.canonicalize().ok());
            }
        }
        let mut split = Self::default();
        split.set_apart(Path::new(DEVICES));
        let mut outermost: Option<&Path> = None;
        for place in &hidden {
            // What lies in a hidden place is hidden with it, and sorts behind it.
            if outermost.is_none_or(|outer| !place.starts_with(outer)) {
                outermost = Some(place);
                split.set_apart(place);
            }
        }
        split
    }

    /// Leaves a path out of what is granted, and lists the folders above it.
    fn set_apart(&mut self, path: &Path) {
        let mut below = path;
        while let (Some(folder), Some(name)) = (below.parent(), below.file_name()) {
            if let Some(names) = self.0.get_mut(folder) {
                // The folders above a listed one are listed, too.
                names.insert(name.to_owned());
                return;
            }
            if folder.is_dir() {
                self.0.insert(folder.to_owned(), [name.to_owned()].into());
            }
            below = folder;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn folders_above_a_hidden_place_are_split_and_others_are_not() {
        let root = tempfile::tempdir().unwrap();
        let home = root.path().canonicalize().unwrap();
        for folder in ["kept", ".config/editor", ".ssh/inner"] {
            fs::create_dir_all(home.join(folder)).unwrap();
        }
        std::os::unix::fs::symlink(".config", home.join("settings")).unwrap();
        let places = [".netrc", ".ssh", ".ssh/inner/key", "settings/token", ".cloud/a/token"]
            .map(|name| home.join(name));
        let split = Split::around(&places);
        let apart = |folder: &Path| -> Vec<String> {
            let names = split.0.get(folder).into_iter().flatten();
            names.map(|name| name.to_str().unwrap().to_owned()).collect()
        };
        assert_eq!(apart(&home), [".cloud", ".config", ".netrc", ".ssh"]);
        assert_eq!(apart(&home.join(".config")), ["token"]);
        assert!(apart(Path::new("/")).contains(&"dev".to_owned()));
        let listed: Vec<_> = split.0.keys().filter(|folder| folder.starts_with(&home)).collect();
        assert_eq!(listed, [&home, &home.join(".config")]);
    }

    /// A ruleset is used again as long as its folders are as they were, and never with a grant around them.
    #[test]
    fn a_ruleset_is_kept_until_a_folder_above_a_hidden_place_changes() {
        // The common folder for temporary files is one above, and other tests change it all the time.
        let own = std::env::current_exe().unwrap();
        // Not beside the program either: thousands of files are there, and each of them is looked at.
        let root = tempfile::tempdir_in(own.ancestors().nth(2).unwrap()).unwrap();
        let home = root.path().canonicalize().unwrap();
        let project = home.join("project");
        fs::create_dir(&project).unwrap();
        let hidden = [home.join(".netrc")];
        let rules = |granted: &Path| ReadRules::of(&hidden, [granted.to_owned()].iter()).unwrap();
        let settle = || {
            let long_ago = rustix::fs::Timestamps {
                last_access: rustix::fs::Timespec { tv_sec: 0, tv_nsec: rustix::fs::UTIME_OMIT },
                last_modification: rustix::fs::Timespec { tv_sec: 1, tv_nsec: 0 },
            };
            rustix::fs::utimensat(CWD, &home, &long_ago, AtFlags::empty()).unwrap();
            std::thread::sleep(2 * UNSETTLED);
        };
        settle();
        let first = rules(&project);
        assert!(Arc::ptr_eq(&first, &rules(&project)));
        assert!(!Arc::ptr_eq(&first, &rules(&home)), "it grants what is around a hidden place");
        assert!(Arc::ptr_eq(&first, &rules(&project)));
        fs::write(home.join("new"), "").unwrap();
        let second = rules(&project);
        assert!(!Arc::ptr_eq(&first, &second));
        // What was changed a moment ago may be changed again without a trace. On a busy machine the moment may pass in between.
        let was_in_time = (0..100).any(|number| {
            let began = Instant::now();
            fs::write(home.join(format!("new{number}")), "").unwrap();
            let is_kept = Arc::ptr_eq(&rules(&project), &rules(&project));
            let is_in_time = began.elapsed() < UNSETTLED;
            assert!(!(is_in_time && is_kept));
            is_in_time
        });
        assert!(was_in_time);
    }
}
