//! The Unix sockets of all processes that have a name in the file system.
//!
//! The kernel tells the name under which a socket was bound. It may have another one by now: services bind a
//! name of their own and rename or link it when they are ready, and a folder may be mounted at a second place.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::process_table::all_pids;

/// The kernel's list of Unix sockets in the network namespace of this process.
const OWN_LIST: &str = "/proc/net/unix";
/// The kernel's table of the mounts that this process sees.
const MOUNTS: &str = "/proc/self/mountinfo";

/// For how long a list is used again while the kernel's own tables tell the same. Within this time a socket can be missing
/// that was bound in another network namespace, renamed or linked.
const KEPT: Duration = Duration::from_secs(1);

/// The names under which sockets are bound, as absolute paths that need not exist any more.
///
/// A relative name means the folder in which its process was when it bound the socket; the folder in which
/// it is now is taken for it. Sockets in other network namespaces (of containers) are reached by their paths
/// too, so the lists of all processes that can be seen are read. A list is kept for a second, unless the kernel's tables of
/// this process change.
pub fn paths() -> BTreeSet<PathBuf> {
    static LAST: Mutex<Option<Listed>> = Mutex::new(None);
    // Whoever asks meanwhile waits for the same list.
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    let tables = Tables::read();
    let now = Instant::now();
    if let Some(listed) = &*last
        && listed.tables == tables
        && now.saturating_duration_since(listed.at) < KEPT
    {
        return listed.paths.clone();
    }
    let paths = tables.paths();
    *last = Some(Listed { tables, at: now, paths: paths.clone() });
    paths
}

/// A list of paths, and when it was made of what.
#[derive(Debug)]
struct Listed {
    tables: Tables,
    at: Instant,
    paths: BTreeSet<PathBuf>,
}

/// What the kernel tells this process at once.
#[derive(Debug, PartialEq, Eq)]
struct Tables {
    /// The absolute names in the network namespace of this process. An accepted connection has the name of its socket, so
    /// inodes tell nothing new.
    absolute: BTreeSet<PathBuf>,
    /// The others, with the inodes of their sockets.
    relative: BTreeSet<(u64, PathBuf)>,
    /// The text of the table of mounts.
    mounts: Vec<u8>,
}

impl Tables {
    /// A table that cannot be read is empty.
    fn read() -> Self {
        let (absolute, relative) = bound_in(Path::new(OWN_LIST));
        Self { absolute, relative, mounts: fs::read(MOUNTS).unwrap_or_default() }
    }

    /// All names of sockets: those in these tables, in other namespaces, and beside them.
    fn paths(&self) -> BTreeSet<PathBuf> {
        let (mut found, mut relative) = (self.absolute.clone(), self.relative.clone());
        for list in lists_of_other_namespaces() {
            let other = bound_in(&list);
            found.extend(other.0);
            relative.extend(other.1);
        }
        found.extend(by_relative_names(relative));
        let folders: BTreeSet<PathBuf> =
            found.iter().filter_map(|name| name.parent()?.canonicalize().ok()).collect();
        found.extend(folders.iter().flat_map(|folder| in_folder(folder)));
        found.extend(mounted_elsewhere(&found, &self.mounts));
        found
    }
}

/// The absolute names in one of the kernel's lists, and the relative ones with their inodes.
fn bound_in(list: &Path) -> (BTreeSet<PathBuf>, BTreeSet<(u64, PathBuf)>) {
    let lines = fs::read(list).unwrap_or_default();
    let (mut absolute, mut relative) = (BTreeSet::new(), BTreeSet::new());
    for (inode, name) in String::from_utf8_lossy(&lines).lines().filter_map(bound) {
        if name.is_absolute() {
            absolute.insert(name);
        } else {
            relative.insert((inode, name));
        }
    }
    (absolute, relative)
}

/// A list for each network namespace of a process that can be seen, but for that of this one.
fn lists_of_other_namespaces() -> Vec<PathBuf> {
    let namespace =
        |process: &str| fs::metadata(format!("/proc/{process}/ns/net")).map(|found| found.ino()).ok();
    let own = namespace("self");
    let mut lists = BTreeMap::new();
    for pid in all_pids() {
        if let Some(other) = namespace(&pid.to_string()).filter(|other| Some(*other) != own) {
            lists.entry(other).or_insert_with(|| PathBuf::from(format!("/proc/{pid}/net/unix")));
        }
    }
    lists.into_values().collect()
}

