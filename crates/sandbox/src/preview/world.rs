//! What the child of a preview does before it becomes the program: it makes the world in which the program runs.
//!
//! All of it happens between the birth of the child and its program, in memory that belongs to this process (see [`crate::spawn`]):
//! bare system calls on strings that were made before, and no allocation.

use std::ffi::{CStr, CString, c_int};
use std::io;
use std::mem::size_of;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::fs::{Mode, OFlags, fstat, open};
use rustix::io::{Errno, write};
use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_bind, mount_change};
use rustix::process::{chdir, fchdir, getegid, geteuid};
use rustix::thread::set_no_new_privs;
use seccompiler::{BpfProgram, apply_filter};

use super::Ground;
use super::handover::{Handover, Mounts};
use crate::call_filter::{self, Sockets};
use crate::rules::{self, Rules};
use crate::spawn::{c_string, last_error};
use crate::{Confinement, SandboxError, Support, capabilities, probe};

const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// What is done, in order; the words of an error.
const STEPS: [&str; 7] = [
    "making its namespaces",
    "naming its user in a namespace",
    "separating its mounts",
    "overlaying its folders",
    "making everything else read-only",
    "binding it by rules for files",
    "binding it by a filter of system calls",
];

/// A namespace in which each root is an overlay and all else can only be read, and the rules that hold in it.
#[derive(Debug)]
pub(crate) struct World {
    /// The user and the group, each of which keeps its number.
    users: CString,
    groups: CString,
    /// The private folder for temporary files, which stays the real one; nothing where it lies in an overlay.
    tmp: Option<CString>,
    overlays: Vec<Overlay>,
    mounts: Handover,
    ruleset: OwnedFd,
    /// What is allowed in an overlay, in the kernel's numbers.
    rights: u64,
    filter: &'static BpfProgram,
    /// One more than the step that was begun last; past the last one when all are done.
    step: AtomicUsize,
}

#[derive(Debug)]
struct Overlay {
    root: CString,
    /// Device and inode of the real folder.
    identity: (u64, u64),
    options: CString,
}

impl World {
    /// A user namespace, in which nobody needs to be root, and with it mounts and System V objects of its own.
    pub(crate) const NAMESPACES: c_int = libc::CLONE_NEWUSER | libc::CLONE_NEWNS | libc::CLONE_NEWIPC;

    /// Prepares everything. Of the confinement, only the private folder counts.
    pub(crate) fn build(
        program: &str,
        confinement: &Confinement,
        ground: &Ground,
    ) -> Result<Self, SandboxError> {
        let unfit =
            |source| SandboxError::Overlay { program: program.to_owned(), step: "preparing it", source };
        let Support::Enforced { abi, .. } = probe() else {
            return Err(unfit(io::ErrorKind::Unsupported.into()));
        };
        let filter = call_filter::filter(Sockets::None)
            .map_err(|error| unfit(io::Error::new(io::ErrorKind::Unsupported, error.to_string())))?;
        let tmp = confinement.private_tmp.canonicalize().map_err(unfit)?;
        let overlaid = ground.layers.iter().any(|layer| tmp.starts_with(&layer.root));
        Ok(Self {
            users: c_string(format!("{0} {0} 1", geteuid().as_raw()).as_bytes()).map_err(unfit)?,
            groups: c_string(format!("{0} {0} 1", getegid().as_raw()).as_bytes()).map_err(unfit)?,
            tmp: if overlaid { None } else { Some(as_c(&tmp).map_err(unfit)?) },
            overlays: ground.layers.iter().map(Overlay::of).collect::<io::Result<_>>().map_err(unfit)?,
            mounts: Handover::new().map_err(unfit)?,
            ruleset: Rules::build(program, confinement)?.into_open().map_err(unfit)?,
            rights: rules::rights_in_a_granted_folder(abi),
            filter,
            step: AtomicUsize::new(0),
        })
    }

