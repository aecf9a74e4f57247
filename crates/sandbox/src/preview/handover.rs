//! How the keeper learns which mounts belong to its command.

use std::ffi::CStr;
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};

use rustix::cmsg_space;
use rustix::fs::{Mode, OFlags, fstat, open};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recvmsg, sendmsg, socketpair,
};

const OWN_MOUNTS: &CStr = c"/proc/self/ns/mnt";

/// A way for the child to hand its namespace of mounts over to this process.
#[derive(Debug)]
pub(super) struct Handover {
    child: OwnedFd,
    keeper: OwnedFd,
}

/// The mounts of one command and its whole tree: no process of it can leave them. As long as it is held, its number names no other.
#[derive(Debug)]
pub(crate) struct Mounts {
    /// Device and inode.
    pub(crate) identity: (u64, u64),
    _held: OwnedFd,
}

impl Handover {
    pub(super) fn new() -> io::Result<Self> {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let (child, keeper) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None)?;
        Ok(Self { child, keeper })
    }

    /// In the child: bare system calls only.
    pub(super) fn give(&self) -> Result<(), Errno> {
        let own = open(OWN_MOUNTS, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
        let rights = [own.as_fd()];
        let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(1))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        if !control.push(SendAncillaryMessage::ScmRights(&rights)) {
            return Err(Errno::NOBUFS);
        }
        sendmsg(&self.child, &[IoSlice::new(b"m")], &mut control, SendFlags::NOSIGNAL).map(drop)
    }

    /// What the child gave before it became the program.
    pub(super) fn take(&self) -> io::Result<Mounts> {
        let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(1))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let mut byte = [0_u8];
        recvmsg(&self.keeper, &mut [IoSliceMut::new(&mut byte)], &mut control, RecvFlags::CMSG_CLOEXEC)?;
        let rights = control.drain().filter_map(|message| {
            if let RecvAncillaryMessage::ScmRights(rights) = message { Some(rights) } else { None }
        });
        let held = rights.flatten().next().ok_or(io::ErrorKind::UnexpectedEof)?;
        let found = fstat(&held)?;
        Ok(Mounts { identity: (found.st_dev, found.st_ino), _held: held })
    }
}
