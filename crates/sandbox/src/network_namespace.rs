//! A network namespace with its loopback interface up.
//!
//! A short-lived child makes it: born into the new namespaces, it maps the user, raises the interface and opens
//! both namespaces in the table of files that it shares with this process. The open files keep the namespaces
//! alive, so no process has to.
//!
//! The first process of a command enters it with bare system calls ([`NetworkNamespace::enter`]). An ordinary
//! user's network belongs to a user namespace, which the command has to enter first; all commands of a run
//! share it. Each of them drops the capabilities over it before it executes a program
//! ([`crate::capabilities`]), and the filter refuses to enter or make another one.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, IntoRawFd, OwnedFd, RawFd};
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering};

use rustix::fs::{Mode, OFlags, open};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with};
use rustix::thread::{LinkNameSpaceType, UnshareFlags, move_into_link_name_space, unshare_unsafe};

use crate::child_data::last_error;
use crate::spawn::{Stack, born, end_at_once, reap};
use crate::user_namespace::OwnUsers;
use crate::{NoPrivateNetwork, child_namespace};

/// The name of the loopback interface.
const LOOPBACK: &[u8] = b"lo";

/// A network namespace, held open.
#[derive(Debug)]
pub(crate) struct NetworkNamespace {
    /// The user namespace that it belongs to, if that is another one than this process's.
    users: Option<OwnedFd>,
    network: OwnedFd,
}

/// What the child gets and leaves behind.
struct Making {
    own_users: Option<OwnUsers>,
    /// Descriptors in the shared table; negative until they are open.
    users: AtomicI32,
    network: AtomicI32,
    /// The `errno` of the child; 0 while there is none.
    failure: AtomicI32,
}

/// What is missing where commands get no namespaces.
pub(crate) const MISSING: NoPrivateNetwork = NoPrivateNetwork::NoNamespaces;

/// Whether commands get namespaces here, tested once.
pub(crate) fn has_namespaces() -> bool {
    child_namespace::works()
}

/// Whether the next try may succeed: something has run out, of processes, files, memory or namespaces.
pub(crate) fn may_pass(error: &io::Error) -> bool {
    const PASSING: [Errno; 7] =
        [Errno::AGAIN, Errno::NOSPC, Errno::NOMEM, Errno::MFILE, Errno::NFILE, Errno::INTR, Errno::BUSY];
    Errno::from_io_error(error).is_some_and(|errno| PASSING.contains(&errno))
}

impl NetworkNamespace {
    pub(crate) fn make() -> io::Result<Self> {
        let making = Making {
            own_users: OwnUsers::if_needed()?,
            users: AtomicI32::new(-1),
            network: AtomicI32::new(-1),
            failure: AtomicI32::new(0),
        };
        let own_users = if making.own_users.is_some() { libc::CLONE_NEWUSER } else { 0 };
        let flags = own_users | libc::CLONE_NEWNET | libc::CLONE_VFORK | libc::CLONE_FILES;
        let argument = ptr::from_ref(&making).cast_mut().cast::<c_void>();
        let mut stack = Stack::new();
        let child = born(in_child, stack.top(), flags, argument)?;
        // It has ended already, since this thread was stopped meanwhile. An error means that somebody else has
        // reaped it.
        let _ = reap(child);
        let (users, network) = (owned(&making.users), owned(&making.network));
        match making.failure.load(Ordering::Acquire) {
            0 => {}
            error => return Err(Errno::from_raw_os_error(error).into()),
        }
        // Without an error it was killed, which may not happen again.
        let network = network.ok_or(Errno::AGAIN)?;
        Ok(Self { users, network })
    }

    /// Whether a process that enters it is in its user namespace afterwards.
    pub(crate) fn has_own_users(&self) -> bool {
        self.users.is_some()
    }

    /// Enters it, in the first process of a command. With a user namespace, the mounts and IPC objects of the
    /// process become its own, too: before, it may not make them. Bare system calls only.
    pub(crate) fn enter(&self) -> Result<(), Errno> {
        let Some(users) = &self.users else { return enter(self.network.as_fd(), LinkNameSpaceType::Network) };
        enter(users.as_fd(), LinkNameSpaceType::User)?;
        enter(self.network.as_fd(), LinkNameSpaceType::Network)?;
        #[expect(unsafe_code, reason = "the call can do more than this")]
        // SAFETY: the table of files, about which the function warns, stays as it is.
        unsafe {
            unshare_unsafe(UnshareFlags::NEWNS | UnshareFlags::NEWIPC)
        }
    }
}

fn enter(namespace: BorrowedFd<'_>, kind: LinkNameSpaceType) -> Result<(), Errno> {
    move_into_link_name_space(namespace, Some(kind))
}

/// The descriptor that the child has opened.
fn owned(number: &AtomicI32) -> Option<OwnedFd> {
    let number: RawFd = number.load(Ordering::Acquire);
    if number < 0 {
        return None;
    }
    #[expect(unsafe_code, reason = "a number is all that a child leaves of its files")]
    // SAFETY: the child opened it in the table that it shared with this process, and nobody else knows of it.
    let opened = unsafe { OwnedFd::from_raw_fd(number) };
    Some(opened)
}

/// The entry point of the child.
extern "C" fn in_child(making: *mut c_void) -> c_int {
    #[expect(unsafe_code, reason = "the kernel hands over a raw pointer")]
    // SAFETY: `make` passes a pointer to a `Making` and is stopped until this process has ended.
    let making = unsafe { &*making.cast_const().cast::<Making>() };
    if let Err(error) = making.carry_out() {
        making.failure.store(error.raw_os_error(), Ordering::Release);
    }
    end_at_once()
}

impl Making {
    /// Bare system calls only.
    fn carry_out(&self) -> Result<(), Errno> {
        if let Some(own) = &self.own_users {
            own.map()?;
            self.users.store(opened(c"/proc/self/ns/user")?, Ordering::Release);
        }
        raise_loopback()?;
        self.network.store(opened(c"/proc/self/ns/net")?, Ordering::Release);
        Ok(())
    }
}

fn opened(path: &CStr) -> Result<RawFd, Errno> {
    open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).map(IntoRawFd::into_raw_fd)
}

fn raise_loopback() -> Result<(), Errno> {
    let socket = socket_with(AddressFamily::INET, SocketType::DGRAM, SocketFlags::CLOEXEC, None)?;
    let mut name = [0; libc::IFNAMSIZ];
    for (to, from) in name.iter_mut().zip(LOOPBACK) {
        *to = *from as c_char;
    }
    let flags = libc::__c_anonymous_ifr_ifru { ifru_flags: libc::IFF_UP as _ };
    let request = libc::ifreq { ifr_name: name, ifr_ifru: flags };
    #[expect(unsafe_code, reason = "a system call without a safe wrapper")]
    // SAFETY: the request is a whole structure, and the kernel only reads it.
    let answer = unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS as _, &raw const request) };
    if answer == 0 { Ok(()) } else { Err(last_error()) }
}