    /// The step at which it failed; nothing where it was not begun or all went well.
    pub(crate) fn failed_step(&self) -> Option<&'static str> {
        let begun = self.step.load(Ordering::Relaxed).checked_sub(1)?;
        STEPS.get(begun).copied()
    }

    /// The mounts of the command that was started in it.
    pub(crate) fn mounts(&self) -> io::Result<Mounts> {
        self.mounts.take()
    }

    /// The child is about to be born.
    pub(crate) fn begin(&self) {
        self.next_step();
    }

    /// Goes there. Bare system calls only.
    pub(crate) fn enter(&self) -> Result<(), Errno> {
        self.next_step();
        // Without a promise not to give up groups, only an administrator may name them.
        put(c"/proc/self/setgroups", c"deny")?;
        put(c"/proc/self/uid_map", &self.users)?;
        put(c"/proc/self/gid_map", &self.groups)?;
        self.next_step();
        self.mounts.give()?;
        mount_change(c"/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
        if let Some(tmp) = &self.tmp {
            mount_bind(tmp.as_c_str(), tmp.as_c_str())?;
        }
        self.next_step();
        self.overlays.iter().try_for_each(Overlay::mount)?;
        self.next_step();
        set_read_only(c"/", true)?;
        let writable = self.overlays.iter().map(|overlay| &overlay.root).chain(&self.tmp);
        writable.clone().try_for_each(|path| set_read_only(path, false))?;
        self.next_step();
        self.overlays.iter().try_for_each(|overlay| self.grant(&overlay.root))?;
        set_no_new_privs(true)?;
        self.bind()?;
        self.next_step();
        capabilities::reduce_bare()?;
        apply_filter(self.filter).map_err(|_| last_error())?;
        self.next_step();
        Ok(())
    }

    fn next_step(&self) {
        self.step.fetch_add(1, Ordering::Relaxed);
    }

    /// Lets the command write in an overlay, whose root has come into being just now.
    fn grant(&self, root: &CStr) -> Result<(), Errno> {
        let folder = open(root, FOLDER, Mode::empty())?;
        let beneath = PathBeneath { rights: self.rights, folder: folder.as_raw_fd() };
        #[expect(unsafe_code, reason = "the crate for Landlock allocates, which is not allowed here")]
        // SAFETY: the call reads a whole `PathBeneath`, whose descriptor is open; both outlive it.
        let added = unsafe {
            libc::syscall(
                libc::SYS_landlock_add_rule,
                self.ruleset.as_raw_fd(),
                RULE_PATH_BENEATH,
                &raw const beneath,
                0_u32,
            )
        };
        if added == 0 { Ok(()) } else { Err(last_error()) }
    }

    fn bind(&self) -> Result<(), Errno> {
        let ruleset = self.ruleset.as_raw_fd();
        #[expect(unsafe_code, reason = "the crate for Landlock allocates, which is not allowed here")]
        // SAFETY: takes numbers only, and binds no thread but this one.
        let bound = unsafe { libc::syscall(libc::SYS_landlock_restrict_self, ruleset, 0_u32) };
        if bound == 0 { Ok(()) } else { Err(last_error()) }
    }
}

impl Overlay {
    fn of(layer: &super::ground::Layer) -> io::Result<Self> {
        let mut options = b"lowerdir=.,upperdir=".to_vec();
        options.extend(escaped(&layer.upper));
        options.extend(b",workdir=");
        options.extend(escaped(&layer.work));
        // Attributes of users, because those of the kernel are the administrator's. Nothing needs to survive a crash. No index of hard
        // links, whatever is usual on this machine: a file with several names is refused instead.
        options.extend(b",userxattr,volatile,index=off");
        let found = fstat(&layer.real)?;
        Ok(Self {
            root: as_c(&layer.root)?,
            identity: (found.st_dev, found.st_ino),
            options: c_string(&options)?,
        })
    }

    /// Lays it over the folder, which must still be the one that was looked at.
    fn mount(&self) -> Result<(), Errno> {
        let folder = open(self.root.as_c_str(), FOLDER, Mode::empty())?;
        let found = fstat(&folder)?;
        if (found.st_dev, found.st_ino) != self.identity {
            return Err(Errno::STALE);
        }
        fchdir(&folder)?;
        drop(folder);
        let flags = MountFlags::NOSUID | MountFlags::NODEV;
        mount(c"overlay", c".", c"overlay", flags, Some(self.options.as_c_str()))?;
        // Nothing of the real folder is held by what comes.
        chdir(c"/")
    }
}

/// Writes a short text into a file of the kernel's.
fn put(path: &CStr, text: &CStr) -> Result<(), Errno> {
    let file = open(path, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    write(&file, text.to_bytes()).map(drop)
}

/// One rule, as the kernel reads it.
#[repr(C, packed)]
struct PathBeneath {
    rights: u64,
    folder: c_int,
}

const RULE_PATH_BENEATH: u32 = 1;

/// Attributes of a mount, as the kernel reads them.
#[repr(C)]
struct MountAttributes {
    set: u64,
    clear: u64,
    propagation: u64,
    user_namespace: u64,
}

const READ_ONLY: u64 = 1;

/// Makes everything mounted from here on read-only, or one mount writable again.
fn set_read_only(path: &CStr, read_only: bool) -> Result<(), Errno> {
    let (set, clear, flags) = if read_only { (READ_ONLY, 0, libc::AT_RECURSIVE) } else { (0, READ_ONLY, 0) };
    let attributes = MountAttributes { set, clear, propagation: 0, user_namespace: 0 };
    #[expect(unsafe_code, reason = "a system call without a safe wrapper")]
    // SAFETY: the call reads a path that ends with zero and a whole `MountAttributes` of the size given; both outlive it.
    let done = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            path.as_ptr(),
            flags,
            &raw const attributes,
            size_of::<MountAttributes>(),
        )
    };
    if done == 0 { Ok(()) } else { Err(last_error()) }
}

/// A path within the options of an overlay, where commas part one from the other.
fn escaped(path: &Path) -> Vec<u8> {
    let mut text = Vec::new();
    for byte in path.as_os_str().as_bytes() {
        if b"\\,:".contains(byte) {
            text.push(b'\\');
        }
        text.push(*byte);
    }
    text
}

fn as_c(path: &Path) -> io::Result<CString> {
    c_string(path.as_os_str().as_bytes())
}
