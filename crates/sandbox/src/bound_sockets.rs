//! The Unix sockets of all processes that have a name in the file system.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::process_table::all_pids;

/// The kernel's list of Unix sockets in the network namespace of this process.
const OWN_LIST: &str = "/proc/net/unix";

/// The names under which sockets are bound, as absolute paths that need not exist any more.
///
/// A relative name means the folder in which its process was when it bound the socket; the folder in which
/// it is now is taken for it. Sockets in other network namespaces (of containers) are reached by their paths
/// too, so the lists of all processes that can be seen are read.
pub(crate) fn paths() -> BTreeSet<PathBuf> {
    let mut lists = BTreeMap::new();
    let (mut found, mut relative) = (BTreeSet::new(), Vec::new());
    let mut read = |list: &Path| {
        let lines = fs::read(list).unwrap_or_default();
        for (inode, name) in String::from_utf8_lossy(&lines).lines().filter_map(bound) {
            if name.is_absolute() {
                found.insert(name);
            } else {
                relative.push((inode, name));
            }
        }
    };
    read(Path::new(OWN_LIST));
    let own = fs::metadata("/proc/self/ns/net").map(|namespace| namespace.ino()).ok();
    for pid in all_pids() {
        let namespace = fs::metadata(format!("/proc/{pid}/ns/net")).map(|namespace| namespace.ino()).ok();
        if namespace != own
            && let Some(namespace) = namespace
        {
            lists.entry(namespace).or_insert_with(|| PathBuf::from(format!("/proc/{pid}/net/unix")));
        }
    }
    lists.values().for_each(|list| read(list));
    if !relative.is_empty() {
        found.extend(in_folders_of_processes(&relative));
    }
    found
}

/// Relative names in the folders of the processes that have these sockets open.
fn in_folders_of_processes(names: &[(u64, PathBuf)]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let own = rustix::process::getpid();
    for pid in all_pids().into_iter().chain([own]) {
        let Ok(folder) = fs::read_link(format!("/proc/{pid}/cwd")) else { continue };
        let Ok(open) = fs::read_dir(format!("/proc/{pid}/fd")) else { continue };
        let links: BTreeSet<PathBuf> =
            open.flatten().filter_map(|entry| fs::read_link(entry.path()).ok()).collect();
        for (inode, name) in names {
            if links.contains(Path::new(&format!("socket:[{inode}]"))) {
                found.push(folder.join(name));
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
        let found = paths();
        fs::remove_file(&name).unwrap();
        assert!(found.contains(&expected), "{expected:?} is missing in {found:?}");
    }

    proptest! {
        #[test]
        fn no_line_panics(line in ".{0,120}") {
            let _ = bound(&line);
        }
    }
}