/// All sockets in a folder.
fn in_folder(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_socket = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_socket());
    entries.filter(is_socket).map(|entry| entry.path()).collect()
}

/// The same sockets where their file systems are mounted a second time, and sockets on which one is mounted.
fn mounted_elsewhere(names: &BTreeSet<PathBuf>, table: &[u8]) -> Vec<PathBuf> {
    let mounts: Vec<Mount> = String::from_utf8_lossy(table).lines().filter_map(Mount::read).collect();
    let mut found: Vec<PathBuf> = mounts.iter().map(|mount| mount.point.clone()).collect();
    let real: BTreeSet<PathBuf> = names.iter().filter_map(|name| name.canonicalize().ok()).collect();
    for name in &real {
        found.extend(other_places(name, &mounts));
    }
    found.retain(|path| path.symlink_metadata().is_ok_and(|found| found.file_type().is_socket()));
    found
}

/// Where a path is found by way of other mounts of its file system.
fn other_places<'a>(path: &'a Path, mounts: &'a [Mount]) -> impl Iterator<Item = PathBuf> + 'a {
    // Of two mounts at one place the later one is seen.
    let nearest = mounts.iter().filter(|mount| path.starts_with(&mount.point));
    let own = nearest.max_by_key(|mount| mount.point.components().count());
    own.into_iter().flat_map(move |own| {
        let within = path.strip_prefix(&own.point).map(|rest| own.root.join(rest)).unwrap_or_default();
        let same = mounts.iter().filter(|mount| mount.device == own.device && mount.point != own.point);
        same.filter_map(move |mount| Some(mount.at(within.strip_prefix(&mount.root).ok()?)))
    })
}

/// One line of the kernel's table of mounts.
#[derive(Debug, PartialEq, Eq)]
struct Mount {
    device: String,
    /// The folder of the file system that is mounted.
    root: PathBuf,
    point: PathBuf,
}

impl Mount {
    /// Number, parent, device, root, mount point, ...
    fn read(line: &str) -> Option<Self> {
        let mut fields = line.split(' ').skip(2);
        let (device, root, point) = (fields.next()?, fields.next()?, fields.next()?);
        Some(Self { device: device.to_owned(), root: unescaped(root), point: unescaped(point) })
    }

    /// The path of something in what is mounted, which may be a single file.
    fn at(&self, rest: &Path) -> PathBuf {
        if rest.as_os_str().is_empty() { self.point.clone() } else { self.point.join(rest) }
    }
}

