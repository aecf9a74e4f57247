//! The rules of the seccomp filter: which calls it refuses, and with which error.

use std::collections::BTreeMap;

use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompFilter, SeccompRule, TargetArch, sock_filter,
};

use crate::seccomp::Sockets;
use crate::seccomp_conditions::{all, has, is, is_not};
use crate::seccomp_sockets;

#[cfg(target_arch = "x86_64")]
const ARCH: TargetArch = TargetArch::x86_64;
#[cfg(target_arch = "aarch64")]
const ARCH: TargetArch = TargetArch::aarch64;

// Not in every version of libc.
#[cfg(target_arch = "x86_64")]
const KEXEC_FILE_LOAD: i64 = 320;
#[cfg(target_arch = "aarch64")]
const KEXEC_FILE_LOAD: i64 = 294;
const SETXATTRAT: i64 = 463;
const REMOVEXATTRAT: i64 = 466;
const OPEN_TREE_ATTR: i64 = 467;

/// Always refused with `EPERM`, so that a program that merely tries goes on without.
const NEVER: [i64; 35] = [
    // Other processes: their memory holds artoo's keys, and their open files bypass every rule.
    libc::SYS_ptrace,
    libc::SYS_process_madvise,
    libc::SYS_process_mrelease,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    // Mounts and roots: all rules are about paths.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    OPEN_TREE_ATTR,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_setns,
    // Opening a file by handle bypasses the folders above it.
    libc::SYS_open_by_handle_at,
    // The kernel's key store, which the user's session shares.
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    // Code running in the kernel, and views into it.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    KEXEC_FILE_LOAD,
    // Deferred work that no filter sees, including opening sockets.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
];

/// Refused as if the file system did not support them, so that programs copy files without. Landlock does not
/// know access lists and attributes, so those of all the user's files could be changed.
const ATTRIBUTES: [i64; 8] = [
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    SETXATTRAT,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    REMOVEXATTRAT,
];

/// Each creates a namespace in which the command is the administrator and can reach parts of the kernel that
/// are closed to ordinary users. The last one exists for `unshare` only: in `clone` the same bit is part of
/// the signal number.
const NAMESPACES: [i32; 8] = [
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
    NEW_TIME,
];
const NEW_TIME: i32 = 0x80;

/// Calls whose first argument is the process that they act on. Only 0, the caller itself, is allowed: a limit,
/// a priority or a processor taken from artoo or another program of the user would stop it.
const OF_A_PROCESS: [i64; 7] = [
    libc::SYS_prlimit64,
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_setattr,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setscheduler,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
];

/// Calls that take the kind of their target first and its number second, with the kind that means all
/// processes of a user, for which 0 is not the caller alone.
const OF_A_PROCESS_OR_USER: [(i64, u64); 2] =
    [(libc::SYS_setpriority, 2 /* PRIO_USER */), (libc::SYS_ioprio_set, 3 /* IOPRIO_WHO_USER */)];

/// Injecting input into a terminal as if the user typed it.
const TERMINAL_INPUT: [u64; 2] = [0x5412 /* TIOCSTI */, 0x541C /* TIOCLINUX */];

