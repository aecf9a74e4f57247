//! The first process of a command: its init process, which never executes a program itself.
//!
//! It enters the command's namespaces, starts the program as its child, and waits. As a subreaper it inherits
//! every orphan of the command. When the program ends, when it is told to, or when artoo dies for whatever
//! reason, it kills its children until none is left. So no process of a command outlives the command, and no
//! command outlives artoo.
//!
//! It runs on memory that belongs to artoo ([`crate::spawn`]), in parallel to artoo's threads: only bare
//! system calls, no allocation, no lock.

use std::ffi::{CStr, c_int};
use std::os::fd::{AsRawFd, BorrowedFd};

use rustix::fs::{Mode, OFlags, open};
use rustix::io::{Errno, read, write};
use rustix::process::{
    Pid, Signal, WaitOptions, getpid, kill_process, kill_process_group, set_child_subreaper,
    set_parent_process_death_signal, wait,
};
use rustix::thread::{Timespec, nanosleep};

use crate::child_data::{Prepared, Stage};
use crate::descriptors;
use crate::signals::next_signal;

/// The kernel's list of the children of the calling thread.
const CHILDREN: &CStr = c"/proc/thread-self/children";
/// Bytes of the list read at a time: some hundred process ids.
const LIST: usize = 4096;
/// Time between two scans for killed children: 2 ms.
const PAUSE: Timespec = Timespec { tv_sec: 0, tv_nsec: 2_000_000 };

/// The main function of the first process.
pub(crate) fn run(prepared: &Prepared<'_>) {
    let program = begin(prepared);
    if let Err(error) = program {
        prepared.fail(error);
    }
    // Its copies of artoo's file descriptors would keep the pipes of other commands open.
    close_all_but(prepared.report());
    if write(prepared.report(), b"!").is_err() {
        // artoo died in the meantime.
        return end_all(prepared);
    }
    if let (Ok(program), None) = (program, prepared.failure()) {
        watch(prepared, program);
    }
}

/// Starts the program.
fn begin(prepared: &Prepared<'_>) -> Result<Pid, Errno> {
    // This signal is blocked, as all signals are, and stays pending until it is waited for.
    set_parent_process_death_signal(Some(Signal::HUP))?;
    set_child_subreaper(Some(getpid()))?;
    if let Some(namespace) = prepared.namespace {
        prepared.enter_stage(Stage::Namespace);
        namespace.enter()?;
        prepared.enter_stage(Stage::Program);
    }
    prepared.start_second()
}

/// Waits until the program ends, or until this process is told to end.
fn watch(prepared: &Prepared<'_>, program: Pid) {
    loop {
        match next_signal() {
            libc::SIGCHLD => {
                while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
                    if pid == program {
                        prepared.note_end(status.as_raw());
                        return end_all(prepared);
                    }
                }
            }
            libc::SIGHUP => return end_all(prepared),
            libc::SIGTERM => ask_all(),
            _ => {}
        }
    }
}

/// Sends SIGTERM to every child and its group, and SIGCONT, because a stopped process cannot react.
fn ask_all() {
    each_child(|child| {
        // It may be gone, or belong to another user.
        let _ = kill_process_group(child, Signal::TERM);
        let _ = kill_process(child, Signal::TERM);
        let _ = kill_process(child, Signal::CONT);
    });
}

/// Kills every child, and the children inherited from those, until none is left that may be killed.
fn end_all(prepared: &Prepared<'_>) {
    loop {
        let (mut killed, mut left) = (0_u32, 0_u32);
        each_child(|child| {
            let _ = kill_process_group(child, Signal::KILL);
            match kill_process(child, Signal::KILL) {
                Ok(()) => killed = killed.saturating_add(1),
                Err(_) => left = left.saturating_add(1),
            }
        });
        if killed == 0 {
            return prepared.note_survivors(left);
        }
        // A child that hangs in the kernel must not block the others.
        let _ = nanosleep(&PAUSE);
        while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {}
    }
}

/// Calls `visit` for each child of this process.
fn each_child(mut visit: impl FnMut(Pid)) {
    let Ok(list) = open(CHILDREN, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()) else { return };
    let mut bytes = [0_u8; LIST];
    let mut number: c_int = 0;
    while let Ok(count @ 1..) = read(&list, &mut bytes) {
        for byte in bytes.iter().take(count) {
            if byte.is_ascii_digit() {
                number = number.saturating_mul(10).saturating_add(c_int::from(byte - b'0'));
                continue;
            }
            if let Some(child) = Pid::from_raw(number) {
                visit(child);
            }
            number = 0;
        }
    }
}

/// The descriptors stay open in artoo, whose table this process only has a copy of.
fn close_all_but(kept: BorrowedFd<'_>) {
    let kept = kept.as_raw_fd().cast_unsigned();
    // A failure keeps files open until this process ends, which is with the command.
    let _ = descriptors::close_between(0, kept.saturating_sub(1));
    let _ = descriptors::close_between(kept.saturating_add(1), u32::MAX);
}