/// A path of the table, in which blanks, tabs, ends of lines and backslashes are three octal digits.
fn unescaped(text: &str) -> PathBuf {
    let escapes = [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")];
    PathBuf::from(escapes.iter().fold(text.to_owned(), |text, (escaped, meant)| text.replace(escaped, meant)))
}

/// Sockets with relative names. Finding their processes means to look at all that is open on this machine, so
/// what was found once is kept as long as the socket is there.
fn by_relative_names(names: BTreeSet<(u64, PathBuf)>) -> Vec<PathBuf> {
    static KNOWN: Mutex<BTreeMap<(u64, PathBuf), Option<PathBuf>>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.retain(|socket, _| names.contains(socket));
    let new: Vec<(u64, PathBuf)> = names.into_iter().filter(|socket| !known.contains_key(socket)).collect();
    if !new.is_empty() {
        let found = in_folders_of_processes(&new);
        known.extend(new.into_iter().map(|socket| (socket, None)));
        known.extend(found.into_iter().map(|(socket, path)| (socket, Some(path))));
    }
    known.values().flatten().cloned().collect()
}

/// Relative names in the folders of the processes that have these sockets open.
fn in_folders_of_processes(names: &[(u64, PathBuf)]) -> Vec<((u64, PathBuf), PathBuf)> {
    let mut found = Vec::new();
    let own = rustix::process::getpid();
    for pid in all_pids().into_iter().chain([own]) {
        let Ok(folder) = fs::read_link(format!("/proc/{pid}/cwd")) else { continue };
        let Ok(open) = fs::read_dir(format!("/proc/{pid}/fd")) else { continue };
        let links: BTreeSet<PathBuf> =
            open.flatten().filter_map(|entry| fs::read_link(entry.path()).ok()).collect();
        for (inode, name) in names {
            if links.contains(Path::new(&format!("socket:[{inode}]"))) {
                found.push(((*inode, name.clone()), folder.join(name)));
            }
        }
    }
    found
}

/// The inode and the name in a line of the kernel's list; `None` for a socket without a name and for an
/// abstract one. The name is the eighth field and may contain blanks.
fn bound(line: &str) -> Option<(u64, PathBuf)> {
    let mut rest = line;
    let mut inode = None;
    for _ in 0..7 {
        let (field, after) = rest.trim_start().split_once(' ')?;
        inode = Some(field);
        rest = after;
    }
    let is_name = !rest.is_empty() && !rest.starts_with('@');
    let inode = inode?.parse().ok()?;
    is_name.then(|| (inode, PathBuf::from(rest)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::os::unix::net::UnixListener;

    #[test]
    fn lines_of_the_kernel_are_read() {
        let head = "00000000a1a7c690: 00000003 00000000 00000000 0001 03";
        for (line, expected) in [
            (format!("{head} 24601 /run/a b.sock"), Some((24_601, "/run/a b.sock"))),
            (format!("{head}   558 /run/x"), Some((558, "/run/x"))),
            (format!("{head} 24601 relative.sock"), Some((24_601, "relative.sock"))),
            (format!("{head} 24601 @abstract"), None),
            (format!("{head} 24601"), None),
            ("Num       RefCount Protocol Flags    Type St Inode Path".to_owned(), None),
            (String::new(), None),
        ] {
            assert_eq!(bound(&line), expected.map(|(inode, name)| (inode, name.into())), "{line}");
        }
    }

    #[test]
    fn a_socket_with_a_relative_name_is_found_in_the_folder_of_its_process() {
        let name = format!("artoo-relative-{}.sock", std::process::id());
        let _listener = UnixListener::bind(&name).unwrap();
        let expected = std::env::current_dir().unwrap().join(&name);
        let found = Tables::read().paths();
        fs::remove_file(&name).unwrap();
        assert!(found.contains(&expected), "{expected:?} is missing in {found:?}");
    }

    /// As services do that take their name when they are ready.
    #[test]
    fn a_socket_that_was_renamed_or_linked_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let [first, renamed, linked] = ["first", "renamed", "linked"].map(|name| folder.path().join(name));
        let _listener = UnixListener::bind(&first).unwrap();
        fs::rename(&first, &renamed).unwrap();
        fs::hard_link(&renamed, &linked).unwrap();
        let (found, folder) = (Tables::read().paths(), folder.path().canonicalize().unwrap());
        assert!(
            found.contains(&folder.join("renamed")) && found.contains(&folder.join("linked")),
            "{found:?}"
        );
    }

    #[test]
    fn a_socket_that_was_bound_after_a_list_was_made_is_in_the_next_one() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["first.sock", "second.sock"] {
            let path = folder.path().canonicalize().unwrap().join(name);
            assert!(!paths().contains(&path));
            let listener = UnixListener::bind(&path).unwrap();
            assert!(paths().contains(&path), "{path:?}");
            drop(listener);
        }
    }

    #[test]
    fn a_path_is_found_by_other_mounts() {
        let table = "22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n\
                     30 22 0:26 / /run rw - tmpfs tmpfs rw\n\
                     31 22 0:26 /user /mnt/of\\040users rw - tmpfs tmpfs rw\n\
                     32 22 0:26 /user/a.sock /srv/a.sock rw - tmpfs tmpfs rw\n\
                     33 22 254:0 /home /mnt/home rw - ext4 /dev/vda rw";
        let mounts: Vec<Mount> = table.lines().filter_map(Mount::read).collect();
        let places = |path: &str| other_places(Path::new(path), &mounts).collect::<Vec<_>>();
        let paths = |all: &[&str]| all.iter().map(PathBuf::from).collect::<Vec<_>>();
        assert_eq!(places("/run/user/a.sock"), paths(&["/mnt/of users/a.sock", "/srv/a.sock"]));
        assert_eq!(places("/mnt/of users/a.sock"), paths(&["/run/user/a.sock", "/srv/a.sock"]));
        assert_eq!(places("/run/b.sock"), paths(&[]));
        assert_eq!(places("/home/c.sock"), paths(&["/mnt/home/c.sock"]));
    }

    proptest! {
        #[test]
        fn no_line_panics(line in ".{0,120}") {
            let _ = (bound(&line), Mount::read(&line));
        }
    }
}
