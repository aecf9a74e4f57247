//! Reads what strace tells of a program.

use std::collections::BTreeSet;

/// What a program and everything that it started asked of the kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Processes, it included.
    pub processes: u32,
    /// Threads, the first one of each process left out.
    pub threads: u32,
    /// Files opened by their names.
    pub opened: u32,
    /// Other uses of a file's name.
    pub names: u32,
    /// Calls that take, give back or protect memory.
    pub memory: u32,
    /// All calls but those that wait for somebody.
    pub calls: u32,
}

/// A call of the kernel, by what it costs.
enum Kind {
    /// A file is opened by its name.
    Opens,
    /// Another use of a name: it is looked up, made or removed.
    Names,
    /// Memory is taken, given back or protected.
    Memory,
    /// A thread, process or file descriptor is waited for: how often depends on who is faster.
    Waits,
    /// Anything else.
    Other,
}

impl Counts {
    /// Reads the log of `strace -f`.
    pub fn read(log: &str) -> Self {
        let mut counts = Self::default();
        let mut processes = BTreeSet::new();
        for line in log.lines() {
            let Some((pid, rest)) = line.split_once(' ') else { continue };
            processes.insert(pid);
            // The second half of a call, and the end of a process, are no calls.
            let Some((name, arguments)) = rest.trim_start().split_once('(') else { continue };
            if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
                continue;
            }
            counts.threads += u32::from(arguments.contains("CLONE_THREAD"));
            match kind(name) {
                Kind::Waits => continue,
                Kind::Opens => counts.opened += 1,
                Kind::Names => counts.names += 1,
                Kind::Memory => counts.memory += 1,
                Kind::Other => {}
            }
            counts.calls += 1;
        }
        let all = u32::try_from(processes.len()).unwrap_or(u32::MAX);
        counts.processes = all.saturating_sub(counts.threads);
        counts
    }
}

fn kind(call: &str) -> Kind {
    match call {
        "open" | "openat" | "openat2" | "creat" => Kind::Opens,
        "stat" | "lstat" | "newfstatat" | "fstatat64" | "statx" | "access" | "faccessat" | "faccessat2"
        | "readlink" | "readlinkat" | "mkdir" | "mkdirat" | "rmdir" | "unlink" | "unlinkat" | "rename"
        | "renameat" | "renameat2" | "link" | "linkat" | "symlink" | "symlinkat" | "chmod" | "fchmodat"
        | "statfs" | "chdir" | "execve" | "utimensat" | "open_tree" | "mount" | "umount2" => Kind::Names,
        "mmap" | "munmap" | "mprotect" | "brk" | "madvise" | "mremap" => Kind::Memory,
        "futex" | "epoll_wait" | "epoll_pwait" | "poll" | "ppoll" | "select" | "pselect6" | "sched_yield"
        | "nanosleep" | "clock_nanosleep" | "restart_syscall" | "wait4" | "waitid" | "read" | "recvfrom"
        | "write" | "sendto" | "recvmsg" | "sendmsg" => Kind::Waits,
        _ => Kind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_counts_once_and_its_kind_is_told() {
        let log = "7 execve(\"/bin/x\", [...], 0x7 /* 2 vars */) = 0\n\
                   7 openat(AT_FDCWD, \"/etc\"..., O_RDONLY) = 3\n\
                   7 clone3({flags=CLONE_VM|CLONE_THREAD|CLONE_FILES, stack=0x7} => {parent_tid=[8]}, 88) = 8\n\
                   8 mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, -1, 0) = 0x7\n\
                   8 futex(0x7, FUTEX_WAIT_PRIVATE, 0, NULL <unfinished ...>\n\
                   7 vfork( <unfinished ...>\n\
                   9 readlink(\"/proc/self\"..., 0x7, 4095) = 3\n\
                   7 <... vfork resumed>) = 9\n\
                   8 <... futex resumed>) = 0\n\
                   9 +++ exited with 0 +++\n";
        let expected = Counts { processes: 2, threads: 1, opened: 1, names: 2, memory: 1, calls: 6 };
        assert_eq!(Counts::read(log), expected);
        assert_eq!(Counts::read(""), Counts::default());
    }
}
