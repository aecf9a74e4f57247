//! Keeps parts of granted folders as they are.
//!
//! Landlock grants a folder with all that is in it. A part is taken back by a read-only mount of the part on itself, in a table of mounts
//! that the command alone has. A table of its own needs a user namespace of its own where this process is no administrator, and neither
//! can be given to one thread of many: the command is born into both ([`crate::spawn`]), and mounts before the rules bind it,
//! which then keep it from unmounting.

use std::collections::BTreeSet;
use std::ffi::{CStr, CString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::thread;

use rustix::fs::{Mode, OFlags, open};
use rustix::io::{Errno, write};
use rustix::mount::{MountPropagationFlags, mount_bind_recursive, mount_change};
use rustix::process::{getegid, geteuid};
use rustix::thread::{CapabilitySet, capabilities};

use crate::{Confinement, SandboxError, SandboxMode, rules, spawn};

/// A file that exists everywhere, to try it on.
const SOMETHING: &str = "/dev/null";

/// The mounts of one command, made ready: [`apply`](Self::apply) runs where nothing may be allocated.
#[derive(Debug)]
pub(crate) struct Seal {
    own_users: Option<OwnUsers>,
    /// Folders between a granted folder and a sealed part. Mounted on themselves, they cannot be renamed, so that nothing else can
    /// be put in the part's place. Parents come first.
    pinned: Vec<CString>,
    sealed: Vec<CString>,
}

/// The maps of a user namespace in which this user is who they are, and nobody else is anybody.
#[derive(Debug)]
struct OwnUsers {
    user: CString,
    group: CString,
}

impl Seal {
    /// What `confinement` wants sealed and would grant otherwise; nothing where there is nothing of this kind.
    pub(crate) fn plan(program: &str, confinement: &Confinement) -> Result<Option<Self>, SandboxError> {
        match confinement.mode {
            SandboxMode::WorkspaceWrite => {}
            SandboxMode::ReadOnly | SandboxMode::FullAccess => return Ok(None),
        }
        let (mut sealed, mut pinned) = (BTreeSet::new(), BTreeSet::new());
        for path in &confinement.sealed {
            let refused =
                |source| SandboxError::Seal { program: program.to_owned(), path: path.clone(), source };
            let Some(real) = real_path(path).map_err(refused)? else { continue };
            let roots = confinement.writable.iter().filter_map(|root| root.canonicalize().ok());
            if let Some(root) = roots.filter(|root| real.starts_with(root)).min() {
                let between = real.ancestors().skip(1);
                let between = between.take_while(|above| above.starts_with(&root) && **above != *root);
                pinned.extend(between.map(Path::to_owned));
                sealed.insert(real);
            }
        }
        let Some(path) = sealed.first().cloned() else { return Ok(None) };
        let refused = |source| SandboxError::Seal { program: program.to_owned(), path: path.clone(), source };
        if !works() {
            return Err(refused(io::ErrorKind::Unsupported.into()));
        }
        Self::of(&pinned, &sealed).map(Some).map_err(refused)
    }

    fn of(pinned: &BTreeSet<PathBuf>, sealed: &BTreeSet<PathBuf>) -> io::Result<Self> {
        Ok(Self { own_users: OwnUsers::if_needed()?, pinned: c_strings(pinned)?, sealed: c_strings(sealed)? })
    }

    /// What the command must be born with.
    pub(crate) fn namespaces(&self) -> i32 {
        match self.own_users {
            Some(_) => libc::CLONE_NEWUSER | libc::CLONE_NEWNS,
            None => libc::CLONE_NEWNS,
        }
    }

    /// In the child: seals the parts. Bare system calls alone.
    pub(crate) fn apply(&self) -> Result<(), Errno> {
        if let Some(own) = &self.own_users {
            // Without this, the kernel lets no ordinary user map a group.
            fill(c"/proc/self/setgroups", c"deny")?;
            fill(c"/proc/self/uid_map", &own.user)?;
            fill(c"/proc/self/gid_map", &own.group)?;
        }
        // Nobody else sees what is mounted from here on.
        mount_change(c"/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
        for folder in &self.pinned {
            mount_bind_recursive(folder.as_c_str(), folder.as_c_str())?;
        }
        for part in &self.sealed {
            mount_bind_recursive(part.as_c_str(), part.as_c_str())?;
            make_read_only(part)?;
        }
        Ok(())
    }
}

impl OwnUsers {
    fn if_needed() -> io::Result<Option<Self>> {
        if capabilities(None)?.effective.contains(CapabilitySet::SYS_ADMIN) {
            return Ok(None);
        }
        let (user, group) = (geteuid().as_raw(), getegid().as_raw());
        let map = |id: u32| CString::new(format!("{id} {id} 1")).map_err(io::Error::other);
        Ok(Some(Self { user: map(user)?, group: map(group)? }))
    }
}

/// Whether parts can be sealed here, found out once by doing it, on a thread bound as a keeper is.
pub(crate) fn works() -> bool {
    static FOUND: OnceLock<bool> = OnceLock::new();
    *FOUND.get_or_init(|| thread::spawn(try_out).join().is_ok_and(|tried| tried.is_ok()))
}

fn try_out() -> io::Result<()> {
    let seal = Seal::of(&BTreeSet::new(), &BTreeSet::from([SOMETHING.into()]))?;
    rules::bind_this_thread_by_signals("a trial").map_err(io::Error::other)?;
    spawn::try_seal(&seal)
}

/// The path without symlinks on the way; nothing where nothing is there any more. A symlink itself cannot be sealed: it would be its
/// target that is, and the name would stay free for something else.
fn real_path(path: &Path) -> io::Result<Option<PathBuf>> {
    if !path.is_absolute() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path is not absolute"));
    }
    match path.symlink_metadata() {
        Ok(found) if found.is_symlink() => {
            Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a symlink"))
        }
        Ok(_) => path.canonicalize().map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn c_strings(paths: &BTreeSet<PathBuf>) -> io::Result<Vec<CString>> {
    let text = |path: &PathBuf| CString::new(path.as_os_str().as_bytes()).map_err(io::Error::other);
    paths.iter().map(text).collect()
}

fn fill(path: &CStr, text: &CStr) -> Result<(), Errno> {
    let file = open(path, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    write(&file, text.to_bytes()).map(drop)
}

/// With every mount that it brings along.
fn make_read_only(part: &CStr) -> Result<(), Errno> {
    let wanted =
        libc::mount_attr { attr_set: libc::MOUNT_ATTR_RDONLY, attr_clr: 0, propagation: 0, userns_fd: 0 };
    let recursively = libc::AT_RECURSIVE;
    #[expect(unsafe_code, reason = "a system call without a safe wrapper")]
    // SAFETY: the path is a string, and `wanted` a whole structure of the size that is named; the kernel only reads both.
    let answer = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            part.as_ptr(),
            recursively,
            &raw const wanted,
            size_of::<libc::mount_attr>(),
        )
    };
    if answer == 0 { Ok(()) } else { Err(spawn::last_error()) }
}
