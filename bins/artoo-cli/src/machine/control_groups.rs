//! Limits of the control groups that this process is in, as containers set them.

use std::path::{Path, PathBuf};

/// A limit of one controller. Its file has another name in each version of control groups.
pub(super) struct GroupLimit {
    /// The controller, which in version 1 has a tree of its own.
    pub(super) controller: &'static str,
    /// The file in version 1.
    pub(super) first: &'static str,
    /// The file in version 2.
    pub(super) second: &'static str,
}

/// The tightest value of a limit, in the groups of this process and those around them; `None` where nobody set one.
pub(super) fn tightest(limit: &GroupLimit) -> Option<u64> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    tightest_in(Path::new("/sys/fs/cgroup"), &groups, limit)
}

fn tightest_in(root: &Path, groups: &str, limit: &GroupLimit) -> Option<u64> {
    groups
        .lines()
        .flat_map(|line| files(root, line, limit).unwrap_or_default())
        .filter_map(|file| read(&file))
        .min()
}

/// The files of the limit for one line of `/proc/self/cgroup`.
fn files(root: &Path, line: &str, limit: &GroupLimit) -> Option<Vec<PathBuf>> {
    let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
    let (root, file) = match controllers {
        "" => (root.to_owned(), limit.second),
        _ if controllers.split(',').any(|name| name == limit.controller) => {
            (root.join(limit.controller), limit.first)
        }
        _ => return None,
    };
    let group = root.join(path.trim_start_matches('/'));
    // In a container, the path may be that of the host; the group itself is then the root.
    let within = group.ancestors().take_while(|folder| folder.starts_with(&root));
    Some(within.map(|folder| folder.join(file)).collect())
}

fn read(file: &Path) -> Option<u64> {
    std::fs::read_to_string(file).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tightest_limit_around_the_process_counts() {
        let root = tempfile::tempdir().unwrap();
        let put = |file: &str, text: &str| {
            let file = root.path().join(file);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        };
        put("a/memory.max", "2000\n");
        put("a/b/memory.max", "max\n");
        put("memory/old/memory.limit_in_bytes", "3000\n");
        put("memory/memory.limit_in_bytes", "9223372036854771712\n");
        let limit = GroupLimit { controller: "memory", first: "memory.limit_in_bytes", second: "memory.max" };
        let of = |groups: &str| tightest_in(root.path(), groups, &limit);
        assert_eq!(of("0::/a/b\n"), Some(2000));
        assert_eq!(of("5:cpu,cpuacct:/\n4:memory:/old\n0::/\n"), Some(3000));
        assert_eq!(of("4:memory:/of/the/host\n"), Some(9_223_372_036_854_771_712));
        assert_eq!(of("0::/\n"), None);
        assert_eq!(of("no table"), None);
    }
}