/// The filter of one command. It is a single program, because the kernel runs every installed filter on every
/// call.
pub(crate) fn program(sockets: Sockets) -> Result<BpfProgram, BackendError> {
    let refuse = SeccompAction::Errno(libc::EPERM.cast_unsigned());
    let listed: BpfProgram =
        SeccompFilter::new(refused(sockets)?, SeccompAction::Allow, refuse, ARCH)?.try_into()?;
    let mut program = beginning();
    program.extend(listed);
    Ok(program)
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

fn refused(allowed: Sockets) -> Result<Rules, BackendError> {
    let mut rules: Rules = NEVER.into_iter().map(|call| (call, Vec::new())).collect();
    let with = |argument: u8, flag: u64| all([has(argument, flag, flag)?]);
    let unshare = NAMESPACES.into_iter().map(|flag| with(0, flag.cast_unsigned().into()));
    rules.insert(libc::SYS_unshare, unshare.collect::<Result<_, _>>()?);
    let clone = NAMESPACES.into_iter().filter(|flag| *flag != NEW_TIME);
    let clone = clone.map(|flag| with(0, flag.cast_unsigned().into()));
    rules.insert(libc::SYS_clone, clone.collect::<Result<_, _>>()?);
    let typing = TERMINAL_INPUT.into_iter().map(|request| all([is(1, request)?]));
    rules.insert(libc::SYS_ioctl, typing.collect::<Result<_, _>>()?);
    for call in OF_A_PROCESS {
        rules.insert(call, vec![all([is_not(0, 0)?])?]);
    }
    for (call, user) in OF_A_PROCESS_OR_USER {
        rules.insert(call, vec![all([is_not(1, 0)?])?, all([is(0, user)?])?]);
    }
    rules.extend(seccomp_sockets::rules(allowed)?);
    Ok(rules)
}

/// The part that the crate cannot express, because it uses one error for all refusals of a program. It
/// precedes the crate's program and falls through to it.
///
/// `clone3` takes its flags behind a pointer; if it does not exist, every C library uses `clone`, whose flags
/// are visible. On x86-64 each call has a second number in a second ABI (x32), which would bypass a list of
/// numbers.
fn beginning() -> BpfProgram {
    const LOAD_WORD: u16 = 0x20;
    const JUMP_IF_EQUAL: u16 = 0x15;
    const JUMP_IF_AT_LEAST: u16 = 0x35;
    const RETURN: u16 = 0x06;
    const OFFSET_OF_NUMBER: u32 = 0;
    const X32: u32 = 0x4000_0000;
    let refuse = |error: i32| sock_filter {
        code: RETURN,
        jt: 0,
        jf: 0,
        k: libc::SECCOMP_RET_ERRNO | error.cast_unsigned(),
    };
    let mut program = vec![
        sock_filter { code: LOAD_WORD, jt: 0, jf: 0, k: OFFSET_OF_NUMBER },
        sock_filter { code: JUMP_IF_EQUAL, jt: 0, jf: 1, k: CLONE3 },
        refuse(libc::ENOSYS),
    ];
    if cfg!(target_arch = "x86_64") {
        program.push(sock_filter { code: JUMP_IF_AT_LEAST, jt: 0, jf: 1, k: X32 });
        program.push(refuse(libc::ENOSYS));
    }
    for call in ATTRIBUTES {
        // Call numbers fit into 32 bits.
        program.push(sock_filter { code: JUMP_IF_EQUAL, jt: 0, jf: 1, k: call as u32 });
        program.push(refuse(libc::EOPNOTSUPP));
    }
    program
}

/// The same number on every architecture.
const CLONE3: u32 = 435;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seccomp_sockets::SOCK_PACKET;

    /// The data that the kernel passes to a filter.
    #[derive(Clone, Copy)]
    struct Call {
        number: u32,
        machine: u32,
        arguments: [u64; 6],
    }

    const ALLOWED: u32 = libc::SECCOMP_RET_ALLOW;
    const fn error(number: i32) -> u32 {
        libc::SECCOMP_RET_ERRNO | number.cast_unsigned()
    }
    #[cfg(target_arch = "x86_64")]
    const HERE: u32 = 0xC000_003E;
    #[cfg(target_arch = "aarch64")]
    const HERE: u32 = 0xC000_00B7;

    fn call<const N: usize>(number: i64, given: [i32; N]) -> Call {
        let mut arguments = [0; 6];
        for (argument, given) in arguments.iter_mut().zip(given) {
            // The upper half of an argument must not matter.
            *argument = u64::from(given.cast_unsigned()) | 0xDEAD_0000_0000;
        }
        Call { number: number.try_into().unwrap(), machine: HERE, arguments }
    }

    /// The filter's answer, as the kernel would compute it.
    fn answer(call: Call, sockets: Sockets) -> u32 {
        run(&program(sockets).unwrap(), call)
    }

    /// The subset of the kernel's BPF machine that such programs use.
    fn run(program: &[sock_filter], call: Call) -> u32 {
        let word = |at: u32| match (at, at.checked_sub(16).map(|at| (at as usize / 8, at % 8))) {
            (0, _) => call.number,
            (4, _) => call.machine,
            (_, Some((argument, 0))) => call.arguments[argument] as u32,
            (_, Some((argument, 4))) => (call.arguments[argument] >> 32) as u32,
            _ => panic!("nothing lies at {at}"),
        };
        let (mut at, mut value) = (0_usize, 0_u32);
        loop {
            let step = &program[at];
            let jump = |yes: bool| usize::from(if yes { step.jt } else { step.jf });
            at += 1;
            match step.code {
                0x20 => value = word(step.k),
                0x54 => value &= step.k,
                0x05 => at += step.k as usize,
                0x15 => at += jump(value == step.k),
                0x25 => at += jump(value > step.k),
                0x35 => at += jump(value >= step.k),
                0x06 => return step.k,
                other => panic!("no such step: {other:#x}"),
            }
        }
    }

    const ALL: Sockets = Sockets::UnixAndNetwork;
    const EACH: [Sockets; 4] = Sockets::ALL;

    #[test]
    fn what_is_never_allowed_is_refused_whatever_its_arguments_are() {
        for sockets in EACH {
            for number in NEVER {
                assert_eq!(answer(call(number, [0; 6]), sockets), error(libc::EPERM), "{number}");
                assert_eq!(answer(call(number, [-1; 6]), sockets), error(libc::EPERM), "{number}");
            }
            for number in ATTRIBUTES {
                assert_eq!(answer(call(number, [0; 6]), sockets), error(libc::EOPNOTSUPP), "{number}");
            }
        }
    }

    #[test]
    fn ordinary_calls_pass() {
        let ordinary = [
            libc::SYS_read,
            libc::SYS_openat,
            libc::SYS_execve,
            libc::SYS_fchmodat,
            libc::SYS_utimensat,
            libc::SYS_getxattr,
            libc::SYS_futex,
            libc::SYS_sched_getaffinity,
            libc::SYS_pidfd_open,
            libc::SYS_seccomp,
            libc::SYS_landlock_restrict_self,
        ];
        for network in EACH {
            for number in ordinary {
                assert_eq!(answer(call(number, [1; 6]), network), ALLOWED, "{number}");
            }
            let thread = libc::CLONE_VM
                | libc::CLONE_FS
                | libc::CLONE_FILES
                | libc::CLONE_SIGHAND
                | libc::CLONE_THREAD;
            for flags in [libc::SIGCHLD, libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD, thread, 0xFF] {
                assert_eq!(answer(call(libc::SYS_clone, [flags]), network), ALLOWED, "{flags:#x}");
            }
            assert_eq!(
                answer(call(libc::SYS_unshare, [libc::CLONE_FILES | libc::CLONE_FS]), network),
                ALLOWED
            );
            assert_eq!(answer(call(libc::SYS_ioctl, [0, 0x5413 /* TIOCGWINSZ */]), network), ALLOWED);
        }
    }

    #[test]
    fn no_namespace_is_made_by_any_flag() {
        for flag in NAMESPACES {
            assert_eq!(answer(call(libc::SYS_unshare, [flag | libc::CLONE_FS]), ALL), error(libc::EPERM));
            let made = answer(call(libc::SYS_clone, [flag | libc::SIGCHLD]), ALL);
            assert_eq!(made, if flag == NEW_TIME { ALLOWED } else { error(libc::EPERM) }, "{flag:#x}");
        }
        // Its flags are not visible to the filter.
        assert_eq!(answer(call(CLONE3.into(), [0; 6]), ALL), error(libc::ENOSYS));
    }

    #[test]
    fn nobody_types_into_a_terminal() {
        for request in [0x5412, 0x541C] {
            assert_eq!(answer(call(libc::SYS_ioctl, [0, request]), ALL), error(libc::EPERM));
        }
    }

    /// Another process's limits, priorities and processors are out of reach; its own are not.
    #[test]
    fn calls_about_a_process_reach_the_caller_alone() {
        let (yes, no) = (ALLOWED, error(libc::EPERM));
        for sockets in EACH {
            for number in OF_A_PROCESS {
                assert_eq!(answer(call(number, [0, 1]), sockets), yes, "{number}");
                for process in [1, 4_321, -1] {
                    assert_eq!(answer(call(number, [process, 1]), sockets), no, "{number}");
                }
            }
            for (number, user) in OF_A_PROCESS_OR_USER {
                for kind in [0_i32, 1, 2, 3] {
                    let expected = if u64::from(kind.cast_unsigned()) == user { no } else { yes };
                    assert_eq!(answer(call(number, [kind, 0, 5]), sockets), expected, "{number}, {kind}");
                    assert_eq!(answer(call(number, [kind, 4_321, 5]), sockets), no, "{number}, {kind}");
                }
            }
        }
    }

    /// Each family, type and protocol of sockets, with the answer for each of [`EACH`].
    #[test]
    fn sockets() {
        let (yes, no) = (ALLOWED, error(libc::EPERM));
        let flags = libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
        let (unix, network) = ([yes, yes, no, yes], [no, no, yes, yes]);
        for (family, kind, protocol, expected) in [
            (libc::AF_UNIX, libc::SOCK_STREAM, 0, unix),
            (libc::AF_UNIX, libc::SOCK_SEQPACKET, 0, unix),
            (libc::AF_UNIX, libc::SOCK_DGRAM, 0, [no; 4]),
            (libc::AF_UNIX, libc::SOCK_RAW, 0, [no; 4]),
            (libc::AF_INET, libc::SOCK_STREAM, 0, network),
            (libc::AF_INET, libc::SOCK_DGRAM, 0, network),
            (libc::AF_INET6, libc::SOCK_STREAM, libc::IPPROTO_TCP, network),
            (libc::AF_INET, libc::SOCK_DGRAM, libc::IPPROTO_ICMP, network),
            (libc::AF_INET, libc::SOCK_RAW, libc::IPPROTO_ICMP, [no; 4]),
            (libc::AF_INET6, libc::SOCK_RAW, libc::IPPROTO_RAW, [no; 4]),
            (libc::AF_INET, SOCK_PACKET, 0, [no; 4]),
            (libc::AF_PACKET, libc::SOCK_RAW, 0, [no; 4]),
            (libc::AF_PACKET, libc::SOCK_DGRAM, 0, [no; 4]),
            (libc::AF_NETLINK, libc::SOCK_RAW, libc::NETLINK_ROUTE, network),
            (libc::AF_NETLINK, libc::SOCK_RAW, libc::NETLINK_NETFILTER, [no; 4]),
            (libc::AF_VSOCK, libc::SOCK_STREAM, 0, [no; 4]),
            (libc::AF_ALG, libc::SOCK_SEQPACKET, 0, [no; 4]),
            (libc::AF_BLUETOOTH, libc::SOCK_STREAM, 0, [no; 4]),
            (-1, 0, 0, [no; 4]),
        ] {
            for kind in [kind, kind | flags] {
                let asked = call(libc::SYS_socket, [family, kind, protocol]);
                let answers = EACH.map(|sockets| answer(asked, sockets));
                assert_eq!(answers, expected, "family {family}, type {kind}, protocol {protocol}");
            }
        }
    }

    /// What listens may be created without the network, and connects to nobody.
    #[test]
    fn nothing_is_connected_without_the_network_or_a_named_socket() {
        let answers = EACH.map(|sockets| answer(call(libc::SYS_connect, [3, 0, 110]), sockets));
        assert_eq!(answers, [error(libc::EPERM), ALLOWED, ALLOWED, ALLOWED]);
        for call_ in [libc::SYS_bind, libc::SYS_listen, libc::SYS_accept4] {
            assert_eq!(EACH.map(|sockets| answer(call(call_, [3, 0, 110]), sockets)), [ALLOWED; 4]);
        }
    }

    /// An end of a pair reaches the other end alone, unless it is for datagrams.
    #[test]
    fn pairs_are_made_for_streams_alone() {
        let pair = |family, kind| call(libc::SYS_socketpair, [family, kind | libc::SOCK_CLOEXEC]);
        for sockets in EACH {
            for (family, kind, expected) in [
                (libc::AF_UNIX, libc::SOCK_STREAM, ALLOWED),
                (libc::AF_UNIX, libc::SOCK_SEQPACKET, ALLOWED),
                (libc::AF_UNIX, libc::SOCK_DGRAM, error(libc::EPERM)),
                (libc::AF_UNIX, libc::SOCK_RAW, error(libc::EPERM)),
                (libc::AF_TIPC, libc::SOCK_STREAM, error(libc::EPERM)),
            ] {
                assert_eq!(answer(pair(family, kind), sockets), expected, "{family}, {kind}");
            }
        }
    }

    /// Their call numbers differ, so a list for this ABI says nothing about them.
    #[test]
    fn other_binary_interfaces_are_closed() {
        let i386 = Call { machine: 0x4000_0003, ..call(20, [0; 6]) };
        assert_eq!(answer(i386, ALL), libc::SECCOMP_RET_KILL_PROCESS);
        #[cfg(target_arch = "x86_64")]
        for number in [libc::SYS_socket, libc::SYS_read, 0x0FFF_FFFF] {
            let x32 = call(number | 0x4000_0000, [libc::AF_UNIX, 0, 0]);
            assert_eq!(answer(x32, ALL), error(libc::ENOSYS), "{number}");
        }
    }
}
